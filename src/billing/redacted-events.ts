import { sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { billingCustomers, checkouts, providerEvents } from '../database/schema.js'

/**
 * Takes names, addresses and all else that is about people out of the events that are kept of an account. What stays is what
 * tells that there was such an event: its id, type and time, and the id of what it was about. Before its customer and
 * checkouts are deleted.
 */
export async function redactEvents(transaction: Db, accountId: string): Promise<void> {
  await transaction.execute(sql`
    update ${providerEvents} set event = jsonb_build_object(
      'id', id,
      'object', 'event',
      'type', type,
      'created', event -> 'created',
      'data', jsonb_build_object('object', jsonb_build_object(
        'id', event #> '{data,object,id}',
        'object', event #> '{data,object,object}'
      ))
    )
    where event is not null and customer_id in (
      select customer_id from ${billingCustomers} where account_id = ${accountId}
      union all
      select 'checkout:' || provider_id from ${checkouts} where account_id = ${accountId}
    )`)
}
