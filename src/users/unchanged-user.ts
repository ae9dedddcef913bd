import { and, isNull, type SQL, type SQLChunk, sql } from 'drizzle-orm'
import { users } from '../platform/database/schema/accounts.js'
import type { User } from './user.js'

/** The fields that decide what a login may do. */
const DECISIVE = [
  'passwordHash',
  'granted',
  'entitled',
  'satellites',
  'hasSecondFactor',
  'mustEnrol',
] as const satisfies readonly (keyof User)[]

/**
 * Selects one row provided that the user is still as we read them, and locks the user until the transaction
 * ends, after waiting for any change in progress. `chunkOf` returns what we read, by field name.
 */
export function unchangedUser(chunkOf: (name: 'id' | (typeof DECISIVE)[number]) => SQLChunk): SQL {
  const isAsRead = and(
    sql`${users.id} = ${chunkOf('id')}`,
    isNull(users.disabledAt),
    ...DECISIVE.map(name => sql`${users[name]} is not distinct from ${chunkOf(name)}`),
  )
  return sql`select ${users.id} from ${users} where ${isAsRead} for no key update`
}

/** {@link unchangedUser} of a user as we read them, for {@link AuditLog.recordIf}. */
export function unchanged(user: User): SQL {
  return unchangedUser(name => sql.param(user[name], users[name]))
}
