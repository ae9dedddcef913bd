import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, asc, count, eq, lt, ne, sql } from 'drizzle-orm'
import { Clock } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { satelliteProofs, satellites } from '../database/schema.js'
import { ApiError } from '../errors/api-error.js'
import { effectivePermissions, PERMISSIONS, permissionsOf } from '../permissions/permissions.js'
import { newProofToken } from '../satellites/proof/proof-challenge.js'

/** How long a pending satellite can be proven by the token that it was given. */
export const PROOF_SECONDS = 7 * 24 * 60 * 60
const DAY_SECONDS = 24 * 60 * 60
const CHECK_AFTER_SECONDS = DAY_SECONDS
const SUSPEND_AFTER_SECONDS = 7 * DAY_SECONDS
/** Sessions of previews, which anybody who can open a pull request may have written. */
const PREVIEW_SESSION_SECONDS = 8 * 60 * 60

export type SatelliteRow = typeof satellites.$inferSelect
export type ProofRow = typeof satelliteProofs.$inferSelect
export interface RegisteredSatellite {
  readonly satellite: SatelliteRow
  readonly proof: ProofRow
}

export interface FailedCheck {
  /** How many checks in a row have not found the proof. */
  readonly failures: number
  /** When the satellite is suspended if nothing changes. */
  readonly suspendAt: Date
  /** Whether this check has suspended it. */
  readonly isSuspended: boolean
}

export type NewSatellite = Pick<SatelliteRow, 'accountId' | 'origin' | 'name' | 'kind'>
export type SatelliteChange = Partial<
  Pick<SatelliteRow, 'name' | 'ceiling' | 'loginMode' | 'sessionSeconds' | 'branding'>
>

/** The one owner of the two tables of satellites. */
@Injectable()
export class RegisteredSatellites {
  constructor(private readonly clock: Clock) {}

  list(db: Db, accountId: string): Promise<RegisteredSatellite[]> {
    return this.select(db)
      .where(eq(satellites.accountId, accountId))
      .orderBy(asc(satellites.createdAt), asc(satellites.id))
  }

  /** Throws `NOT_FOUND` for a satellite of another account. */
  async find(db: Db, accountId: string, id: string): Promise<RegisteredSatellite> {
    const [found] = await this.select(db).where(
      and(eq(satellites.accountId, accountId), eq(satellites.id, id)),
    )
    if (!found) throw new ApiError('NOT_FOUND')
    return found
  }

  async countPending(db: Db, accountId: string): Promise<number> {
    const [found] = await db
      .select({ pending: count() })
      .from(satellites)
      .where(and(eq(satellites.accountId, accountId), eq(satellites.state, 'pending')))
    return found?.pending ?? 0
  }

  /** A pending satellite with a new token. Throws `ORIGIN_TAKEN` when the account has this origin already. */
  async add(transaction: Db, added: NewSatellite): Promise<RegisteredSatellite> {
    const [satellite] = await transaction
      .insert(satellites)
      .values({
        ...added,
        id: randomUUID(),
        state: 'pending',
        ceiling: effectivePermissions('satellite', permissionsOf(PERMISSIONS)),
        loginMode: 'both',
        sessionSeconds: added.kind === 'preview' ? PREVIEW_SESSION_SECONDS : null,
        createdAt: this.clock.now(),
      })
      .onConflictDoNothing()
      .returning()
    if (!satellite) throw new ApiError('ORIGIN_TAKEN')
    const [proof] = await transaction
      .insert(satelliteProofs)
      .values({ satelliteId: satellite.id, ...this.newToken() })
      .returning()
    return { satellite, proof: proof as ProofRow }
  }

  /** Replaces a token that has expired. */
  async renewToken(db: Db, satelliteId: string): Promise<void> {
    await db.update(satelliteProofs).set(this.newToken()).where(eq(satelliteProofs.satelliteId, satelliteId))
  }

  async change(db: Db, id: string, change: SatelliteChange): Promise<SatelliteRow> {
    const [changed] = await db.update(satellites).set(change).where(eq(satellites.id, id)).returning()
    if (!changed) throw new ApiError('NOT_FOUND')
    return changed
  }

  async setState(db: Db, id: string, state: SatelliteRow['state']): Promise<void> {
    await db.update(satellites).set({ state }).where(eq(satellites.id, id))
  }

  /** Sessions from before it was this account's are nobody's; a suspension does not end any. */
  async activate(db: Db, { id, activeSince }: SatelliteRow): Promise<void> {
    await db
      .update(satellites)
      .set({ state: 'active', activeSince: activeSince ?? this.clock.now() })
      .where(eq(satellites.id, id))
  }

  /**
   * Throws `ORIGIN_TAKEN` while the account that has the origin can prove it. Returns who has it and cannot; null when
   * nobody else has it.
   */
  async requireFree(transaction: Db, origin: string, accountId: string): Promise<RegisteredSatellite | null> {
    const [holder] = await this.select(transaction)
      .where(and(eq(satellites.origin, origin), ne(satellites.state, 'pending')))
      .for('update')
    if (!holder || holder.satellite.accountId === accountId) return null
    if (holder.proof.failures > 0) return holder
    throw new ApiError('ORIGIN_TAKEN')
  }

  /** Somebody else has proven the origin. The account may prove it again, and starts from nothing. */
  async takeFrom(transaction: Db, { satellite: { id } }: RegisteredSatellite): Promise<void> {
    await transaction
      .update(satellites)
      .set({ state: 'pending', activeSince: null })
      .where(eq(satellites.id, id))
    await this.renewToken(transaction, id)
  }

  async recordProof(db: Db, satelliteId: string, method: 'dns' | 'file'): Promise<void> {
    const now = this.clock.now()
    await db
      .update(satelliteProofs)
      .set({ method, provenAt: now, checkedAt: now, failures: 0, failingSince: null })
      .where(eq(satelliteProofs.satelliteId, satelliteId))
  }

  /** Those whose proof nobody has looked for since yesterday, the longest first. */
  dueForCheck(db: Db, limit: number): Promise<RegisteredSatellite[]> {
    const before = new Date(this.clock.now().getTime() - CHECK_AFTER_SECONDS * 1000)
    return this.select(db)
      .where(and(ne(satellites.state, 'pending'), lt(satelliteProofs.checkedAt, before)))
      .orderBy(asc(satelliteProofs.checkedAt))
      .limit(limit)
  }

  /** Somebody else would like to have the origin: whether it is still this account's is looked up with the next run. */
  async hurryCheck(db: Db, satelliteId: string): Promise<void> {
    await db
      .update(satelliteProofs)
      .set({ checkedAt: new Date(0) })
      .where(eq(satelliteProofs.satelliteId, satelliteId))
  }

  /** A daily check has not found the proof; after 7 days of that the satellite is suspended. */
  async recordFailure(transaction: Db, { satellite }: RegisteredSatellite): Promise<FailedCheck> {
    const now = this.clock.now()
    const [proof] = await transaction
      .update(satelliteProofs)
      .set({
        checkedAt: now,
        failures: sql`${satelliteProofs.failures} + 1`,
        failingSince: sql`coalesce(${satelliteProofs.failingSince}, ${now.toISOString()}::timestamptz)`,
      })
      .where(eq(satelliteProofs.satelliteId, satellite.id))
      .returning()
    const { failures = 1, failingSince } = proof ?? {}
    const suspendAt = new Date((failingSince ?? now).getTime() + SUSPEND_AFTER_SECONDS * 1000)
    const isSuspended = satellite.state === 'active' && suspendAt <= now
    if (isSuspended) await this.setState(transaction, satellite.id, 'suspended')
    return { failures, suspendAt, isSuspended }
  }

  async remove(db: Db, id: string): Promise<void> {
    await db.delete(satellites).where(eq(satellites.id, id))
  }

  private select(db: Db) {
    return db
      .select({ satellite: satellites, proof: satelliteProofs })
      .from(satellites)
      .innerJoin(satelliteProofs, eq(satelliteProofs.satelliteId, satellites.id))
      .$dynamic()
  }

  private newToken() {
    return { token: newProofToken(), expiresAt: new Date(this.clock.now().getTime() + PROOF_SECONDS * 1000) }
  }
}
