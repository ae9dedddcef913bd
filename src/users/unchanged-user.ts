import { and, isNull, type SQL, type SQLChunk, sql } from 'drizzle-orm'
import { users } from '../database/schema.js'
import type { User } from './user.js'

/** What of a user decides what a login may do. */
const DECISIVE = [
  'passwordHash',
  'granted',
  'entitled',
  'satellites',
  'hasSecondFactor',
  'mustEnrol',
] as const satisfies readonly (keyof User)[]

/**
 * Selects one row as long as the user is still as we read it, and locks the user until the transaction ends, after any
 * change in progress. `chunkOf` gives what we read, by its name.
 */
export function unchangedUser(chunkOf: (name: 'id' | (typeof DECISIVE)[number]) => SQLChunk): SQL {
  const isAsRead = and(
    sql`${users.id} = ${chunkOf('id')}`,
    isNull(users.disabledAt),
    ...DECISIVE.map(name => sql`${users[name]} is not distinct from ${chunkOf(name)}`),
  )
  return sql`select ${users.id} from ${users} where ${isAsRead} for no key update`
}
