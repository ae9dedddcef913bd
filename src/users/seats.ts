import { inArray, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { REQUEUE } from '../database/requeue.js'
import { billingCustomers, billingWork, users } from '../database/schema.js'

/**
 * The number of active users is changing in these users' accounts. The provider may bill by it, so it has to
 * be told. Call it in the transaction of the change, so that neither happens without the other; the billing
 * worker does the rest after the commit.
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
