import { applyDecorators } from '@nestjs/common'
import { ApiHeader, ApiProperty } from '@nestjs/swagger'
import { Documented } from '../http/documented.js'

class WebhookAnswer {
  @ApiProperty({ type: Boolean, example: true })
  received!: boolean
}

export const WebhookDocs = () =>
  applyDecorators(
    ApiHeader({ name: 'Stripe-Signature', required: true, description: 'At most 300 s old' }),
    Documented({
      summary: 'Events of the payment provider',
      description:
        'Each event is stored once and answered 200 when that is committed; its effects follow. Anything but a 200 makes ' +
        'the provider send it again.',
      status: 200,
      answer: 'Stored, or was already',
      type: WebhookAnswer,
      refusals: [
        'INVALID_SIGNATURE',
        'WRONG_MODE',
        'BODY_TOO_LARGE',
        'UNSUPPORTED_MEDIA_TYPE',
        'DATABASE_UNAVAILABLE',
      ],
    }),
  )
