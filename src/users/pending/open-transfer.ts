import { type AnyColumn, and, gt, isNotNull, lte, or, type SQL, sql } from 'drizzle-orm'
import { accounts, ownershipTransfers, users } from '../../platform/database/schema/accounts.js'
import type { Role } from '../user.js'

/**
 * The pending transfers that can still be accepted or have been, whose owner still owns the account, and whose future
 * owner is an active member of it. All others are void.
 */
export function isOpen(now: Date): SQL {
  const { acceptedAt, expiresAt, fromUserId, toUserId } = ownershipTransfers
  const isInTime = or(isNotNull(acceptedAt), gt(expiresAt, now))
  return and(isInTime, isStill('owner', fromUserId), isStill('member', toUserId)) as SQL
}

/** Whether the user is active in the account of the transfer, with this role. */
function isStill(role: Role, userId: AnyColumn): SQL {
  return sql`exists (select from ${users} where ${users.id} = ${userId}
    and ${users.accountId} = ${ownershipTransfers.accountId}
    and ${users.role} = ${role} and ${users.disabledAt} is null)`
}

/** Whether the account of the transfer is due to be deleted: its users go one by one, the transfer with the account. */
export function isBeingDeleted(now: Date): SQL {
  return sql`exists (select from ${accounts} where ${accounts.id} = ${ownershipTransfers.accountId}
    and ${lte(accounts.deleteAt, now)})`
}
