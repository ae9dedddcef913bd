import { Injectable } from '@nestjs/common'
import {
  and,
  asc,
  count,
  desc,
  eq,
  gt,
  isNotNull,
  isNull,
  lte,
  max,
  notInArray,
  type SQL,
  sql,
} from 'drizzle-orm'
import { type Actor, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database, rowsOf } from '../platform/database/database.js'
import { auditLog } from '../platform/database/schema/audit.js'
import {
  billingCustomers,
  billingWork,
  providerEvents,
  subscriptions,
} from '../platform/database/schema/billing.js'
import { inAnyLocale } from '../platform/database/sql.js'
import { Metrics } from '../platform/metrics.js'
import { PlansFile } from '../platform/plans.js'
import { Clock } from '../platform/time.js'
import { BillingInbox } from './inbox.js'
import { ENDED_STATUSES } from './subscriptions.js'

/** Keeps a reading down to some milliseconds, however many are waiting. */
const MAX_COUNTED = 10_000

/** A summary for operators. */
export interface BillingHealth {
  /**
   * Events that have had no effect yet, including those of customers that were given up. Beyond {@link MAX_COUNTED} it
   * is what the database last estimated.
   */
  readonly waitingEvents: number
  /** When the oldest of them arrived; null when none waits. */
  readonly oldestWaiting: Date | null
  /** At most 10,000, like the two counts below. */
  readonly customersDue: number
  /** Customers whose last sync failed, and how many of them were given up and not asked for since. */
  readonly customersFailed: number
  readonly customersParked: number
  /** How many live subscriptions there are for each price. */
  readonly subscriptionsByPrice: ReadonlyMap<string, number>
}

/** {@link BillingHealth}, read with two statements. */
export async function healthOf(db: Db): Promise<BillingHealth> {
  const [queue] = rowsOf<QueueReading>(await db.execute(QUEUE_QUERY))
  const { waiting = 0, estimated = 0, oldest = null, due = 0, failed = 0, parked = 0 } = queue ?? {}
  const prices = await db
    .select({ priceId: subscriptions.priceId, subscriptions: count() })
    .from(subscriptions)
    .where(and(isNotNull(subscriptions.priceId), notInArray(subscriptions.status, [...ENDED_STATUSES])))
    .groupBy(subscriptions.priceId)
  return {
    waitingEvents: waiting < MAX_COUNTED ? waiting : Math.max(waiting, estimated),
    oldestWaiting: oldest === null ? null : new Date(oldest),
    customersDue: due,
    customersFailed: failed,
    customersParked: parked,
    subscriptionsByPrice: new Map(prices.map(row => [row.priceId as string, row.subscriptions])),
  }
}

interface QueueReading {
  readonly waiting: number
  readonly estimated: number
  /** In milliseconds since 1970. */
  readonly oldest: number | null
  readonly due: number
  readonly failed: number
  readonly parked: number
}

const WAITING = sql`from ${providerEvents} where effect is null order by received_at`
const DUE = sql`parked_at is null and due_at <= statement_timestamp()`

/** Each part has an index in its order, so that none reads more rows than it counts. */
const QUEUE_QUERY = sql`
  select ${counted(WAITING)} as waiting,
    (select reltuples::int from pg_class where oid = 'provider_events_oldest'::regclass) as estimated,
    (select (extract(epoch from received_at) * 1000)::float8 ${WAITING} limit 1) as oldest,
    least(${counted(work(sql`not is_routine and ${DUE}`))} + ${counted(work(sql`is_routine and ${DUE}`))}, ${MAX_COUNTED}) as due,
    ${counted(work(sql`attempts > 0`))} as failed,
    ${counted(work(sql`attempts > 0 and parked_at is not null`))} as parked`

function work(which: SQL): SQL {
  return sql`from ${billingWork} where ${which} order by due_at`
}

function counted(rows: SQL): SQL {
  return sql`(select count(*)::int from (select ${rows} limit ${MAX_COUNTED}) as found)`
}

interface BillingReading extends BillingHealth {
  /** Subscriptions that bill an account a second time. */
  readonly surplus: number
}

/** Shows what `billing:status` says. */
@Injectable()
export class BillingMetrics {
  constructor(
    database: Database,
    private readonly plans: PlansFile,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    const read = metrics.cached('billing', () => database.report(readAll))
    const gauge = (name: string, help: string, value: (reading: BillingReading) => number) =>
      metrics.gauge({
        name: `billing_${name}`,
        help,
        read: async () => {
          const reading = await read()
          return reading && value(reading)
        },
      })
    this.declare(gauge)
  }

  private declare(
    gauge: (name: string, help: string, value: (reading: BillingReading) => number) => void,
  ): void {
    gauge(
      'events_waiting',
      'Events of the payment provider without effect yet; an estimate beyond 10,000',
      each => each.waitingEvents,
    )
    gauge('oldest_event_age_seconds', 'How long the oldest of them has waited; 0 when none does', each =>
      this.ageOf(each.oldestWaiting),
    )
    gauge('customers_due', 'Customers whose sync is due; at most 10,000', each => each.customersDue)
    gauge('customers_failed', 'Customers whose last sync failed', each => each.customersFailed)
    gauge('customers_parked', 'Customers that were given up; their events wait', each => each.customersParked)
    gauge('second_subscriptions', 'Subscriptions that bill an account a second time', each => each.surplus)
    gauge('subscriptions_of_unknown_price', 'Live subscriptions whose price is in no plan', each =>
      this.unknownPrices(each),
    )
  }

  private ageOf(time: Date | null): number {
    return time === null ? 0 : Math.max(0, (this.clock.now().getTime() - time.getTime()) / 1000)
  }

  /** Without a plans file, no price is unknown. */
  private unknownPrices({ subscriptionsByPrice }: BillingHealth): number {
    if (this.plans.version === null) return 0
    const unknown = [...subscriptionsByPrice].filter(([priceId]) => this.plans.of(priceId) === null)
    return unknown.reduce((sum, [, count]) => sum + count, 0)
  }
}

async function readAll(db: Db): Promise<BillingReading> {
  const [row] = await db
    .select({ surplus: sql<number>`coalesce(sum(cardinality(${subscriptions.surplus})), 0)::int` })
    .from(subscriptions)
  return { ...(await healthOf(db)), surplus: row?.surplus ?? 0 }
}

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
        .orderBy(inAnyLocale(reason)),
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

/** Handles events of the provider again, for operators. */
@Injectable()
export class BillingReplay {
  constructor(
    private readonly inbox: BillingInbox,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Marks the event as waiting again, whatever its state; a worker handles it within a second. False when it
   * does not exist or concerns no customer.
   */
  request(eventId: string, actor: Actor): Promise<boolean> {
    return this.database.transaction(async transaction => {
      if (!(await this.inbox.replay(eventId, transaction))) return false
      const [row] = await transaction
        .select({ accountId: billingCustomers.accountId })
        .from(providerEvents)
        .leftJoin(billingCustomers, eq(billingCustomers.customerId, providerEvents.customerId))
        .where(eq(providerEvents.id, eventId))
      const event = auditEvent(actor, 'billing.replay', { event: eventId })
      await this.auditLog.record(transaction, {
        ...event,
        ...(row?.accountId && { accountId: row.accountId }),
      })
      return true
    })
  }
}
