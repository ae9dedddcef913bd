import { Injectable, Logger } from '@nestjs/common'
import { and, asc, eq, isNull, sql } from 'drizzle-orm'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { providerEvents } from '../database/schema.js'
import { Checkouts } from './checkouts.js'
import { closedCheckoutOf, kindOf, objectOf } from './provider-event.js'

/**
 * What an event did here. `none`: nothing to do. `not newer`: we knew. `noted`: money went back, or may. `unknown
 * customer`, `second subscription`: an operator has to look.
 */
export type Effect = 'applied' | 'none' | 'not newer' | 'noted' | 'unknown customer' | 'second subscription'

export type WaitingEvent = Pick<typeof providerEvents.$inferSelect, 'id' | 'type' | 'event'>

/** The events that one transaction handles; what is left makes the work come again. */
const EVENTS_AT_ONCE = 200

/** The events of the inbox that wait, and what becomes of them. */
@Injectable()
export class WaitingEvents {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly checkouts: Checkouts,
    private readonly auditLog: AuditLog,
  ) {}

  /** What waits for this customer, in the order in which it happened. */
  of(customerId: string): Promise<WaitingEvent[]> {
    const { id, type, event, createdAt, receivedAt } = providerEvents
    return this.database.run(db =>
      db
        .select({ id, type, event })
        .from(providerEvents)
        .where(and(eq(providerEvents.customerId, customerId), isNull(providerEvents.effect)))
        .orderBy(asc(createdAt), asc(receivedAt), asc(id))
        .limit(EVENTS_AT_ONCE),
    )
  }

  /** Marks each as handled, with what a look at its customer did to the account; null is an account that is not ours. */
  async handle(
    transaction: Db,
    events: readonly WaitingEvent[],
    accountId: string | null,
    effect: Effect,
  ): Promise<void> {
    for (const { id, type, event } of events) {
      const closed = closedCheckoutOf(type, event)
      if (closed) await this.checkouts.closeHosted(transaction, closed)
      const done = accountId ? effectOf(type, effect) : effect
      const isFirst = await this.mark(transaction, id, done)
      if (isFirst) await this.record(transaction, { id, type, event }, accountId, done)
    }
  }

  /** False when another worker has handled the event meanwhile. */
  private async mark(transaction: Db, id: string, effect: Effect): Promise<boolean> {
    const marked = await transaction
      .update(providerEvents)
      .set({ effect, handledAt: sql`clock_timestamp()` })
      .where(and(eq(providerEvents.id, id), isNull(providerEvents.effect)))
      .returning({ id: providerEvents.id })
    return marked.length === 1
  }

  private async record(
    transaction: Db,
    { id, type, event }: WaitingEvent,
    accountId: string | null,
    effect: Effect,
  ): Promise<void> {
    if (effect === 'unknown customer') this.logger.warn(`Event ${id} is of a customer that no account has`)
    const isMoneyBack = kindOf(type) === 'money back'
    await this.auditLog.record(transaction, {
      action: 'webhook',
      outcome: 'ok',
      ...(accountId && { accountId }),
      client: null,
      detail: { event: id, type, effect, ...(isMoneyBack && { about: objectOf(event) }) },
    })
  }
}

function effectOf(type: string, effect: Effect): Effect {
  switch (kindOf(type)) {
    case 'subscription':
      return effect
    case 'money back':
      return 'noted'
    default:
      return 'none'
  }
}
