// What was decided here, and why: docs/decisions/billing.md
import { Module } from '@nestjs/common'
import Stripe from 'stripe'
import { CorsModule } from '../cors/cors.module.js'
import { MailModule } from '../mail/mail.module.js'
import { AuditLogModule } from '../platform/audit/audit-log.module.js'
import { Settings } from '../platform/config/settings.js'
import { HourlyLog } from '../platform/log.js'
import { PlansModule } from '../platform/plans.js'
import { RateLimitsModule } from '../platform/rate-limits/rate-limits.module.js'
import { RedisConnection, RedisModule } from '../platform/redis/redis.js'
import { Clock } from '../platform/time.js'
import { Tracing } from '../platform/tracing.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { AccountSettlement } from './account-settlement.js'
import { BillingController } from './billing.controller.js'
import { BillingService, CheckoutIntents } from './billing.service.js'
import { PlanCache, RefusedCurrencies, SubscriptionCache } from './billing-caches.js'
import { PlanCatalog } from './catalog/plan-catalog.js'
import { PlansController } from './catalog/plans.controller.js'
import { CheckoutService, FailedFirstPayments } from './checkout/checkout.service.js'
import { Checkouts } from './checkout/checkouts.js'
import { HostedCheckouts } from './checkout/hosted-checkouts.js'
import { UnsoldPages } from './checkout/unsold-pages.js'
import { EntitlementSweep } from './entitlements/entitlement-sweep.job.js'
import { Entitlements } from './entitlements/entitlements.js'
import { UserEntitlements } from './entitlements/user-entitlements.js'
import { InvoiceList } from './invoices/invoice-list.js'
import { InvoicesController } from './invoices/invoices.controller.js'
import { BillingMetrics } from './operations/billing-metrics.js'
import { BillingReconciler } from './operations/billing-reconciler.js'
import { BillingReplay } from './operations/billing-replay.js'
import { ForeignCustomers, ProviderKeyCheck } from './operations/foreign-customers.js'
import { SurplusSubscriptions } from './operations/surplus-subscriptions.js'
import { BillingCustomers } from './provider/billing-customers.js'
import { MeteredPrices } from './provider/metered-prices.js'
import { createStripe, ProviderKey } from './provider/payment-provider.js'
import { PaymentRequests } from './provider/payment-requests.js'
import { ProviderBulkhead } from './provider/provider-bulkhead.js'
import { ProviderRefusals } from './provider/provider-refusals.js'
import { CancelledSubscriptions, ProviderUpdates } from './provider/provider-updates.js'
import { Seats } from './provider/seats.js'
import { PlanMails } from './subscription/plan-mails.js'
import { PortalService } from './subscription/portal.service.js'
import { CheckoutReturn, SubscriptionQueries } from './subscription/subscription-queries.js'
import { Subscriptions } from './subscription/subscriptions.js'
import { BillingInbox } from './sync/billing-inbox.js'
import { BillingQueue } from './sync/billing-queue.js'
import { BillingWorker } from './sync/billing-worker.js'
import { CustomerAdoption } from './sync/customer-adoption.js'
import { CustomerSnapshots, CustomerSync } from './sync/customer-sync.js'
import { CustomerWriter, SubscriptionWriter } from './sync/customer-writer.js'
import { WaitingEvents } from './sync/waiting-events.js'
import { WebhookController } from './webhook.controller.js'

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
    CancelledSubscriptions,
    CheckoutIntents,
    CheckoutReturn,
    CheckoutService,
    Checkouts,
    CustomerAdoption,
    CustomerSnapshots,
    CustomerSync,
    CustomerWriter,
    EntitlementSweep,
    Entitlements,
    FailedFirstPayments,
    ForeignCustomers,
    HostedCheckouts,
    HourlyLog,
    InvoiceList,
    MeteredPrices,
    PaymentRequests,
    PlanCatalog,
    PlanMails,
    PortalService,
    ProviderBulkhead,
    ProviderKey,
    ProviderKeyCheck,
    ProviderRefusals,
    ProviderUpdates,
    RefusedCurrencies,
    Seats,
    SubscriptionQueries,
    SubscriptionWriter,
    Subscriptions,
    SurplusSubscriptions,
    UnsoldPages,
    UserEntitlements,
    WaitingEvents,
  ],
  exports: [AccountSettlement, BillingReplay],
})
export class BillingModule {}
