// What was decided here, and why: docs/decisions/billing.md
import { Module } from '@nestjs/common'
import Stripe from 'stripe'
import { AuditModule } from '../audit/audit.module.js'
import { Clock } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import { PermissionsModule } from '../permissions/permissions.module.js'
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js'
import { RedisModule } from '../redis/redis.module.js'
import { RedisConnection } from '../redis/redis-connection.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { UsersModule } from '../users/users.module.js'
import { BillingController } from './billing.controller.js'
import { BillingService } from './billing.service.js'
import { CheckoutService } from './checkout/checkout.service.js'
import { CheckoutReturn } from './checkout/checkout-return.js'
import { Checkouts } from './checkout/checkouts.js'
import { HostedCheckouts } from './checkout/hosted-checkouts.js'
import { OpenPages } from './checkout/open-pages.js'
import { Trials } from './checkout/trials.js'
import { BillingCustomers } from './customers/billing-customers.js'
import { CustomerDetailsSync } from './customers/customer-details.js'
import { ForeignCustomers } from './customers/foreign-customers.js'
import { EntitlementSweep } from './entitlements/entitlement-sweep.js'
import { Entitlements } from './entitlements/entitlements.js'
import { UserEntitlements } from './entitlements/user-entitlements.js'
import { BillingOperations } from './operations/billing-operations.js'
import { BillingStatus } from './operations/billing-status.js'
import { PlanCache } from './plans/plan-cache.js'
import { PlanCatalog } from './plans/plan-catalog.js'
import { PlansController } from './plans/plans.controller.js'
import { HourlyLines } from './provider/hourly-lines.js'
import { createStripe } from './provider/payment-provider.js'
import { PaymentRequests } from './provider/payment-requests.js'
import { ProviderBulkhead } from './provider/provider-bulkhead.js'
import { ProviderKey } from './provider/provider-key.js'
import { ProviderKeyCheck } from './provider/provider-key-check.js'
import { ProviderUpdates } from './provider/provider-updates.js'
import { CancelledSubscriptions } from './subscription/cancelled-subscriptions.js'
import { FailedFirstPayments } from './subscription/failed-first-payments.js'
import { PlanChangeService } from './subscription/plan-change.service.js'
import { PortalService } from './subscription/portal.service.js'
import { Seats } from './subscription/seats.js'
import { SubscriptionCache } from './subscription/subscription-cache.js'
import { SubscriptionQueries } from './subscription/subscription-queries.js'
import { Subscriptions } from './subscription/subscriptions.js'
import { SurplusSubscriptions } from './subscription/surplus-subscriptions.js'
import { AfterCommit } from './sync/after-commit.js'
import { BillingInbox } from './sync/billing-inbox.js'
import { BillingQueue } from './sync/billing-queue.js'
import { BillingReconciler } from './sync/billing-reconciler.js'
import { BillingWorker } from './sync/billing-worker.js'
import { CustomerSnapshots } from './sync/customer-snapshot.js'
import { CustomerSync } from './sync/customer-sync.js'
import { CustomerWriter } from './sync/customer-writer.js'
import { SubscriptionWriter } from './sync/subscription-writer.js'
import { WaitingEvents } from './sync/waiting-events.js'
import { WebhookController } from './webhook/webhook.controller.js'
import { WebhookService } from './webhook/webhook.service.js'

@Module({
  imports: [UsersModule, RateLimitsModule, AuditModule, PermissionsModule, RedisModule, SessionsModule],
  controllers: [BillingController, PlansController, WebhookController],
  providers: [
    { provide: Stripe, inject: [Settings], useFactory: ({ stripe }: Settings) => createStripe(stripe) },
    { provide: SubscriptionCache, inject: [RedisConnection], useFactory: SubscriptionCache.over },
    { provide: PlanCache, inject: [RedisConnection, Settings, Clock], useFactory: PlanCache.over },
    BillingStatus,
    SubscriptionWriter,
    AfterCommit,
    BillingService,
    BillingInbox,
    BillingOperations,
    BillingReconciler,
    BillingQueue,
    BillingWorker,
    BillingCustomers,
    CancelledSubscriptions,
    CheckoutReturn,
    CheckoutService,
    Checkouts,
    PaymentRequests,
    CustomerSnapshots,
    CustomerDetailsSync,
    CustomerSync,
    CustomerWriter,
    Entitlements,
    UserEntitlements,
    EntitlementSweep,
    ForeignCustomers,
    HostedCheckouts,
    HourlyLines,
    OpenPages,
    PlanCatalog,
    PlanChangeService,
    PortalService,
    ProviderBulkhead,
    ProviderKey,
    ProviderKeyCheck,
    ProviderUpdates,
    Seats,
    SubscriptionQueries,
    WaitingEvents,
    Subscriptions,
    SurplusSubscriptions,
    Trials,
    FailedFirstPayments,
    WebhookService,
  ],
  exports: [BillingStatus],
})
export class BillingModule {}
