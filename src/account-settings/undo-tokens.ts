import { Injectable } from '@nestjs/common'
import { and, eq, gt, max, sql } from 'drizzle-orm'
import type { User } from '../accounts/user.js'
import type { Db } from '../database/connection.js'
import { oneTimeTokens } from '../database/schema.js'
import { type OneTimeToken, OneTimeTokens } from '../one-time-tokens/one-time-tokens.js'

const LIFETIME_SECONDS = 7 * 24 * 60 * 60

/** A type, not an interface: it is kept as plain JSON. */
type UndoDetail = { readonly turn: number }

/**
 * The links by which old addresses come back. A thief who changes the address twice is mailed a link too, for the
 * address between: so links are numbered, and who follows one makes those of later changes worthless. Those of earlier
 * ones stay good.
 */
@Injectable()
export class UndoTokens {
  constructor(private readonly tokens: OneTimeTokens) {}

  /** A link back to the address that the user, who is locked, has had until now. */
  async issue(transaction: Db, { id: userId, accountId, email }: User): Promise<string> {
    const turnOf = sql<number>`(${oneTimeTokens.detail} ->> 'turn')::int`
    const [row] = await transaction
      .select({ last: max(turnOf) })
      .from(oneTimeTokens)
      .where(this.areOf(userId))
    return this.tokens.issue(transaction, {
      purpose: 'email-undo',
      email,
      userId,
      accountId,
      detail: { turn: Number(row?.last ?? 0) + 1 } satisfies UndoDetail,
      lifetimeSeconds: LIFETIME_SECONDS,
    })
  }

  /** Uses the link up, with those of later changes; the user is locked. Throws `INVALID_LINK`. */
  async consume(transaction: Db, text: string): Promise<OneTimeToken> {
    const token = await this.tokens.consume(transaction, 'email-undo', text)
    const { turn } = token.detail as UndoDetail
    const isLater = gt(sql`(${oneTimeTokens.detail} ->> 'turn')::int`, turn)
    await transaction.delete(oneTimeTokens).where(and(this.areOf(token.userId as string), isLater))
    return token
  }

  private areOf(userId: string) {
    return and(eq(oneTimeTokens.purpose, 'email-undo'), eq(oneTimeTokens.userId, userId))
  }
}
