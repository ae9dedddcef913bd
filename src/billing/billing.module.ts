// What was decided here, and why: docs/decisions/README.md, "Billing"
import { type DynamicModule, Module, type Provider } from '@nestjs/common'
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
import { InvoicesController } from './invoices.controller.js'
import { BillingMetrics, BillingReplay } from './operations.js'
import { PaymentsOffController } from './payments-off.controller.js'
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
  stripeSettingsOf,
} from './stripe.js'
import { SubscriptionQueries } from './subscription-queries.js'
import { Subscriptions } from './subscriptions.js'
import { WebhookController } from './webhook.controller.js'
import { BillingWorker } from './worker.js'

const CONTROLLERS = [BillingController, InvoicesController, PlansController, WebhookController]

const PROVIDERS: Provider[] = [
  {
    provide: Stripe,
    inject: [Settings, Tracing],
    useFactory: (settings: Settings, tracing: Tracing) => createStripe(stripeSettingsOf(settings), tracing),
  },
  { provide: SubscriptionCache, inject: [RedisConnection], useFactory: SubscriptionCache.over },
  { provide: PlanCache, inject: [RedisConnection, Settings, Clock], useFactory: PlanCache.over },
  BillingCustomers,
  BillingMetrics,
  BillingReconciler,
  BillingService,
  BillingWorker,
  CheckoutService,
  Checkouts,
  CustomerAdoption,
  CustomerSnapshots,
  CustomerSync,
  CustomerWriter,
  ForeignCustomers,
  HostedCheckouts,
  MeteredPrices,
  PaymentRequests,
  PlanCatalog,
  PortalService,
  PriceRefusals,
  ProviderBulkhead,
  ProviderKey,
  ProviderKeyCheck,
  ProviderRefusals,
  ProviderUpdates,
  Seats,
  SubscriptionQueries,
  SurplusSubscriptions,
  UnsoldPages,
  WaitingEvents,
]

const SHARED = [
  AccountSettlement,
  BillingInbox,
  BillingQueue,
  BillingReplay,
  Entitlements,
  HourlyLog,
  PlanMails,
  Subscriptions,
]

/** What is kept about payments, and asked for whether any can be made or not. */
@Module({
  imports: [UsersModule, AuditLogModule, MailModule, PlansModule, SessionsModule],
  providers: [...SHARED, EntitlementSweep],
  exports: SHARED,
})
export class BillingModule {}

/** Selling: everything that knows the payment provider, or the same routes without it. */
@Module({
  imports: [
    BillingModule,
    UsersModule,
    RateLimitsModule,
    AuditLogModule,
    PlansModule,
    RedisModule,
    CorsModule,
    SessionsModule,
  ],
})
export class PaymentsModule {
  static with({ stripe }: Settings): DynamicModule {
    return stripe
      ? { module: PaymentsModule, controllers: CONTROLLERS, providers: PROVIDERS }
      : { module: PaymentsModule, controllers: [PaymentsOffController] }
  }
}
