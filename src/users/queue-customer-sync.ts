import { and, eq, inArray, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../platform/database/connection.js'
import { users } from '../platform/database/schema/accounts.js'
import { billingCustomers, billingWork } from '../platform/database/schema/billing.js'

/**
 * What an upsert into `billing_work` sets when the customer is already queued: there is a new reason to sync.
 * This revives customers that were given up, and a sync in progress will not have seen it.
 */
export const REQUEUE = sql`
  version = ${billingWork.version} + 1,
  due_at = least(${billingWork.dueAt}, excluded.due_at),
  is_routine = ${billingWork.isRoutine} and excluded.is_routine,
  attempts = case when ${billingWork.parkedAt} is null then ${billingWork.attempts} else 0 end,
  parked_at = null`

/** So that several changes of a name are joined into one, which takes three to five calls of the provider. */
const NAME_SYNC_DELAY_SECONDS = 30

/**
 * Call it when the number of active users changes in these users' accounts, because the payment provider may
 * bill by it and must be told. Call it in the transaction of the change, so that neither happens without the
 * other; the billing worker does the rest after the commit.
 */
export async function queueSeatSync(transaction: Db, userIds: readonly string[]): Promise<void> {
  await queue(
    transaction,
    sql`select ${users.accountId} from ${users} where ${inArray(users.id, [...userIds])}`,
  )
}

/**
 * For a change of the owner's name or address, or of the owner: the provider sends receipts to them.
 * Otherwise like {@link queueSeatSync}. Does nothing for members.
 */
export async function queueOwnerSync(transaction: Db, userId: string): Promise<void> {
  const isOwner = and(eq(users.id, userId), eq(users.role, 'owner'))
  await queue(transaction, sql`select ${users.accountId} from ${users} where ${isOwner}`)
}

/**
 * For a change of the account's name, because the account is the provider's customer. Due in 30 s, or sooner if
 * there is another reason; otherwise like {@link queueSeatSync}.
 */
export async function queueNameSync(transaction: Db, accountId: string): Promise<void> {
  await queue(transaction, sql`select ${accountId}::uuid`, NAME_SYNC_DELAY_SECONDS)
}

/** Accounts that are not customers are left out; the others are locked in a fixed order. */
async function queue(transaction: Db, accountIds: SQL, afterSeconds = 0): Promise<void> {
  await transaction.execute(sql`
    insert into ${billingWork} (customer_id, due_at)
    select ${billingCustomers.customerId}, clock_timestamp() + make_interval(secs => ${afterSeconds})
    from ${billingCustomers}
    where ${billingCustomers.accountId} in (${accountIds}) and ${isNotNull(billingCustomers.customerId)}
    order by 1
    on conflict (customer_id) do update set ${REQUEUE}`)
}
