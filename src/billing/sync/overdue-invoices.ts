import { and, eq, isNotNull } from 'drizzle-orm'
import type Stripe from 'stripe'
import type { Database } from '../../platform/database/database.js'
import { billingCustomers, subscriptions } from '../../platform/database/schema/billing.js'
import { callStripe } from '../provider/payment-provider.js'

/** The provider's page size, newest first. */
const MAX_INVOICES = 100

/**
 * Whether the customer still owes an invoice of a subscription that is active: the provider calls a past due
 * subscription active once its latest invoice is paid, whatever else is open
 * (https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses). One that is older than a renewal that
 * was paid does not count. Asks, and throws like `callStripe`, only where we know that a payment was due; false
 * everywhere else.
 */
export async function owesInvoice(
  database: Database,
  stripe: Stripe,
  customerId: string,
  found: readonly Stripe.Subscription[],
): Promise<boolean> {
  const isOverdue = and(eq(billingCustomers.customerId, customerId), isNotNull(subscriptions.pastDueSince))
  const [row] = await database.run(db =>
    db
      .select({ subscription: subscriptions.providerId })
      .from(subscriptions)
      .innerJoin(billingCustomers, eq(billingCustomers.accountId, subscriptions.accountId))
      .where(isOverdue),
  )
  if (!row || !found.some(({ id, status }) => id === row.subscription && status === 'active')) return false
  const { data } = await callStripe(() => stripe.invoices.list({ ...row, limit: MAX_INVOICES }))
  return isAnyDue(data)
}

/** Whether there is anything that the customer could pay for the subscription. Throws like `callStripe`. */
export async function hasOpenInvoice(stripe: Stripe, subscription: string): Promise<boolean> {
  const { data } = await callStripe(() => stripe.invoices.list({ subscription, status: 'open', limit: 1 }))
  return data.length > 0
}

/** Whether one of a subscription's invoices is overdue and no later renewal has been paid. */
export function isAnyDue(invoices: readonly Stripe.Invoice[]): boolean {
  return invoices.some(due => isDue(due) && !invoices.some(paid => isLaterRenewal(paid, due)))
}

/** A new one is open for an hour before the provider charges it. */
function isDue({ status, attempted }: Stripe.Invoice): boolean {
  return status === 'open' && attempted
}

/** Whoever has paid for a later period must have it, whatever is open. A change of plan or a credit is no such payment. */
function isLaterRenewal(paid: Stripe.Invoice, due: Stripe.Invoice): boolean {
  const isRenewal = paid.billing_reason === 'subscription_cycle' && paid.total > 0
  return paid.status === 'paid' && isRenewal && paid.created > due.created
}
