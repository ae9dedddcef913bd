import { Injectable } from '@nestjs/common'
import { sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import type { Db } from '../../platform/database/connection.js'
import { Database, rowsOf } from '../../platform/database/database.js'
import { REQUEUE } from '../../platform/database/requeue-billing-work.js'
import { billingWork, checkouts, providerEvents } from '../../platform/database/schema/billing.js'

/** Every event of the provider as it arrived. What an event says is read by the functions below. */
@Injectable()
export class BillingInbox {
  constructor(private readonly database: Database) {}

  /**
   * Stores a verified event; it is committed when this returns. An event that is already there changes
   * nothing. An event that concerns no customer, or whose kind has no effect here, is marked handled at once;
   * only its type and time are stored, because it may contain names and cards. So is one that a page has expired,
   * which closes the page and changes nothing else. Returns whether its customer has to be synced. It is one
   * statement, because the provider waits for it.
   */
  async store(received: Stripe.Event): Promise<boolean> {
    const json = storableJson(received)
    const event = JSON.parse(json) as Stripe.Event
    const customerId = customerOf(event)
    const createdAt = createdAtOf(event)
    const expired = expiredCheckoutOf(event)
    const isDone = customerId === null || expired !== null || !isOfInterest(event.type)
    const effect = isDone ? 'none' : null
    const content = effect === null ? json : null
    await this.database.run(db =>
      db.execute(sql`
        with stored as (
          insert into ${providerEvents} (id, type, customer_id, event, created_at, received_at, handled_at, effect)
          values (${event.id}, ${event.type}, ${customerId}, ${content}::jsonb,
            coalesce(${createdAt}::timestamptz, clock_timestamp()), clock_timestamp(), case when ${effect}::text is null then null else clock_timestamp() end, ${effect}::text)
          on conflict do nothing
          returning customer_id, effect
        ), closed as (
          update ${checkouts} set is_open = false
          where provider_id = ${expired}::text and exists (select 1 from stored)
        )
        insert into ${billingWork} (customer_id, due_at)
        select customer_id, clock_timestamp() from stored where effect is null
        on conflict (customer_id) do update set ${REQUEUE}`),
    )
    return effect === null
  }

  /** Marks an event as waiting again, whatever its state; false when it does not exist or concerns no customer. */
  async replay(eventId: string, transaction?: Db): Promise<boolean> {
    const queue = (db: Db) =>
      db.execute(sql`
        with replayed as (
          update ${providerEvents} set effect = null, handled_at = null
          where id = ${eventId} and customer_id is not null
          returning customer_id
        )
        insert into ${billingWork} (customer_id, due_at)
        select customer_id, clock_timestamp() from replayed
        on conflict (customer_id) do update set ${REQUEUE}
        returning customer_id`)
    const queued = await this.database.run(queue, transaction)
    return rowsOf(queued).length > 0
  }
}

/**
 * The event in a signed body, whatever its form; null for a body without an id, by which an event is stored. Besides
 * snapshots, the provider signs thin events and pings, which have no `data` and another form of `created`.
 */
export function eventIn(body: string): Stripe.Event | null {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return null
  }
  const id = asId(parsed)
  const { type } = (parsed ?? {}) as { type?: unknown }
  return typeof parsed === 'object' && id !== null
    ? ({ ...parsed, type: typeof type === 'string' ? type : 'unknown' } as Stripe.Event)
    : null
}

/** ISO 8601. Null for a time that is missing or that the database could not store. */
function createdAtOf({ created }: { readonly created?: unknown }): string | null {
  const milliseconds = typeof created === 'number' ? created * 1000 : Date.parse(`${created}`)
  return milliseconds >= 0 && milliseconds <= LATEST_MS ? new Date(milliseconds).toISOString() : null
}

/** Events after which the subscription may have changed, or the customer may be gone. */
const ABOUT_SUBSCRIPTIONS =
  /^(customer\.(subscription\.|deleted$)|invoice\.(paid|payment_failed|payment_action_required|voided|marked_uncollectible)$|checkout\.session\.(completed|async_payment_(succeeded|failed))$)/
/** Money that went back or may go back: for operators. */
const ABOUT_MONEY_BACK = /^(charge\.(refunded|refund\.|dispute\.)|refund\.)/
/** The hosted page can no longer be used. */
const CLOSES_CHECKOUT =
  /^checkout\.session\.(completed|expired|async_payment_succeeded|async_payment_failed)$/
/**
 * Refunds and disputes name a charge but no customer, and checkouts may not either; the provider knows whose
 * they are.
 */
const REFERENCE = /^(charge|checkout):(.+)$/
/** The provider's ids are at most this long; the database could not index any text. */
const MAX_ID_LENGTH = 255
const LATEST_MS = Date.UTC(9999, 0)

/** What an event makes us do, by its type alone, because what it says about its object may be outdated. */
export type EventKind = 'subscription' | 'money back' | 'other'

export function kindOf(type: string): EventKind {
  if (ABOUT_SUBSCRIPTIONS.test(type)) return 'subscription'
  return ABOUT_MONEY_BACK.test(type) ? 'money back' : 'other'
}

/** Whether events of this type can change anything here; for others nothing is looked up. */
export function isOfInterest(type: string): boolean {
  return kindOf(type) !== 'other' || CLOSES_CHECKOUT.test(type)
}

/**
 * The customer that an event concerns, or `charge:…` or `checkout:…` to find it by; null when there is none.
 */
export function customerOf({ type, data }: Pick<Stripe.Event, 'type'> & { data?: unknown }): string | null {
  const { object: about } = (data ?? {}) as { object?: unknown }
  const object = (about ?? {}) as { id?: unknown; object?: unknown; customer?: unknown; charge?: unknown }
  if (object.object === 'customer' || type === 'customer.deleted') return asId(object.id)
  return asId(object.customer) ?? referenceOf(type, object)
}

/** What stands in for a customer; null for a customer's own id. */
export function referenceIn(customerId: string): { kind: 'charge' | 'checkout'; id: string } | null {
  const [, kind, id] = REFERENCE.exec(customerId) ?? []
  return id === undefined ? null : { kind: kind as 'charge' | 'checkout', id }
}

function referenceOf(type: string, object: { id?: unknown; charge?: unknown }): string | null {
  const checkout = type.startsWith('checkout.session.') ? asId(object.id) : null
  if (checkout) return `checkout:${checkout}`
  const charge = kindOf(type) === 'money back' ? asId(object.charge) : null
  return charge && `charge:${charge}`
}

/** The checkout that an event says has expired; null for every other event. */
function expiredCheckoutOf(event: Stripe.Event): string | null {
  return event.type === 'checkout.session.expired' ? objectOf({ ...event }) : null
}

/**
 * The checkout that an event says is closed; null for every other event, and for one that was handled when it was
 * stored, of which nothing is left. Closing is final, so the event can be believed.
 */
export function closedCheckoutOf(
  type: string,
  event: Readonly<Record<string, unknown>> | null,
): string | null {
  return event && CLOSES_CHECKOUT.test(type) ? objectOf(event) : null
}

/**
 * The subscription whose first payment has failed, according to an event of its checkout; null for every
 * other event.
 */
export function unpaidSubscriptionOf(
  type: string,
  event: Readonly<Record<string, unknown>> | null,
): string | null {
  if (type !== 'checkout.session.async_payment_failed') return null
  const { data } = event as unknown as Stripe.Event
  return asId((data.object as { subscription?: unknown }).subscription)
}

/** The id of what an event concerns; null where it does not say. */
export function objectOf(event: Readonly<Record<string, unknown>> | null): string | null {
  const data = event?.data as { object?: { id?: unknown } | null } | null | undefined
  return asId(data?.object?.id)
}

function asId(reference: unknown): string | null {
  const id =
    typeof reference === 'object' && reference !== null ? (reference as { id?: unknown }).id : reference
  return typeof id === 'string' && id !== '' && id.length <= MAX_ID_LENGTH ? id : null
}

/** NUL and unpaired surrogates in JSON: after an odd number of backslashes. PostgreSQL rejects them. */
const NOT_STORABLE = /(?<!\\)((?:\\\\)*)\\u(?:0000|d[89a-f][0-9a-f]{2})/g

/** The value as JSON that the database accepts: U+FFFD replaces every character that it does not. */
function storableJson(value: unknown): string {
  return JSON.stringify(value).replace(NOT_STORABLE, '$1\ufffd')
}
