import type { Checkouts } from '../checkout/checkouts.js'
import type { CustomerDeletion } from '../customers/customer-deletion.js'
import type { WebhookDeliveries } from '../events/webhook-deliveries.js'
import type { Charges } from '../payments/charges.js'
import type { DelayedPayments } from '../payments/delayed-payments.js'
import type { Payments } from '../payments/payments.js'
import type { Dunning } from '../subscriptions/dunning.js'
import type { SubscriptionPatch } from '../subscriptions/subscription-patch.js'
import type { Subscriptions } from '../subscriptions/subscriptions.js'
import type { Trials } from '../subscriptions/trials.js'

export interface SimulatedServices {
  checkouts: Checkouts
  subscriptions: Subscriptions
  payments: Payments
  delayedPayments: DelayedPayments
  dunning: Dunning
  charges: Charges
  trials: Trials
  deletion: CustomerDeletion
  deliveries: WebhookDeliveries
}

/**
 * Does what payers, their banks, the clock, and people in Stripe's dashboard do, and sends Stripe's events. A
 * method resolves when the change is made, without waiting for the webhook, and rejects when the change is
 * impossible.
 */
export class Simulator {
  constructor(private readonly services: SimulatedServices) {}

  /** Does what the Pay button does; rejects when the checkout is unknown or not open. */
  async pay(checkoutId: string): Promise<void> {
    this.run(({ payments }) => payments.pay(checkoutId))
  }

  /** Declines a card at a checkout, which stays open; rejects when it is unknown or not open. */
  async declineCard(checkoutId: string): Promise<void> {
    this.run(({ payments }) => payments.decline(checkoutId))
  }

  /**
   * Completes a checkout that stays unpaid, its subscription incomplete. Rejects when it is not open or free.
   */
  async payByBankDebit(checkoutId: string): Promise<void> {
    this.run(({ payments }) => payments.payByBankDebit(checkoutId))
  }

  /** The same, where the bank waits for the customer to confirm the payment; `recoverPayment` does that. */
  async payUnconfirmed(checkoutId: string): Promise<void> {
    this.run(({ payments }) => payments.payUnconfirmed(checkoutId))
  }

  /**
   * Ends the payment of `payByBankDebit`; one that failed may still succeed. Rejects when no payment is
   * pending.
   */
  async settleBankDebit(checkoutId: string, outcome: 'succeeded' | 'failed'): Promise<void> {
    this.run(({ delayedPayments }) =>
      outcome === 'succeeded' ? delayedPayments.succeed(checkoutId) : delayedPayments.fail(checkoutId),
    )
  }

  /** Expires a subscription whose first payment did not come in time. Rejects when it is not incomplete. */
  async expireFirstPayment(subscriptionId: string): Promise<void> {
    this.run(({ delayedPayments }) => delayedPayments.expire(subscriptionId))
  }

  /** Lets an open checkout run out of time; rejects when it is unknown or not open. */
  async expire(checkoutId: string): Promise<void> {
    this.run(({ checkouts }) => checkouts.expire(checkoutId))
  }

  /** Ends a subscription now; rejects when it is unknown or has ended. */
  async cancel(subscriptionId: string): Promise<void> {
    this.run(({ subscriptions }) => subscriptions.cancel(subscriptionId))
  }

  /** Changes a subscription as if at Stripe; rejects when it is unknown or has ended. */
  async changeSubscription(subscriptionId: string, patch: SubscriptionPatch): Promise<void> {
    this.run(({ subscriptions }) => subscriptions.change(subscriptionId, patch))
  }

  /** Puts an add-on before the other items, as the dashboard can; rejects for an unknown price. */
  async addItem(subscriptionId: string, price: string): Promise<void> {
    this.run(({ subscriptions }) => subscriptions.addItem(subscriptionId, price))
  }

  /** Pauses a subscription; rejects when it is neither active nor past due nor on trial. */
  async pause(subscriptionId: string): Promise<void> {
    this.run(({ subscriptions }) => subscriptions.pause(subscriptionId))
  }

  /**
   * Fails a payment as `failPayment` does, after which the account is set to pause the subscription. Rejects when it
   * has ended or is paused.
   */
  async pauseAfterFailure(subscriptionId: string): Promise<void> {
    this.run(({ dunning }) => dunning.pauseAfterFailure(subscriptionId))
  }

  /** Resumes a paused subscription with a new period; rejects when it is not paused. */
  async resume(subscriptionId: string): Promise<void> {
    this.run(({ subscriptions }) => subscriptions.resume(subscriptionId, {}))
  }

  /**
   * Fails a renewal, or another attempt at the open invoice, so that the subscription becomes past due.
   * Rejects when the subscription has ended.
   */
  async failPayment(subscriptionId: string): Promise<void> {
    this.run(({ dunning }) => dunning.failPayment(subscriptionId, 'invoice.payment_failed'))
  }

  /** Like `failPayment`, but the bank wants the customer to confirm. */
  async requireAction(subscriptionId: string): Promise<void> {
    this.run(({ dunning }) => dunning.failPayment(subscriptionId, 'invoice.payment_action_required'))
  }

  /** Pays the newest open invoice; the latest one makes the subscription active again. Rejects when none is open. */
  async recoverPayment(subscriptionId: string): Promise<void> {
    this.run(({ dunning }) => dunning.recover(subscriptionId))
  }

  /** Refunds the newest payment, or `amount` cents of it; rejects when less than that is left. */
  async refund(subscriptionId: string, amount: number | null = null): Promise<void> {
    this.run(({ charges }) => charges.refundNewest(subscriptionId, amount))
  }

  /**
   * Has the customer's bank open a dispute over the newest payment; returns its id. Rejects when there was
   * one before.
   */
  async dispute(subscriptionId: string): Promise<string> {
    return this.run(({ charges }) => charges.dispute(subscriptionId)).id
  }

  /**
   * The bank decides; `won` means that we keep the money. The subscription continues either way, as at
   * Stripe.
   */
  async closeDispute(disputeId: string, outcome: 'won' | 'lost'): Promise<void> {
    this.run(({ charges }) => charges.closeDispute(disputeId, outcome))
  }

  /** Brings a trial to three days before its end; rejects when the subscription is not on trial. */
  async endTrialSoon(subscriptionId: string): Promise<void> {
    this.run(({ trials }) => trials.endSoon(subscriptionId))
  }

  /** Ends a trial now: the first paid period begins, or what its settings say where no card was asked for. */
  async endTrial(subscriptionId: string): Promise<void> {
    this.run(({ trials }) => trials.end(subscriptionId))
  }

  /**
   * Deletes a customer, with its subscriptions and open checkouts; rejects when it is unknown or already
   * deleted.
   */
  async deleteCustomer(customerId: string): Promise<void> {
    this.run(({ deletion }) => deletion.delete(customerId))
  }

  private run<T>(change: (services: SimulatedServices) => T): T {
    const result = change(this.services)
    this.services.deliveries.deliverPending()
    return result
  }
}
