import { inArray, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { REQUEUE } from '../database/requeue.js'
import { billingCustomers, billingWork, users } from '../database/schema.js'

/**
 * The number of active users is changing where these are or were: the provider, who may bill by it, has to be told. In
 * the transaction of the change, so that neither is without the other; the billing worker does it, when that is committed.
 */
export async function noteSeatsOf(transaction: Db, userIds: readonly string[]): Promise<void> {
  await transaction.execute(sql`
    insert into ${billingWork} (customer_id, due_at)
    select distinct ${billingCustomers.customerId}, clock_timestamp()
    from ${billingCustomers} join ${users} on ${users.accountId} = ${billingCustomers.accountId}
    where ${inArray(users.id, [...userIds])} and ${billingCustomers.customerId} is not null
    order by 1
    on conflict (customer_id) do update set ${REQUEUE}`)
}
