import { Injectable } from '@nestjs/common'
import { and, count, eq, gt } from 'drizzle-orm'
import { Database } from '../../platform/database/database.js'
import { satelliteProofs, satellites } from '../../platform/database/schema/satellites.js'
import { Metrics } from '../../platform/metrics.js'

/** Reports how many satellites fail their daily check. */
@Injectable()
export class CheckMetrics {
  constructor(
    private readonly database: Database,
    metrics: Metrics,
  ) {
    metrics.gauge({
      name: 'satellites_failing',
      help: 'Active satellites whose proof was not found by the last check',
      read: metrics.cached('satellites', () => this.countFailing()),
    })
  }

  private async countFailing(): Promise<number> {
    const [row] = await this.database.report(db =>
      db
        .select({ failing: count() })
        .from(satelliteProofs)
        .innerJoin(satellites, eq(satellites.id, satelliteProofs.satelliteId))
        .where(and(gt(satelliteProofs.failures, 0), eq(satellites.state, 'active'))),
    )
    return row?.failing ?? 0
  }
}
