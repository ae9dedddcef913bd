import { count, isNotNull, isNull, min, sql } from 'drizzle-orm'
import type { Database } from '../../database/database.js'
import { billingWork, providerEvents, subscriptions } from '../../database/schema.js'
import { ENDED_STATUSES } from '../subscription/provider-status.js'

/** A summary of the billing engine for operators. */
export interface BillingHealth {
  /** Events that have had no effect yet, including those of customers that were given up. */
  readonly waitingEvents: number
  /** When the oldest of them arrived; null when none waits. */
  readonly oldestWaiting: Date | null
  readonly customersDue: number
  /** Customers whose last look failed, and how many of them were given up. */
  readonly customersFailed: number
  readonly customersParked: number
  /** How many live subscriptions there are of each price. */
  readonly subscriptionsByPrice: ReadonlyMap<string, number>
}

export async function readBillingHealth(database: Database): Promise<BillingHealth> {
  const { receivedAt, effect } = providerEvents
  const { lastError, parkedAt, dueAt } = billingWork
  return database.run(async db => {
    const [events] = await db
      .select({ waiting: count(), oldest: min(receivedAt) })
      .from(providerEvents)
      .where(isNull(effect))
    const [customers] = await db
      .select({
        due: sql<number>`(count(*) filter (where ${parkedAt} is null and ${dueAt} <= clock_timestamp()))::int`,
        failed: sql<number>`(count(*) filter (where ${lastError} is not null))::int`,
        parked: sql<number>`(count(${parkedAt}))::int`,
      })
      .from(billingWork)
    const prices = await db
      .select({ priceId: subscriptions.priceId, subscriptions: count() })
      .from(subscriptions)
      .where(sql`${isNotNull(subscriptions.priceId)} and ${notEnded()}`)
      .groupBy(subscriptions.priceId)
    return {
      waitingEvents: events?.waiting ?? 0,
      oldestWaiting: events?.oldest ?? null,
      customersDue: customers?.due ?? 0,
      customersFailed: customers?.failed ?? 0,
      customersParked: customers?.parked ?? 0,
      subscriptionsByPrice: new Map(prices.map(row => [row.priceId as string, row.subscriptions])),
    }
  })
}

function notEnded() {
  const ended = ENDED_STATUSES.map(status => sql`${status}`)
  return sql`${subscriptions.status} not in (${sql.join(ended, sql`, `)})`
}
