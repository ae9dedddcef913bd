import { and, count, isNotNull, notInArray, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/connection.js'
import { rowsOf } from '../../platform/database/database.js'
import { billingWork, providerEvents, subscriptions } from '../../platform/database/schema/billing.js'
import { ENDED_STATUSES } from '../subscription/subscription-rules.js'

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
