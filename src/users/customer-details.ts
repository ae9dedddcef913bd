import { and, eq, isNotNull, type SQL, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { REQUEUE } from '../database/requeue.js'
import { billingCustomers, billingWork, users } from '../database/schema.js'

/**
 * The name or address of an account's owner has changed, or the owner has. The payment provider has to be
 * told, because its receipts go to them. Call it in the transaction of the change; the billing worker does
 * the rest after the commit. No effect for members.
 */
export async function noteOwner(transaction: Db, userId: string): Promise<void> {
  const accountId = sql`(select ${users.accountId} from ${users} where ${and(eq(users.id, userId), eq(users.role, 'owner'))})`
  await note(transaction, accountId)
}

/** The same for a new account name, which is the customer's name. */
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
