import { Injectable } from '@nestjs/common'
import { and, asc, eq, gt, inArray, not, sql } from 'drizzle-orm'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { accounts, users } from '../../platform/database/schema/accounts.js'
import {
  mergeRecorded,
  NOTHING_RECORDED,
  type RecordedChanges,
} from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { Accounts } from '../../users/accounts.js'
import { SecondFactorPolicies } from './second-factor-policies.js'

const USERS_A_PAGE = 500

/** Applies an account's requirement to its users and their live sessions. */
@Injectable()
export class PolicyEnforcement {
  constructor(
    private readonly accounts: Accounts,
    private readonly policies: SecondFactorPolicies,
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Begins to enforce the requirement of an account whose grace period is over. In one transaction, so that an
   * interrupted run has changed nothing; once, because the next run would not find it due. False when it is no
   * longer due.
   */
  async begin(accountId: string): Promise<boolean> {
    const { isBegun } = await this.changes.commitToleratingOutage(async transaction => {
      const account = await this.accounts.lock(transaction, accountId)
      if (!account || !(await this.policies.enforce(transaction, accountId)))
        return { ...NOTHING_RECORDED, isBegun: false }
      const detail = { step: 'enforced', required: account.secondFactor }
      const event = auditEvent({ accountId, client: null }, 'second-factor.policy', detail)
      await this.auditLog.record(transaction, event)
      return { ...(await this.apply(transaction, accountId)), isBegun: true }
    })
    return isBegun
  }

  /**
   * Takes all permissions from users who are now late, and gives them back to users who no longer are, in the
   * transaction that has locked the account and changed its requirement. Safe to repeat.
   */
  async apply(transaction: Db, accountId: string): Promise<RecordedChanges> {
    let recorded = NOTHING_RECORDED
    for (let page = await lockPage(transaction, accountId, null); page.length > 0; ) {
      recorded = mergeRecorded(recorded, await this.applyTo(transaction, page))
      const last = page.length < USERS_A_PAGE ? undefined : page.at(-1)
      page = last ? await lockPage(transaction, accountId, last) : []
    }
    return recorded
  }

  private async applyTo(transaction: Db, userIds: readonly string[]): Promise<RecordedChanges> {
    // A trigger sets the right value.
    const changed = await transaction
      .update(users)
      .set({ mustEnrol: not(users.mustEnrol) })
      .where(and(inArray(users.id, [...userIds]), IS_OUTDATED))
      .returning({ userId: users.id, granted: users.granted })
    if (changed.length === 0) return NOTHING_RECORDED
    const grants = changed.map(user => ({ kind: 'set-permissions', ...user }) as const)
    return this.changes.record(transaction, grants, null)
  }
}

/**
 * Locks everybody, not only those who seem to be concerned: the lock waits for a grant in progress, and then
 * reads the user as the grant left them.
 */
async function lockPage(transaction: Db, accountId: string, after: string | null): Promise<string[]> {
  const rows = await transaction
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.accountId, accountId), after === null ? undefined : gt(users.id, after)))
    .orderBy(asc(users.id))
    .limit(USERS_A_PAGE)
    .for('no key update')
  return rows.map(({ id }) => id)
}

const IS_OUTDATED = sql`${users.mustEnrol} <> (not ${users.hasSecondFactor} and exists (
  select from ${accounts} where ${accounts.id} = ${users.accountId} and ${accounts.secondFactorEnforced}
    and needs_second_factor(${accounts.secondFactor}, ${users.role}, ${users.granted})
))`
