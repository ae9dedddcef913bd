import { and, eq, gt } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { oneTimeTokens } from '../database/schema/links.js'

/** The addresses that the user has left and can still return to by a mailed link, each once. */
export async function addressesLeft(db: Db, userId: string, now: Date): Promise<string[]> {
  const { email, expiresAt, purpose } = oneTimeTokens
  const isOpen = and(eq(purpose, 'email-undo'), eq(oneTimeTokens.userId, userId), gt(expiresAt, now))
  const rows = await db.selectDistinct({ email }).from(oneTimeTokens).where(isOpen)
  return rows.map(row => row.email)
}
