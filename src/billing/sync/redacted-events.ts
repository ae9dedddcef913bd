import { sql } from 'drizzle-orm'
import type { Db } from '../../database/connection.js'
import { billingCustomers, checkouts, providerEvents } from '../../database/schema.js'

/**
 * The content of an event without names, addresses, cards and other personal data, for `set event = …`. Its
 * id, type, time and the id of its object remain. Null stays null.
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

/**
 * Removes personal data from the stored events of an account. Call it before its customer and checkouts are
 * deleted.
 */
export async function redactEvents(transaction: Db, accountId: string): Promise<void> {
  await transaction.execute(sql`
    update ${providerEvents} set event = ${REDACTED_EVENT}
    where customer_id in (
      select customer_id from ${billingCustomers} where account_id = ${accountId}
      union all
      select 'checkout:' || provider_id from ${checkouts} where account_id = ${accountId}
    )`)
}
