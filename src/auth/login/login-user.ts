import { eq, getTableColumns, sql } from 'drizzle-orm'
import type { HandoffRequirement } from '../../database/columns/handoff-requirement.js'
import type { Database } from '../../database/database.js'
import { accounts, users } from '../../database/schema/accounts.js'
import { builtOnce } from '../../database/statement.js'
import type { Email } from '../../users/email.js'
import type { User } from '../../users/user.js'

/** A user, with what their account says about where they may log in. */
export interface LoginUser extends User {
  readonly handoffRequired: HandoffRequirement
}

const byEmail = builtOnce(db =>
  db
    .select({ ...getTableColumns(users), handoffRequired: accounts.handoffRequired })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .where(eq(users.email, sql.placeholder('email')))
    .prepare(''),
)

/** Null when nobody has the address. In one statement, because the cost of a login is mostly a few of them. */
export async function findLoginUser(database: Database, email: Email): Promise<LoginUser | null> {
  const [row] = await database.run(db => byEmail(db).execute({ email }))
  return (row as LoginUser | undefined) ?? null
}
