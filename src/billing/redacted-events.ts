import { sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { billingCustomers, checkouts, providerEvents } from '../database/schema.js'

/**
 * What an event says, for `set event = …`, without names, addresses, cards and all else that is about people. What stays is
 * what tells that there was such an event: its id, type and time, and the id of what it was about. Null stays null.
 */
export const REDACTED_EVENT = sql`case when event is not null then jsonb_build_object(
    'id', id,
    'object', 'event',
    'type', type,
    'created', event -> 'created',
    'data', jsonb_build_object('object', jsonb_build_object(
      'id', event #> '{data,object,id}',
      'object', event #> '{data,object,object}'
    ))
  ) end`

/** Redacts the events that are kept of an account. Before its customer and checkouts are deleted. */
export async function redactEvents(transaction: Db, accountId: string): Promise<void> {
  await transaction.execute(sql`
    update ${providerEvents} set event = ${REDACTED_EVENT}
    where customer_id in (
      select customer_id from ${billingCustomers} where account_id = ${accountId}
      union all
      select 'checkout:' || provider_id from ${checkouts} where account_id = ${accountId}
    )`)
}
