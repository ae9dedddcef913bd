import { Body, Controller, Get, Post, Query } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { PaymentStepUpGuard } from '../auth/reauthentication.js'
import { LiveSession, MainSite } from '../sessions/guards.js'
import { CurrentActor, type SessionActor } from '../sessions/session-actor.js'
import { CreateSubscriptionBody, CreateSubscriptionDocs, OpenPortalDocs, PortalBody } from './billing.dto.js'
import { BillingService } from './billing.service.js'
import { ReadSubscriptionDocs, SubscriptionQuery } from './subscription/subscription.dto.js'
import { SubscriptionQueries } from './subscription/subscription-queries.js'

@ApiTags('Billing')
@Controller('api/subscription')
export class BillingController {
  constructor(
    private readonly billing: BillingService,
    private readonly subscriptionQueries: SubscriptionQueries,
  ) {}

  /**
   * Starts a hosted checkout, or a change of plan. JwtGuard (global) is check 1; @MainSite adds checks 2 to
   * 4.
   */
  @Post('create')
  @MainSite({ permission: 'payments', guard: PaymentStepUpGuard })
  @CreateSubscriptionDocs()
  async create(@CurrentActor() actor: SessionActor, @Body() body: CreateSubscriptionBody) {
    return { checkoutUrl: await this.billing.startCheckout(actor, body) }
  }

  /** Opens the provider's pages for invoices, cards and cancelling. Guarded like a checkout. */
  @Post('portal')
  @MainSite({ permission: 'payments', guard: PaymentStepUpGuard })
  @OpenPortalDocs()
  async openPortal(@CurrentActor() actor: SessionActor, @Body() { return: returnUrl }: PortalBody) {
    return { url: await this.billing.openPortal(actor, returnUrl) }
  }

  /** The subscription of the caller's account. */
  @Get()
  @LiveSession({ enrolled: true })
  @ReadSubscriptionDocs()
  read(@CurrentActor() actor: SessionActor, @Query() { checkout, portal }: SubscriptionQuery) {
    if (checkout !== undefined) return this.subscriptionQueries.readAfter(actor, checkout)
    return portal
      ? this.subscriptionQueries.readAfterPortal(actor)
      : this.subscriptionQueries.read(actor.accountId)
  }
}
