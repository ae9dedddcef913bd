import { Module } from '@nestjs/common'
import Stripe from 'stripe'
import { AccountsModule } from '../accounts/accounts.module.js'
import { AttemptsModule } from '../attempts/attempts.module.js'
import { AuditModule } from '../audit/audit.module.js'
import { Clock } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import { PermissionsModule } from '../permissions/permissions.module.js'
import { RedisModule } from '../redis/redis.module.js'
import { RedisConnection } from '../redis/redis-connection.js'
import { SessionsModule } from '../sessions/sessions.module.js'
import { AccountBilling } from './account-billing.js'
import { AccountRecords } from './account-records.js'
import { AfterCommit } from './after-commit.js'
import { BillingController } from './billing.controller.js'
import { BillingService } from './billing.service.js'
import { BillingCustomers } from './billing-customers.js'
import { BillingInbox } from './billing-inbox.js'
import { BillingOperations } from './billing-operations.js'
import { BillingReconciler } from './billing-reconciler.js'
import { BillingWork } from './billing-work.js'
import { BillingWorker } from './billing-worker.js'
import { CancelledSubscriptions } from './cancelled-subscriptions.js'
import { CheckoutService } from './checkout.service.js'
import { CheckoutReturn } from './checkout-return.js'
import { Checkouts } from './checkouts.js'
import { CustomerDetailsSync } from './customer-details.js'
import { CustomerLooks } from './customer-look.js'
import { CustomerSync } from './customer-sync.js'
import { CustomerWriter } from './customer-writer.js'
import { EntitlementSweep } from './entitlements/entitlement-sweep.js'
import { Entitlements } from './entitlements/entitlements.js'
import { UserEntitlements } from './entitlements/user-entitlements.js'
import { ForeignCustomers } from './foreign-customers.js'
import { HostedCheckouts } from './hosted-checkouts.js'
import { HourlyLines } from './hourly-lines.js'
import { OpenPages } from './open-pages.js'
import { createStripe } from './payment-provider.js'
import { PaymentRequests } from './payment-requests.js'
import { PaymentsPermissionGuard } from './payments-permission.guard.js'
import { PlanCache } from './plan-cache.js'
import { PlanCatalog } from './plan-catalog.js'
import { PlanChangeService } from './plan-change.service.js'
import { PlansController } from './plans.controller.js'
import { PortalService } from './portal.service.js'
import { ProviderBulkhead } from './provider-bulkhead.js'
import { ProviderKey } from './provider-key.js'
import { ProviderKeyCheck } from './provider-key-check.js'
import { ProviderUpdates } from './provider-updates.js'
import { Seats } from './seats.js'
import { SubscriptionCache } from './subscription-cache.js'
import { SubscriptionReading } from './subscription-reading.js'
import { Subscriptions } from './subscriptions.js'
import { SurplusSubscriptions } from './surplus-subscriptions.js'
import { Trials } from './trials.js'
import { UnpaidSubscriptions } from './unpaid-subscriptions.js'
import { WaitingEvents } from './waiting-events.js'
import { WebhookController } from './webhook.controller.js'
import { WebhookService } from './webhook.service.js'

@Module({
  imports: [AccountsModule, AttemptsModule, AuditModule, PermissionsModule, RedisModule, SessionsModule],
  controllers: [BillingController, PlansController, WebhookController],
  providers: [
    { provide: Stripe, inject: [Settings], useFactory: ({ stripe }: Settings) => createStripe(stripe) },
    { provide: SubscriptionCache, inject: [RedisConnection], useFactory: SubscriptionCache.over },
    { provide: PlanCache, inject: [RedisConnection, Settings, Clock], useFactory: PlanCache.over },
    AccountBilling,
    AccountRecords,
    AfterCommit,
    BillingService,
    BillingInbox,
    BillingOperations,
    BillingReconciler,
    BillingWork,
    BillingWorker,
    BillingCustomers,
    CancelledSubscriptions,
    CheckoutReturn,
    CheckoutService,
    Checkouts,
    PaymentRequests,
    PaymentsPermissionGuard,
    CustomerLooks,
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
    SubscriptionReading,
    WaitingEvents,
    Subscriptions,
    SurplusSubscriptions,
    Trials,
    UnpaidSubscriptions,
    WebhookService,
  ],
  exports: [AccountBilling],
})
export class BillingModule {}
