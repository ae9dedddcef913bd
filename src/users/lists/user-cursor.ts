import { and, eq, type SQL, sql } from 'drizzle-orm'
import { users } from '../../platform/database/schema/accounts.js'
import type { User } from '../user.js'

/** The sort key of an account's users. It stays valid when they are removed. */
export type UserCursor = Pick<User, 'createdAt' | 'id'>

/** Users of the account after this position, oldest first; null for all of them. */
export function isAfter(accountId: string, after: UserCursor | null): SQL | undefined {
  return and(eq(users.accountId, accountId), after ? sql`${PLACE} > ${placeOf(after)}` : undefined)
}

/** Users up to and including this position. */
export function isUpTo(end: UserCursor): SQL {
  return sql`${PLACE} <= ${placeOf(end)}`
}

/** Compared as a row, so that an index finds where the page begins. */
const PLACE = sql`(${users.createdAt}, ${users.id})`

function placeOf({ createdAt, id }: UserCursor): SQL {
  return sql`(${createdAt.toISOString()}::timestamptz, ${id}::uuid)`
}
