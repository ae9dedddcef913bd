import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { IsIn, IsOptional, IsString, Matches } from 'class-validator'
import { Documented } from '../../platform/http/endpoint.js'
import { LimitsAnswer } from '../catalog/plans.dto.js'
import { SUBSCRIPTION_STATES } from './subscription-rules.js'

export class SubscriptionQuery {
  @ApiPropertyOptional({
    type: String,
    description:
      "The `checkout` parameter that the browser came back with, or the provider's id of the checkout",
  })
  @IsOptional()
  @IsString()
  @Matches(/^[A-Za-z0-9_-]{1,255}$/)
  checkout?: string

  @ApiPropertyOptional({
    enum: ['closed'],
    description: 'The `portal` parameter that the browser came back with',
  })
  @IsOptional()
  @IsIn(['closed'])
  portal?: 'closed'
}

class SubscriptionAnswer {
  @ApiProperty({
    enum: [
      'none',
      'incomplete',
      'incomplete_expired',
      'trialing',
      'active',
      'past_due',
      'canceled',
      'unpaid',
      'paused',
    ],
  })
  status!: string

  @ApiProperty({
    enum: SUBSCRIPTION_STATES,
    description:
      'What this means for the account. It has its plan while `trialing`, `active` or `past_due` (a payment is due, until `graceUntil`). ' +
      '`pending`: the first payment is on its way, which can take days',
  })
  state!: string

  @ApiProperty({ type: String, nullable: true, example: 'price_monthly' })
  plan!: string | null

  @ApiProperty({ type: String, nullable: true, example: 'Team', description: "The plan's name, for people" })
  planName!: string | null

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { de: 'Team' },
    description: 'What the plan is called in other languages, by their BCP 47 tags',
  })
  planNames!: Record<string, string>

  @ApiProperty({ type: 'integer', nullable: true, example: 1, description: 'How many seats are billed' })
  quantity!: number | null

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  currentPeriodEnd!: string | null

  @ApiProperty({ type: Boolean, description: 'Whether a cancellation is scheduled; it lives until `endsAt`' })
  cancelAtPeriodEnd!: boolean

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it ends or has ended; null while no end is set',
  })
  endsAt!: string | null

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When the next period is charged; null when none will be, or a payment is due already',
  })
  renewsAt!: string | null

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  graceUntil!: string | null

  @ApiProperty({ type: LimitsAnswer, description: 'How many the account may have now' })
  limits!: LimitsAnswer

  @ApiPropertyOptional({
    enum: ['pending', 'active'],
    description: 'Only with `checkout`. `pending`: no payment has arrived yet, or it takes days',
  })
  checkout?: string
}

export const ReadSubscriptionDocs = () =>
  Documented({
    summary: "The account's subscription",
    description:
      'As the payment provider has it: a return from its page proves nothing. With `checkout`, after a return from there, ' +
      'the provider is asked if its event has not arrived yet: `pending` may still become `active`. With `portal=closed` it is asked ' +
      'for whoever has the payments permission. Either is in the query of the address that the browser comes back to.',
    status: 200,
    answer: 'The subscription; status `none` when there never was one',
    type: SubscriptionAnswer,
    refusals: ['INVALID_QUERY', 'NOT_FOUND', 'TOO_MANY_ATTEMPTS'],
  })
