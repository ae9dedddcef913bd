import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { REQUEUE } from '../database/requeue.js'
import { billingCustomers, billingWork, users } from '../database/schema.js'

/**
 * The owner of an account is called otherwise, reached otherwise, or somebody else: the payment provider, whose receipts go
 * to them, has to be told. In the transaction of the change; the billing worker does it when that is committed. Of no effect
 * for other members.
 */
export async function noteOwner(transaction: Db, userId: string): Promise<void> {
  const accountId = sql`(select ${users.accountId} from ${users} where ${and(eq(users.id, userId), eq(users.role, 'owner'))})`
  await note(transaction, accountId)
}

/** The same for another name of the account, which is the customer's. */
export async function noteAccountName(transaction: Db, accountId: string): Promise<void> {
  await note(transaction, sql`${accountId}::uuid`)
}

async function note(transaction: Db, accountId: SQL): Promise<void> {
  const isCustomer = and(
    sql`${billingCustomers.accountId} = ${accountId}`,
    isNotNull(billingCustomers.customerId),
  )
  await transaction.execute(sql`
    insert into ${billingWork} (customer_id, due_at)
    select ${billingCustomers.customerId}, clock_timestamp() from ${billingCustomers} where ${isCustomer}
    on conflict (customer_id) do update set ${REQUEUE}`)
}
