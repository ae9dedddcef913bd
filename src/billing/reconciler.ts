// The comparison of every customer with the provider, and what an operator mends afterwards: subscriptions that bill somebody
// a second time, and customers of another key.
import { Injectable, type OnApplicationBootstrap } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { Cron, Interval } from '@nestjs/schedule'
import { and, asc, count, eq, gt, isNotNull, isNull, lt, type SQL, sql } from 'drizzle-orm'
import Stripe from 'stripe'
import { type Actor, auditEvent, SERVICE } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import {
  billingCustomers,
  checkouts,
  providerEvents,
  subscriptions,
} from '../platform/database/schema/billing.js'
import { removeRows } from '../platform/database/sql.js'
import { type ApiError, causeMessage } from '../platform/errors/api-error.js'
import { LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { secondsAfter } from '../platform/time.js'
import { CustomerSync } from './customer-sync.js'
import { BillingQueue } from './inbox.js'
import {
  callStripe,
  callStripeOrNull,
  describeIdentity,
  type ProviderIdentity,
  ProviderKey,
} from './stripe.js'

/**
 * When traffic is low in most of the world. The first attempt that succeeds is the only one of that night.
 */
const NIGHTLY = '7,17,27,37,47,57 3-5 * * *'
/** It rests for longer than the attempts of a night take, and for less than a day. */
const JOB = { name: 'billing-reconcile', everyMs: 10 * 60_000, restSeconds: 12 * 60 * 60 }
const CUSTOMERS_A_PAGE = 500
/** Well below the provider's limit of a hundred requests a second, which checkouts share. */
const CUSTOMERS_A_SECOND = 10
/** The provider repeats an event for three days, and a checkout can be paid for one; the rest is for operators. */
const KEEP_DAYS = 90

/**
 * Compares every customer with the provider and corrects what differs, at night and when an operator asks.
 */
@Injectable()
export class BillingReconciler {
  private readonly logger = new Logger('Billing')

  constructor(
    private readonly database: Database,
    private readonly queue: BillingQueue,
    private readonly jobs: LeasedJobs,
  ) {}

  /** On one replica each night. After a database failure it starts again within ten minutes. */
  @Cron(NIGHTLY)
  async everyNight(): Promise<void> {
    await this.jobs.run(JOB, async now => {
      const customers = await this.reconcile()
      const before = secondsAfter(now, -KEEP_DAYS * 24 * 60 * 60)
      const events = await this.removeEvents(before)
      const pages = await this.removeCheckouts(before)
      this.logger.log(
        `Comparing ${customers} customers with the provider; removed ${events} old events, ${pages} checkouts`,
      )
    })
  }

  /** Queues every customer, some each second; returns how many. The worker does the comparing. */
  async reconcile(customersASecond = CUSTOMERS_A_SECOND): Promise<number> {
    let count = 0
    for (
      let page = await this.pageAfter('');
      page.length > 0;
      page = await this.pageAfter(page.at(-1) as string)
    ) {
      await this.queue.addRoutine(page, count / customersASecond, 1 / customersASecond)
      count += page.length
    }
    return count
  }

  private async pageAfter(customerId: string): Promise<string[]> {
    const rows = await this.database.run(db =>
      db
        .select({ customerId: billingCustomers.customerId })
        .from(billingCustomers)
        .where(gt(billingCustomers.customerId, customerId))
        .orderBy(asc(billingCustomers.customerId))
        .limit(CUSTOMERS_A_PAGE),
    )
    // Nulls are not greater than anything.
    return rows.map(row => row.customerId as string)
  }

  private async removeEvents(before: Date): Promise<number> {
    const isOld = and(lt(providerEvents.receivedAt, before), isNotNull(providerEvents.effect))
    return removeRows(this.database, providerEvents, isOld)
  }

  private async removeCheckouts(before: Date): Promise<number> {
    const isOld = and(lt(checkouts.createdAt, before), eq(checkouts.isOpen, false))
    return removeRows(this.database, checkouts, isOld)
  }
}

/** An account has one subscription; any other that bills its customer is surplus. */
interface SurplusSubscription {
  readonly accountId: string
  readonly subscriptionId: string
}

/** What was refunded of one payment, in the currency's smallest unit. */
interface Refund {
  readonly payment: string
  readonly amount: number
  readonly currency: string
}

/** What came of ending a surplus subscription. */
interface SurplusEnd {
  readonly refunds: readonly Refund[]
  readonly hasEnded: boolean
  /** Why something was not refunded or not ended, in the provider's words. */
  readonly failures: readonly string[]
}

/** Refusals of a refund that may pass: https://docs.stripe.com/error-codes. */
const TRANSIENT_REFUSALS: readonly string[] = ['balance_insufficient', 'lock_timeout']

/** The provider's page size; a surplus subscription is days old and has one or two invoices. */
const MAX_INVOICES = 100

/** Subscriptions that bill an account a second time. An operator lists them, ends them and refunds them. */
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

/** A customer that our secret key cannot access. */
interface ForeignCustomer {
  readonly accountId: string
  readonly customerId: string
}

/**
 * Customers in our database that the provider does not know under our key, because the key was replaced by
 * another account's.
 */
@Injectable()
export class ForeignCustomers {
  constructor(
    private readonly database: Database,
    private readonly key: ProviderKey,
    private readonly stripe: Stripe,
    private readonly sync: CustomerSync,
    private readonly queue: BillingQueue,
  ) {}

  /** How many there are for each other key, as far as that is known. */
  async count(): Promise<(ProviderIdentity & { readonly customers: number })[]> {
    const { providerAccount, isLive } = billingCustomers
    const rows = await this.database.run(db =>
      db
        .select({ providerAccount, isLive, customers: count() })
        .from(billingCustomers)
        .where(this.key.isOfAnother())
        .groupBy(providerAccount, isLive),
    )
    return rows.map(row => ({ ...row, isLive: row.isLive === true }))
  }

  /** All of them. The provider is asked about those whose key was not recorded. Throws like `callStripe`. */
  async list(): Promise<ForeignCustomer[]> {
    await this.key.identify()
    const certain = await this.select(this.key.isOfAnother())
    const { customerId, isLive } = billingCustomers
    const uncertain = await this.select(and(isNotNull(customerId), isNull(isLive)))
    const unknown: ForeignCustomer[] = []
    for (const customer of uncertain) if (!(await this.isKnown(customer.customerId))) unknown.push(customer)
    return [...certain, ...unknown]
  }

  /**
   * Detaches these customers: their accounts can buy again, and what they bought with the other key has
   * ended. Nothing changes at the provider. The worker then drops what was waiting for them.
   */
  async forget(customers: readonly ForeignCustomer[]): Promise<void> {
    for (const { customerId } of customers) {
      await this.sync.forget(customerId)
      await this.queue.add(customerId)
    }
  }

  /** Even as a deleted one. */
  private async isKnown(customerId: string): Promise<boolean> {
    return (await callStripeOrNull(() => this.stripe.customers.retrieve(customerId))) !== null
  }

  private async select(which: SQL | undefined): Promise<ForeignCustomer[]> {
    const { accountId, customerId } = billingCustomers
    const rows = await this.database.run(db =>
      db.select({ accountId, customerId }).from(billingCustomers).where(which).orderBy(asc(customerId)),
    )
    return rows as ForeignCustomer[]
  }
}

const RETRY_MS = 60_000

/** Logs at start which account and mode payments go to, and whether customers belong to another. */
@Injectable()
export class ProviderKeyCheck implements OnApplicationBootstrap {
  private readonly logger = new Logger('Billing')
  private isDone = false

  constructor(
    private readonly key: ProviderKey,
    private readonly foreign: ForeignCustomers,
    private readonly server: HttpAdapterHost,
  ) {}

  /** In the background: a provider that is down must not keep users from logging in. */
  onApplicationBootstrap(): void {
    // At the command line it would not be read, and not every command needs the provider.
    if (this.server.httpAdapter) void this.check()
    else this.isDone = true
  }

  @Interval(RETRY_MS)
  async check(): Promise<void> {
    if (this.isDone) return
    try {
      const identity = await this.key.identify()
      this.logger.log(`Payments go to ${describeIdentity(identity)}`)
      for (const { customers, ...other } of await this.foreign.count())
        this.logger.error(
          `${customers} accounts have customers of another key (${describeIdentity(other)}): they can neither pay nor change ` +
            'anything. If STRIPE_SECRET_KEY is right, run billing:forget-customers',
        )
      this.isDone = true
    } catch (error) {
      this.logger.warn(`Cannot determine yet which Stripe account receives payments: ${causeMessage(error)}`)
    }
  }
}
