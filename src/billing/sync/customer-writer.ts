import { Injectable } from '@nestjs/common'
import type Stripe from 'stripe'
import { NO_MAILS, type SendMails } from '../../mail/mail.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { HourlyLog, Logger } from '../../platform/log.js'
import { Checkouts } from '../checkout/checkouts.js'
import { Entitlements } from '../entitlements/entitlements.js'
import { BillingCustomers } from '../provider/billing-customers.js'
import { type ProviderUpdate, ProviderUpdates } from '../provider/provider-updates.js'
import { PlanMails } from '../subscription/plan-mails.js'
import { Subscriptions } from '../subscription/subscriptions.js'
import { BillingQueue, type ClaimedWork } from './billing-queue.js'
import { CustomerAdoption } from './customer-adoption.js'
import { type Effect, type WaitingEvent, WaitingEvents } from './waiting-events.js'

/** Everything that we read about a customer from the provider at one time. */
export interface CustomerSnapshot {
  readonly customerId: string
  /** What was waiting before we asked, and is therefore in the answer. */
  readonly events: readonly WaitingEvent[]
  /** Newest first. */
  readonly subscriptions: readonly Stripe.Subscription[]
  /** Whether an invoice of an active subscription is still due. */
  readonly hasOverdueInvoice: boolean
  /** Whether it has been deleted there, which is final. */
  readonly isDeleted: boolean
  /** The database's time before we asked. */
  readonly seenAt: Date
}

/**
 * Why we asked the provider: an event or something that happened here, a browser that came back, or a comparison.
 * If a comparison finds something new, an event was lost.
 */
export type Cause = 'event' | 'return' | 'routine'

/** What remains to be done after the commit. */
export interface Written {
  /** Null when the customer is not ours. */
  readonly accountId: string | null
  /** Whether users of the account still have to be given what it is entitled to. */
  readonly areUsersBehind: boolean
  /** What the provider has to be told. */
  readonly update: ProviderUpdate | null
  /** To those who pay for the account. */
  readonly sendMails: SendMails
}

const NOTHING: Written = { accountId: null, areUsersBehind: false, update: null, sendMails: NO_MAILS }

/** Our records of an account's payments, and what they entitle it to. */
@Injectable()
export class SubscriptionWriter {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly customers: BillingCustomers,
    private readonly subscriptions: Subscriptions,
    private readonly checkouts: Checkouts,
    private readonly entitlements: Entitlements,
    private readonly planMails: PlanMails,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Stores what was seen of the customer, unless we have seen something newer. Null when the customer is not
   * ours. First locks its account, so that two workers on one customer write one after the other.
   */
  async write(
    transaction: Db,
    snapshot: CustomerSnapshot,
    cause: Cause,
  ): Promise<(Omit<Written, 'update'> & { accountId: string; effect: Effect }) | null> {
    const accountId = await this.customers.lockAccountOf(transaction, snapshot.customerId)
    if (!accountId) return null
    const before = await this.planMails.standingOf(transaction, accountId)
    const effect = await (snapshot.isDeleted
      ? this.end(transaction, accountId, snapshot)
      : this.save(transaction, accountId, snapshot, cause))
    const behind = await this.entitlements.decideFor(transaction, [accountId])
    const sendMails = await this.planMails.aboutChange(transaction, accountId, before)
    return { accountId, effect, areUsersBehind: behind.has(accountId), sendMails }
  }

  private async save(
    transaction: Db,
    accountId: string,
    snapshot: CustomerSnapshot,
    cause: Cause,
  ): Promise<Effect> {
    const { subscriptions } = snapshot
    const saved = await this.subscriptions.save(transaction, accountId, snapshot)
    const { current, surplus, change } = saved
    await this.checkouts.closeBought(transaction, accountId, subscriptions)
    for (const { id } of surplus)
      this.logger.error(`Account ${accountId} is billed for a second subscription, ${id}`)
    if (!current) return 'none'
    if (subscriptions.some(({ trial_start }) => trial_start !== null))
      await this.customers.recordTrial(transaction, accountId)
    if (change === 'older') return 'not newer'
    if (change === 'changed' && cause === 'routine') {
      // No event reported it: one was lost, or the change bypassed us at the provider.
      const { id: subscription, status } = current
      this.logger.warn(`The subscription of account ${accountId} was corrected: ${subscription} is ${status}`)
      const repair = auditEvent({ accountId, client: null }, 'billing.repair', { subscription, status })
      await this.auditLog.record(transaction, repair)
    }
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
    const forgotten = auditEvent({ accountId, client: null }, 'billing.forget', { customer: customerId })
    await this.auditLog.record(transaction, forgotten)
    return 'applied'
  }
}

/** Writes what was seen of a customer, and the effects of its events, in one transaction. */
@Injectable()
export class CustomerWriter {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly subscriptionWriter: SubscriptionWriter,
    private readonly events: WaitingEvents,
    private readonly updates: ProviderUpdates,
    private readonly adoption: CustomerAdoption,
    private readonly hourlyLog: HourlyLog,
    private readonly queue: BillingQueue,
  ) {}

  /**
   * Finishes the claimed work, unless the provider has to be told something first, or something newer has been
   * seen meanwhile: then it is released, to be done again. A null cause means: an event if one is waiting or the
   * work is no comparison, otherwise routine.
   */
  write(snapshot: CustomerSnapshot, knownCause: Cause | null, claimed: ClaimedWork | null): Promise<Written> {
    const isPrompted = snapshot.events.length > 0 || claimed?.isRoutine === false
    const cause = knownCause ?? (isPrompted ? 'event' : 'routine')
    return this.database.transaction(async transaction => {
      const { written, isOutdated } = await this.writeIn(transaction, snapshot, cause)
      // Whoever has seen something newer may have been a browser's request, which tells the provider nothing.
      if (claimed && isOutdated) await this.queue.repeat(transaction, claimed)
      else if (claimed && !written.update) await this.queue.finish(transaction, claimed)
      return written
    })
  }

  /** The customer of the claimed work is not ours. */
  async dismiss(claimed: ClaimedWork): Promise<void> {
    await this.database.transaction(async transaction => {
      const events = await this.events.of(transaction, claimed.customerId)
      const isSale = (event: WaitingEvent) => this.adoption.isOurSale(event)
      const [sales, others] = [events.filter(isSale), events.filter(event => !isSale(event))]
      await this.events.handle(transaction, sales, null, 'unlinked customer')
      await this.events.handle(transaction, others, null, 'unknown customer')
      if (sales.length > 0) this.reportUnlinked(claimed.customerId)
      await this.queue.finish(transaction, claimed)
    })
  }

  /** Whoever it is pays and has nothing, and would buy a second time here. */
  private reportUnlinked(customerId: string): void {
    this.hourlyLog.report(`unlinked ${customerId}`, 1, () =>
      this.logger.error(
        `Customer ${customerId} has a subscription for one of our prices and belongs to no account: run billing:adopt`,
      ),
    )
  }

  private async writeIn(
    transaction: Db,
    snapshot: CustomerSnapshot,
    cause: Cause,
  ): Promise<{ written: Written; isOutdated: boolean }> {
    const { events, subscriptions, isDeleted } = snapshot
    const written = await this.subscriptionWriter.write(transaction, snapshot, cause)
    if (!written) {
      await this.events.handle(transaction, events, null, 'unknown customer')
      return { written: NOTHING, isOutdated: false }
    }
    const { accountId, effect, areUsersBehind, sendMails } = written
    await this.events.handle(transaction, events, accountId, effect)
    const isOutdated = effect === 'not newer'
    const mayUpdate = cause !== 'return' && !isOutdated && !isDeleted
    const update = mayUpdate ? await this.updates.due(transaction, accountId, subscriptions) : null
    return { written: { accountId, areUsersBehind, update, sendMails }, isOutdated }
  }
}
