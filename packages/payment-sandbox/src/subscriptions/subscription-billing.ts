import type { Invoice } from '../invoices/invoice.js'
import type { Invoices } from '../invoices/invoices.js'
import type { Prorations } from '../invoices/prorations.js'
import type { Subscription } from './subscription.js'
import type { SubscriptionPatch } from './subscription-patch.js'

/** Bills changes of subscriptions. Emits nothing. */
export class SubscriptionBilling {
  constructor(
    private readonly invoices: Invoices,
    private readonly prorations: Prorations,
  ) {}

  /**
   * The paid invoice when the change is billed at once (a trial was cut short, or `always_invoice`);
   * otherwise null. It is the latest, so paying it makes a past due subscription active, whatever else is open:
   * https://docs.stripe.com/billing/subscriptions/overview#subscription-statuses.
   */
  billChange(
    before: Subscription,
    after: Subscription,
    behavior: NonNullable<SubscriptionPatch['proration_behavior']>,
  ): Invoice | null {
    const isNewPeriod = before.billing_cycle_anchor !== after.billing_cycle_anchor
    if (isNewPeriod && before.status === 'trialing' && after.status === 'active')
      return this.billNewPeriod(after)
    if (behavior !== 'none') this.prorations.record(before, after)
    if (behavior !== 'always_invoice' || this.prorations.pending(after) === 0) return null
    if (after.status === 'past_due') after.status = 'active'
    return this.invoices.issue(after, 'subscription_update')
  }

  /** The paid invoice of an ended subscription's pending prorations; null when there are none. */
  billPending(subscription: Subscription): Invoice | null {
    return this.prorations.pending(subscription) === 0
      ? null
      : this.invoices.issue(subscription, 'subscription_update')
  }

  /** The paid invoice of a period that starts now. */
  billNewPeriod(subscription: Subscription): Invoice {
    return this.invoices.issue(subscription, 'subscription_cycle')
  }
}
