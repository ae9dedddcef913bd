import { Controller, HttpCode, Post, Req } from '@nestjs/common'
import { RouteConfig } from '@nestjs/platform-fastify'
import { ApiTags } from '@nestjs/swagger'
import type { FastifyRequest } from 'fastify'
import type Stripe from 'stripe'
import { Clock } from '../../clock/clock.js'
import { Settings } from '../../config/settings.js'
import { type Client, CurrentClient } from '../../http/client.js'
import { SIGNED_BODY } from '../../http/edge/json-body.js'
import { singleHeader } from '../../http/request-headers.js'
import { Public } from '../../tokens/jwt.guard.js'
import { WebhookDocs } from './webhook.dto.js'
import { WebhookService } from './webhook.service.js'
import { verifiedEvent } from './webhook-signature.js'

@ApiTags('Billing')
@Controller('api/webhooks')
export class WebhookController {
  constructor(
    private readonly webhook: WebhookService,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Receives events of the payment provider; the signature of the body authenticates them. */
  @Public()
  @Post('stripe')
  @HttpCode(200)
  @WebhookDocs()
  @RouteConfig(SIGNED_BODY)
  async receive(@Req() request: FastifyRequest, @CurrentClient() client: Client) {
    await this.webhook.take(this.verified(request, client), client)
    return { received: true }
  }

  private verified(request: FastifyRequest, client: Client): Stripe.Event {
    const signature = singleHeader(request, 'stripe-signature')
    const { rawBody = Buffer.alloc(0) } = request
    try {
      const text = signature.kind === 'one' ? signature.value : ''
      return verifiedEvent(rawBody, text, this.settings.stripe.webhookSecrets, this.clock.now())
    } catch (refusal) {
      this.webhook.noteRefused(client)
      throw refusal
    }
  }
}
