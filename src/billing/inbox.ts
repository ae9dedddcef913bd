import { Injectable } from '@nestjs/common'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import type { Db } from '../platform/database/connection.js'
import { Database, rowsOf } from '../platform/database/database.js'
import { billingWork, checkouts, providerEvents } from '../platform/database/schema/billing.js'
import { REQUEUE } from '../users/queue-customer-sync.js'

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
  /^(customer\.(subscription\.|deleted$)|invoice\.(paid|payment_failed|payment_action_required|voided|marked_uncollectible)$|checkout\.session\.(completed|async_payment_(succeeded|failed))$|payment_intent\.processing$)/
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

export type WaitingEvent = Pick<typeof providerEvents.$inferSelect, 'id' | 'type' | 'event'>

/** What an event makes us do, by its type alone, because what it says about its object may be outdated. */
type EventKind = 'subscription' | 'money back' | 'other'

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

/**
 * How many events of customers are read at once: in some 10 to 20 ms, and within a statement's time where each
 * of them has to be fetched from disk.
 */
const EVENTS_PER_PAGE = 10_000

/** What was added and read, up to the customer `last`. */
type Page = { readonly added: number; readonly scanned: number; readonly last: string }

/**
 * Queues one page of customers after `customerId` that have waiting events and are not queued. A customer with
 * more waiting events than a page has is found by the first of them. Reads only the queued customers in the same
 * range of ids: all of them for each page would be a hundred times as many.
 */
async function addUnqueuedAfter(db: Db, customerId: string): Promise<Page> {
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

/** A customer claimed by this worker alone. */
export interface ClaimedWork {
  readonly customerId: string
  /** Random, so that no earlier or later holder can be taken for this worker. */
  readonly claim: string
  readonly version: number
  readonly attempts: number
  readonly isRoutine: boolean
}

/** A worker renews its claim three times as often, so a dead one loses it soon, and one slow statement loses none. */
const CLAIM_SECONDS = 15
/** 1 s, 2 s, 4 s … at most an hour: the provider's hiccups last minutes, its outages hours. */
const MAX_PAUSE_SECONDS = 3_600
/** About eight hours of retries; what still fails needs an operator. */
const MAX_ATTEMPTS = 20

const CLAIM_END = sql`clock_timestamp() + make_interval(secs => ${CLAIM_SECONDS})`
const RELEASED = { claim: null, claimedUntil: null } as const

/** Which customers have to be synced. All times are by the database's clock, which all replicas share. */
@Injectable()
export class BillingQueue {
  constructor(private readonly database: Database) {}

  /** There is a reason to sync the customer now. */
  async add(customerId: string, transaction?: Db): Promise<void> {
    const insert = sql`
      insert into ${billingWork} (customer_id, due_at) values (${customerId}, clock_timestamp())
      on conflict (customer_id) do update set ${REQUEUE}`
    await this.database.run(db => db.execute(insert), transaction)
  }

  /** Adds these customers to be compared, the first in `afterSeconds` and one every `everySeconds`. */
  async addRoutine(
    customerIds: readonly string[],
    afterSeconds: number,
    everySeconds: number,
  ): Promise<void> {
    const waiting = sql.join(
      customerIds.map((id, index) => sql`(${id}, ${afterSeconds + index * everySeconds}::float8)`),
      sql`, `,
    )
    await this.database.run(db =>
      db.execute(sql`
        insert into ${billingWork} (customer_id, due_at, is_routine)
        select id, clock_timestamp() + make_interval(secs => seconds), true
        from (values ${waiting}) as customer (id, seconds)
        order by id
        on conflict (customer_id) do update set ${REQUEUE}`),
    )
  }

  /**
   * Adds customers of waiting events that are not queued, a limited number of events per statement. There should
   * be none; returns how many there were.
   */
  async addUnqueued(): Promise<number> {
    for (let added = 0, after = ''; ; ) {
      const page = await this.database.run(db => addUnqueuedAfter(db, after))
      added += page.added
      if (page.scanned < EVENTS_PER_PAGE) return added
      after = page.last
    }
  }

  /**
   * Claims at most `max` customers that are due. Those that failed before, and those that are only compared,
   * come last and are at most `maxOther`.
   */
  async claim(max: number, maxOther: number): Promise<ClaimedWork[]> {
    // Not `clock_timestamp()`, which changes from row to row: an index could not tell where those that are due end.
    const due = (which: SQL, limit: number) => sql`
      select customer_id from ${billingWork}
      where ${which} and due_at <= statement_timestamp() and parked_at is null
        and (claimed_until is null or claimed_until < statement_timestamp())
      order by due_at limit ${limit} for update skip locked`
    const claimed = await this.database.run(db =>
      db.execute(sql`
        with fresh as (${due(sql`not is_routine and attempts = 0`, max)}),
          failed as (${due(sql`not is_routine and attempts > 0`, maxOther)}),
          routine as (${due(sql`is_routine`, maxOther)}),
          other as (
            select customer_id, 2 as turn from failed union all select customer_id, 3 from routine
            order by turn limit ${maxOther}),
          chosen as (
            select customer_id, 1 as turn from fresh union all select * from other order by turn limit ${max})
        update ${billingWork} as work
        set claim = gen_random_uuid(), claimed_until = ${CLAIM_END}
        from chosen where work.customer_id = chosen.customer_id
        returning work.customer_id as "customerId", work.claim, work.version::float8 as version, work.attempts,
          work.is_routine as "isRoutine"`),
    )
    return rowsOf<ClaimedWork>(claimed)
  }

  /** Holds a claim for longer. Does nothing when it has expired and another worker has the customer. */
  async renew(work: ClaimedWork): Promise<void> {
    const renewed = { claimedUntil: CLAIM_END }
    await this.database.run(db => db.update(billingWork).set(renewed).where(isHeldBy(work)))
  }

  /**
   * Marks the work done in the transaction of its effect, unless there is a new reason to sync or events are
   * left. Does nothing when the claim has expired and another worker has the customer.
   */
  async finish(transaction: Db, work: ClaimedWork): Promise<void> {
    const finished = await transaction
      .delete(billingWork)
      .where(and(isHeldBy(work), eq(billingWork.version, work.version), HAS_NO_EVENTS))
      .returning({ customerId: billingWork.customerId })
    if (finished.length === 0)
      await transaction
        .update(billingWork)
        .set({ ...RELEASED, attempts: 0, lastError: null })
        .where(isHeldBy(work))
  }

  /**
   * Schedules a retry, later each time, or gives up after {@link MAX_ATTEMPTS}; returns whether it gave up. A
   * reason to sync that has come since the claim is neither postponed nor given up. Does nothing when the claim
   * has expired and another worker has the customer.
   */
  async retry(work: ClaimedWork, reason: string): Promise<boolean> {
    const { attempts } = work
    const isLast = attempts + 1 >= MAX_ATTEMPTS
    const pauseSeconds = Math.min(2 ** attempts, MAX_PAUSE_SECONDS) * (0.75 + Math.random() / 2)
    const hasNoNewReason = eq(billingWork.version, work.version)
    const postponed = await this.database.run(db =>
      db
        .update(billingWork)
        .set({
          ...RELEASED,
          attempts: isLast
            ? sql`case when ${hasNoNewReason} then ${attempts + 1}::int else 0 end`
            : attempts + 1,
          dueAt: sql`case when ${hasNoNewReason} then clock_timestamp() + make_interval(secs => ${pauseSeconds})
            else ${billingWork.dueAt} end`,
          parkedAt: isLast ? sql`case when ${hasNoNewReason} then clock_timestamp() end` : null,
          lastError: reason.slice(0, 500),
        })
        .where(isHeldBy(work))
        .returning({ parkedAt: billingWork.parkedAt }),
    )
    return postponed.some(({ parkedAt }) => parkedAt !== null)
  }

  /** Releases a claim without a result, so that another worker can take the customer at once. */
  async release(work: ClaimedWork): Promise<void> {
    await this.database.run(db => db.update(billingWork).set(RELEASED).where(isHeldBy(work)))
  }

  /** Releases a claim whose result was outdated. It is due again in a second, so that nobody asks without a pause. */
  async repeat(transaction: Db, work: ClaimedWork): Promise<void> {
    const dueAt = sql`clock_timestamp() + interval '1 second'`
    await transaction
      .update(billingWork)
      .set({ ...RELEASED, dueAt })
      .where(isHeldBy(work))
  }
}

const HAS_NO_EVENTS = sql`not exists (
  select 1 from ${providerEvents}
  where ${providerEvents.customerId} = ${billingWork.customerId} and ${providerEvents.effect} is null)`

function isHeldBy({ customerId, claim }: ClaimedWork): SQL | undefined {
  return and(eq(billingWork.customerId, customerId), eq(billingWork.claim, claim))
}
