import { Injectable } from '@nestjs/common'
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { billingCustomers, checkouts, providerEvents } from '../../platform/database/schema/billing.js'
import { isAnyOf } from '../../platform/database/sql.js'
import { HourlyLog, Logger } from '../../platform/log.js'
import { Checkouts } from '../checkout/checkouts.js'
import { Subscriptions } from '../subscription/subscriptions.js'
import { closedCheckoutOf, kindOf, objectOf, unpaidSubscriptionOf } from './billing-inbox.js'

/**
 * The effect of an event. `none`: nothing to do. `not newer`: already known. `noted`: money was refunded, or
 * may be. `unlinked customer`: of no account, with one of our prices. `unknown customer`, `second subscription`: for an operator.
 */
export type Effect =
  | 'applied'
  | 'none'
  | 'not newer'
  | 'noted'
  | 'unknown customer'
  | 'unlinked customer'
  | 'second subscription'

export type WaitingEvent = Pick<typeof providerEvents.$inferSelect, 'id' | 'type' | 'event'>

/** How many events one transaction handles; the rest follows in the next. */
const EVENTS_AT_ONCE = 500

/** The inbox's waiting events, and their results. */
@Injectable()
export class WaitingEvents {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly checkouts: Checkouts,
    private readonly subscriptions: Subscriptions,
    private readonly auditLog: AuditLog,
    private readonly hourlyLog: HourlyLog,
  ) {}

  /** The oldest events that wait for this customer, in order. */
  of(db: Db, customerId: string): Promise<WaitingEvent[]> {
    const { id, type, event, createdAt, receivedAt } = providerEvents
    return db
      .select({ id, type, event })
      .from(providerEvents)
      .where(and(eq(providerEvents.customerId, customerId), isNull(providerEvents.effect)))
      .orderBy(asc(createdAt), asc(receivedAt), asc(id))
      .limit(EVENTS_AT_ONCE)
  }

  /** Marks each as handled, with the effect of the sync; a null account means that the customer is not ours. */
  async handle(
    transaction: Db,
    events: readonly WaitingEvent[],
    accountId: string | null,
    effect: Effect,
  ): Promise<void> {
    for (const { type, event } of events) {
      const closed = closedCheckoutOf(type, event)
      if (closed) await this.checkouts.closeHosted(closed, transaction)
      const unpaid = unpaidSubscriptionOf(type, event)
      if (unpaid) await this.subscriptions.recordFailedPayment(transaction, unpaid)
    }
    const doneTo = ({ type }: WaitingEvent) => effectOf(type, effect, accountId)
    for (const done of new Set(events.map(doneTo))) {
      const alike = events.filter(event => doneTo(event) === done)
      const marked = await this.mark(transaction, alike, accountId, done)
      await this.record(transaction, marked, accountId, done)
    }
  }

  /**
   * Those of the events that no other worker has handled in the meantime. Personal data is dropped where the
   * deletion of an account could not find it: without an account, and in refunds and disputes, which name a
   * charge and no customer.
   */
  private async mark(
    transaction: Db,
    events: readonly WaitingEvent[],
    accountId: string | null,
    effect: Effect,
  ): Promise<WaitingEvent[]> {
    const ids = events.map(({ id }) => id)
    const rows = await transaction
      .update(providerEvents)
      .set({
        effect,
        handledAt: sql`clock_timestamp()`,
        event: sql`case when ${accountId === null} or customer_id like 'charge:%' then ${REDACTED_EVENT} else event end`,
      })
      .where(and(isAnyOf(providerEvents.id, ids), isNull(providerEvents.effect)))
      .returning({ id: providerEvents.id })
    const marked = new Set(rows.map(({ id }) => id))
    return events.filter(({ id }) => marked.has(id))
  }

  private async record(
    transaction: Db,
    events: readonly WaitingEvent[],
    accountId: string | null,
    effect: Effect,
  ): Promise<void> {
    if (effect === 'unknown customer') this.warnOfUnknown(events)
    const service = { ...(accountId && { accountId }), client: null }
    const rows = events.map(({ id, type, event }) => {
      const about = kindOf(type) === 'money back' && { about: objectOf(event) }
      return auditEvent(service, 'webhook', { event: id, type, effect, ...about })
    })
    await this.auditLog.recordAll(transaction, rows)
  }

  /** The provider's account may be shared with another business, whose events are all of this kind. */
  private warnOfUnknown([example, ...others]: readonly WaitingEvent[]): void {
    if (!example) return
    this.hourlyLog.report('unknown customer', 1 + others.length, count =>
      this.logger.warn(
        count === 1
          ? `Event ${example.id} is about a customer that belongs to no account`
          : `${count} events, such as ${example.id}, are about a customer that belongs to no account`,
      ),
    )
  }
}

function effectOf(type: string, effect: Effect, accountId: string | null): Effect {
  if (accountId === null) return effect
  switch (kindOf(type)) {
    case 'subscription':
      return effect
    case 'money back':
      return 'noted'
    default:
      return 'none'
  }
}

/**
 * The content of an event without names, addresses, cards and other personal data, for `set event = …`. Its
 * id, type, time and the id of its object remain. Null stays null.
 */
const REDACTED_EVENT = sql`case when event is not null then jsonb_build_object(
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
    where ${isAbout(accountId)}`)
}

/** Whether an event about the account has not been handled yet: it may say that something was paid. */
export async function hasWaitingEvents(db: Db, accountId: string): Promise<boolean> {
  const waiting = await db
    .select({ id: providerEvents.id })
    .from(providerEvents)
    .where(and(isAbout(accountId), isNull(providerEvents.effect)))
    .limit(1)
  return waiting.length > 0
}

function isAbout(accountId: string) {
  return sql`${providerEvents.customerId} in (
    select customer_id from ${billingCustomers} where account_id = ${accountId}
    union all
    select 'checkout:' || provider_id from ${checkouts} where account_id = ${accountId}
  )`
}
