import { Controller, Post, Req } from '@nestjs/common'
import { RouteConfig } from '@nestjs/platform-fastify'
import { ApiHeader, ApiOperation, ApiTags } from '@nestjs/swagger'
import type { FastifyRequest } from 'fastify'
import Stripe from 'stripe'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { SIGNED_BODY } from '../platform/http/edge/bodies.js'
import { Answers, Refuses } from '../platform/http/endpoint.js'
import { Flag } from '../platform/http/fields.js'
import { type Client, CurrentClient, singleHeader } from '../platform/http/request.js'
import { Clock, unixSeconds } from '../platform/time.js'
import { Public } from '../tokens/jwt.guard.js'
import { BillingInbox, eventIn } from './inbox.js'
import { isLiveKey, stripeSettingsOf } from './stripe.js'
import { BillingWorker } from './worker.js'

/** Stripe's own tolerance against replays. Its library does not check for times in the future; we do. */
const TOLERANCE_SECONDS = 300

class WebhookAnswer {
  @Flag({ example: true }) received!: boolean
}

@ApiTags('Billing')
@Controller('api/webhooks')
export class WebhookController {
  constructor(
    private readonly inbox: BillingInbox,
    private readonly worker: BillingWorker,
    private readonly auditLog: AuditLog,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /**
   * Receives events of the payment provider; the signature of the body authenticates them. An event is
   * committed before it is answered. Its effects follow, even if this process dies.
   */
  @Public()
  @Post('stripe')
  @ApiHeader({ name: 'Stripe-Signature', required: true, description: 'At most 300 s old' })
  @ApiOperation({
    summary: 'Events of the payment provider',
    description:
      'Each event is stored once and answered 200 when that is committed; its effects follow. Anything but a 200 makes ' +
      'the provider send it again, so a correctly signed body that is not an event is answered 200 as well, and dropped.',
  })
  @Answers(200, 'Stored, or was already', WebhookAnswer)
  @Refuses(
    'PAYMENTS_OFF',
    'INVALID_SIGNATURE',
    'WRONG_MODE',
    'BODY_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'TOO_BUSY',
    'DATABASE_UNAVAILABLE',
  )
  @RouteConfig(SIGNED_BODY)
  async receive(@Req() request: FastifyRequest, @CurrentClient() client: Client) {
    const event = eventIn(this.verified(request, client))
    // The provider would send it again for days, and then disable the endpoint.
    if (event === null) return { received: true }
    this.requireOurMode(event, client)
    if (await this.inbox.store(event)) this.worker.nudge()
    return { received: true }
  }

  /** The body, once its signature is verified. */
  private verified(request: FastifyRequest, client: Client): string {
    const signature = singleHeader(request, 'stripe-signature')
    const { rawBody = Buffer.alloc(0) } = request
    const { webhookSecrets } = stripeSettingsOf(this.settings)
    try {
      const text = signature.kind === 'one' ? signature.value : ''
      requireSignature(rawBody, text, webhookSecrets, this.clock.now())
    } catch (refusal) {
      this.auditLog.enqueue(auditEvent({ client }, 'webhook'), 'refused')
      throw refusal
    }
    request.server.largeBodies.rememberSigner(request)
    return rawBody.toString()
  }

  /** Throws `WRONG_MODE` (400) for a test-mode event where money is real, and the reverse. */
  private requireOurMode({ livemode }: Stripe.Event, client: Client): void {
    if (typeof livemode !== 'boolean' || livemode === isLiveKey(stripeSettingsOf(this.settings).secretKey))
      return
    this.auditLog.enqueue(auditEvent({ client }, 'webhook', { livemode }), 'refused')
    throw new ApiError('WRONG_MODE')
  }
}

/**
 * Throws `INVALID_SIGNATURE` (400) unless one of our secrets signed these bytes within 300 s of `now`, whatever they
 * say. There are several secrets while endpoints of two API versions, or an old and a new secret, are in use.
 */
function requireSignature(body: Buffer, header: string, secrets: readonly string[], now: Date): void {
  const signedAt = Number(/(?:^|,)t=(\d+)(?:,|$)/.exec(header)?.[1] ?? Number.NaN)
  if (!(signedAt <= unixSeconds(now) + TOLERANCE_SECONDS)) throw new ApiError('INVALID_SIGNATURE')
  let cause: unknown
  for (const secret of secrets)
    try {
      // Not `constructEvent`, which also refuses what is well signed but no snapshot event.
      const { signature } = Stripe.webhooks
      if (signature?.verifyHeader(body, header, secret, TOLERANCE_SECONDS, undefined, now.getTime())) return
    } catch (error) {
      cause = error
    }
  throw new ApiError('INVALID_SIGNATURE', { cause })
}
