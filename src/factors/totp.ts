import { Injectable } from '@nestjs/common'
import { and, eq, gt, isNotNull, isNull, lt } from 'drizzle-orm'
import { generateSecret, generateURI, ScureBase32Plugin, verifySync } from 'otplib'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { totpFactors } from '../platform/database/schema/factors.js'
import { ApiError } from '../platform/errors/api-error.js'
import { type Resealed, SecretBox } from '../platform/secrets/secrets.js'
import { Clock } from '../platform/time.js'

/** RFC 6238 §5.2: 30 s. Many authenticator apps know no other period, digits or algorithm than these. */
const STEP_SECONDS = 30
/** A code of six digits as it is typed; apps show it in two groups. */
const CODE = /^\d{6}$/

/** A new secret of 160 bits (RFC 4226 §4), as base32. */
export function newTotpSecret(): string {
  return generateSecret()
}

/** As base32, without padding. */
export function base32Of(secret: Uint8Array): string {
  return new ScureBase32Plugin().encode(secret)
}

/** What an authenticator app reads from a QR code. */
export function totpUri(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  return generateURI({ secret, issuer, label })
}

/**
 * The step (of 30 s since 1970) that `code` is for: that of `at`, the one before it or the one after it (RFC 6238
 * §5.2: clocks differ); null when it is for none of these. Spaces in the code are ignored.
 */
export function stepOfCode(secret: string, code: string, at: Date): number | null {
  const token = code.replaceAll(' ', '')
  if (!CODE.test(token)) return null
  const epoch = Math.floor(at.getTime() / 1000)
  const result = verifySync({ secret, token, epoch, epochTolerance: STEP_SECONDS })
  return result.valid && 'timeStep' in result ? result.timeStep : null
}

type TotpRow = typeof totpFactors.$inferSelect

/** A right code, and the app that it is from, as it was read. */
interface CheckedCode {
  readonly row: TotpRow
  readonly step: number
}

/** How many are resealed at a time. */
const ROWS_AT_A_TIME = 100

/**
 * The authenticator apps of users, one each. Their secrets are sealed with the user's id. Methods that take a
 * transaction need the user's row locked, and {@link UserFactors.reassess} after them.
 */
@Injectable()
export class TotpFactors {
  constructor(
    private readonly database: Database,
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  /**
   * A new secret, which takes effect once {@link confirm} has seen a code from it; one that was never confirmed
   * is replaced. Throws `TOTP_EXISTS` when there is a confirmed one.
   */
  async begin(transaction: Db, userId: string): Promise<string> {
    const secret = newTotpSecret()
    if (!(await this.store(transaction, userId, secret, { isConfirmed: false })))
      throw new ApiError('TOTP_EXISTS')
    return secret
  }

  /**
   * Puts the secret into effect if `code` is from it, which uses the code up; false otherwise. Throws
   * `TOTP_EXISTS` or `TOTP_NOT_STARTED`.
   */
  async confirm(transaction: Db, userId: string, code: string): Promise<boolean> {
    const row = await this.find(transaction, userId)
    if (row?.confirmedAt) throw new ApiError('TOTP_EXISTS')
    if (!row) throw new ApiError('TOTP_NOT_STARTED')
    const step = this.stepOf(row, code)
    return step !== null && this.useStep(transaction, row, step, { confirmedAt: this.clock.now() })
  }

  /** Adds a secret (base32) that the user's app already has. False when they have a confirmed one. */
  add(transaction: Db, userId: string, secret: string): Promise<boolean> {
    return this.store(transaction, userId, secret, { isConfirmed: true })
  }

  /** The code, if it is from the user's confirmed app, valid now and not used before; null otherwise. */
  async check(userId: string, code: string): Promise<CheckedCode | null> {
    const row = await this.database.run(db => this.find(db, userId))
    if (!row?.confirmedAt) return null
    const step = this.stepOf(row, code)
    return step === null || step <= row.lastStep ? null : { row, step }
  }

  /** Uses the code up; false when another request was faster, or the app has been removed. */
  use(db: Db, { row, step }: CheckedCode): Promise<boolean> {
    return this.useStep(db, row, step, {})
  }

  /** False when there was no confirmed one. An unconfirmed one goes too. */
  async remove(transaction: Db, userId: string): Promise<boolean> {
    const removed = await transaction
      .delete(totpFactors)
      .where(eq(totpFactors.userId, userId))
      .returning({ confirmedAt: totpFactors.confirmedAt })
    return removed.some(({ confirmedAt }) => confirmedAt !== null)
  }

  /** Reseals what the current key has not sealed, a few at a time. Safe to repeat. */
  async resealAll(): Promise<Resealed> {
    let all: Resealed = { resealed: 0, unreadable: 0 }
    for (let after = ''; ; ) {
      const rows = await this.pageAfter(after)
      const { resealed, unreadable } = await this.secrets.resealOld(
        rows,
        row => row.secret,
        row => this.reseal(row),
      )
      all = { resealed: all.resealed + resealed, unreadable: all.unreadable + unreadable }
      const last = rows.at(-1)
      if (!last) return all
      after = last.userId
    }
  }

  /** In place of a secret that was never confirmed; false when there is a confirmed one. */
  private async store(
    transaction: Db,
    userId: string,
    secret: string,
    { isConfirmed }: { readonly isConfirmed: boolean },
  ): Promise<boolean> {
    const createdAt = this.clock.now()
    const confirmedAt = isConfirmed ? createdAt : null
    const row = { secret: this.secrets.seal(secret, userId), createdAt, confirmedAt, lastStep: 0 }
    const stored = await transaction
      .insert(totpFactors)
      .values({ userId, ...row })
      .onConflictDoUpdate({ target: totpFactors.userId, set: row, setWhere: isNull(totpFactors.confirmedAt) })
      .returning({ userId: totpFactors.userId })
    return stored.length > 0
  }

  private stepOf({ userId, secret }: TotpRow, code: string): number | null {
    return stepOfCode(this.secrets.open(secret, userId).toString(), code, this.clock.now())
  }

  private async find(db: Db, userId: string): Promise<TotpRow | null> {
    const [row] = await db.select().from(totpFactors).where(eq(totpFactors.userId, userId))
    return row ?? null
  }

  /**
   * Of several requests with codes of one step, on whatever replica, only one gets true: the statement that
   * stores the step decides, not what we have read.
   */
  private async useStep(
    db: Db,
    { userId, createdAt }: TotpRow,
    step: number,
    change: Partial<Pick<TotpRow, 'confirmedAt'>>,
  ): Promise<boolean> {
    const isUnused = and(
      eq(totpFactors.userId, userId),
      // After a key rotation, the same secret may be sealed differently.
      eq(totpFactors.createdAt, createdAt),
      lt(totpFactors.lastStep, step),
      change.confirmedAt ? isNull(totpFactors.confirmedAt) : isNotNull(totpFactors.confirmedAt),
    )
    const used = await db
      .update(totpFactors)
      .set({ ...change, lastStep: step })
      .where(isUnused)
      .returning({ userId: totpFactors.userId })
    return used.length > 0
  }

  private pageAfter(userId: string): Promise<TotpRow[]> {
    return this.database.run(db =>
      db
        .select()
        .from(totpFactors)
        .where(userId === '' ? undefined : gt(totpFactors.userId, userId))
        .orderBy(totpFactors.userId)
        .limit(ROWS_AT_A_TIME),
    )
  }

  private async reseal({ userId, secret }: TotpRow): Promise<number> {
    const anew = this.secrets.seal(this.secrets.open(secret, userId), userId)
    const isSame = and(eq(totpFactors.userId, userId), eq(totpFactors.secret, secret))
    const done = await this.database.run(db =>
      db.update(totpFactors).set({ secret: anew }).where(isSame).returning({ userId: totpFactors.userId }),
    )
    return done.length
  }
}
