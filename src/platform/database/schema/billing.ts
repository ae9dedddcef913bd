import { sql } from 'drizzle-orm'
import { bigint, boolean, index, integer, jsonb, pgTable, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core'
import type { Permissions } from '../../permissions.js'
import { accounts } from './accounts.js'
import { instant } from './columns.js'

/**
 * The provider's customer of an account; never found by e-mail address. Null until one is created; `attempt`
 * numbers the creations, for idempotency keys.
 */
export const billingCustomers = pgTable(
  'billing_customers',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id),
    customerId: text('customer_id'),
    attempt: integer('attempt').notNull().default(1),
    /** The provider's account that has the customer, and whether it is live mode; null until known. */
    providerAccount: text('provider_account'),
    isLive: boolean('is_live'),
    /** The name, the e-mail address and the language that the provider was last told; null when none. */
    toldName: text('told_name'),
    toldEmail: text('told_email'),
    toldLanguage: text('told_language'),
    /** Whether the account has had a trial: it gets only one. */
    hadTrial: boolean('had_trial').notNull().default(false),
  },
  table => [uniqueIndex('billing_customers_customer').on(table.customerId)],
)

/** Hosted checkouts. `id` makes the provider's idempotency key; at most one is open in an account. */
export const checkouts = pgTable(
  'checkouts',
  {
    id: uuid('id').primaryKey(),
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id),
    priceId: text('price_id').notNull(),
    quantity: integer('quantity').notNull().default(1),
    returnUrl: text('return_url').notNull(),
    trialDays: integer('trial_days').notNull().default(0),
    isOpen: boolean('is_open').notNull().default(true),
    providerId: text('provider_id'),
    url: text('url'),
    createdAt: instant('created_at').notNull(),
    expiresAt: instant('expires_at').notNull(),
  },
  table => [
    uniqueIndex('checkouts_open').on(table.accountId).where(sql`is_open`),
    index('checkouts_provider').on(table.providerId),
  ],
)

/**
 * An account's subscription as the provider had it when we started reading at `seenAt`; an older reading never
 * overwrites a newer one. `seatsWanted` is the quantity last requested from the provider, as request number
 * `seatsVersion`; null when the provider has it.
 */
export const subscriptions = pgTable('subscriptions', {
  accountId: uuid('account_id')
    .primaryKey()
    .references(() => accounts.id),
  providerId: text('provider_id').notNull(),
  status: text('status').notNull(),
  priceId: text('price_id'),
  currentPeriodEnd: instant('current_period_end'),
  /** Whether it has been cancelled, by either of the provider's two fields. */
  cancelAtPeriodEnd: boolean('cancel_at_period_end').notNull(),
  /** When it ends or has ended; null while it is not cancelled. */
  endsAt: instant('ends_at'),
  /** How its first payment stands while it is `incomplete`; null otherwise. */
  firstPayment: text('first_payment').$type<'processing' | 'unconfirmed' | 'failed'>(),
  /** The provider's page where the customer confirms the first payment; null unless the bank asks for that. */
  confirmUrl: text('confirm_url'),
  /** Other subscriptions that bill the account's customer as well. */
  surplus: text('surplus').array().notNull().default(sql`'{}'`),
  /** What the last known plan allowed; kept for a price that is no longer in any plan. */
  lastEntitled: jsonb('last_entitled').$type<Permissions>(),
  quantity: integer('quantity'),
  /** When we first saw that a payment is due; null when none is. */
  pastDueSince: instant('past_due_since'),
  seatsWanted: integer('seats_wanted'),
  seatsVersion: integer('seats_version').notNull().default(0),
  seenAt: instant('seen_at').notNull(),
})

/**
 * The inbox: every verified event of the payment provider, as it arrived. The id makes each take effect once;
 * `effect` is null until it is handled.
 */
export const providerEvents = pgTable(
  'provider_events',
  {
    id: text('id').primaryKey(),
    type: text('type').notNull(),
    /** The provider's customer that it concerns; null when it concerns none. */
    customerId: text('customer_id'),
    /** Null for kinds that have no effect here. */
    event: jsonb('event').$type<Readonly<Record<string, unknown>>>(),
    createdAt: instant('created_at').notNull(),
    receivedAt: instant('received_at').notNull(),
    handledAt: instant('handled_at'),
    effect: text('effect'),
  },
  table => [
    index('provider_events_waiting').on(table.customerId, table.createdAt).where(sql`effect is null`),
    index('provider_events_received').on(table.receivedAt),
    // How long events wait, and how many, without reading those that were handled.
    index('provider_events_oldest').on(table.receivedAt).where(sql`effect is null`),
  ],
)

/** Customers that have to be synced; one worker at a time holds each. */
export const billingWork = pgTable(
  'billing_work',
  {
    customerId: text('customer_id').primaryKey(),
    dueAt: instant('due_at').notNull(),
    /** Increases with every new reason to sync, so that one that arrives during a sync is not lost. */
    version: bigint('version', { mode: 'number' }).notNull().default(1),
    /** Random for each claim: only its holder may finish or postpone the work. */
    claim: uuid('claim'),
    claimedUntil: instant('claimed_until'),
    /** Nothing has prompted it: a comparison, which waits while there is something newer to do. */
    isRoutine: boolean('is_routine').notNull().default(false),
    attempts: integer('attempts').notNull().default(0),
    /** When it was given up, until an operator or another event brings it back. */
    parkedAt: instant('parked_at'),
    lastError: text('last_error'),
  },
  table => [
    index('billing_work_due').on(table.isRoutine, table.dueAt),
    // Finds the failed ones among those that have not failed, however many are waiting.
    index('billing_work_failed').on(table.dueAt).where(sql`attempts > 0`),
  ],
)
