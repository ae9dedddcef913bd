import { and, eq, gt, ne } from 'drizzle-orm'
import type { Db } from '../../database/connection.js'
import { oneTimeTokens } from '../../database/schema.js'
import { ApiError } from '../../errors/api-error.js'
import type { User } from '../user.js'

/**
 * Throws `EMAIL_TAKEN` for an address that another user can still go back to, so that nobody can take it
 * meanwhile, for example by an invitation.
 */
export async function requireNotReserved(
  transaction: Db,
  { id, email }: Pick<User, 'id' | 'email'>,
  now: Date,
): Promise<void> {
  const isOpenUndo = and(
    eq(oneTimeTokens.email, email),
    eq(oneTimeTokens.purpose, 'email-undo'),
    ne(oneTimeTokens.userId, id),
    gt(oneTimeTokens.expiresAt, now),
  )
  const [reserved] = await transaction
    .select({ id: oneTimeTokens.id })
    .from(oneTimeTokens)
    .where(isOpenUndo)
    .limit(1)
  if (reserved) throw new ApiError('EMAIL_TAKEN')
}
