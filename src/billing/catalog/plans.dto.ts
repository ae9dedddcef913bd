import { ApiProperty } from '@nestjs/swagger'
import { Documented } from '../../platform/http/endpoint.js'
import { PROVIDER_REFUSALS } from '../provider/payment-provider.js'

export class LimitsAnswer {
  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 5,
    description: 'Satellites of the account; null means any number',
  })
  satellites!: number | null

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 20,
    description: 'Active users, the owner included; null means any number',
  })
  seats!: number | null
}

class PlanAnswer {
  @ApiProperty({ type: String, example: 'price_monthly', description: 'For `POST /api/subscription/create`' })
  priceId!: string

  @ApiProperty({
    type: String,
    example: 'Team',
    description: 'From the plans file, or else from the provider',
  })
  name!: string

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { de: 'Team' },
    description: 'What it is called in other languages, by their BCP 47 tags',
  })
  names!: Record<string, string>

  @ApiProperty({
    type: [String],
    example: ['Your whole team', 'Every report'],
    description: 'What it offers: from the plans file, or else the marketing features of the product',
  })
  features!: string[]

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    example: { de: ['Ihr ganzes Team', 'Alle Berichte'] },
    description: 'The features in other languages, by their BCP 47 tags',
  })
  translatedFeatures!: Record<string, string[]>

  @ApiProperty({
    type: 'integer',
    nullable: true,
    example: 2000,
    description:
      "For one period, or one seat of it, in the currency's smallest unit; null where it depends on usage",
  })
  amount!: number | null

  @ApiProperty({ type: String, example: 'usd', description: 'ISO 4217, lower case' })
  currency!: string

  @ApiProperty({ enum: ['day', 'week', 'month', 'year'] })
  interval!: string

  @ApiProperty({ type: 'integer', example: 1, description: 'How many of them a period has' })
  intervalCount!: number

  @ApiProperty({ type: Boolean, description: 'Whether each active user is billed' })
  seats!: boolean

  @ApiProperty({ type: LimitsAnswer, description: 'How many an account may have with it' })
  limits!: LimitsAnswer

  @ApiProperty({
    type: 'integer',
    example: 0,
    description: "How many days are free at first, for the caller's account",
  })
  trialDays!: number
}

class PlansAnswer {
  @ApiProperty({ type: [PlanAnswer] })
  plans!: PlanAnswer[]
}

export const ReadPlansDocs = () =>
  Documented({
    summary: 'List the plans on sale',
    description:
      'Every price that can be bought, with amount and period as the payment provider has them. Up to ten minutes old; while the ' +
      'provider does not answer, the last known ones.',
    status: 200,
    answer: 'The plans, the default one first',
    type: PlansAnswer,
    refusals: [...PROVIDER_REFUSALS, 'DATABASE_UNAVAILABLE', 'TOO_BUSY'],
  })
