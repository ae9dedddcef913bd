import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import { Database } from '../database/database.js'
import { REQUEUE } from '../database/requeue.js'
import { billingWork, providerEvents } from '../database/schema.js'
import { customerOf, isOfInterest } from './provider-event.js'
import { storableJson } from './storable-json.js'

/** Every event of the provider as it came, and the customers that have to be looked at because of it. */
@Injectable()
export class BillingInbox {
  constructor(private readonly database: Database) {}

  /**
   * Keeps a verified event; when this returns it is committed. One that is there already changes nothing. What is about
   * no customer, or of a kind that changes nothing here, is handled with that, and only its type and time are kept: it may
   * be full of names and cards. True when its customer has to be looked at. One statement: this is all that the provider
   * waits for.
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
