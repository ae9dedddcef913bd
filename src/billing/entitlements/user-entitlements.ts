import { Injectable } from '@nestjs/common'
import { and, asc, eq, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { accounts, users } from '../../platform/database/schema/accounts.js'
import { isAnyOf } from '../../platform/database/sql.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { Logger } from '../../platform/log.js'
import { type RecordedChanges, SessionChanges } from '../../sessions/revocation/changes.js'

/** Few enough that a login of one of them waits for a fraction of a second. */
const USERS_A_PAGE = 500
const ACCOUNTS_A_PAGE = 500

/**
 * Gives users their account's entitlements, one page per transaction, so that the members of a large account can
 * log in in the meantime. The account stays marked until all users have them, so the work continues after a
 * crash.
 */
@Injectable()
export class UserEntitlements {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * For the users of one account. Returns when all have it, or after this many pages; the sweep does the
   * rest. Live sessions get it at their next refresh.
   */
  applyToUsers(accountId: string, pages = Number.POSITIVE_INFINITY): Promise<void> {
    return this.applyWhere(eq(accounts.id, accountId), pages)
  }

  /** For the users of all accounts, except those that another process is working on. */
  applyToAll(): Promise<void> {
    return this.applyWhere(undefined, Number.POSITIVE_INFINITY)
  }

  private async applyWhere(which: SQL | undefined, pages: number): Promise<void> {
    for (let page = 0; page < pages; page++) {
      const recorded = await this.database.transaction(transaction => this.applyPage(transaction, which))
      if (!recorded) return
      await this.publish(recorded)
    }
  }

  /** Null when no account is marked. */
  private async applyPage(transaction: Db, which: SQL | undefined): Promise<RecordedChanges | null> {
    const behind = await transaction
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(accounts.usersBehind, which))
      .orderBy(asc(accounts.id))
      .limit(ACCOUNTS_A_PAGE)
      // Before users, like everything that locks both.
      .for('no key update', which ? {} : { skipLocked: true })
    if (behind.length === 0) return null
    const ids = behind.map(({ id }) => id)
    const userIds = await usersBehind(transaction, ids)
    if (userIds.length < USERS_A_PAGE)
      await transaction.update(accounts).set({ usersBehind: false }).where(isAnyOf(accounts.id, ids))
    const locked = await lockUsers(transaction, userIds)
    await setEntitled(transaction, userIds)
    return this.changes.record(
      transaction,
      locked.map(({ id: userId, granted }) => ({ kind: 'set-permissions', userId, granted })),
      null,
    )
  }

  /**
   * A store that does not accept the change does not stop the work: it gets the change before it serves those
   * sessions again.
   */
  private async publish(recorded: RecordedChanges): Promise<void> {
    try {
      await this.changes.apply(recorded)
    } catch (error) {
      this.logger.warn(
        `Live sessions will receive their account's entitlements later: ${causeMessage(error)}`,
      )
    }
  }
}

/**
 * A page of users whose entitlements differ from their account's. In no order: for the first by id, PostgreSQL would
 * read the users of all accounts.
 */
async function usersBehind(transaction: Db, accountIds: readonly string[]): Promise<string[]> {
  const found = await transaction
    .select({ id: users.id })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .where(
      and(isAnyOf(users.accountId, accountIds), sql`${users.entitled} is distinct from ${accounts.entitled}`),
    )
    .limit(USERS_A_PAGE)
  return found.map(({ id }) => id)
}

function lockUsers(transaction: Db, userIds: readonly string[]) {
  return transaction
    .select({ id: users.id, granted: users.granted })
    .from(users)
    .where(isAnyOf(users.id, userIds))
    .orderBy(asc(users.id))
    .for('no key update')
}

async function setEntitled(transaction: Db, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await transaction
    .update(users)
    .set({ entitled: sql`${accounts.entitled}` })
    .from(accounts)
    .where(and(eq(accounts.id, users.accountId), isAnyOf(users.id, userIds)))
}
