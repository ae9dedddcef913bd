import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import { type Actor, auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { billingCustomers, providerEvents } from '../../platform/database/schema/billing.js'
import { BillingInbox } from '../sync/billing-inbox.js'
import { BillingWorker } from '../sync/billing-worker.js'

/** Handles events of the provider again, for operators. */
@Injectable()
export class BillingReplay {
  constructor(
    private readonly inbox: BillingInbox,
    private readonly worker: BillingWorker,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Marks the event as waiting again, whatever its state, and has it handled in the background. False when it
   * does not exist or concerns no customer.
   */
  async request(eventId: string, actor: Actor): Promise<boolean> {
    const isQueued = await this.database.transaction(async transaction => {
      if (!(await this.inbox.replay(eventId, transaction))) return false
      const [row] = await transaction
        .select({ accountId: billingCustomers.accountId })
        .from(providerEvents)
        .leftJoin(billingCustomers, eq(billingCustomers.customerId, providerEvents.customerId))
        .where(eq(providerEvents.id, eventId))
      const event = auditEvent(actor, 'billing.replay', { event: eventId })
      await this.auditLog.record(transaction, {
        ...event,
        ...(row?.accountId && { accountId: row.accountId }),
      })
      return true
    })
    if (isQueued) this.worker.nudge()
    return isQueued
  }
}
