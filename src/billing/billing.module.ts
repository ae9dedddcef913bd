import { Module } from '@nestjs/common'
import Stripe from 'stripe'
import { AuditModule } from '../audit/audit.module.js'
import { Settings } from '../config/settings.js'
import { RedisModule } from '../redis/redis.module.js'
import { RedisConnection } from '../redis/redis-connection.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AccountBilling } from './account-billing.js'
import { BillingController } from './billing.controller.js'
import { BillingService } from './billing.service.js'
import { BillingCustomers } from './billing-customers.js'
import { CheckoutService } from './checkout.service.js'
import { Checkouts } from './checkouts.js'
import { createStripe } from './payment-provider.js'
import { PaymentsPermissionGuard } from './payments-permission.guard.js'
import { ProviderLooks } from './provider-look.js'
import { SubscriptionCache } from './subscription-cache.js'
import { SubscriptionKeeper } from './subscription-keeper.js'
import { Subscriptions } from './subscriptions.js'
import { WebhookController } from './webhook.controller.js'
import { WebhookService } from './webhook.service.js'

@Module({
  imports: [AuditModule, RedisModule, SessionsModule],
  controllers: [BillingController, WebhookController],
  providers: [
    { provide: Stripe, inject: [Settings], useFactory: ({ stripe }: Settings) => createStripe(stripe) },
    { provide: SubscriptionCache, inject: [RedisConnection], useFactory: SubscriptionCache.over },
    AccountBilling,
    BillingService,
    BillingCustomers,
    CheckoutService,
    Checkouts,
    PaymentsPermissionGuard,
    ProviderLooks,
    SubscriptionKeeper,
    Subscriptions,
    WebhookService,
  ],
  exports: [AccountBilling],
})
export class BillingModule {}
