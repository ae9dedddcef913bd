import { Injectable } from '@nestjs/common'
import { and, asc, eq, gt, gte, inArray, max, ne, type SQL } from 'drizzle-orm'
import { earliest, sinceOf, UnrecognizedLoginTokens } from '../anomalies/unrecognized-login-tokens.js'
import type { Recipient } from '../mail/mail.js'
import type { Db } from '../platform/database/connection.js'
import { users } from '../platform/database/schema/accounts.js'
import { oneTimeTokens } from '../platform/database/schema/platform.js'
import { isUniqueViolation } from '../platform/database/sql.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { OneTimeToken } from '../platform/one-time-tokens.js'
import {
  OneTimeTokens,
  openUndoLinksOf,
  previousAddresses,
  SEQUENCE,
  undoLinksOf,
  withdrawTokens,
} from '../platform/one-time-tokens.js'
import { Clock } from '../platform/time.js'
import type { Email } from './email.js'
import { queueOwnerSync } from './queue-customer-sync.js'
import type { User } from './user.js'

/**
 * Throws `EMAIL_TAKEN` for an address that another user has left and can still restore, so that no one else can take it
 * meanwhile, for example by an invitation.
 */
export async function requireUnreserved(
  transaction: Db,
  { id, email }: Pick<User, 'id' | 'email'>,
  now: Date,
): Promise<void> {
  const reserved = await reservedAmong(transaction, [email], now, ne(oneTimeTokens.userId, id))
  if (reserved.size > 0) throw new ApiError('EMAIL_TAKEN')
}

/** Those of the addresses that a user has left and can still restore; with `by`, one of these users. */
export async function reservedAmong(
  transaction: Db,
  emails: readonly Email[],
  now: Date,
  by?: SQL,
): Promise<ReadonlySet<string>> {
  const isReserved = and(
    eq(oneTimeTokens.purpose, 'email-undo'),
    inArray(oneTimeTokens.email, [...emails]),
    gt(oneTimeTokens.expiresAt, now),
    by,
  )
  const reserved = await transaction
    .selectDistinct({ email: oneTimeTokens.email })
    .from(oneTimeTokens)
    .where(isReserved)
  return new Set(reserved.map(({ email }) => email))
}

const CHANGE_LIFETIME_SECONDS = 24 * 60 * 60
const UNDO_LIFETIME_SECONDS = 7 * 24 * 60 * 60

/** A type, not an interface, because it is stored as plain JSON. */
type UndoDetail = {
  readonly turn: number
  readonly since: string
  /** Of the user; null if they had none. */
  readonly language: string | null
}

/** A change of address that can still be undone. */
interface OpenChange {
  /** Its number in the order of changes. */
  readonly sequence: number
  /** From when on the requester may have acted. */
  readonly since: Date
  /** The user's language before it; null if they had none. */
  readonly language: string | null
}

/**
 * The e-mail addresses of users: the current one, and old ones that can still be restored by a mailed link. An
 * attacker who changes the address twice is also mailed a link, for the address in between. So links are
 * numbered in the order of the changes: restoring an address invalidates the links of that change and of
 * later ones, and earlier links stay valid.
 */
@Injectable()
export class UserEmails {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly reports: UnrecognizedLoginTokens,
    private readonly clock: Clock,
  ) {}

  /**
   * The token of the link that confirms a new address, requested by a session that is in question from `since` on;
   * earlier links stop working. It remembers how far back the change reaches, which may be confirmed a day later.
   */
  async issueChange(
    transaction: Db,
    { id: userId, accountId }: User,
    email: Email,
    since: Date,
  ): Promise<string> {
    await withdrawTokens(transaction, 'email-change', userId)
    const lifetimeSeconds = CHANGE_LIFETIME_SECONDS
    const detail = { since: (await this.earliestUndoable(transaction, userId, since)).toISOString() }
    const token = { purpose: 'email-change', email, userId, accountId, detail, lifetimeSeconds } as const
    return this.tokens.issue(transaction, token)
  }

  /**
   * Uses up the link that confirms an address; returns the address, and from when on the requester may have
   * acted. Throws `INVALID_LINK`.
   */
  async consumeChange(
    transaction: Db,
    text: string,
  ): Promise<{ readonly email: Email; readonly since: Date }> {
    const token = await this.tokens.consume(transaction, 'email-change', text)
    return { email: token.email as Email, since: sinceOf(token) }
  }

  /**
   * Gives the user, who must be locked, another address and returns the token of the link back to the current one.
   * What it undoes begins at `since`, or at the first thing that can still be reported as an attacker's: they may
   * have logged in again, with a factor of their own. Returning to an earlier address undoes the changes since, just
   * as its link would; then it returns null, because the address being left may be an attacker's. Throws like
   * {@link set}.
   */
  async change(transaction: Db, user: User, email: Email, since: Date): Promise<string | null> {
    const left = await this.openChangeFrom(transaction, user.id, email)
    await this.set(transaction, user.id, email)
    await withdrawTokens(transaction, 'email-change', user.id)
    if (left === null) return this.issue(transaction, user, since)
    await this.closeFrom(transaction, user.id, left.sequence)
    return null
  }

  /** Throws `EMAIL_TAKEN`, which rolls the transaction back. */
  async set(transaction: Db, id: string, email: Email): Promise<void> {
    const [other] = await transaction.select({ id: users.id }).from(users).where(eq(users.email, email))
    if (other && other.id !== id) throw new ApiError('EMAIL_TAKEN')
    await requireUnreserved(transaction, { id, email }, this.clock.now())
    try {
      await transaction.update(users).set({ email }).where(eq(users.id, id))
    } catch (error) {
      // Another request took the address after we checked.
      throw isUniqueViolation(error) ? new ApiError('EMAIL_TAKEN', { cause: error }) : error
    }
    await queueOwnerSync(transaction, id)
  }

  /** Uses the link up; the user must be locked. Throws `INVALID_LINK`. */
  async consume(
    transaction: Db,
    text: string,
  ): Promise<OpenChange & { readonly address: Email; readonly userId: string }> {
    const token = await this.tokens.consume(transaction, 'email-undo', text)
    return { ...changeOf(token), address: token.email as Email, userId: token.userId as string }
  }

  /** The first change away from this address that can still be undone; null when there is none. */
  async openChangeFrom(transaction: Db, userId: string, address: string): Promise<OpenChange | null> {
    const [row] = await transaction
      .select({ detail: oneTimeTokens.detail })
      .from(oneTimeTokens)
      .where(and(this.areOpen([userId]), eq(oneTimeTokens.email, address)))
      .orderBy(asc(SEQUENCE))
      .limit(1)
    return row ? changeOf(row) : null
  }

  /** Invalidates the links of this change and of later ones. */
  async closeFrom(transaction: Db, userId: string, sequence: number): Promise<void> {
    await transaction.delete(oneTimeTokens).where(and(undoLinksOf([userId]), gte(SEQUENCE, sequence)))
  }

  /** The user's current address, and the first ones that can still be restored: {@link previousAddresses}. */
  async recipientsOf(db: Db, { id, email, language }: User): Promise<Recipient[]> {
    const present = { email, language }
    return [present, ...(await previousAddresses(db, id, present, this.clock.now()))]
  }

  /** Whether a change of address of any of these users can still be undone. */
  async areAnyOpen(db: Db, userIds: readonly string[]): Promise<boolean> {
    return (await db.$count(oneTimeTokens, this.areOpen(userIds))) > 0
  }

  /** A link back to the current address of the user, who must be locked. */
  private async issue(transaction: Db, user: User, since: Date): Promise<string> {
    const { id: userId, accountId, email, language } = user
    const [row] = await transaction
      .select({ last: max(SEQUENCE) })
      .from(oneTimeTokens)
      .where(undoLinksOf([userId]))
    const first = await this.earliestUndoable(transaction, userId, since)
    return this.tokens.issue(transaction, {
      purpose: 'email-undo',
      email,
      userId,
      accountId,
      detail: {
        turn: Number(row?.last ?? 0) + 1,
        since: first.toISOString(),
        language,
      } satisfies UndoDetail,
      lifetimeSeconds: UNDO_LIFETIME_SECONDS,
    })
  }

  /** `since`, or the first thing that can still be reported as an attacker's. */
  private async earliestUndoable(transaction: Db, userId: string, since: Date): Promise<Date> {
    return earliest([since, await this.reports.earliestSince(transaction, userId)]) ?? since
  }

  private areOpen(userIds: readonly string[]) {
    return openUndoLinksOf(userIds, this.clock.now())
  }
}

/** The change that a link undoes. */
function changeOf(link: Pick<OneTimeToken, 'detail'>): OpenChange {
  const { turn: sequence, language } = link.detail as UndoDetail
  return { sequence, since: sinceOf(link), language }
}
