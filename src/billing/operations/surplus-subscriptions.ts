import { Injectable } from '@nestjs/common'
import { asc, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { SERVICE } from '../../audit/actor.js'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { Database } from '../../database/database.js'
import { billingCustomers, subscriptions } from '../../database/schema.js'
import { ApiError } from '../../errors/api-error.js'
import { callStripe, callStripeOrNull } from '../provider/payment-provider.js'
import { BillingQueue } from '../sync/billing-queue.js'

/** An account has one subscription; any other that bills its customer is surplus. */
export interface SurplusSubscription {
  readonly accountId: string
  readonly subscriptionId: string
}

/** What was refunded of one payment, in the currency's smallest unit. */
export interface Refund {
  readonly payment: string
  readonly amount: number
  readonly currency: string
}

/** The provider's page size; a surplus subscription is days old and has one or two invoices. */
const MAX_INVOICES = 100

/** Subscriptions that bill somebody a second time. An operator lists them, ends them and refunds them. */
@Injectable()
export class SurplusSubscriptions {
  constructor(
    private readonly database: Database,
    private readonly stripe: Stripe,
    private readonly queue: BillingQueue,
    private readonly auditLog: AuditLog,
  ) {}

  /** All that we know of, by account. */
  async list(): Promise<SurplusSubscription[]> {
    const { accountId, surplus } = subscriptions
    const rows = await this.database.run(db =>
      db
        .select({ accountId, surplus })
        .from(subscriptions)
        .where(sql`cardinality(${surplus}) > 0`)
        .orderBy(asc(accountId)),
    )
    return rows.flatMap(row =>
      row.surplus.map(subscriptionId => ({ accountId: row.accountId, subscriptionId })),
    )
  }

  /**
   * Refunds everything paid for a surplus subscription, then ends it at the provider; returns the refunds. Null
   * when it is not surplus. Nothing is refunded twice. Throws like `callStripe`: for a fault of the provider,
   * before the subscription has ended, so that this can be repeated; for a payment that it will not refund,
   * because it is disputed, say, once everything else is done.
   */
  async end(subscriptionId: string): Promise<Refund[] | null> {
    const owner = await this.ownerOf(subscriptionId)
    if (!owner) return null
    const failures: unknown[] = []
    const attempt = <T>(work: Promise<T>): Promise<T | null> =>
      work.catch(error => {
        failures.push(error)
        return null
      })
    const made: Refund[] = []
    for (const payment of await this.paymentsOf(subscriptionId)) {
      const refund = await attempt(this.refund(payment))
      if (refund) made.push(refund)
    }
    if (failures.every(isRefusedForGood)) await attempt(this.cancel(subscriptionId))
    if (made.length > 0 || failures.every(isRefusedForGood)) await this.record(subscriptionId, owner, made)
    if (failures.length > 0) throw failures[0]
    return made
  }

  private async cancel(subscriptionId: string): Promise<void> {
    await callStripeOrNull(() => this.stripe.subscriptions.cancel(subscriptionId))
  }

  private record(
    subscription: string,
    { accountId, customerId }: { accountId: string; customerId: string | null },
    refunds: readonly Refund[],
  ): Promise<void> {
    const event = auditEvent({ ...SERVICE, accountId }, 'billing.surplus.end', { subscription, refunds })
    return this.database.transaction(async transaction => {
      await this.auditLog.record(transaction, event)
      if (customerId) await this.queue.add(customerId, transaction)
    })
  }

  private async ownerOf(subscriptionId: string) {
    const { accountId } = subscriptions
    const { customerId } = billingCustomers
    const [row] = await this.database.run(db =>
      db
        .select({ accountId, customerId })
        .from(subscriptions)
        .leftJoin(billingCustomers, sql`${billingCustomers.accountId} = ${accountId}`)
        .where(sql`${subscriptionId} = any(${subscriptions.surplus})`),
    )
    return row ?? null
  }

  private async paymentsOf(subscription: string): Promise<string[]> {
    const { data: invoices } = await callStripe(() =>
      this.stripe.invoices.list({ subscription, status: 'paid', limit: MAX_INVOICES }),
    )
    const lists = await Promise.all(
      invoices.map(({ id }) =>
        callStripe(() => this.stripe.invoicePayments.list({ invoice: id, status: 'paid' })),
      ),
    )
    return lists.flatMap(({ data }) => data.flatMap(({ payment }) => intentOf(payment)))
  }

  /** Null when it was refunded before. */
  private async refund(payment: string): Promise<Refund | null> {
    return callStripe(async () => {
      try {
        // Without an idempotency key, under which a failure would be repeated for a day.
        const { amount, currency } = await this.stripe.refunds.create({
          payment_intent: payment,
          reason: 'duplicate',
        })
        return { payment, amount, currency }
      } catch (error) {
        if (error instanceof Stripe.errors.StripeError && error.code === 'charge_already_refunded')
          return null
        throw error
      }
    })
  }
}

/** None for what was paid outside the provider, which it cannot refund. */
function intentOf({ payment_intent }: Stripe.InvoicePayment['payment']): string[] {
  const id = typeof payment_intent === 'object' ? payment_intent?.id : payment_intent
  return id ? [id] : []
}

/** Whether the provider will not refund a payment however often it is asked. */
function isRefusedForGood(error: unknown): boolean {
  return error instanceof ApiError && error.cause instanceof Stripe.errors.StripeInvalidRequestError
}
