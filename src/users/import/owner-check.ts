import { and, eq, inArray } from 'drizzle-orm'
import type { Db } from '../../platform/database/connection.js'
import { users } from '../../platform/database/schema/accounts.js'
import type { NumberedUser } from './imported-user.js'

/** A line that is skipped, and why, worded for the operator. */
export interface RefusedLine {
  readonly line: number
  readonly reason: string
}

/**
 * Lines that would give an account a second owner, or add a member to an account without an owner. Existing
 * owners count, as do those on earlier lines and those in `alsoOwned`.
 */
export async function refusedForOwners(
  transaction: Db,
  batch: readonly NumberedUser[],
  alsoOwned: ReadonlySet<string>,
): Promise<RefusedLine[]> {
  const owned = new Set([...alsoOwned, ...(await ownedAccounts(transaction, batch))])
  const refused: RefusedLine[] = []
  for (const { line, user } of [...batch].sort((one, other) => one.line - other.line)) {
    if (user.account.kind === 'own') continue
    const { id } = user.account
    if (user.role === 'owner' && owned.has(id))
      refused.push({ line, reason: 'would be a second owner of its account' })
    if (user.role === 'member' && !owned.has(id))
      refused.push({
        line,
        reason: 'belongs to an account without an owner; put the line of its owner first',
      })
    if (user.role === 'owner') owned.add(id)
  }
  return refused
}

async function ownedAccounts(transaction: Db, batch: readonly NumberedUser[]): Promise<Set<string>> {
  const ids = batch.flatMap(({ user: { account } }) => (account.kind === 'own' ? [] : [account.id]))
  if (ids.length === 0) return new Set()
  const owners = await transaction
    .select({ accountId: users.accountId })
    .from(users)
    .where(and(inArray(users.accountId, [...new Set(ids)]), eq(users.role, 'owner')))
  return new Set(owners.map(({ accountId }) => accountId))
}
