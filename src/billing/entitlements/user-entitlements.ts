import { Injectable, Logger } from '@nestjs/common'
import { and, asc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { accounts, users } from '../../database/schema.js'
import { type RecordedChanges, SessionChanges } from '../../sessions/session-changes.js'

/** So few that a login of one of them waits for a fraction of a second only. */
const USERS_A_PAGE = 500
const ACCOUNTS_A_PAGE = 500

/**
 * Gives users what their account is entitled to, some at a time, each page in a transaction of its own: an account of
 * 20,000 members goes on logging in meanwhile. An account is marked as long as some may not have it yet, so that what a
 * crash cuts off is gone on with.
 */
@Injectable()
export class UserEntitlements {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * To the users of one account; returns when all have it, or after so many pages: the rest have it after the next run
   * of the sweep. Live sessions have it at their next refresh.
   */
  bringTo(accountId: string, pages = Number.POSITIVE_INFINITY): Promise<void> {
    return this.bringWhere(eq(accounts.id, accountId), pages)
  }

  /** To the users of all accounts; those that somebody else is at are left to them. */
  bringToAll(): Promise<void> {
    return this.bringWhere(undefined, Number.POSITIVE_INFINITY)
  }

  private async bringWhere(which: SQL | undefined, pages: number): Promise<void> {
    for (let page = 0; page < pages; page++) {
      const recorded = await this.database.transaction(transaction => this.bringPage(transaction, which))
      if (!recorded) return
      await this.tell(recorded)
    }
  }

  /** Null when no account is marked any more. */
  private async bringPage(transaction: Db, which: SQL | undefined): Promise<RecordedChanges | null> {
    const behind = await transaction
      .select({ id: accounts.id })
      .from(accounts)
      .where(and(accounts.usersBehind, which))
      .orderBy(asc(accounts.id))
      .limit(ACCOUNTS_A_PAGE)
      // Before users, as everybody does who locks both.
      .for('no key update', which ? {} : { skipLocked: true })
    if (behind.length === 0) return null
    const ids = behind.map(({ id }) => id)
    const people = await usersBehind(transaction, ids)
    if (people.length < USERS_A_PAGE)
      await transaction.update(accounts).set({ usersBehind: false }).where(inArray(accounts.id, ids))
    await setEntitled(
      transaction,
      people.map(({ id }) => id),
    )
    return this.changes.record(
      transaction,
      people.map(({ id: userId, granted }) => ({ kind: 'regrant', userId, granted })),
      null,
    )
  }

  /** A store that does not take it is no reason to stop: it is told before it serves those sessions again. */
  private async tell(recorded: RecordedChanges): Promise<void> {
    try {
      await this.changes.apply(recorded)
    } catch (error) {
      this.logger.warn(
        `Live sessions have what their account is entitled to later: ${(error as Error).message}`,
      )
    }
  }
}

/** A page of users of these accounts who have something else than their account. */
function usersBehind(transaction: Db, accountIds: readonly string[]) {
  return transaction
    .select({ id: users.id, granted: users.granted })
    .from(users)
    .innerJoin(accounts, eq(accounts.id, users.accountId))
    .where(
      and(
        inArray(users.accountId, [...accountIds]),
        sql`${users.entitled} is distinct from ${accounts.entitled}`,
      ),
    )
    .orderBy(asc(users.id))
    .limit(USERS_A_PAGE)
    .for('no key update', { of: users })
}

async function setEntitled(transaction: Db, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await transaction
    .update(users)
    .set({ entitled: sql`${accounts.entitled}` })
    .from(accounts)
    .where(and(eq(accounts.id, users.accountId), inArray(users.id, [...userIds])))
}
