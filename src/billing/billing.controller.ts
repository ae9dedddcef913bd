import { Body, Controller, Get, Post, UseGuards } from '@nestjs/common'
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger'
import { type Client, CurrentClient } from '../http/client.js'
import { MainSourceGuard } from '../sessions/main-source.guard.js'
import type { Caller } from '../tokens/claims.js'
import { CurrentCaller } from '../tokens/current-caller.decorator.js'
import { CreateSubscriptionDocs, ReadSubscriptionDocs } from './billing.docs.js'
import { BillingService } from './billing.service.js'
import { CreateSubscriptionBody } from './create-subscription.body.js'
import { PaymentsPermissionGuard } from './payments-permission.guard.js'

@ApiTags('Billing')
@ApiBearerAuth('accessToken')
@Controller('api/subscription')
export class BillingController {
  constructor(private readonly billing: BillingService) {}

  /** Starts a hosted checkout. JwtGuard (global) is check 1; the guards below are checks 2 to 4. */
  @Post('create')
  @CreateSubscriptionDocs()
  @UseGuards(MainSourceGuard, PaymentsPermissionGuard)
  async create(
    @CurrentCaller() caller: Caller,
    @Body() body: CreateSubscriptionBody,
    @CurrentClient() client: Client,
  ) {
    return { checkoutUrl: await this.billing.startCheckout(caller, body, client) }
  }

  /** The subscription of the caller's account. */
  @Get()
  @ReadSubscriptionDocs()
  read(@CurrentCaller() caller: Caller) {
    return this.billing.subscription(caller.accountId)
  }
}
