// What was decided here, and why: docs/decisions/README.md, "Billing"
import { Module } from '@nestjs/common'
import Stripe from 'stripe'
import { CorsModule } from '../cors/cors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import { HourlyLog } from '../platform/log.js'
import { PlansModule } from '../platform/plans.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limiter.js'
import { RedisConnection, RedisModule } from '../platform/redis/redis.js'
import { Clock } from '../platform/time.js'
import { Tracing } from '../platform/tracing.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { AccountSettlement } from './account-settlement.js'
import { BillingController, BillingService, PlansController } from './billing.controller.js'
import { PlanCache, SubscriptionCache } from './caches.js'
import { PlanCatalog, PriceRefusals } from './catalog.js'
import { CheckoutService, Checkouts, HostedCheckouts, UnsoldPages } from './checkout.js'
import { CustomerAdoption } from './customer-adoption.js'
import { CustomerSnapshots, CustomerSync, CustomerWriter, WaitingEvents } from './customer-sync.js'
import { BillingCustomers } from './customers.js'
import { EntitlementSweep, Entitlements, PlanMails } from './entitlements.js'
import { BillingInbox, BillingQueue } from './inbox.js'
import { InvoiceList, InvoicesController } from './invoices.controller.js'
import { BillingMetrics, BillingReplay } from './operations.js'
import { PortalService } from './portal.js'
import { ProviderUpdates, Seats } from './provider-updates.js'
import { BillingReconciler, ForeignCustomers, ProviderKeyCheck, SurplusSubscriptions } from './reconciler.js'
import {
  createStripe,
  MeteredPrices,
  PaymentRequests,
  ProviderBulkhead,
  ProviderKey,
  ProviderRefusals,
} from './stripe.js'
import { SubscriptionQueries } from './subscription-queries.js'
import { Subscriptions } from './subscriptions.js'
import { WebhookController } from './webhook.controller.js'
import { BillingWorker } from './worker.js'

@Module({
  imports: [
    UsersModule,
    RateLimitsModule,
    AuditLogModule,
    MailModule,
    PlansModule,
    RedisModule,
    CorsModule,
    SessionsModule,
  ],
  controllers: [BillingController, InvoicesController, PlansController, WebhookController],
  providers: [
    {
      provide: Stripe,
      inject: [Settings, Tracing],
      useFactory: ({ stripe }: Settings, tracing: Tracing) => createStripe(stripe, tracing),
    },
    { provide: SubscriptionCache, inject: [RedisConnection], useFactory: SubscriptionCache.over },
    { provide: PlanCache, inject: [RedisConnection, Settings, Clock], useFactory: PlanCache.over },
    BillingCustomers,
    BillingInbox,
    BillingMetrics,
    BillingQueue,
    BillingReconciler,
    BillingReplay,
    BillingService,
    AccountSettlement,
    BillingWorker,
    CheckoutService,
    Checkouts,
    CustomerAdoption,
    CustomerSnapshots,
    CustomerSync,
    CustomerWriter,
    EntitlementSweep,
    Entitlements,
    ForeignCustomers,
    HostedCheckouts,
    HourlyLog,
    InvoiceList,
    MeteredPrices,
    PaymentRequests,
    PlanCatalog,
    PlanMails,
    PortalService,
    PriceRefusals,
    ProviderBulkhead,
    ProviderKey,
    ProviderKeyCheck,
    ProviderRefusals,
    ProviderUpdates,
    Seats,
    SubscriptionQueries,
    Subscriptions,
    SurplusSubscriptions,
    UnsoldPages,
    WaitingEvents,
  ],
  exports: [AccountSettlement, BillingReplay],
})
export class BillingModule {}
