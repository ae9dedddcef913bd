import { sql } from 'drizzle-orm'
import type { Db } from '../../platform/database/connection.js'
import { rowsOf } from '../../platform/database/database.js'
import { billingWork, providerEvents } from '../../platform/database/schema/billing.js'

/**
 * How many events of customers are read at once: in some 10 to 20 ms, and within a statement's time where each
 * of them has to be fetched from disk.
 */
export const EVENTS_PER_PAGE = 10_000

/** What was added and read, up to the customer `last`. */
type Page = { readonly added: number; readonly scanned: number; readonly last: string }

/**
 * Queues one page of customers after `customerId` that have waiting events and are not queued. A customer with
 * more waiting events than a page has is found by the first of them. Reads only the queued customers in the same
 * range of ids: all of them for each page would be a hundred times as many.
 */
export async function addUnqueuedAfter(db: Db, customerId: string): Promise<Page> {
  const found = await db.execute(sql`
    with scanned as materialized (
      select customer_id, count(*) as events
      from (
        select customer_id from ${providerEvents}
        where effect is null and customer_id > ${customerId} order by customer_id limit ${EVENTS_PER_PAGE}) as page
      group by customer_id),
    queued as materialized (
      select customer_id from ${billingWork}
      where customer_id > ${customerId} and customer_id <= (select max(customer_id) from scanned)),
    added as (
      insert into ${billingWork} (customer_id, due_at)
      select customer_id, clock_timestamp()
      from (select customer_id from scanned except select customer_id from queued) as unqueued
      order by customer_id
      on conflict do nothing
      returning 1)
    select (select count(*) from added)::int as added, coalesce(sum(events), 0)::int as scanned,
      max(customer_id) as last
    from scanned`)
  const [page] = rowsOf<Page>(found) as [Page]
  return page
}
