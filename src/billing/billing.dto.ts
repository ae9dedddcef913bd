import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import { IsString, MaxLength } from 'class-validator'
import { BODY_REFUSALS, Documented } from '../platform/http/endpoint.js'
import { IfPresent } from '../platform/http/validation.js'
import { PROVIDER_REFUSALS } from './provider/payment-provider.js'

export class CreateSubscriptionBody {
  @ApiPropertyOptional({
    type: String,
    maxLength: 255,
    description: 'One of STRIPE_PRICE_IDS; the first of them by default',
    example: 'price_monthly',
  })
  @IfPresent()
  @IsString()
  @MaxLength(255)
  priceId?: string

  @ApiPropertyOptional({
    type: String,
    format: 'uri',
    maxLength: 2048,
    description: 'Where the browser goes afterwards; the main site by default',
    example: 'https://shop-one.example.net/thanks',
  })
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
      'PLAN_UNAVAILABLE',
      'ACCOUNT_CLOSING',
      ...PROVIDER_REFUSALS,
      'TOO_BUSY',
    ],
  })

export class PortalBody {
  @ApiPropertyOptional({
    type: String,
    format: 'uri',
    maxLength: 2048,
    description: 'Where the browser goes afterwards; the main site by default',
    example: 'https://www.example.com/account',
  })
  @IfPresent()
  @IsString()
  return?: string
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
    refusals: [...BODY_REFUSALS, 'INVALID_RETURN_URL', 'NEVER_SUBSCRIBED', ...PROVIDER_REFUSALS, 'TOO_BUSY'],
  })
