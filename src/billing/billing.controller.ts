import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Body, Controller, Get, Post, Query } from '@nestjs/common'
import { ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../http/client.js'
import { LiveSession, MainSite } from '../sessions/guards/protection.decorators.js'
import { CurrentCaller } from '../tokens/jwt.guard.js'
import { BillingService } from './billing.service.js'
import { CreateSubscriptionBody, CreateSubscriptionDocs } from './checkout/checkout.dto.js'
import {
  OpenPortalDocs,
  PortalBody,
  ReadSubscriptionDocs,
  SubscriptionQuery,
} from './subscription/subscription.dto.js'
import { SubscriptionQueries } from './subscription/subscription-queries.js'

@ApiTags('Billing')
@Controller('api/subscription')
export class BillingController {
  constructor(
    private readonly billing: BillingService,
    private readonly subscriptionQueries: SubscriptionQueries,
  ) {}

  /** Starts a hosted checkout, or a change of plan. JwtGuard (global) is check 1; @MainSite adds checks 2 to 4. */
  @Post('create')
  @MainSite({ permission: 'payments' })
  @CreateSubscriptionDocs()
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateSubscriptionBody,
    @CurrentClient() client: Client,
  ) {
    return { checkoutUrl: await this.billing.startCheckout(caller, body, client) }
  }

  /** Opens the provider's pages for invoices, cards and cancelling. Guarded like a checkout. */
  @Post('portal')
  @MainSite({ permission: 'payments' })
  @OpenPortalDocs()
  async openPortal(
    @CurrentCaller() caller: Caller,
    @Body() { return: returnUrl }: PortalBody,
    @CurrentClient() client: Client,
  ) {
    return { url: await this.billing.openPortal(caller, returnUrl, client) }
  }

  /** The subscription of the caller's account. */
  @Get()
  @LiveSession()
  @ReadSubscriptionDocs()
  read(
    @CurrentCaller() caller: Caller,
    @Query() { checkout, portal }: SubscriptionQuery,
    @CurrentClient() client: Client,
  ) {
    if (checkout !== undefined) return this.subscriptionQueries.readAfter(caller, checkout, client)
    return portal
      ? this.subscriptionQueries.readAfterPortal(caller, client)
      : this.subscriptionQueries.read(caller.accountId)
  }
}
