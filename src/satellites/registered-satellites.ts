import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, asc, count, desc, eq, like, or, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { satellites } from '../platform/database/schema/satellites.js'
import { startsWith } from '../platform/database/sql.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Age } from '../platform/http/paging.js'
import { ceilingOf } from '../platform/permissions.js'
import { Clock } from '../platform/time.js'
import { type RegisteredSatellite, type SatelliteRow, selectSatellites } from './registered-satellite.js'
import { SatelliteProofs } from './verification/satellite-proofs.js'

/** For sessions of previews, whose code may come from anybody who can open a pull request. */
export const PREVIEW_SESSION_SECONDS = 8 * 60 * 60

export type NewSatellite = Pick<SatelliteRow, 'accountId' | 'origin' | 'name' | 'kind'>
export type SatelliteChange = Partial<
  Pick<SatelliteRow, 'name' | 'ceiling' | 'loginMode' | 'secondFactor' | 'sessionSeconds' | 'branding'>
>

/** Selects satellites of all accounts; all conditions must hold. */
export interface SatelliteFilter {
  readonly state?: SatelliteRow['state']
  /** Possible prefixes of the origin. */
  readonly origin?: readonly string[]
  readonly after?: Age
}

/** The satellites in the database. Methods that change something take the transaction of the entire change. */
@Injectable()
export class RegisteredSatellites {
  constructor(
    private readonly proofs: SatelliteProofs,
    private readonly clock: Clock,
  ) {}

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
    return { satellite, proof: await this.proofs.start(transaction, satellite.id) }
  }

  /**
   * Gives the satellite, which must be locked, a new token if it is pending and its token has expired;
   * returns whether it did.
   */
  async renewExpiredToken(transaction: Db, { satellite, proof }: RegisteredSatellite): Promise<boolean> {
    if (satellite.state !== 'pending' || !this.proofs.isExpired(proof)) return false
    await this.proofs.start(transaction, satellite.id)
    return true
  }

  /** Sets what is in `change`, which must not be empty. */
  async change(transaction: Db, id: string, change: SatelliteChange): Promise<SatelliteRow> {
    const changed = await transaction.update(satellites).set(change).where(eq(satellites.id, id)).returning()
    return changed[0] as SatelliteRow
  }

  /** Sessions from before it belonged to this account are not valid; a suspension does not end any. */
  async activate(transaction: Db, { id, activeSince }: SatelliteRow): Promise<void> {
    await transaction
      .update(satellites)
      .set({ state: 'active', suspendedBy: null, activeSince: activeSince ?? this.clock.now() })
      .where(eq(satellites.id, id))
  }

  /** Makes it active again although its proof was not found; the failures so far no longer count. */
  async resume(transaction: Db, satellite: SatelliteRow): Promise<void> {
    await this.proofs.forgetFailures(transaction, satellite.id)
    await this.activate(transaction, satellite)
  }

  async suspend(transaction: Db, id: string, by: NonNullable<SatelliteRow['suspendedBy']>): Promise<void> {
    await transaction
      .update(satellites)
      .set({ state: 'suspended', suspendedBy: by })
      .where(eq(satellites.id, id))
  }

  /** Somebody else has proven the origin. The account may prove it again, starting from scratch. */
  async release(transaction: Db, id: string): Promise<void> {
    await transaction
      .update(satellites)
      .set({ state: 'pending', suspendedBy: null, activeSince: null })
      .where(eq(satellites.id, id))
    await this.proofs.start(transaction, id)
  }

  async remove(transaction: Db, id: string): Promise<void> {
    await transaction.delete(satellites).where(eq(satellites.id, id))
  }
}

function isOf(accountId: string, id: string): SQL | undefined {
  return and(eq(satellites.accountId, accountId), eq(satellites.id, id))
}
