import { Injectable } from '@nestjs/common'
import { and, eq, gt, inArray, isNull, lt, ne, or, sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/connection.js'
import { satelliteProofs, satellites } from '../../platform/database/schema/satellites.js'
import { Clock, secondsAfter } from '../../platform/time.js'
import { newProofToken } from '../proof/proof-challenge.js'
import { type ProofRow, type RegisteredSatellite, selectSatellites } from '../registered-satellite.js'

const HOUR_SECONDS = 60 * 60
const DAY_SECONDS = 24 * HOUR_SECONDS
/** How long a pending satellite can be proven with the token that it was given. */
const TOKEN_SECONDS = 7 * DAY_SECONDS
const CHECK_AFTER_SECONDS = DAY_SECONDS
/**
 * When a check is due, those due soon are checked with it, because unanswered look-ups are judged by whether
 * others got an answer.
 */
const CHECK_ALONG_AFTER_SECONDS = DAY_SECONDS / 2
const SUSPEND_AFTER_SECONDS = 7 * DAY_SECONDS

export interface FailedCheck {
  /** How many checks in a row have not found the proof. */
  readonly failures: number
  /** When the satellite will be suspended if nothing changes. */
  readonly suspendAt: Date
  /** Whether that time has come. */
  readonly isOver: boolean
}

/** When a satellite is suspended whose proof has been missing since then. */
export function suspensionAfter(failingSince: Date): Date {
  return secondsAfter(failingSince, SUSPEND_AFTER_SECONDS)
}

/** The proofs in the database that satellites belong to their accounts. */
@Injectable()
export class SatelliteProofs {
  constructor(private readonly clock: Clock) {}

  /** Starts with a new token and no results. */
  async start(db: Db, satelliteId: string): Promise<ProofRow> {
    const unknown = { provenAt: null, method: null, checkedAt: null, failures: 0, failingSince: null }
    const expiresAt = secondsAfter(this.clock.now(), TOKEN_SECONDS)
    const started = { token: newProofToken(), expiresAt, ...unknown }
    const [proof] = await db
      .insert(satelliteProofs)
      .values({ satelliteId, ...started })
      .onConflictDoUpdate({ target: satelliteProofs.satelliteId, set: started })
      .returning()
    return proof as ProofRow
  }

  /** Whether it is too late to prove a pending satellite with this token. */
  isExpired({ expiresAt }: ProofRow): boolean {
    return expiresAt <= this.clock.now()
  }

  /** The proof was found by this method, or an operator says that it needs none. */
  async recordFound(db: Db, satelliteId: string, method: NonNullable<ProofRow['method']>): Promise<void> {
    const now = this.clock.now()
    await db
      .update(satelliteProofs)
      .set({ method, provenAt: now, checkedAt: now, failures: 0, failingSince: null })
      .where(eq(satelliteProofs.satelliteId, satelliteId))
  }

  /** A check has not found the proof. */
  async recordFailure(db: Db, satelliteId: string): Promise<FailedCheck> {
    const now = this.clock.now()
    const [proof] = await db
      .update(satelliteProofs)
      .set({
        checkedAt: now,
        failures: sql`${satelliteProofs.failures} + 1`,
        failingSince: sql`coalesce(${satelliteProofs.failingSince}, ${now.toISOString()}::timestamptz)`,
      })
      .where(eq(satelliteProofs.satelliteId, satelliteId))
      .returning()
    const { failures, failingSince } = proof as ProofRow
    const suspendAt = suspensionAfter(failingSince as Date)
    return { failures, suspendAt, isOver: suspendAt <= now }
  }

  /** Gives the satellite another 7 days before failures suspend it. */
  async forgetFailures(db: Db, satelliteId: string): Promise<void> {
    await db
      .update(satelliteProofs)
      .set({ checkedAt: this.clock.now(), failures: 0, failingSince: null })
      .where(eq(satelliteProofs.satelliteId, satelliteId))
  }

  /**
   * Empty unless some satellite has not been checked for a day; then those not checked for half a day, or
   * ever, least recently checked first, at most `limit`. Without those that an operator vouches for.
   */
  async dueForCheck(db: Db, limit: number): Promise<RegisteredSatellite[]> {
    const now = this.clock.now()
    const found = await selectSatellites(db)
      .where(
        and(
          ne(satellites.state, 'pending'),
          or(isNull(satelliteProofs.method), ne(satelliteProofs.method, 'operator')),
          or(
            isNull(satelliteProofs.checkedAt),
            lt(satelliteProofs.checkedAt, secondsAfter(now, -CHECK_ALONG_AFTER_SECONDS)),
          ),
        ),
      )
      .orderBy(sql`${satelliteProofs.checkedAt} nulls first`)
      .limit(limit)
    const longest = found[0]?.proof.checkedAt ?? null
    return longest === null || longest < secondsAfter(now, -CHECK_AFTER_SECONDS) ? found : []
  }

  /** The checks of these were inconclusive; they are repeated in an hour, after those that have waited longer. */
  async postponeCheck(db: Db, satelliteIds: readonly string[]): Promise<void> {
    if (satelliteIds.length === 0) return
    const checkedAt = secondsAfter(this.clock.now(), HOUR_SECONDS - CHECK_AFTER_SECONDS)
    await db
      .update(satelliteProofs)
      .set({ checkedAt })
      .where(inArray(satelliteProofs.satelliteId, [...satelliteIds]))
  }

  /**
   * Somebody else wants the origin: the next run of the daily check verifies whether it still belongs to this
   * account, at most once an hour. A check that is due within the hour, or was postponed until then, stays as
   * it is.
   */
  async expediteCheck(db: Db, satelliteIds: readonly string[]): Promise<void> {
    const now = this.clock.now()
    const isLongAgo = lt(satelliteProofs.checkedAt, secondsAfter(now, -HOUR_SECONDS))
    const isNotSoon = gt(satelliteProofs.checkedAt, secondsAfter(now, HOUR_SECONDS - CHECK_AFTER_SECONDS))
    await db
      .update(satelliteProofs)
      .set({ checkedAt: secondsAfter(now, -CHECK_AFTER_SECONDS - 1) })
      .where(and(inArray(satelliteProofs.satelliteId, [...satelliteIds]), isLongAgo, isNotSoon))
  }
}
