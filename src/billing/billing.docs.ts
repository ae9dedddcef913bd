import { applyDecorators } from '@nestjs/common'
import { ApiCookieAuth, ApiHeader, ApiProperty } from '@nestjs/swagger'
import { BODY_REFUSALS, Documented, TOKEN_REFUSALS } from '../http/documented.js'

class CheckoutAnswer {
  @ApiProperty({
    type: String,
    format: 'uri',
    description: "The payment provider's page; send the browser there",
  })
  checkoutUrl!: string
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

  @ApiProperty({ type: String, nullable: true, example: 'price_monthly' })
  plan!: string | null

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  currentPeriodEnd!: string | null

  @ApiProperty({ type: Boolean })
  cancelAtPeriodEnd!: boolean
}

class WebhookAnswer {
  @ApiProperty({ type: Boolean, example: true })
  received!: boolean
}

export const CreateSubscriptionDocs = () =>
  applyDecorators(
    ApiCookieAuth('sessionCookie'),
    Documented({
      summary: 'Start a hosted checkout',
      description:
        'Main site only: access token and session cookie must be of the same main-site session, which must have the ' +
        'payments permission now. Asking again while a checkout of the same price and return address is open gives the same URL.',
      status: 201,
      answer: 'A checkout is open',
      type: CheckoutAnswer,
      refusals: [
        ...BODY_REFUSALS,
        'UNKNOWN_PRICE',
        'INVALID_RETURN_URL',
        ...TOKEN_REFUSALS,
        'SESSION_NOT_FOUND',
        'CROSS_SITE_REFUSED',
        'SESSION_COOKIE_REQUIRED',
        'MAIN_SOURCE_REQUIRED',
        'SESSION_MISMATCH',
        'PAYMENTS_PERMISSION_REQUIRED',
        'ALREADY_SUBSCRIBED',
        'PAYMENT_PROVIDER_FAILED',
        'PAYMENT_PROVIDER_UNAVAILABLE',
        'DATABASE_UNAVAILABLE',
        'SESSION_STORE_UNAVAILABLE',
        'TOO_BUSY',
      ],
    }),
  )

export const ReadSubscriptionDocs = () =>
  Documented({
    summary: "The account's subscription",
    description: 'Changed by events of the payment provider only: a return from its page proves nothing.',
    status: 200,
    answer: 'The subscription; status `none` when there never was one',
    type: SubscriptionAnswer,
    refusals: [...TOKEN_REFUSALS, 'DATABASE_UNAVAILABLE'],
  })

export const WebhookDocs = () =>
  applyDecorators(
    ApiHeader({ name: 'Stripe-Signature', required: true, description: 'At most 300 s old' }),
    Documented({
      summary: 'Events of the payment provider',
      description:
        'An event and its effect are stored together, once. Anything but a 200 makes the provider send it again.',
      status: 200,
      answer: 'Stored, or was already',
      type: WebhookAnswer,
      refusals: [
        'INVALID_SIGNATURE',
        'BODY_TOO_LARGE',
        'UNSUPPORTED_MEDIA_TYPE',
        'PAYMENT_PROVIDER_FAILED',
        'PAYMENT_PROVIDER_UNAVAILABLE',
        'DATABASE_UNAVAILABLE',
      ],
    }),
  )
