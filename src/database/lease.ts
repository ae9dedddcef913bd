import { and, eq, gt, lt, or, sql } from 'drizzle-orm'
import { secondsAfter } from '../clock/clock.js'
import type { Database } from './database.js'
import { leases } from './schema.js'

/**
 * Takes the lease `name` for `seconds`; false when another replica has it. It is not given back but expires.
 */
export async function takeLease(
  database: Database,
  name: string,
  now: Date,
  seconds: number,
): Promise<boolean> {
  const until = secondsAfter(now, seconds)
  const taken = await database.run(db =>
    db
      .insert(leases)
      .values({ name, until })
      .onConflictDoUpdate({ target: leases.name, set: { until }, setWhere: lt(leases.until, now) })
      .returning({ name: leases.name }),
  )
  return taken.length === 1
}

/** How far ahead of `now` leases may end beyond their own length: clocks of machines differ. */
const CLOCK_TOLERANCE_SECONDS = 60 * 60

/**
 * Takes a lease that ends later than one of `longestSeconds` can, because a machine took it whose clock was
 * ahead: nobody would have it until then. False when there is no such lease. Of two concurrent calls one gets
 * true.
 */
export async function takeEndlessLease(
  database: Database,
  name: string,
  now: Date,
  { seconds, longestSeconds }: { seconds: number; longestSeconds: number },
): Promise<boolean> {
  const latest = secondsAfter(now, longestSeconds + CLOCK_TOLERANCE_SECONDS)
  const taken = await database.run(db =>
    db
      .update(leases)
      .set({ until: secondsAfter(now, seconds) })
      .where(and(eq(leases.name, name), gt(leases.until, latest)))
      .returning({ name: leases.name }),
  )
  return taken.length === 1
}

/** Extends a lease to `seconds` from `now`: the work is done, and nobody is to do it again before then. */
export async function keepLease(database: Database, name: string, now: Date, seconds: number): Promise<void> {
  const until = secondsAfter(now, seconds)
  await database.run(db => db.update(leases).set({ until }).where(eq(leases.name, name)))
}

/**
 * Takes or renews the lease `name` for `seconds` by the database's clock; false when another `holder` has it.
 * For short leases, because clocks of two machines may differ by more.
 */
export async function holdLease(
  database: Database,
  name: string,
  holder: string,
  seconds: number,
): Promise<boolean> {
  const until = sql`clock_timestamp() + make_interval(secs => ${seconds})`
  const taken = await database.run(db =>
    db
      .insert(leases)
      .values({ name, until, holder })
      .onConflictDoUpdate({
        target: leases.name,
        set: { until, holder },
        setWhere: or(lt(leases.until, sql`clock_timestamp()`), eq(leases.holder, holder)),
      })
      .returning({ name: leases.name }),
  )
  return taken.length === 1
}

/** Gives back the lease that `holder` has; does nothing when it has expired. */
export async function dropLease(database: Database, name: string, holder: string): Promise<void> {
  await database.run(db => db.delete(leases).where(and(eq(leases.name, name), eq(leases.holder, holder))))
}
