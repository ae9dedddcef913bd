import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, asc, count, desc, eq, gt, inArray, isNull, like, lt, ne, or, type SQL, sql } from 'drizzle-orm'
import { matchesPattern, parentOf } from '../cors/satellites.js'
import type { Actor } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { satelliteProofs, satellites } from '../platform/database/schema/satellites.js'
import { startsWith } from '../platform/database/sql.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Age } from '../platform/http/paging.js'
import { ceilingOf } from '../platform/permissions.js'
import { Clock, secondsAfter } from '../platform/time.js'
import { newProofToken } from './proof.js'

export type SatelliteRow = typeof satellites.$inferSelect
export type ProofRow = typeof satelliteProofs.$inferSelect

/** A satellite of an account, in any state, with the proof that it belongs to the account. */
export interface RegisteredSatellite {
  readonly satellite: SatelliteRow
  readonly proof: ProofRow
}

/** A member of the account, or an operator acting for it, who at the command line has no `client`. */
export type AccountActor = Actor & Pick<Required<Actor>, 'accountId'>

export type NewSatellite = Pick<SatelliteRow, 'accountId' | 'origin' | 'name' | 'kind'>
export type SatelliteChange = Partial<
  Pick<
    SatelliteRow,
    'name' | 'ceiling' | 'loginMode' | 'secondFactor' | 'sessionSeconds' | 'idleSeconds' | 'branding'
  >
>

/** What an account has, or wants to have. */
export type OriginClaim = Pick<SatelliteRow, 'accountId' | 'origin' | 'kind'>

/** Selects satellites of all accounts; all conditions must hold. */
export interface SatelliteFilter {
  readonly state?: SatelliteRow['state']
  /** Possible prefixes of the origin. */
  readonly origin?: readonly string[]
  readonly after?: Age
}

interface FailedCheck {
  /** How many checks in a row have not found the proof. */
  readonly failures: number
  /** When the satellite will be suspended if nothing changes. */
  readonly suspendAt: Date
  /** Whether that time has come. */
  readonly isOver: boolean
}

/** For sessions of previews, whose code may come from any author of a pull request. */
export const PREVIEW_SESSION_SECONDS = 8 * 60 * 60

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

/** When a satellite is suspended whose proof has been missing since then. */
export function suspensionAfter(failingSince: Date): Date {
  return secondsAfter(failingSince, SUSPEND_AFTER_SECONDS)
}

/** Whether a check has not found the proof, and its account was notified. An operator's decision stands. */
export function isFailing({ satellite, proof }: RegisteredSatellite): boolean {
  return proof.failures > 0 && satellite.suspendedBy !== 'operator'
}

/** Throws `SATELLITE_SUSPENDED` for one that an operator has suspended, unless the actor is one. */
export function requireNotSuspendedByOperator(
  { client }: AccountActor,
  { satellite }: RegisteredSatellite,
): void {
  if (client && satellite.suspendedBy === 'operator')
    throw new ApiError('SATELLITE_SUSPENDED', { detail: 'An operator has suspended this satellite' })
}

/**
 * The satellites in the database, with the proofs that they belong to their accounts. Methods that change something
 * take the transaction of the entire change.
 */
@Injectable()
export class RegisteredSatellites {
  constructor(private readonly clock: Clock) {}

  /** All satellites of an account, or of every account for null, oldest first. */
  list(db: Db, accountId: string | null): Promise<RegisteredSatellite[]> {
    return selectSatellites(db)
      .where(accountId === null ? undefined : eq(satellites.accountId, accountId))
      .orderBy(asc(satellites.createdAt), asc(satellites.id))
  }

  /** Those of every account, newest first, after `after`; at most `limit`. */
  listNewest(
    db: Db,
    { state, origin, after }: SatelliteFilter,
    limit: number,
  ): Promise<RegisteredSatellite[]> {
    const { createdAt, id } = satellites
    // Compared as a row, so that an index finds where the page begins.
    const place = after && sql`(${after.createdAt.toISOString()}::timestamptz, ${after.id}::uuid)`
    const isOlder = place && sql`(${createdAt}, ${id}) < ${place}`
    const begins = origin?.map(start => like(satellites.origin, startsWith(start)))
    return selectSatellites(db)
      .where(and(state && eq(satellites.state, state), begins && or(...begins), isOlder))
      .orderBy(desc(createdAt), desc(id))
      .limit(limit)
  }

  /** Throws `NOT_FOUND`, even if another account has it. */
  async find(db: Db, accountId: string, id: string): Promise<RegisteredSatellite> {
    const [found] = await selectSatellites(db).where(isOf(accountId, id))
    if (!found) throw new ApiError('NOT_FOUND')
    return found
  }

  /** In any account; null when there is none. */
  async findAnywhere(db: Db, id: string): Promise<RegisteredSatellite | null> {
    const [found] = await selectSatellites(db).where(eq(satellites.id, id))
    return found ?? null
  }

  /** Null when the account has none with this origin. */
  async findByOrigin(db: Db, accountId: string, origin: string): Promise<RegisteredSatellite | null> {
    const isIts = and(eq(satellites.accountId, accountId), eq(satellites.origin, origin))
    const [found] = await selectSatellites(db).where(isIts)
    return found ?? null
  }

  /** Like {@link find}, and locks it against changes until the transaction ends. */
  async lock(transaction: Db, accountId: string, id: string): Promise<RegisteredSatellite> {
    const found = await this.findLocked(transaction, accountId, id)
    if (!found) throw new ApiError('NOT_FOUND')
    return found
  }

  /** Like {@link lock}; null when it is gone. */
  async findLocked(transaction: Db, accountId: string, id: string): Promise<RegisteredSatellite | null> {
    const [found] = await selectSatellites(transaction).where(isOf(accountId, id)).for('update')
    return found ?? null
  }

  /** How many an account has in any state, and how many of them are waiting for a proof. */
  async count(db: Db, accountId: string): Promise<{ all: number; pending: number }> {
    const pending = sql<number>`count(*) filter (where ${satellites.state} = 'pending')`.mapWith(Number)
    const [found] = await db
      .select({ all: count(), pending })
      .from(satellites)
      .where(eq(satellites.accountId, accountId))
    return found ?? { all: 0, pending: 0 }
  }

  /** Adds a pending satellite with a new token. Throws `ORIGIN_TAKEN` when the account already has this origin. */
  async add(transaction: Db, added: NewSatellite): Promise<RegisteredSatellite> {
    const [satellite] = await transaction
      .insert(satellites)
      .values({
        ...added,
        id: randomUUID(),
        state: 'pending',
        ceiling: ceilingOf('satellite'),
        loginMode: 'both',
        secondFactor: 'handoff',
        sessionSeconds: added.kind === 'preview' ? PREVIEW_SESSION_SECONDS : null,
        createdAt: this.clock.now(),
      })
      .onConflictDoNothing()
      .returning()
    if (!satellite) throw new ApiError('ORIGIN_TAKEN')
    return { satellite, proof: await this.startProof(transaction, satellite.id) }
  }

  /** Sets what is in `change`, which must not be empty. */
  async change(transaction: Db, id: string, change: SatelliteChange): Promise<SatelliteRow> {
    const changed = await transaction.update(satellites).set(change).where(eq(satellites.id, id)).returning()
    return changed[0] as SatelliteRow
  }

  /**
   * Returns since when its sessions are valid: none from before it belonged to this account is, but a suspension does
   * not end any.
   */
  async activate(transaction: Db, satellite: SatelliteRow): Promise<Date> {
    const activeSince = satellite.activeSince ?? this.clock.now()
    await transaction
      .update(satellites)
      .set({ state: 'active', suspendedBy: null, activeSince })
      .where(eq(satellites.id, satellite.id))
    return activeSince
  }

  async suspend(transaction: Db, id: string, by: NonNullable<SatelliteRow['suspendedBy']>): Promise<void> {
    await transaction
      .update(satellites)
      .set({ state: 'suspended', suspendedBy: by })
      .where(eq(satellites.id, id))
  }

  /** Makes it active again although its proof was not found: failures suspend it after another 7 days. */
  async resume(transaction: Db, satellite: SatelliteRow): Promise<void> {
    await this.updateProof(transaction, satellite.id, {
      checkedAt: this.clock.now(),
      failures: 0,
      failingSince: null,
    })
    await this.activate(transaction, satellite)
  }

  /** Another account has proven the origin. This one may prove it again, starting from scratch. */
  async release(transaction: Db, id: string): Promise<void> {
    await transaction
      .update(satellites)
      .set({ state: 'pending', suspendedBy: null, activeSince: null })
      .where(eq(satellites.id, id))
    await this.startProof(transaction, id)
  }

  async remove(transaction: Db, id: string): Promise<void> {
    await transaction.delete(satellites).where(eq(satellites.id, id))
  }

  /**
   * Gives the satellite, which must be locked, a new token if it is pending and its token has expired;
   * returns whether it did.
   */
  async renewExpiredToken(transaction: Db, { satellite, proof }: RegisteredSatellite): Promise<boolean> {
    if (satellite.state !== 'pending' || proof.expiresAt > this.clock.now()) return false
    await this.startProof(transaction, satellite.id)
    return true
  }

  /** The proof was found by this method, or an operator says that it needs none. */
  async recordFound(db: Db, id: string, method: NonNullable<ProofRow['method']>): Promise<void> {
    const now = this.clock.now()
    await this.updateProof(db, id, { method, provenAt: now, checkedAt: now, failures: 0, failingSince: null })
  }

  /** A check has not found the proof. */
  async recordFailure(db: Db, id: string): Promise<FailedCheck> {
    const now = this.clock.now()
    const [proof] = await db
      .update(satelliteProofs)
      .set({
        checkedAt: now,
        failures: sql`${satelliteProofs.failures} + 1`,
        failingSince: sql`coalesce(${satelliteProofs.failingSince}, ${now.toISOString()}::timestamptz)`,
      })
      .where(eq(satelliteProofs.satelliteId, id))
      .returning()
    const { failures, failingSince } = proof as ProofRow
    const suspendAt = suspensionAfter(failingSince as Date)
    return { failures, suspendAt, isOver: suspendAt <= now }
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
  async postponeCheck(db: Db, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const checkedAt = secondsAfter(this.clock.now(), HOUR_SECONDS - CHECK_AFTER_SECONDS)
    await db
      .update(satelliteProofs)
      .set({ checkedAt })
      .where(inArray(satelliteProofs.satelliteId, [...ids]))
  }

  /**
   * Another account wants the origin of these: the next run of the daily check verifies whether it is still theirs,
   * at most once an hour. A check that is due within the hour, or was postponed until then, stays as it is, and those
   * that are failing have been notified already.
   */
  async expediteChecks(db: Db, holders: readonly RegisteredSatellite[]): Promise<void> {
    const ids = holders.filter(holder => !isFailing(holder)).map(({ satellite }) => satellite.id)
    if (ids.length === 0) return
    const now = this.clock.now()
    const isLongAgo = lt(satelliteProofs.checkedAt, secondsAfter(now, -HOUR_SECONDS))
    const isNotSoon = gt(satelliteProofs.checkedAt, secondsAfter(now, HOUR_SECONDS - CHECK_AFTER_SECONDS))
    await db
      .update(satelliteProofs)
      .set({ checkedAt: secondsAfter(now, -CHECK_AFTER_SECONDS - 1) })
      .where(and(inArray(satelliteProofs.satelliteId, ids), isLongAgo, isNotSoon))
  }

  /** How many are active although the last check did not find their proof. */
  async countFailing(db: Db): Promise<number> {
    const [row] = await db
      .select({ failing: count() })
      .from(satelliteProofs)
      .innerJoin(satellites, eq(satellites.id, satelliteProofs.satelliteId))
      .where(and(gt(satelliteProofs.failures, 0), eq(satellites.state, 'active')))
    return row?.failing ?? 0
  }

  /** Starts with a new token and no results. */
  private async startProof(db: Db, satelliteId: string): Promise<ProofRow> {
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

  private async updateProof(db: Db, satelliteId: string, change: Partial<ProofRow>): Promise<void> {
    await db.update(satelliteProofs).set(change).where(eq(satelliteProofs.satelliteId, satelliteId))
  }
}

/** All satellites with their proofs; add a `where`. */
function selectSatellites(db: Db) {
  return db
    .select({ satellite: satellites, proof: satelliteProofs })
    .from(satellites)
    .innerJoin(satelliteProofs, eq(satelliteProofs.satelliteId, satellites.id))
    .$dynamic()
}

function isOf(accountId: string, id: string): SQL | undefined {
  return and(eq(satellites.accountId, accountId), eq(satellites.id, id))
}

/**
 * The satellites of other accounts, active or suspended, that have this origin; for a preview pattern also those
 * whose patterns could cover the same hosts.
 */
export function holdersElsewhere(db: Db, { accountId, origin, kind }: OriginClaim) {
  const isSame = kind === 'preview' ? haveSameParent(origin) : eq(satellites.origin, origin)
  return selectSatellites(db)
    .where(and(isSame, ne(satellites.state, 'pending'), ne(satellites.accountId, accountId)))
    .orderBy(asc(satellites.id))
}

function haveSameParent(pattern: string): SQL | undefined {
  const parent = sql`substring(${satellites.origin} from position('.' in ${satellites.origin}) + 1)`
  // For the index, whose `where` must appear here verbatim.
  return and(sql`${satellites.kind} = 'preview'`, sql`${parent} = ${parentOf(pattern)}`)
}

/** Like {@link holdersElsewhere}, and locks them against changes until the transaction ends. */
export function lockHoldersElsewhere(transaction: Db, claim: OriginClaim): Promise<RegisteredSatellite[]> {
  return holdersElsewhere(transaction, claim).for('update')
}

/** Until the transaction ends, no other can acquire this origin. */
export async function lockOrigin(transaction: Db, origin: string): Promise<void> {
  await transaction.execute(sql`select pg_advisory_xact_lock(hashtextextended(${parentOf(origin)}, 0))`)
}

/** Whether an operator has suspended another satellite, of any account, that shares hosts with this one. */
export async function isBarredByAnother(db: Db, { id, origin, kind }: SatelliteRow): Promise<boolean> {
  const barred = await db
    .select({ origin: satellites.origin, kind: satellites.kind })
    .from(satellites)
    .where(and(ne(satellites.id, id), eq(satellites.suspendedBy, 'operator')))
  return barred.some(other =>
    kind === 'preview' && other.kind === 'preview'
      ? parentOf(other.origin) === parentOf(origin)
      : matchesPattern(other.origin, origin) || matchesPattern(origin, other.origin),
  )
}
