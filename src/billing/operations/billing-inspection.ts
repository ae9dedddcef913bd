import { and, asc, count, desc, eq, gt, isNotNull, isNull, lte, max, type SQL, sql } from 'drizzle-orm'
import { type Database, rowsOf } from '../../platform/database/database.js'
import { auditLog } from '../../platform/database/schema/audit.js'
import {
  billingCustomers,
  billingWork,
  providerEvents,
  subscriptions,
} from '../../platform/database/schema/billing.js'
import { type BillingHealth, healthOf } from './billing-health.js'

/**
 * The state of an event. `pending`: not tried yet. `failed`: will be tried again. `parked`: given up, until
 * an operator replays it or another event of its customer arrives. `handled`: it has had its effect.
 */
export const EVENT_STATES = ['pending', 'failed', 'parked', 'handled'] as const
export type EventState = (typeof EVENT_STATES)[number]

export interface EventFilter {
  /** Absent: every state but `handled`. */
  readonly state?: EventState
  readonly accountId?: string
}

/** An event of the inbox, without its content. */
export interface ListedEvent {
  readonly id: string
  readonly type: string
  readonly state: EventState
  /** The provider's; null when the event concerns no customer. */
  readonly customerId: string | null
  /** Null when the customer is not ours. */
  readonly accountId: string | null
  readonly receivedAt: Date
  /** Its effect; null until it is handled. */
  readonly effect: string | null
  /** Why the last sync failed; null when it did not. */
  readonly lastError: string | null
  /** Whether a process is working on it. */
  readonly isClaimed: boolean
}

/** Shows operators what the billing engine has done and still has to do. */
export class BillingInspection {
  constructor(private readonly database: Database) {}

  /** At most `limit` events; waiting ones are listed oldest first, handled ones newest first. */
  async listEvents(filter: EventFilter, limit: number): Promise<ListedEvent[]> {
    const { id, receivedAt } = providerEvents
    const inOrder = filter.state === 'handled' ? desc : asc
    return this.select(conditionOf(filter), [inOrder(receivedAt), inOrder(id)], limit)
  }

  async countEvents(filter: EventFilter): Promise<number> {
    const [row] = await this.database.run(db =>
      db
        .select({ events: count() })
        .from(providerEvents)
        .leftJoin(billingWork, eq(billingWork.customerId, providerEvents.customerId))
        .leftJoin(billingCustomers, eq(billingCustomers.customerId, providerEvents.customerId))
        .where(conditionOf(filter)),
    )
    return row?.events ?? 0
  }

  /** Null for an event that never arrived, or was removed after its retention. */
  async findEvent(id: string): Promise<ListedEvent | null> {
    const [found] = await this.select(eq(providerEvents.id, id), [], 1)
    return found ?? null
  }

  /** How many customers are due now, not at a later try. */
  countDue(): Promise<number> {
    const isDue = and(isNull(billingWork.parkedAt), lte(billingWork.dueAt, sql`clock_timestamp()`))
    return this.database.run(db => db.$count(billingWork, isDue))
  }

  /** Every customer whose last sync failed, given up or not. */
  listFailedSyncs() {
    const { customerId, lastError } = billingWork
    return this.database.run(db =>
      db.select().from(billingWork).where(isNotNull(lastError)).orderBy(asc(customerId)),
    )
  }

  /** Subscriptions that the provider no longer collects: their customers cannot pay for them by themselves. */
  listUnpaid() {
    return this.listSubscriptions(eq(subscriptions.status, 'unpaid'))
  }

  /** Subscriptions that the provider has paused because a payment failed; it may have been made since. */
  listPausedUnpaid() {
    return this.listSubscriptions(
      and(eq(subscriptions.status, 'paused'), isNotNull(subscriptions.pastDueSince)),
    )
  }

  /** Disputes over payments of our accounts that the provider has not reported as closed; a bank decides within 90 days. */
  async listOpenDisputes(): Promise<readonly { disputeId: string; since: string }[]> {
    const disputeId = sql`event #>> '{data,object,id}'`
    const found = await this.database.run(db =>
      db.execute(sql`
        select ${disputeId} as "disputeId", min(received_at) as since from ${providerEvents}
        where type = 'charge.dispute.created' and effect = 'noted' and ${disputeId} not in (
          select ${disputeId} from ${providerEvents}
          where type = 'charge.dispute.closed' and ${disputeId} is not null)
        group by 1 order by 2`),
    )
    return rowsOf(found)
  }

  /** Customers of no account who have bought one of our prices, as far as the last event about it says. */
  async listUnlinked(): Promise<readonly { customerId: string }[]> {
    const found = await this.database.run(db =>
      db.execute(sql`
        select customer_id as "customerId" from ${providerEvents}
        where effect = 'unlinked customer'
          and not exists (select 1 from ${billingCustomers} as known where known.customer_id = ${providerEvents.customerId})
        group by 1
        having not bool_or(type = 'customer.subscription.deleted')
        order by 1`),
    )
    return rowsOf(found)
  }

  /** What the provider has refused to users since then, in its words, and when last. */
  listRefusals(since: Date) {
    const isRefusal = and(gt(auditLog.at, since), eq(auditLog.action, 'billing.refuse'))
    const reason = sql<string>`${auditLog.detail} ->> 'reason'`
    return this.database.run(db =>
      db
        .select({ reason, last: sql<string>`max(${auditLog.at})` })
        .from(auditLog)
        .where(isRefusal)
        .groupBy(reason)
        .orderBy(reason),
    )
  }

  /** The end of the audit log, for {@link listRepairsAfter}. */
  async auditEnd(): Promise<number> {
    const [row] = await this.database.run(db => db.select({ end: max(auditLog.id) }).from(auditLog))
    return row?.end ?? 0
  }

  /** Subscriptions that differed from the provider's without an event to say so. */
  listRepairsAfter(auditEnd: number) {
    const isRepair = and(gt(auditLog.id, auditEnd), eq(auditLog.action, 'billing.repair'))
    return this.database.run(db => db.select().from(auditLog).where(isRepair).orderBy(asc(auditLog.id)))
  }

  /** What waits, what failed, and what is paid for. */
  health(): Promise<BillingHealth> {
    return this.database.run(healthOf)
  }

  private listSubscriptions(which: SQL | undefined) {
    const { accountId, providerId } = subscriptions
    return this.database.run(db =>
      db
        .select({ accountId, subscriptionId: providerId })
        .from(subscriptions)
        .where(which)
        .orderBy(asc(accountId)),
    )
  }

  private async select(condition: SQL | undefined, order: SQL[], limit: number): Promise<ListedEvent[]> {
    const { id, type, customerId, receivedAt, effect } = providerEvents
    const { lastError, parkedAt, claimedUntil } = billingWork
    const isClaimed = sql<boolean>`coalesce(${claimedUntil} > clock_timestamp(), false)`
    const { accountId } = billingCustomers
    const rows = await this.database.run(db =>
      db
        .select({ id, type, customerId, accountId, receivedAt, effect, lastError, parkedAt, isClaimed })
        .from(providerEvents)
        .leftJoin(billingWork, eq(billingWork.customerId, customerId))
        .leftJoin(billingCustomers, eq(billingCustomers.customerId, customerId))
        .where(condition)
        .orderBy(...order)
        .limit(limit),
    )
    return rows.map(({ parkedAt, ...row }) => ({ ...row, state: stateOf({ ...row, parkedAt }) }))
  }
}

function conditionOf({ state, accountId }: EventFilter): SQL | undefined {
  const ofAccount = accountId === undefined ? undefined : eq(billingCustomers.accountId, accountId)
  return and(ofAccount, state ? IN_STATE[state] : isNull(providerEvents.effect))
}

const WAITS = isNull(providerEvents.effect)
const IN_STATE: Record<EventState, SQL | undefined> = {
  handled: isNotNull(providerEvents.effect),
  parked: and(WAITS, isNotNull(billingWork.parkedAt)),
  failed: and(WAITS, isNull(billingWork.parkedAt), isNotNull(billingWork.lastError)),
  pending: and(WAITS, isNull(billingWork.parkedAt), isNull(billingWork.lastError)),
}

function stateOf({
  effect,
  parkedAt,
  lastError,
}: Record<'effect' | 'parkedAt' | 'lastError', unknown>): EventState {
  if (effect !== null) return 'handled'
  if (parkedAt !== null) return 'parked'
  return lastError === null ? 'pending' : 'failed'
}
