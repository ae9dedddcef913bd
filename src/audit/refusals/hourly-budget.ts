import { sql } from 'drizzle-orm'
import type { Database } from '../../database/database.js'
import { hourlyBudgets } from '../../database/schema.js'

/** How much may be written in an hour, by all replicas together. */
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
        // No further than one beyond: it must not run over in a long flood.
        set: { used: sql`least(${hourlyBudgets.used}, ${anHour}) + excluded.used` },
      })
      .returning({ used: hourlyBudgets.used }),
  )
  const before = (row?.used ?? 0) - wanted
  return Math.max(0, Math.min(wanted, anHour - before))
}
