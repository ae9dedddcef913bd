import { Injectable, Logger } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import type { Db } from '../../database/connection.js'
import { Checkouts } from '../checkout/checkouts.js'
import { Trials } from '../checkout/trials.js'
import { BillingCustomers } from '../customers/billing-customers.js'
import { currentSubscription } from '../subscription/current-subscription.js'
import { Subscriptions } from '../subscription/subscriptions.js'
import type { CustomerSnapshot } from './customer-snapshot.js'
import type { Effect } from './waiting-events.js'

/** Why we looked. If nothing prompted it and something is new, an event was lost. */
export type Cause = 'event' | 'return' | 'routine'

/** Our records of an account's payments. */
@Injectable()
export class SubscriptionWriter {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly subscriptions: Subscriptions,
    private readonly customers: BillingCustomers,
    private readonly checkouts: Checkouts,
    private readonly trials: Trials,
    private readonly auditLog: AuditLog,
  ) {}

  /** Stores what was seen of the account's customer, unless we have seen something newer. */
  async keep(transaction: Db, accountId: string, look: CustomerSnapshot, cause: Cause): Promise<Effect> {
    if (look.isDeleted) return this.end(transaction, accountId, look)
    const known = await this.subscriptions.row(transaction, accountId)
    const { current, surplus } = currentSubscription(look.subscriptions, known?.providerId ?? null)
    for (const { id } of surplus)
      this.logger.error(`Account ${accountId} is billed for a second subscription, ${id}`)
    if (!current) return 'none'
    await this.trials.note(transaction, accountId, look.subscriptions)
    const kept = await this.subscriptions.keep(transaction, accountId, { current, surplus }, look.seenAt)
    if (kept === 'older') return 'not newer'
    if (kept === 'changed' && cause === 'routine')
      await this.recordMending(transaction, accountId, current.id, current.status)
    return surplus.length > 0 ? 'second subscription' : 'applied'
  }

  /** A customer that is deleted, or of another key, never comes back, so this cannot be outdated. */
  private async end(
    transaction: Db,
    accountId: string,
    { customerId, seenAt }: CustomerSnapshot,
  ): Promise<Effect> {
    await this.subscriptions.end(transaction, accountId, seenAt)
    await this.checkouts.closeAll(transaction, accountId)
    await this.customers.forget(transaction, { accountId, customerId })
    await this.auditLog.record(transaction, {
      action: 'billing.forget',
      outcome: 'ok',
      accountId,
      client: null,
      detail: { customer: customerId },
    })
    return 'applied'
  }

  /** No event reported it: one was lost, or the change bypassed us at the provider. */
  private async recordMending(
    transaction: Db,
    accountId: string,
    subscription: string,
    status: string,
  ): Promise<void> {
    this.logger.warn(`The subscription of account ${accountId} was corrected: ${subscription} is ${status}`)
    await this.auditLog.record(transaction, {
      action: 'billing.repair',
      outcome: 'ok',
      accountId,
      client: null,
      detail: { subscription, status },
    })
  }
}
