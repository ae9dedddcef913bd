import { and, eq, gt, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from './database.js'
import { leases } from './schema/jobs.js'

/** Leases end by the database's clock, which all replicas share: clocks of two machines may differ by hours. */
const NOW = sql`clock_timestamp()`

function inSeconds(seconds: number): SQL {
  return sql`${NOW} + make_interval(secs => ${seconds})`
}

/** By how much a lease may seem too long: its end is rounded to milliseconds, and the clock may be adjusted a little. */
const TOLERANCE_SECONDS = 60

/**
 * Takes the lease `name` for `seconds`; false when another replica has it. It is not given back but expires. A
 * lease that ends later than one of `longestSeconds` can is taken too: the database's clock was set back since, and
 * nobody would have it until then.
 */
export async function takeLease(
  database: Database,
  name: string,
  { seconds, longestSeconds = seconds }: { seconds: number; longestSeconds?: number },
): Promise<boolean> {
  const until = inSeconds(seconds)
  const isTooFar = gt(leases.until, inSeconds(longestSeconds + TOLERANCE_SECONDS))
  const taken = await database.run(db =>
    db
      .insert(leases)
      .values({ name, until })
      .onConflictDoUpdate({
        target: leases.name,
        set: { until },
        setWhere: or(lt(leases.until, NOW), isTooFar),
      })
      .returning({ name: leases.name }),
  )
  return taken.length === 1
}

/** Extends a lease to `seconds` from now: the work is done, and nobody is to do it again before then. */
export async function keepLease(database: Database, name: string, seconds: number): Promise<void> {
  await database.run(db =>
    db
      .update(leases)
      .set({ until: inSeconds(seconds) })
      .where(eq(leases.name, name)),
  )
}

/** Takes or renews the lease `name` for `seconds`; false when another `holder` has it. */
export async function holdLease(
  database: Database,
  name: string,
  holder: string,
  seconds: number,
): Promise<boolean> {
  const until = inSeconds(seconds)
  const taken = await database.run(db =>
    db
      .insert(leases)
      .values({ name, until, holder })
      .onConflictDoUpdate({
        target: leases.name,
        set: { until, holder },
        setWhere: or(lt(leases.until, NOW), eq(leases.holder, holder)),
      })
      .returning({ name: leases.name }),
  )
  return taken.length === 1
}

/** Gives back the lease that `holder` has; does nothing when it has expired. */
export async function dropLease(database: Database, name: string, holder: string): Promise<void> {
  await database.run(db => db.delete(leases).where(and(eq(leases.name, name), eq(leases.holder, holder))))
}
