import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { subscriptions } from '../../platform/database/schema/billing.js'
import { Metrics } from '../../platform/metrics.js'
import { PlansFile } from '../../platform/plans.js'
import { Clock } from '../../platform/time.js'
import { type BillingHealth, healthOf } from './billing-health.js'

interface BillingReading extends BillingHealth {
  /** Subscriptions that bill somebody a second time. */
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
