import { and, asc, eq, gt, inArray, min, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import type { users } from '../database/schema/accounts.js'
import { oneTimeTokens } from '../database/schema/links.js'

/** With the language to write in. */
type Address = Pick<typeof users.$inferSelect, 'email' | 'language'>

/** More would let a thief who changes the address again and again have us mail thousands. */
const MAX_ADDRESSES = 3

/** The number of the change of address that a link undoes. */
export const SEQUENCE = sql<number>`(${oneTimeTokens.detail} ->> 'turn')::int`

/** The language that the user had when the first of the links to one address was mailed, null if they had none. */
const LANGUAGE_OF_FIRST = sql<
  string | null
>`(array_agg(${oneTimeTokens.detail} ->> 'language' order by ${SEQUENCE}))[1]`

/** Links that undo changes of address of these users, open or expired. */
export function undoLinksOf(userIds: readonly string[]) {
  return and(eq(oneTimeTokens.purpose, 'email-undo'), inArray(oneTimeTokens.userId, [...userIds]))
}

export function openUndoLinksOf(userIds: readonly string[], now: Date) {
  return and(undoLinksOf(userIds), gt(oneTimeTokens.expiresAt, now))
}

/**
 * The addresses, other than the `present` one, that the user has left and can still return to by a mailed link, each
 * once, with the language of that mail: later mails refer to it, and somebody else may have chosen another language
 * since. Only those that they left first, which no change that a thief makes later can displace.
 */
export async function previousAddresses(
  db: Db,
  userId: string,
  present: Address,
  now: Date,
): Promise<Address[]> {
  const { email } = oneTimeTokens
  const rows = await db
    .select({ email, language: LANGUAGE_OF_FIRST })
    .from(oneTimeTokens)
    .where(openUndoLinksOf([userId], now))
    .groupBy(email)
    .orderBy(asc(min(SEQUENCE)))
    .limit(MAX_ADDRESSES)
  return rows.filter(row => row.email !== present.email)
}
