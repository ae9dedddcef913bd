import { and, asc, eq, gt, inArray, min, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { oneTimeTokens } from '../database/schema/links.js'

/** More would let a thief who changes the address again and again have us mail thousands. */
const MAX_ADDRESSES = 3

/** Of a link that undoes a change of address: the number of the change. */
export const TURN = sql<number>`(${oneTimeTokens.detail} ->> 'turn')::int`

/** Links that undo changes of address of these users, open or expired. */
export function undoLinksOf(userIds: readonly string[]) {
  return and(eq(oneTimeTokens.purpose, 'email-undo'), inArray(oneTimeTokens.userId, [...userIds]))
}

export function openUndoLinksOf(userIds: readonly string[], now: Date) {
  return and(undoLinksOf(userIds), gt(oneTimeTokens.expiresAt, now))
}

/**
 * The addresses, other than the `present` one, that the user has left and can still return to by a mailed link, each
 * once. Only those that they left first, which no change that a thief makes later can displace.
 */
export async function addressesLeft(db: Db, userId: string, present: string, now: Date): Promise<string[]> {
  const { email } = oneTimeTokens
  const rows = await db
    .select({ email })
    .from(oneTimeTokens)
    .where(openUndoLinksOf([userId], now))
    .groupBy(email)
    .orderBy(asc(min(TURN)))
    .limit(MAX_ADDRESSES)
  return rows.map(row => row.email).filter(address => address !== present)
}
