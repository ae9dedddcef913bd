import { Injectable } from '@nestjs/common'
import { and, type SQL, sql } from 'drizzle-orm'
import { Database } from '../../platform/database/database.js'
import { users } from '../../platform/database/schema/accounts.js'
import { containsIgnoringCase } from '../../platform/database/sql.js'
import type { User } from '../user.js'
import { isAfter, isUpTo, type UserCursor } from './user-cursor.js'

/** How many users a page scans: that takes a few milliseconds, however large the account is. */
const USERS_A_PAGE = 10_000

/** The result of a page of a search. */
export interface FoundUsers {
  readonly users: User[]
  /** Where to continue if fewer than `count` were found; null when all users of the account have been scanned. */
  readonly rest: UserCursor | null
}

/** Finds users of an account by part of their name or e-mail address. */
@Injectable()
export class UserSearch {
  constructor(private readonly database: Database) {}

  /**
   * The next users after this position whose name or e-mail address contains the text, ignoring case; oldest
   * first, at most `count`. A page scans a limited number of users, so it may be short or empty while there
   * is a `rest`.
   */
  async page(accountId: string, text: string, after: UserCursor | null, count: number): Promise<FoundUsers> {
    const { createdAt, id } = users
    const next = isAfter(accountId, after)
    const ends = await this.database.run(db =>
      db
        .select({ createdAt, id })
        .from(users)
        .where(next)
        .orderBy(createdAt, id)
        .offset(USERS_A_PAGE - 1)
        .limit(1),
    )
    const end = ends[0] ?? null
    const found = await this.database.run(db => {
      // Forces the index, even if a full scan seems cheap; aliased to the table's name, for the conditions.
      const looked = db
        .select()
        .from(users)
        .where(next)
        .orderBy(createdAt, id)
        .limit(USERS_A_PAGE)
        .as('users')
      return db
        .select()
        .from(looked)
        .where(and(end ? isUpTo(end) : undefined, contains(text)))
        .orderBy(createdAt, id)
        .limit(count)
    })
    return { users: found as User[], rest: end }
  }
}

/** Addresses are stored in lower case. */
function contains(text: string): SQL {
  const isInEmail = sql`position(${text.toLowerCase()} in ${users.email}) > 0`
  return sql`(${isInEmail} or ${containsIgnoringCase(users.name, text)})`
}
