import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { and, eq, gt, inArray } from 'drizzle-orm'
import { Clock, secondsAfter } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { removeExpiredRows } from '../database/remove-expired-rows.js'
import { oneTimeTokens } from '../database/schema.js'
import { ApiError } from '../errors/api-error.js'

export type Purpose =
  | 'sign-up'
  | 'password-reset'
  | 'invitation'
  | 'email-change'
  | 'email-undo'
  | 'not-me'
  | 'transfer-accept'
  | 'transfer-stop'

/** What a token is for, and whom it concerns. */
export interface OneTimeToken {
  readonly id: string
  readonly purpose: Purpose
  /** Where it was mailed: whoever has it has this mailbox. */
  readonly email: string
  readonly userId: string | null
  readonly accountId: string | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly createdAt: Date
  readonly expiresAt: Date
}

export interface NewToken {
  readonly purpose: Purpose
  readonly email: string
  readonly userId?: string
  readonly accountId?: string
  readonly detail?: Readonly<Record<string, unknown>>
  readonly lifetimeSeconds: number
}

/** 256 bits, as base64url. */
const TOKEN = /^[A-Za-z0-9_-]{43}$/

/** Single-use links: the token is in the mail alone, its hash in the database until it is used or expires. */
@Injectable()
export class OneTimeTokens {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Keeps a new token in the transaction and returns its text, for the link. */
  async issue(transaction: Db, { lifetimeSeconds, ...token }: NewToken): Promise<string> {
    const text = randomBytes(32).toString('base64url')
    const createdAt = this.clock.now()
    const expiresAt = secondsAfter(createdAt, lifetimeSeconds)
    await transaction
      .insert(oneTimeTokens)
      .values({ id: randomUUID(), hash: hashOf(text), ...token, createdAt, expiresAt })
    return text
  }

  /** The token while it is good; null otherwise. Uses nothing up. */
  async find(purpose: Purpose, text: string): Promise<OneTimeToken | null> {
    if (!TOKEN.test(text)) return null
    const [row] = await this.database.run(db =>
      db.select().from(oneTimeTokens).where(this.isGood(purpose, text)),
    )
    return (row as OneTimeToken | undefined) ?? null
  }

  /**
   * Uses the token up in the transaction of what it allows; throws `INVALID_LINK` when it was used, has expired, is
   * for something else or was never ours. Of two that come at once one gets it.
   */
  async consume(transaction: Db, purpose: Purpose, text: string): Promise<OneTimeToken> {
    const [row] = TOKEN.test(text)
      ? await transaction.delete(oneTimeTokens).where(this.isGood(purpose, text)).returning()
      : []
    if (!row) throw new ApiError('INVALID_LINK')
    return row as OneTimeToken
  }

  /** Makes the user's links for this purpose worthless: all, or those that went to `email`. */
  async withdraw(transaction: Db, purpose: Purpose, userId: string, email?: string): Promise<void> {
    await transaction
      .delete(oneTimeTokens)
      .where(
        and(
          eq(oneTimeTokens.purpose, purpose),
          eq(oneTimeTokens.userId, userId),
          email === undefined ? undefined : eq(oneTimeTokens.email, email),
        ),
      )
  }

  /** Makes the account's links for these purposes worthless. Whoever follows one of them holds the account first. */
  async withdrawOfAccount(transaction: Db, purposes: readonly Purpose[], accountId: string): Promise<void> {
    await transaction
      .delete(oneTimeTokens)
      .where(and(inArray(oneTimeTokens.purpose, [...purposes]), eq(oneTimeTokens.accountId, accountId)))
  }

  /**
   * Makes all of the user's links worthless, in a transaction that holds the user. A link that is being followed now is
   * left out: waiting for it while it waits for the user would be a circle. It finds what became of the user.
   */
  async withdrawAll(transaction: Db, userId: string): Promise<void> {
    const idle = transaction
      .select({ id: oneTimeTokens.id })
      .from(oneTimeTokens)
      .where(eq(oneTimeTokens.userId, userId))
      .for('update', { skipLocked: true })
    await transaction.delete(oneTimeTokens).where(inArray(oneTimeTokens.id, idle))
  }

  /** Makes the links for this purpose worthless that went to this address, but one that is being followed now. */
  async withdrawMailed(transaction: Db, purpose: Purpose, email: string): Promise<void> {
    const idle = transaction
      .select({ id: oneTimeTokens.id })
      .from(oneTimeTokens)
      .where(and(eq(oneTimeTokens.purpose, purpose), eq(oneTimeTokens.email, email)))
      .for('update', { skipLocked: true })
    await transaction.delete(oneTimeTokens).where(inArray(oneTimeTokens.id, idle))
  }

  /** Clears away what expired at `now` or before; says how many. */
  removeExpired(now: Date): Promise<number> {
    return removeExpiredRows(this.database, oneTimeTokens, oneTimeTokens.expiresAt, now)
  }

  private isGood(purpose: Purpose, text: string) {
    return and(
      eq(oneTimeTokens.hash, hashOf(text)),
      eq(oneTimeTokens.purpose, purpose),
      gt(oneTimeTokens.expiresAt, this.clock.now()),
    )
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
