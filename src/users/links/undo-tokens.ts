import { Injectable } from '@nestjs/common'
import { and, eq, gt, gte, inArray, max, min, sql } from 'drizzle-orm'
import { Clock } from '../../clock/clock.js'
import type { Db } from '../../database/connection.js'
import { oneTimeTokens } from '../../database/schema.js'
import { type OneTimeToken, OneTimeTokens } from '../../links/one-time-tokens.js'
import type { Email } from '../email.js'
import type { User } from '../user.js'

const LIFETIME_SECONDS = 7 * 24 * 60 * 60

/** A type, not an interface, because it is stored as plain JSON. */
type UndoDetail = { readonly turn: number }

const TURN = sql<number>`(${oneTimeTokens.detail} ->> 'turn')::int`

/**
 * The links by which old addresses come back. A thief who changes the address twice is also mailed a link,
 * for the address in between. So links are numbered in the order of the changes: going back to an address
 * invalidates the links of that change and of later ones, and earlier links stay valid.
 */
@Injectable()
export class UndoTokens {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly clock: Clock,
  ) {}

  /** A link back to the address that the user, who is locked, has had until now. */
  async issue(transaction: Db, { id: userId, accountId, email }: User): Promise<string> {
    const [row] = await transaction
      .select({ last: max(TURN) })
      .from(oneTimeTokens)
      .where(areOf([userId]))
    return this.tokens.issue(transaction, {
      purpose: 'email-undo',
      email,
      userId,
      accountId,
      detail: { turn: Number(row?.last ?? 0) + 1 } satisfies UndoDetail,
      lifetimeSeconds: LIFETIME_SECONDS,
    })
  }

  /** Uses the link up; the user is locked. Throws `INVALID_LINK`. */
  async consume(
    transaction: Db,
    text: string,
  ): Promise<{ readonly address: Email; readonly turn: number; readonly userId: string }> {
    const token: OneTimeToken = await this.tokens.consume(transaction, 'email-undo', text)
    const { turn } = token.detail as UndoDetail
    return { address: token.email as Email, turn, userId: token.userId as string }
  }

  /** The first change that left this address and can still be undone; null when there is none. */
  async turnOf(transaction: Db, userId: string, address: string): Promise<number | null> {
    const [row] = await transaction
      .select({ first: min(TURN) })
      .from(oneTimeTokens)
      .where(and(this.areOpen([userId]), eq(oneTimeTokens.email, address)))
    return row?.first === null || row?.first === undefined ? null : Number(row.first)
  }

  /** Invalidates the links of this change and of later ones. */
  async closeFrom(transaction: Db, userId: string, turn: number): Promise<void> {
    await transaction.delete(oneTimeTokens).where(and(areOf([userId]), gte(TURN, turn)))
  }

  /** The addresses that can still come back, each once. */
  async openAddresses(db: Db, userId: string): Promise<Email[]> {
    const rows = await db
      .selectDistinct({ email: oneTimeTokens.email })
      .from(oneTimeTokens)
      .where(this.areOpen([userId]))
    return rows.map(({ email }) => email as Email)
  }

  /** Whether a change of address of one of these users can still be undone. */
  async areAnyOpen(db: Db, userIds: readonly string[]): Promise<boolean> {
    const rows = await db
      .select({ id: oneTimeTokens.id })
      .from(oneTimeTokens)
      .where(this.areOpen(userIds))
      .limit(1)
    return rows.length > 0
  }

  private areOpen(userIds: readonly string[]) {
    return and(areOf(userIds), gt(oneTimeTokens.expiresAt, this.clock.now()))
  }
}

function areOf(userIds: readonly string[]) {
  return and(eq(oneTimeTokens.purpose, 'email-undo'), inArray(oneTimeTokens.userId, [...userIds]))
}
