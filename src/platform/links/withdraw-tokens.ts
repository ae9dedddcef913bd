import { and, eq, inArray, sql } from 'drizzle-orm'
import type { TargetUser } from '../audit/actor.js'
import type { Db } from '../database/connection.js'
import { oneTimeTokens } from '../database/schema/links.js'
import type { Purpose } from './one-time-token.js'

/** Invalidates the user's links for this purpose: all of them, or those that went to `email`. */
export async function withdrawTokens(
  transaction: Db,
  purpose: Purpose,
  userId: string,
  email?: string,
): Promise<void> {
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

/** Invalidates all links of these users for these purposes. */
export async function withdrawTokensOfUsers(
  transaction: Db,
  purposes: readonly Purpose[],
  userIds: readonly string[],
): Promise<void> {
  await transaction
    .delete(oneTimeTokens)
    .where(and(inArray(oneTimeTokens.purpose, [...purposes]), inArray(oneTimeTokens.userId, [...userIds])))
}

/** Invalidates the account's links for these purposes. Following one of them locks the account first. */
export async function withdrawTokensOfAccount(
  transaction: Db,
  purposes: readonly Purpose[],
  accountId: string,
): Promise<void> {
  await transaction
    .delete(oneTimeTokens)
    .where(and(inArray(oneTimeTokens.purpose, [...purposes]), eq(oneTimeTokens.accountId, accountId)))
}

/** Invalidates the invitations that these users have sent. Accepting one locks the account first. */
export async function withdrawInvitationsBy(transaction: Db, inviters: readonly TargetUser[]): Promise<void> {
  const accountIds = [...new Set(inviters.map(({ accountId }) => accountId))]
  const inviterIds = inviters.map(({ id }) => id)
  await transaction
    .delete(oneTimeTokens)
    .where(
      and(
        eq(oneTimeTokens.purpose, 'invitation'),
        inArray(oneTimeTokens.accountId, accountIds),
        inArray(sql`${oneTimeTokens.detail} ->> 'invitedBy'`, inviterIds),
      ),
    )
}

/**
 * Invalidates all of the user's links, with the user locked. A link that is being followed right now is
 * skipped, because waiting for it could deadlock; it will find that the user has changed.
 */
export async function withdrawAllTokens(transaction: Db, userId: string): Promise<void> {
  const idle = transaction
    .select({ id: oneTimeTokens.id })
    .from(oneTimeTokens)
    .where(eq(oneTimeTokens.userId, userId))
    .for('update', { skipLocked: true })
  await transaction.delete(oneTimeTokens).where(inArray(oneTimeTokens.id, idle))
}

/** Invalidates the links for this purpose that went to this address, except one that is being followed right now. */
export async function withdrawMailedTokens(transaction: Db, purpose: Purpose, email: string): Promise<void> {
  const idle = transaction
    .select({ id: oneTimeTokens.id })
    .from(oneTimeTokens)
    .where(and(eq(oneTimeTokens.purpose, purpose), eq(oneTimeTokens.email, email)))
    .for('update', { skipLocked: true })
  await transaction.delete(oneTimeTokens).where(inArray(oneTimeTokens.id, idle))
}
