import { sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Database } from '../database/database.js'
import { hourlyBudgets } from '../database/schema/platform.js'
import { clientNetworkOf } from '../http/request.js'
import type { AuditEvent } from './audit-event.js'

/** How much may be written per hour, by all replicas together. */
export interface Budget {
  readonly name: string
  readonly anHour: number
}

/** Takes up to `wanted` from this hour's budget and returns how much it got. Nothing is given back. */
export async function takeFromBudget(
  database: Database,
  { name, anHour }: Budget,
  now: Date,
  wanted: number,
): Promise<number> {
  if (wanted === 0) return 0
  const hour = new Date(now)
  hour.setUTCMinutes(0, 0, 0)
  const [row] = await database.run(db =>
    db
      .insert(hourlyBudgets)
      .values({ name, hour, used: wanted })
      .onConflictDoUpdate({
        target: [hourlyBudgets.name, hourlyBudgets.hour],
        // Capped before it is added to, so that it cannot overflow in a long flood.
        set: { used: sql`least(${hourlyBudgets.used}, ${anHour}) + excluded.used` },
      })
      .returning({ used: hourlyBudgets.used }),
  )
  const before = (row?.used ?? 0) - wanted
  return Math.max(0, Math.min(wanted, anHour - before))
}

/**
 * Rows per hour about one action by one user, or from one network. Enough to see what happened; the size of a
 * flood is in the counts.
 */
const ROWS_AN_HOUR = 20
const HOUR_MS = 60 * 60 * 1000
/** When there are more, the least recently used is dropped; its rows are still bounded by the overall budget. */
const MAX_SUBJECTS = 20_000

/** Which refusals get a row of their own in this process. */
export class RowAllowance {
  private readonly used = new LRUCache<string, number>({ max: MAX_SUBJECTS, ttl: HOUR_MS, noUpdateTTL: true })

  /** Takes one row from the allowance for this kind of refusal; false when it is used up. */
  take({ action, userId, client }: AuditEvent): boolean {
    const key = `${action} ${userId ?? (client ? clientNetworkOf(client.ip) : '')}`
    const used = this.used.get(key) ?? 0
    if (used >= ROWS_AN_HOUR) return false
    this.used.set(key, used + 1)
    return true
  }
}
