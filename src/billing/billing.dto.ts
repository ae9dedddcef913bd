import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { IsIn, IsOptional, IsString, Matches, MaxLength, ValidateIf } from 'class-validator'
import { BODY_REFUSALS, Documented } from '../http/documented.js'
import { SUBSCRIPTION_STATES } from './subscription/subscription-rules.js'

/** May be absent but not null, which would be a second way to say the same thing. */
const IfPresent = () => ValidateIf((_, value) => value !== undefined)

export class CreateSubscriptionBody {
  @ApiPropertyOptional({ type: String, example: 'price_monthly' })
  /** One of STRIPE_PRICE_IDS; the first of them when absent. */
  @IfPresent()
  @IsString()
  @MaxLength(255)
  priceId?: string

  @ApiPropertyOptional({
    type: String,
    format: 'uri',
    maxLength: 2048,
    example: 'https://shop-one.example.net/thanks',
  })
  /** Where the browser goes afterwards; the main site by default. */
  @IfPresent()
  @IsString()
  return?: string
}

class CheckoutAnswer {
  @ApiProperty({
    type: String,
    format: 'uri',
    description: "The payment provider's page; send the browser there",
  })
  checkoutUrl!: string
}

export const CreateSubscriptionDocs = () =>
  Documented({
    summary: 'Start a hosted checkout',
    description:
      'Main site only: access token and session cookie must belong to the same session, and it must currently have the ' +
      'payments permission. Asking again while a checkout of the same price and return address is open gives the same URL. ' +
      'While a first payment is on its way, nothing can be bought (409). With a live subscription, another price gives the page for changing the plan, which leads back with `portal=closed`. After payment the browser comes ' +
      'back to the return address with `checkout=<id>` in its query. ' +
      'An account that is going to be deleted cannot buy until its owner cancels the deletion (409).',
    status: 201,
    answer: 'A page is open',
    type: CheckoutAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'UNKNOWN_PRICE',
      'INVALID_RETURN_URL',
      'ALREADY_SUBSCRIBED',
      'PAYMENT_PENDING',
      'CURRENCY_FIXED',
      'ACCOUNT_CLOSING',
      'PAYMENT_PROVIDER_FAILED',
      'PAYMENT_PROVIDER_UNAVAILABLE',
      'TOO_BUSY',
    ],
  })

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

export class PortalBody {
  @ApiPropertyOptional({
    type: String,
    format: 'uri',
    maxLength: 2048,
    example: 'https://www.example.com/account',
  })
  /** Where the browser goes afterwards; the main site by default. */
  @ValidateIf((_, value) => value !== undefined)
  @IsString()
  return?: string
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
    example: { de: 'Mannschaft' },
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

  @ApiPropertyOptional({
    enum: ['pending', 'active'],
    description: 'Only with `checkout`. `pending`: no payment has arrived yet, or it takes days',
  })
  checkout?: string
}

class PortalAnswer {
  @ApiProperty({
    type: String,
    format: 'uri',
    description: "The payment provider's page; send the browser there",
  })
  url!: string
}

export const OpenPortalDocs = () =>
  Documented({
    summary: 'Open the billing portal',
    description:
      'Main site only, like a checkout. Subscriptions are cancelled and resumed there. It leads back to the return address with `portal=closed` in its query.',
    status: 201,
    answer: 'The page is open, for some minutes',
    type: PortalAnswer,
    refusals: [
      ...BODY_REFUSALS,
      'INVALID_RETURN_URL',
      'NEVER_SUBSCRIBED',
      'PAYMENT_PROVIDER_FAILED',
      'PAYMENT_PROVIDER_UNAVAILABLE',
      'TOO_BUSY',
    ],
  })

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
