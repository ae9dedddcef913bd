import { Injectable } from '@nestjs/common'
import { asc, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { type Actor, auditEvent, SERVICE } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { billingCustomers, subscriptions } from '../../platform/database/schema/billing.js'
import { type ApiError, causeMessage } from '../../platform/errors/api-error.js'
import { callStripe, callStripeOrNull } from '../provider/payment-provider.js'
import { BillingQueue } from '../sync/billing-queue.js'
import { CustomerSync } from '../sync/customer-sync.js'

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

/** What came of ending a surplus subscription. */
export interface SurplusEnd {
  readonly refunds: readonly Refund[]
  readonly hasEnded: boolean
  /** Why something was not refunded or not ended, in the provider's words. */
  readonly failures: readonly string[]
}

/** Refusals of a refund that may pass: https://docs.stripe.com/error-codes. */
const TRANSIENT_REFUSALS: readonly string[] = ['balance_insufficient', 'lock_timeout']

/** The provider's page size; a surplus subscription is days old and has one or two invoices. */
const MAX_INVOICES = 100

/** Subscriptions that bill somebody a second time. An operator lists them, ends them and refunds them. */
@Injectable()
export class SurplusSubscriptions {
  constructor(
    private readonly database: Database,
    private readonly stripe: Stripe,
    private readonly queue: BillingQueue,
    private readonly sync: CustomerSync,
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
   * Refunds everything paid for a surplus subscription, then ends it at the provider. Null when it is not surplus,
   * or no longer: the provider is asked first, because the account's other one may have ended before its event
   * came. Nothing is refunded twice, and nothing that was taken from the customer's credit balance. If a refund
   * fails that may work later, it is not ended, so that this can be repeated; a payment that will never be
   * refunded, because it is disputed, say, does not keep it from ending. Throws like `callStripe` when the
   * subscriptions or the payments cannot be read.
   */
  async end(subscriptionId: string, actor: Actor = SERVICE): Promise<SurplusEnd | null> {
    const known = await this.ownerOf(subscriptionId)
    if (known?.customerId) await this.sync.syncNow(known.customerId)
    const owner = known && (await this.ownerOf(subscriptionId))
    if (!owner) return null
    const refunds: Refund[] = []
    const { payments, failures } = await this.paidFor(subscriptionId)
    let mayEnd = true
    for (const payment of payments) {
      try {
        const refund = await this.refund(payment)
        if (refund) refunds.push(refund)
      } catch (error) {
        failures.push(`${payment}: ${causeMessage(error)}`)
        mayEnd &&= isRefusedForGood(error)
      }
    }
    const hasEnded = mayEnd && (await this.cancel(subscriptionId, failures))
    if (refunds.length > 0 || hasEnded) await this.record(subscriptionId, { ...actor, ...owner }, refunds)
    return { refunds, hasEnded, failures }
  }

  private async cancel(subscriptionId: string, failures: string[]): Promise<boolean> {
    try {
      await callStripeOrNull(() => this.stripe.subscriptions.cancel(subscriptionId))
      return true
    } catch (error) {
      failures.push(causeMessage(error))
      return false
    }
  }

  private record(
    subscription: string,
    { customerId, ...actor }: Actor & { readonly customerId: string | null },
    refunds: readonly Refund[],
  ): Promise<void> {
    const event = auditEvent(actor, 'billing.surplus.end', { subscription, refunds })
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

  /** The payments that can be refunded; what was paid from the credit balance is among the failures. */
  private async paidFor(subscription: string): Promise<{ payments: string[]; failures: string[] }> {
    const { data: invoices } = await callStripe(() =>
      this.stripe.invoices.list({ subscription, status: 'paid', limit: MAX_INVOICES }),
    )
    const lists = await Promise.all(
      invoices.map(({ id }) =>
        callStripe(() => this.stripe.invoicePayments.list({ invoice: id, status: 'paid' })),
      ),
    )
    const payments = lists.flatMap(({ data }) => data.flatMap(({ payment }) => intentOf(payment)))
    return { payments, failures: invoices.flatMap(creditUsed) }
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

/** A balance is negative while the customer has credit: https://docs.stripe.com/billing/customer/balance. */
function creditUsed({ id, currency, starting_balance, ending_balance }: Stripe.Invoice): string[] {
  const used = Math.min(ending_balance ?? 0, 0) - Math.min(starting_balance, 0)
  return used > 0
    ? [`${id}: ${used} ${currency} (smallest unit) were paid from the customer's credit balance`]
    : []
}

/** Whether the provider will not refund a payment however often it is asked. */
function isRefusedForGood(error: unknown): boolean {
  const { cause } = error as ApiError
  return (
    cause instanceof Stripe.errors.StripeInvalidRequestError && !TRANSIENT_REFUSALS.includes(cause.code ?? '')
  )
}
