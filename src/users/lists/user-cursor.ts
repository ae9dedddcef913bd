import { and, eq, type SQL, sql } from 'drizzle-orm'
import { users } from '../../database/schema.js'
import type { User } from '../user.js'

/** What the users of an account are ordered by. It stays valid when they are removed. */
export type UserCursor = Pick<User, 'createdAt' | 'id'>

/** Users of the account after this place, in the order of their age; null for all of them. */
export function isAfter(accountId: string, after: UserCursor | null): SQL | undefined {
  return and(eq(users.accountId, accountId), after ? sql`${PLACE} > ${placeOf(after)}` : undefined)
}

/** Users up to this place, with the one there. */
export function isUpTo(end: UserCursor): SQL {
  return sql`${PLACE} <= ${placeOf(end)}`
}

/** As a whole, so that an index finds where the page begins. */
const PLACE = sql`(${users.createdAt}, ${users.id})`

function placeOf({ createdAt, id }: UserCursor): SQL {
  return sql`(${createdAt.toISOString()}::timestamptz, ${id}::uuid)`
}
