import type { Events } from '../events/events.js'
import type { InvoiceTerms } from '../invoices/invoice.js'
import type { Invoices } from '../invoices/invoices.js'
import type { SecondaryEvents } from '../payments/secondary-events.js'
import { nowSeconds } from '../state/clock.js'
import type { State } from '../state/state.js'
import type { Subscription } from './subscription.js'
import { cancelNow, hasEnded, periodEnd, renew } from './subscription-changes.js'
import { pause } from './subscription-pause.js'

const STATUS_WHILE_PAUSED: Record<string, InvoiceTerms['status']> = {
  keep_as_draft: 'draft',
  mark_uncollectible: 'uncollectible',
  void: 'void',
}

/** Stripe acts when something falls due. Here nothing runs in the background, so it happens at the next read. */
export class Renewals {
  constructor(
    private readonly state: State,
    private readonly events: Events,
    private readonly secondaryEvents: SecondaryEvents,
    private readonly invoices: Invoices,
  ) {}

  /**
   * Does whatever is due, with Stripe's events: resumes collection, renews (a trial becomes active) or ends.
   * Safe to repeat.
   */
  catchUp(subscription: Subscription): void {
    this.resumeCollection(subscription)
    const { status, cancel_at } = subscription
    if (hasEnded(subscription)) return
    if (cancel_at !== null && cancel_at <= nowSeconds()) {
      this.end(subscription, cancel_at)
      return
    }
    const isRunning = ['active', 'trialing', 'unpaid'].includes(status)
    if (!isRunning || periodEnd(subscription) > nowSeconds()) return
    if (status === 'trialing' && this.state.withoutMethod.has(subscription.id))
      this.endTrialWithoutMethod(subscription)
    else this.renew(subscription)
  }

  /**
   * As `trial_settings` say: ends, pauses, or by default bills what nobody can pay:
   * https://docs.stripe.com/billing/subscriptions/trials/free-trials#create-free-trials-without-payment.
   */
  private endTrialWithoutMethod(subscription: Subscription): void {
    const missing = subscription.trial_settings?.end_behavior.missing_payment_method
    if (missing === 'cancel') {
      this.end(subscription, periodEnd(subscription))
      return
    }
    const before = structuredClone(subscription)
    if (missing === 'pause') {
      pause(subscription, 'trial_end_without_payment_method')
      this.events.emit('customer.subscription.paused', subscription)
      this.events.emit('customer.subscription.updated', subscription, undefined, before)
      return
    }
    subscription.status = 'past_due'
    renew(subscription, nowSeconds())
    const invoice = this.invoices.issue(subscription, 'subscription_cycle', 'open')
    this.secondaryEvents.ofRenewal(invoice)
    this.invoices.recordFailedAttempt(invoice)
    this.events.emit('invoice.payment_failed', invoice)
    this.events.emit('customer.subscription.updated', subscription, undefined, before)
  }

  private resumeCollection(subscription: Subscription): void {
    const resumesAt = subscription.pause_collection?.resumes_at ?? null
    if (resumesAt === null || resumesAt > nowSeconds()) return
    const before = structuredClone(subscription)
    subscription.pause_collection = null
    this.events.emit('customer.subscription.updated', subscription, undefined, before)
  }

  private end(subscription: Subscription, endedAt: number): void {
    cancelNow(subscription, endedAt)
    this.events.emit('customer.subscription.deleted', subscription)
  }

  /** An unpaid subscription stays so, and its invoices stay drafts, which nobody is asked to pay. */
  private renew(subscription: Subscription): void {
    const before = structuredClone(subscription)
    const isUnpaid = subscription.status === 'unpaid'
    if (!isUnpaid) subscription.status = 'active'
    renew(subscription, nowSeconds())
    const behavior = isUnpaid ? 'keep_as_draft' : subscription.pause_collection?.behavior
    const status = behavior ? STATUS_WHILE_PAUSED[behavior] : 'paid'
    const invoice = this.invoices.issue(subscription, 'subscription_cycle', status)
    const isPaid = status === 'paid'
    if (isPaid) {
      this.secondaryEvents.ofRenewal(invoice)
      this.secondaryEvents.ofPaid(invoice)
    }
    this.events.emit('customer.subscription.updated', subscription, undefined, before)
    if (isPaid) this.events.emit('invoice.paid', invoice)
  }
}
