import { and, eq, isNull } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { accounts, users } from '../platform/database/schema/accounts.js'
import { type PlanLimits, requireWithinPlan } from '../platform/plans.js'

/** What the plan of an account allows; null means any number, and that there is no such account. */
export async function planLimitsOf(transaction: Db, accountId: string): Promise<PlanLimits | null> {
  const [account] = await transaction
    .select({ limits: accounts.limits })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  return account?.limits ?? null
}

/**
 * Throws `PLAN_LIMIT_REACHED` (409) when the account, which must be locked, has as many active users as its plan allows,
 * counting `invited` people as if they had joined.
 */
export async function requireSeat(transaction: Db, accountId: string, invited = 0): Promise<void> {
  const limits = await planLimitsOf(transaction, accountId)
  if (limits === null || limits.seats === null) return
  const isActive = and(eq(users.accountId, accountId), isNull(users.disabledAt))
  const active = await transaction.$count(users, isActive)
  requireWithinPlan(
    limits,
    'seats',
    active + invited,
    most => `The plan of this account allows ${most} people, open invitations included`,
  )
}
