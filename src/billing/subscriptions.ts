// The rules about an account's subscription: what the provider's word for it means, and when what it pays for ends. They
// know no database and no clock; those are in Subscriptions, at the end.
import { isDeepStrictEqual } from 'node:util'
import { Injectable } from '@nestjs/common'
import { eq, lte, sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { subscriptions } from '../platform/database/schema/billing.js'
import { isAnyOf } from '../platform/database/sql.js'
import type { Permissions } from '../platform/permissions.js'
import { type PlanName, PlansFile } from '../platform/plans.js'
import { Clock, secondsAfter } from '../platform/time.js'

export type SubscriptionRow = typeof subscriptions.$inferSelect

/** The states of a subscription as the provider names them, and `none` for an account that never had one. */
type ProviderStatus =
  | 'none'
  | 'incomplete'
  | 'incomplete_expired'
  | 'trialing'
  | 'active'
  | 'past_due'
  | 'canceled'
  | 'unpaid'
  | 'paused'

/** Subscriptions that can never bill again. */
export const ENDED_STATUSES: readonly string[] = ['canceled', 'incomplete_expired'] satisfies ProviderStatus[]
/** Subscriptions that do not bill: ended, or the first payment has not succeeded. */
const NOT_LIVE: readonly string[] = ['none', 'incomplete', ...ENDED_STATUSES]
/**
 * A payment is due. In the first state the provider is still trying, in the second it has given up. One that it has
 * paused for want of a payment is due as well: {@link isPastDue}.
 */
const PAST_DUE: readonly string[] = ['past_due', 'unpaid'] satisfies ProviderStatus[]

const PAUSED_UNPAID: readonly string[] = ['first_payment_failure', 'final_payment_failure']

/** Whether the account is billed for it. An incomplete one may be later: see {@link isPaymentPending}. */
export function isLive(status: string): boolean {
  return !NOT_LIVE.includes(status)
}

/**
 * Whether a payment for it is due. The provider may be set to pause a subscription after the first or the last failed
 * payment: https://docs.stripe.com/api/subscriptions/object#subscription_object-status_details.
 */
export function isPastDue({
  status,
  status_details: details,
}: Pick<Stripe.Subscription, 'status' | 'status_details'>): boolean {
  const pausedBy = status === 'paused' ? details?.paused?.subscription.type : undefined
  return PAST_DUE.includes(status) || PAUSED_UNPAID.includes(pausedBy ?? '')
}

/** How the first payment of an incomplete subscription stands. */
export interface FirstPayment {
  /** `unconfirmed`: the bank asks the customer to confirm it. */
  readonly state: NonNullable<SubscriptionRow['firstPayment']>
  /** The provider's page to do so; null in every other state. */
  readonly confirmUrl: string | null
}

/** Whether its first payment may still arrive by itself, which can take days. */
export function isPaymentPending({
  status,
  firstPayment,
}: Pick<SubscriptionRow, 'status' | 'firstPayment'>): boolean {
  return status === 'incomplete' && firstPayment === 'processing'
}

/**
 * What an account's payments amount to. `pending`: the first payment is on its way, which can take days.
 * `unconfirmed`: the bank waits for the customer to confirm it. `past_due`: a payment is due, and the account keeps its plan for now. `restricted`: it was due for too
 * long, or the provider waits for the customer.
 */
export const SUBSCRIPTION_STATES = [
  'none',
  'pending',
  'unconfirmed',
  'trialing',
  'active',
  'past_due',
  'restricted',
  'canceled',
] as const
export type SubscriptionState = (typeof SUBSCRIPTION_STATES)[number]

const PAID_FOR: readonly SubscriptionState[] = ['trialing', 'active', 'past_due']

/** Whether the account has what its plan includes. */
export function isPaidFor(state: SubscriptionState): boolean {
  return PAID_FOR.includes(state)
}

/** An account's subscription as we have it; all times ISO 8601, UTC. */
export interface KnownSubscription {
  readonly status: ProviderStatus
  /** The price that was bought; null without a subscription. */
  readonly plan: string | null
  readonly quantity: number | null
  readonly currentPeriodEnd: string | null
  /** Whether it has been cancelled; it lives until `endsAt`. */
  readonly cancelAtPeriodEnd: boolean
  /** When it ends or has ended; null while it is not cancelled. */
  readonly endsAt: string | null
  /** When the account loses its plan unless it pays; null while no payment is due. */
  readonly graceUntil: string | null
  /** How the first payment stands while `status` is `incomplete`; null otherwise. */
  readonly firstPayment: FirstPayment['state'] | null
  /** Where the first payment can be confirmed; whoever has the address can open it. */
  readonly confirmUrl: string | null
}

/** A {@link KnownSubscription} as the account's users see it at a given time. */
export interface SubscriptionView extends Omit<KnownSubscription, 'firstPayment'> {
  readonly state: SubscriptionState
  /** The plan's name in the plans file, else the provider's; null while neither is known. */
  readonly planName: string | null
  /** In other languages, by their BCP 47 tags. */
  readonly planNames: Readonly<Record<string, string>>
  /** When the next period is charged, even if it ends later; null when none will be, or a payment is already due. */
  readonly renewsAt: string | null
}

/** A row in our own terms; null stands for an account that never had a subscription. */
export function knownSubscription(row: SubscriptionRow | null, graceSeconds: number): KnownSubscription {
  return {
    status: (row?.status ?? 'none') as ProviderStatus,
    plan: row?.priceId ?? null,
    quantity: row?.quantity ?? null,
    currentPeriodEnd: row?.currentPeriodEnd?.toISOString() ?? null,
    cancelAtPeriodEnd: row?.cancelAtPeriodEnd ?? false,
    endsAt: row?.endsAt?.toISOString() ?? null,
    graceUntil: row?.pastDueSince ? secondsAfter(row.pastDueSince, graceSeconds).toISOString() : null,
    firstPayment: row?.firstPayment ?? null,
    confirmUrl: row?.confirmUrl ?? null,
  }
}

/** What we know, in the terms of the account's users. */
export function viewOf(known: KnownSubscription, plan: PlanName | null, now: Date): SubscriptionView {
  const { firstPayment: _, ...shown } = known
  const state = stateOf(known, now)
  const continues =
    (state === 'active' || state === 'trialing') && (known.endsAt === null || endsInLaterPeriod(known))
  const { name: planName, names: planNames } = plan ?? { name: null, names: {} }
  return { ...shown, state, planName, planNames, renewsAt: continues ? known.currentPeriodEnd : null }
}

/** Whether another period is charged before the end, as in a contract of a year that is paid by the month. */
export function endsInLaterPeriod<T extends Date | string>({
  endsAt,
  currentPeriodEnd,
}: {
  readonly endsAt: T | null
  readonly currentPeriodEnd: T | null
}): boolean {
  return endsAt !== null && currentPeriodEnd !== null && endsAt > currentPeriodEnd
}

type StateFacts = Pick<KnownSubscription, 'status' | 'firstPayment' | 'graceUntil'>

/** The state at `now`. */
export function stateOf({ status, firstPayment, graceUntil }: StateFacts, now: Date): SubscriptionState {
  switch (status) {
    case 'incomplete':
      return firstPayment === 'processing'
        ? 'pending'
        : firstPayment === 'unconfirmed'
          ? firstPayment
          : 'none'
    case 'none':
    case 'incomplete_expired':
      return 'none'
    case 'past_due':
    case 'unpaid':
    case 'paused':
      return overdueState(graceUntil, now)
    case 'active':
      return graceUntil ? overdueState(graceUntil, now) : 'active'
    default:
      return status
  }
}

/** Without a date nothing is due: the subscription was paused on request, or after a trial without a card. */
function overdueState(graceUntil: string | null, now: Date): SubscriptionState {
  return graceUntil && new Date(graceUntil) > now ? 'past_due' : 'restricted'
}

/**
 * When the state changes by itself, at the end of the grace period; null when only an event can change it.
 */
export function nextChangeOf(known: StateFacts, now: Date): Date | null {
  return stateOf(known, now) === 'past_due' ? new Date(known.graceUntil as string) : null
}

/**
 * Since when a payment for this subscription has been due; null when none is. Another failed attempt does not
 * restart the grace period; a payment ends it, unless another invoice is due: `hasOverdueInvoice`.
 */
export function pastDueSince(
  before: SubscriptionRow | null,
  subscription: Stripe.Subscription,
  hasOverdueInvoice: boolean,
  now: Date,
): Date | null {
  const since = before?.providerId === subscription.id ? before.pastDueSince : null
  if (isPastDue(subscription)) return since ?? now
  return subscription.status === 'active' && hasOverdueInvoice ? since : null
}

/**
 * The subscription that counts, and others that bill the customer as well (none, unless something went
 * wrong).
 */
interface CurrentSubscription {
  readonly current: Stripe.Subscription | null
  readonly surplus: readonly Stripe.Subscription[]
}

/**
 * Which of the customer's subscriptions (newest first) counts: the one we know while it is live, else the
 * newest live one, else the newest whose first payment may still arrive, else the one we know, else the
 * newest.
 */
export function currentSubscription(
  all: readonly Stripe.Subscription[],
  knownId: string | null,
): CurrentSubscription {
  const live = all.filter(({ status }) => isLive(status))
  const known = all.find(({ id }) => id === knownId)
  const incomplete = all.find(({ status }) => status === 'incomplete')
  const current = live.find(({ id }) => id === knownId) ?? live[0] ?? incomplete ?? known ?? all[0] ?? null
  return { current, surplus: live.filter(subscription => subscription !== current) }
}

/**
 * The item of a subscription that is the plan; the others are add-ons. It is the first whose price we know,
 * else the one that was the plan before its price left the plans file, else the first. Null only when there
 * is none.
 */
export function planItem(
  { items }: Pick<Stripe.Subscription, 'items'>,
  plans: Pick<PlansFile, 'knows'>,
  priceBefore: string | null,
): Stripe.SubscriptionItem | null {
  const known = items.data.find(({ price }) => plans.knows(price.id))
  return known ?? items.data.find(({ price }) => price.id === priceBefore) ?? items.data[0] ?? null
}

/** What the provider has, and how that has changed our record: `older` when we already had something newer. */
interface SavedSubscription extends CurrentSubscription {
  readonly change: 'changed' | 'same' | 'older'
}

/** What the provider had when we started asking, at `seenAt`. */
interface SeenSubscriptions {
  readonly subscriptions: readonly Stripe.Subscription[]
  /** Whether an invoice of an active one is still due. */
  readonly hasOverdueInvoice: boolean
  /** Of the one that counts, while that is incomplete. */
  readonly firstPayment: FirstPayment | null
  readonly seenAt: Date
}

/** The subscription of each account, as last seen at the provider. */
@Injectable()
export class Subscriptions {
  constructor(
    private readonly database: Database,
    private readonly settings: Settings,
    private readonly plans: PlansFile,
    private readonly clock: Clock,
  ) {}

  async find(accountId: string, transaction?: Db): Promise<KnownSubscription> {
    return this.known(await this.row(accountId, transaction))
  }

  /** What we have of an account's subscription; null when it never had one. */
  async row(accountId: string, transaction?: Db): Promise<SubscriptionRow | null> {
    const select = (db: Db) => db.select().from(subscriptions).where(eq(subscriptions.accountId, accountId))
    const [row] = await this.database.run(select, transaction)
    return row ?? null
  }

  /** {@link row} of many, by account. */
  async rows(transaction: Db, accountIds: readonly string[]): Promise<ReadonlyMap<string, SubscriptionRow>> {
    const found = await transaction
      .select()
      .from(subscriptions)
      .where(isAnyOf(subscriptions.accountId, accountIds))
    return new Map(found.map(row => [row.accountId, row]))
  }

  /** A row in our own terms; null stands for an account that never had a subscription. */
  known(row: SubscriptionRow | null): KnownSubscription {
    return knownSubscription(row, this.settings.paymentGraceSeconds)
  }

  /** The item of a subscription at the provider that is the plan; null only when it has none. */
  planItem(found: Stripe.Subscription, row: SubscriptionRow | null): Stripe.SubscriptionItem | null {
    return planItem(found, this.plans, row?.priceId ?? null)
  }

  /**
   * Stores which of the customer's subscriptions counts. Every change at the provider causes an event and thus a sync,
   * and the sync that starts last sees all changes, so the latest one wins whatever the order in which events and answers
   * arrive.
   */
  async save(
    transaction: Db,
    accountId: string,
    { subscriptions: found, hasOverdueInvoice, firstPayment, seenAt }: SeenSubscriptions,
  ): Promise<SavedSubscription> {
    const before = await this.row(accountId, transaction)
    const { current, surplus } = currentSubscription(found, before?.providerId ?? null)
    if (!current) return { current, surplus, change: 'same' }
    const isSame = before?.providerId === current.id
    const row = {
      accountId,
      ...columnsOf(current, this.planItem(current, isSame ? before : null)),
      surplus: surplus.map(({ id }) => id),
      firstPayment: firstPayment?.state ?? null,
      confirmUrl: firstPayment?.confirmUrl ?? null,
      lastEntitled: isSame ? before.lastEntitled : null,
      pastDueSince: pastDueSince(before, current, hasOverdueInvoice, this.clock.now()),
      seenAt,
    }
    const saved = await transaction
      .insert(subscriptions)
      .values(row)
      .onConflictDoUpdate({
        target: subscriptions.accountId,
        set: {
          ...row,
          seatsWanted: sql`case when ${subscriptions.seatsWanted} = excluded.quantity then null else ${subscriptions.seatsWanted} end`,
        },
        setWhere: lte(subscriptions.seenAt, seenAt),
      })
      .returning({ accountId: subscriptions.accountId })
    if (saved.length === 0) return { current, surplus, change: 'older' }
    // The provider may word the same page's address anew each time.
    const { confirmUrl } = row
    const known = { ...before, confirmUrl, seenAt }
    // A customer who has confirmed the first payment at the bank: nothing here was wrong until then.
    if (known.firstPayment === 'unconfirmed' && row.firstPayment === 'processing')
      known.firstPayment = row.firstPayment
    const isUnchanged = before && isDeepStrictEqual(known, { ...before, ...row })
    return { current, surplus, change: isUnchanged ? 'same' : 'changed' }
  }

  /** The customer is gone at the provider, with everything it had. */
  async end(transaction: Db, accountId: string, seenAt: Date): Promise<void> {
    const row = await this.row(accountId, transaction)
    if (!row || row.status === 'canceled') return
    await transaction
      .update(subscriptions)
      .set({
        status: 'canceled',
        cancelAtPeriodEnd: false,
        endsAt: this.clock.now(),
        pastDueSince: null,
        firstPayment: null,
        confirmUrl: null,
        surplus: [],
        seenAt,
      })
      .where(eq(subscriptions.accountId, accountId))
  }

  /** Records what each account's plan allows, for when its price is no longer in any plan. Safe to repeat. */
  async saveEntitled(transaction: Db, byAccount: ReadonlyMap<string, Permissions>): Promise<void> {
    if (byAccount.size === 0) return
    const rows = [...byAccount].map(([id, entitled]) => ({ id, entitled }))
    await transaction.execute(sql`
      update ${subscriptions} set last_entitled = saved.entitled
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as saved(id uuid, entitled jsonb)
      where ${subscriptions.accountId} = saved.id`)
  }
}

function columnsOf(seen: Stripe.Subscription, item: Stripe.SubscriptionItem | null) {
  const periodEnd = dateOf(item?.current_period_end ?? null)
  const endsAt = dateOf(seen.ended_at ?? seen.cancel_at) ?? (seen.cancel_at_period_end ? periodEnd : null)
  return {
    providerId: seen.id,
    status: seen.status,
    priceId: item?.price.id ?? null,
    quantity: item?.quantity ?? null,
    currentPeriodEnd: periodEnd,
    // In flexible billing mode, the default since 2025-09-30.clover, the portal sets `cancel_at` and not the
    // flag.
    cancelAtPeriodEnd: seen.ended_at === null && endsAt !== null,
    endsAt,
  }
}

function dateOf(seconds: number | null): Date | null {
  return seconds === null ? null : new Date(seconds * 1000)
}
