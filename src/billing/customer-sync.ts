// How our records of a customer follow the provider, from what waits to what is told afterwards. In the order of a sync:
// WaitingEvents, CustomerSnapshots (asks), CustomerWriter (one transaction), and CustomerSync, which has it done.
import { Injectable } from '@nestjs/common'
import { and, asc, eq, isNotNull, isNull, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { NO_MAILS, type SendMails } from '../mail/mail.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import {
  billingCustomers,
  checkouts,
  providerEvents,
  subscriptions,
} from '../platform/database/schema/billing.js'
import { isAnyOf } from '../platform/database/sql.js'
import { HourlyLog, Logger } from '../platform/log.js'
import { NOTHING_RECORDED } from '../sessions/changes.js'
import { type ChangedSessions, SessionStore } from '../sessions/session-store.js'
import { SubscriptionCache } from './caches.js'
import { Checkouts } from './checkout.js'
import { CustomerAdoption } from './customer-adoption.js'
import { BillingCustomers, unknownCustomer } from './customers.js'
import { Entitlements, PlanMails } from './entitlements.js'
import {
  BillingQueue,
  type ClaimedWork,
  closedCheckoutOf,
  kindOf,
  objectOf,
  referenceIn,
  type WaitingEvent,
} from './inbox.js'
import { type ProviderUpdate, ProviderUpdates, wasIgnored } from './provider-updates.js'
import { callStripe, callStripeOrNull, firstPaymentOf, withAllItems } from './stripe.js'
import { ENDED_STATUSES, type FirstPayment, isLive, Subscriptions } from './subscriptions.js'

/**
 * The effect of an event. `none`: nothing to do. `not newer`: already known. `noted`: money was refunded, or
 * may be. `unlinked customer`: of no account, with one of our prices. `unknown customer`, `second subscription`: for an operator.
 */
type Effect =
  | 'applied'
  | 'none'
  | 'not newer'
  | 'noted'
  | 'unknown customer'
  | 'unlinked customer'
  | 'second subscription'

/** How many events one transaction handles; the rest follows in the next. */
const EVENTS_AT_ONCE = 500

/** The inbox's waiting events, and their results. */
@Injectable()
export class WaitingEvents {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly checkouts: Checkouts,
    private readonly auditLog: AuditLog,
    private readonly hourlyLog: HourlyLog,
  ) {}

  /** The oldest events that wait for this customer, in order. */
  of(db: Db, customerId: string): Promise<WaitingEvent[]> {
    const { id, type, event, createdAt, receivedAt } = providerEvents
    return db
      .select({ id, type, event })
      .from(providerEvents)
      .where(and(eq(providerEvents.customerId, customerId), isNull(providerEvents.effect)))
      .orderBy(asc(createdAt), asc(receivedAt), asc(id))
      .limit(EVENTS_AT_ONCE)
  }

  /** Marks each as handled, with the effect of the sync; a null account means that the customer is not ours. */
  async handle(
    transaction: Db,
    events: readonly WaitingEvent[],
    accountId: string | null,
    effect: Effect,
  ): Promise<void> {
    for (const { type, event } of events) {
      const closed = closedCheckoutOf(type, event)
      if (closed) await this.checkouts.closeHosted(closed, transaction)
    }
    const doneTo = ({ type }: WaitingEvent) => effectOf(type, effect, accountId)
    for (const done of new Set(events.map(doneTo))) {
      const alike = events.filter(event => doneTo(event) === done)
      const marked = await this.mark(transaction, alike, accountId, done)
      await this.record(transaction, marked, accountId, done)
    }
  }

  /**
   * Those of the events that no other worker has handled in the meantime. Personal data is dropped where the
   * deletion of an account could not find it: without an account, and in refunds and disputes, which name a
   * charge and no customer.
   */
  private async mark(
    transaction: Db,
    events: readonly WaitingEvent[],
    accountId: string | null,
    effect: Effect,
  ): Promise<WaitingEvent[]> {
    const ids = events.map(({ id }) => id)
    const rows = await transaction
      .update(providerEvents)
      .set({
        effect,
        handledAt: sql`clock_timestamp()`,
        event: sql`case when ${accountId === null} or customer_id like 'charge:%' then ${REDACTED_EVENT} else event end`,
      })
      .where(and(isAnyOf(providerEvents.id, ids), isNull(providerEvents.effect)))
      .returning({ id: providerEvents.id })
    const marked = new Set(rows.map(({ id }) => id))
    return events.filter(({ id }) => marked.has(id))
  }

  private async record(
    transaction: Db,
    events: readonly WaitingEvent[],
    accountId: string | null,
    effect: Effect,
  ): Promise<void> {
    if (effect === 'unknown customer') this.warnOfUnknown(events)
    const service = { ...(accountId && { accountId }), client: null }
    const rows = events.map(({ id, type, event }) => {
      const about = kindOf(type) === 'money back' && { about: objectOf(event) }
      return auditEvent(service, 'webhook', { event: id, type, effect, ...about })
    })
    await this.auditLog.recordAll(transaction, rows)
  }

  /** The provider's account may be shared with another business, whose events are all of this kind. */
  private warnOfUnknown([example, ...others]: readonly WaitingEvent[]): void {
    if (!example) return
    this.hourlyLog.report('unknown customer', 1 + others.length, count =>
      this.logger.warn(
        count === 1
          ? `Event ${example.id} is about a customer that belongs to no account`
          : `${count} events, such as ${example.id}, are about a customer that belongs to no account`,
      ),
    )
  }
}

function effectOf(type: string, effect: Effect, accountId: string | null): Effect {
  if (accountId === null) return effect
  switch (kindOf(type)) {
    case 'subscription':
      return effect
    case 'money back':
      return 'noted'
    default:
      return 'none'
  }
}

/**
 * The content of an event without names, addresses, cards and other personal data, for `set event = …`. Its
 * id, type, time and the id of its object remain. Null stays null.
 */
const REDACTED_EVENT = sql`case when event is not null then jsonb_build_object(
    'id', id,
    'object', 'event',
    'type', type,
    'created', event -> 'created',
    'data', jsonb_build_object('object', jsonb_build_object(
      'id', event #> '{data,object,id}',
      'object', event #> '{data,object,object}'
    ))
  ) end`

/**
 * Removes personal data from the stored events of an account. Call it before its customer and checkouts are
 * deleted.
 */
export async function redactEvents(transaction: Db, accountId: string): Promise<void> {
  await transaction.execute(sql`
    update ${providerEvents} set event = ${REDACTED_EVENT}
    where ${isAbout(accountId)}`)
}

/** Whether an event about the account has not been handled yet: it may say that something was paid. */
export async function hasWaitingEvents(db: Db, accountId: string): Promise<boolean> {
  const waiting = await db
    .select({ id: providerEvents.id })
    .from(providerEvents)
    .where(and(isAbout(accountId), isNull(providerEvents.effect)))
    .limit(1)
  return waiting.length > 0
}

function isAbout(accountId: string) {
  return sql`${providerEvents.customerId} in (
    select customer_id from ${billingCustomers} where account_id = ${accountId}
    union all
    select 'checkout:' || provider_id from ${checkouts} where account_id = ${accountId}
  )`
}

/** Everything that we read about a customer from the provider at one time. */
interface CustomerSnapshot {
  readonly customerId: string
  /** What was waiting before we asked, and is therefore in the answer. */
  readonly events: readonly WaitingEvent[]
  /** Newest first. */
  readonly subscriptions: readonly Stripe.Subscription[]
  /** Whether an invoice of an active subscription is still due. */
  readonly hasOverdueInvoice: boolean
  /** Of the subscription that counts, while that is incomplete. */
  readonly firstPayment: FirstPayment | null
  /** Whether it has been deleted there, which is final. */
  readonly isDeleted: boolean
  /** The database's time before we asked. */
  readonly seenAt: Date
}

/** The provider's page size, newest first. */
const MAX_INVOICES = 100
/** Enough for any real customer; the newest come first. */
const MAX_SUBSCRIPTIONS = 100

/** What the provider knows now. Every method throws like `callStripe`. */
@Injectable()
export class CustomerSnapshots {
  constructor(
    private readonly stripe: Stripe,
    private readonly database: Database,
    private readonly events: WaitingEvents,
    private readonly customers: BillingCustomers,
    private readonly checkouts: Checkouts,
  ) {}

  /**
   * Also throws `PAYMENT_PROVIDER_REFUSED` for a customer that the provider does not know, for example with
   * another account's key. `waitsAs` is what events of the customer are stored under: its id, or a stand-in
   * for it.
   */
  async fetch(customerId: string, waitsAs: string, isRoutine: boolean): Promise<CustomerSnapshot> {
    const events = await this.eventsOf(waitsAs)
    const seenAt = await this.database.now()
    const found = await this.subscriptionsOf(customerId)
    const subscriptions = found ?? []
    // A customer with a live subscription was not deleted, which saves a request for most. A comparison does
    // not ask about a customer that the provider knows: a deleted one has nothing live, which is all that
    // counts there.
    const hasLive = subscriptions.some(({ status }) => isLive(status))
    const mayBeDeleted = !hasLive && !(isRoutine && found && events.length === 0)
    const isDeleted = mayBeDeleted && (await this.isDeleted(customerId))
    if (!found && !isDeleted) throw unknownCustomer(customerId)
    const hasOverdueInvoice = await this.owesInvoice(customerId, subscriptions)
    // Where nothing is live, the newest of these is the one that counts.
    const incomplete = hasLive ? undefined : subscriptions.find(({ status }) => status === 'incomplete')
    const firstPayment = incomplete ? await firstPaymentOf(this.stripe, incomplete) : null
    return { customerId, events, subscriptions, hasOverdueInvoice, firstPayment, isDeleted, seenAt }
  }

  /** What waits for a customer, or for what stands in for it. */
  eventsOf(waitsAs: string): Promise<WaitingEvent[]> {
    return this.database.run(db => this.events.of(db, waitsAs))
  }

  /**
   * With all their items, but for those that have ended. Null for a customer that the provider does not know, or no
   * longer knows.
   */
  async subscriptionsOf(customerId: string): Promise<Stripe.Subscription[] | null> {
    const found = await callStripeOrNull(() =>
      this.stripe.subscriptions.list({ customer: customerId, status: 'all', limit: MAX_SUBSCRIPTIONS }),
    )
    if (!found) return null
    const isOver = ({ status }: Stripe.Subscription) => ENDED_STATUSES.includes(status)
    const whole = await Promise.all(
      found.data.map(each => (isOver(each) ? each : withAllItems(this.stripe, each))),
    )
    return whole.filter(each => each !== null)
  }

  /**
   * The customer itself, or the one of the checkout or charge that stands in for it; null when unknown. Our
   * own checkouts are known here.
   */
  async customerBehind(waitsAs: string): Promise<string | null> {
    const reference = referenceIn(waitsAs)
    if (!reference) return waitsAs
    const { kind, id } = reference
    if (kind === 'checkout') return this.checkouts.customerOf(id)
    const customer = (await callStripeOrNull(() => this.stripe.charges.retrieve(id)))?.customer ?? null
    return typeof customer === 'string' ? customer : (customer?.id ?? null)
  }

  /**
   * Whether the customer belongs to one of our accounts; the provider need not be asked about others. Throws
   * `PAYMENT_PROVIDER_REFUSED` for one that was made with another secret key.
   */
  async isOurs(customerId: string): Promise<boolean> {
    const owner = await this.customers.ownerOf(customerId)
    if (owner === 'of another key') throw unknownCustomer(customerId)
    return owner === 'ours'
  }

  /** A customer that is as good as deleted, without asking the provider. */
  async asDeleted(customerId: string): Promise<CustomerSnapshot> {
    const seenAt = await this.database.now()
    return {
      customerId,
      events: [],
      subscriptions: [],
      hasOverdueInvoice: false,
      firstPayment: null,
      isDeleted: true,
      seenAt,
    }
  }

  /**
   * A customer that is merely unknown was not deleted: with another account's key every customer is unknown.
   */
  private async isDeleted(customerId: string): Promise<boolean> {
    const customer = await callStripeOrNull(() => this.stripe.customers.retrieve(customerId))
    return customer?.deleted === true
  }

  /**
   * Whether the customer still owes an invoice of a subscription that is active: the provider calls a past due
   * subscription active once its latest invoice is paid, whatever else is open
   * (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses). One that is older than a renewal that
   * was paid does not count. Asks only where we know that a payment was due; false everywhere else.
   */
  private async owesInvoice(customerId: string, found: readonly Stripe.Subscription[]): Promise<boolean> {
    const isOverdue = and(eq(billingCustomers.customerId, customerId), isNotNull(subscriptions.pastDueSince))
    const [row] = await this.database.run(db =>
      db
        .select({ subscription: subscriptions.providerId })
        .from(subscriptions)
        .innerJoin(billingCustomers, eq(billingCustomers.accountId, subscriptions.accountId))
        .where(isOverdue),
    )
    if (!row || !found.some(({ id, status }) => id === row.subscription && status === 'active')) return false
    const { data } = await callStripe(() => this.stripe.invoices.list({ ...row, limit: MAX_INVOICES }))
    return isAnyDue(data)
  }
}

/** Whether there is anything that the customer could pay for the subscription. Throws like `callStripe`. */
export async function hasOpenInvoice(stripe: Stripe, subscription: string): Promise<boolean> {
  const { data } = await callStripe(() => stripe.invoices.list({ subscription, status: 'open', limit: 1 }))
  return data.length > 0
}

/** Whether one of a subscription's invoices is overdue and no later renewal has been paid. */
export function isAnyDue(invoices: readonly Stripe.Invoice[]): boolean {
  return invoices.some(due => isDue(due) && !invoices.some(paid => isLaterRenewal(paid, due)))
}

/** A new one is open for an hour before the provider charges it. */
function isDue({ status, attempted }: Stripe.Invoice): boolean {
  return status === 'open' && attempted
}

/** Whoever has paid for a later period must have it, whatever is open. A change of plan or a credit is no such payment. */
function isLaterRenewal(paid: Stripe.Invoice, due: Stripe.Invoice): boolean {
  const isRenewal = paid.billing_reason === 'subscription_cycle' && paid.total > 0
  return paid.status === 'paid' && isRenewal && paid.created > due.created
}

/**
 * Why we asked the provider: an event or something that happened here, a browser that came back, or a comparison.
 * If a comparison finds something new, an event was lost.
 */
export type Cause = 'event' | 'return' | 'routine'

/** What remains to be done after the commit. */
interface Written {
  /** Null when the customer is not ours. */
  readonly accountId: string | null
  /** The sessions that may do something else from now on. */
  readonly changed: ChangedSessions
  /** What the provider has to be told. */
  readonly update: ProviderUpdate | null
  /** To those who pay for the account. */
  readonly sendMails: SendMails
}

const NOTHING: Written = {
  accountId: null,
  changed: NOTHING_RECORDED.changed,
  update: null,
  sendMails: NO_MAILS,
}

/** Writes what was seen of a customer, and the effects of its events, in one transaction. */
@Injectable()
export class CustomerWriter {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly customers: BillingCustomers,
    private readonly subscriptions: Subscriptions,
    private readonly checkouts: Checkouts,
    private readonly entitlements: Entitlements,
    private readonly planMails: PlanMails,
    private readonly events: WaitingEvents,
    private readonly updates: ProviderUpdates,
    private readonly auditLog: AuditLog,
    private readonly hourlyLog: HourlyLog,
    private readonly queue: BillingQueue,
  ) {}

  /**
   * Stores what was seen of the customer, unless we have seen something newer, and handles its events. Finishes the
   * claimed work, unless the provider has to be told something first, or something newer has been seen meanwhile: then
   * it is released, to be done again. A null cause means: an event if one is waiting or the work is no comparison,
   * otherwise routine.
   */
  write(snapshot: CustomerSnapshot, knownCause: Cause | null, claimed: ClaimedWork | null): Promise<Written> {
    const { customerId, events, subscriptions, isDeleted } = snapshot
    const isPrompted = events.length > 0 || claimed?.isRoutine === false
    const cause = knownCause ?? (isPrompted ? 'event' : 'routine')
    return this.database.transaction(async transaction => {
      // Locked first, so that two workers on one customer write one after the other.
      const accountId = await this.customers.lockAccountOf(transaction, customerId)
      if (!accountId) {
        await this.events.handle(transaction, events, null, 'unknown customer')
        if (claimed) await this.queue.finish(transaction, claimed)
        return NOTHING
      }
      const before = await this.planMails.standingOf(transaction, accountId)
      const effect = await (isDeleted
        ? this.end(transaction, accountId, snapshot)
        : this.save(transaction, accountId, snapshot, cause))
      const { changed } = await this.entitlements.decideFor(transaction, [accountId])
      const sendMails = await this.planMails.aboutChange(transaction, accountId, before)
      await this.events.handle(transaction, events, accountId, effect)
      const isOutdated = effect === 'not newer'
      const mayUpdate = cause !== 'return' && !isOutdated && !isDeleted
      const update = mayUpdate ? await this.updates.due(transaction, accountId, subscriptions) : null
      // Whoever has seen something newer may have been a browser's request, which tells the provider nothing.
      if (claimed && isOutdated) await this.queue.repeat(transaction, claimed)
      else if (claimed && !update) await this.queue.finish(transaction, claimed)
      return { accountId, changed, update, sendMails }
    })
  }

  /** The customer of the claimed work is not ours; `sales` are those of its events that are about our prices. */
  async dismiss(
    claimed: ClaimedWork,
    events: readonly WaitingEvent[],
    sales: readonly WaitingEvent[],
  ): Promise<void> {
    await this.database.transaction(async transaction => {
      const others = events.filter(event => !sales.includes(event))
      await this.events.handle(transaction, sales, null, 'unlinked customer')
      await this.events.handle(transaction, others, null, 'unknown customer')
      if (sales.length > 0) this.reportUnlinked(claimed.customerId)
      await this.queue.finish(transaction, claimed)
    })
  }

  private async save(
    transaction: Db,
    accountId: string,
    snapshot: CustomerSnapshot,
    cause: Cause,
  ): Promise<Effect> {
    const { subscriptions } = snapshot
    const saved = await this.subscriptions.save(transaction, accountId, snapshot)
    const { current, surplus, change } = saved
    await this.checkouts.closeBought(transaction, accountId, subscriptions)
    for (const { id } of surplus)
      this.logger.error(`Account ${accountId} is billed for a second subscription, ${id}`)
    if (!current) return 'none'
    if (subscriptions.some(({ trial_start }) => trial_start !== null))
      await this.customers.recordTrial(transaction, accountId)
    if (change === 'older') return 'not newer'
    if (change === 'changed' && cause === 'routine') {
      // No event reported it: one was lost, or the change bypassed us at the provider.
      const { id: subscription, status } = current
      this.logger.warn(`The subscription of account ${accountId} was corrected: ${subscription} is ${status}`)
      const repair = auditEvent({ accountId, client: null }, 'billing.repair', { subscription, status })
      await this.auditLog.record(transaction, repair)
    }
    return surplus.length > 0 ? 'second subscription' : 'applied'
  }

  /** A customer that is deleted, or of another key, never comes back, so this cannot be outdated. */
  private async end(
    transaction: Db,
    accountId: string,
    { customerId, seenAt }: CustomerSnapshot,
  ): Promise<Effect> {
    await this.subscriptions.end(transaction, accountId, seenAt)
    await this.checkouts.closeAll(transaction, accountId)
    await this.customers.forget(transaction, { accountId, customerId })
    const forgotten = auditEvent({ accountId, client: null }, 'billing.forget', { customer: customerId })
    await this.auditLog.record(transaction, forgotten)
    return 'applied'
  }

  /** Whoever it is pays and has nothing, and would buy a second time here. */
  private reportUnlinked(customerId: string): void {
    this.hourlyLog.report(`unlinked ${customerId}`, 1, () =>
      this.logger.error(
        `Customer ${customerId} has a subscription for one of our prices and belongs to no account: run billing:adopt`,
      ),
    )
  }
}

/** A browser is waiting: nobody has claimed the customer, and other work is left to the worker. */
const NOT_CLAIMED = null

/** Brings our records of one customer up to date with the provider, and handles its waiting events. */
@Injectable()
export class CustomerSync {
  constructor(
    private readonly snapshots: CustomerSnapshots,
    private readonly adoption: CustomerAdoption,
    private readonly writer: CustomerWriter,
    private readonly cache: SubscriptionCache,
    private readonly store: SessionStore,
    private readonly updates: ProviderUpdates,
  ) {}

  /**
   * Asks the provider, then writes everything in one transaction. Throws when the provider or the database is out
   * of reach; nothing has changed then and it can be repeated. What the provider has to be told follows, so that
   * its refusal delays nothing else. Starts nothing after `limit`. Returns false when there is more to tell the
   * provider: the work is then still claimed.
   */
  async run(claimed: ClaimedWork, limit?: AbortSignal): Promise<boolean> {
    const customerId = await this.snapshots.customerBehind(claimed.customerId)
    limit?.throwIfAborted()
    if (customerId === null || !(await this.snapshots.isOurs(customerId))) {
      const events = await this.snapshots.eventsOf(claimed.customerId)
      const sales = await this.adoption.salesIn(events)
      if (customerId === null || sales.length === 0 || !(await this.adoption.adoptNamed(customerId))) {
        await this.writer.dismiss(claimed, events, sales)
        return true
      }
    }
    const update = await this.sync(customerId, null, claimed, limit)
    if (!update) return true
    await this.updates.send(update)
    const next = await this.sync(customerId, 'event', claimed, limit)
    if (next && wasIgnored(update, next))
      throw new Error('The provider accepted an update but did not apply it')
    // Otherwise somebody joined or left in the meantime.
    return next === null
  }

  /** The same at once, for a customer who is waiting in a browser. */
  async syncNow(customerId: string): Promise<void> {
    await this.sync(customerId, 'return', NOT_CLAIMED)
  }

  /** Treats the customer as deleted, without asking the provider. An operator does so, who mails whom they like. */
  async forget(customerId: string): Promise<void> {
    const deleted = await this.snapshots.asDeleted(customerId)
    const written = await this.writer.write(deleted, 'routine', NOT_CLAIMED)
    await this.publish({ ...written, sendMails: NO_MAILS })
  }

  /** Returns what the provider has to be told. */
  private async sync(
    customerId: string,
    cause: Cause | null,
    claimed: ClaimedWork | null,
    limit?: AbortSignal,
  ): Promise<ProviderUpdate | null> {
    const waitsAs = claimed?.customerId ?? customerId
    const snapshot = await this.snapshots.fetch(customerId, waitsAs, claimed?.isRoutine ?? false)
    limit?.throwIfAborted()
    const written = await this.writer.write(snapshot, cause, claimed)
    await this.publish(written)
    limit?.throwIfAborted()
    return written.update
  }

  /** Tells the rest of the service what was committed. */
  private async publish({ accountId, changed, sendMails }: Written): Promise<void> {
    if (!accountId) return
    sendMails()
    await this.cache.drop(accountId)
    await this.store.forget(changed)
  }
}
