import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import { Database } from '../../database/database.js'
import { REQUEUE } from '../../database/requeue.js'
import { billingWork, providerEvents } from '../../database/schema.js'
import { customerOf, isOfInterest } from '../provider/provider-event.js'
import { storableJson } from './storable-json.js'

/** Every event of the provider as it arrived, and the customers to be looked at because of it. */
@Injectable()
export class BillingInbox {
  constructor(private readonly database: Database) {}

  /**
   * Stores a verified event; it is committed when this returns. An event that is already there changes
   * nothing. An event that concerns no customer, or whose kind has no effect here, is marked handled at once;
   * only its type and time are stored, because it may contain names and cards. Returns whether its customer
   * has to be looked at. It is one statement, because the provider waits for it.
   */
  async store(received: Stripe.Event): Promise<boolean> {
    const json = storableJson(received)
    const event = JSON.parse(json) as Stripe.Event
    const customerId = customerOf(event)
    const createdAt = new Date(event.created * 1000).toISOString()
    const effect = customerId === null || !isOfInterest(event.type) ? 'none' : null
    const content = effect === null ? json : null
    await this.database.run(db =>
      db.execute(sql`
        with stored as (
          insert into ${providerEvents} (id, type, customer_id, event, created_at, received_at, handled_at, effect)
          values (${event.id}, ${event.type}, ${customerId}, ${content}::jsonb, ${createdAt}::timestamptz,
            clock_timestamp(), case when ${effect}::text is null then null else clock_timestamp() end, ${effect}::text)
          on conflict do nothing
          returning customer_id, effect
        )
        insert into ${billingWork} (customer_id, due_at)
        select customer_id, clock_timestamp() from stored where effect is null
        on conflict (customer_id) do update set ${REQUEUE}`),
    )
    return effect === null
  }
}
