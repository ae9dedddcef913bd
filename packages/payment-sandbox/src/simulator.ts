import { type Api, FAULTS, type Fault } from './api.js'
import type { Charges } from './charges.js'
import type { Checkouts } from './checkouts.js'
import type { CustomerDeletion } from './customer-deletion.js'
import type { Dunning } from './dunning.js'
import { DELIVERY_MODES, type DeliveryMode } from './event.js'
import type { WebhookDeliveries } from './events.js'
import { ApiError, type Form, integer, oneOf } from './http.js'
import type { DelayedPayments, Payments } from './payments.js'
import type { SubscriptionPatch } from './subscription.js'
import type { Subscriptions, Trials } from './subscriptions.js'

interface SimulatedServices {
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

  /**
   * The same, where the bank waits for the customer to confirm the payment. `recoverPayment` does that for a card,
   * `confirmBankDebit` for a debit.
   */
  async payUnconfirmed(checkoutId: string): Promise<void> {
    this.run(({ payments }) => payments.payUnconfirmed(checkoutId))
  }

  /** Confirms the payment of `payUnconfirmed`, which then takes days. Rejects when none waits for that. */
  async confirmBankDebit(checkoutId: string): Promise<void> {
    this.run(({ delayedPayments }) => delayedPayments.confirm(checkoutId))
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

  /**
   * Pays the newest open invoice; the latest one makes the subscription active again. Rejects when none is open, or a
   * payment of it is on its way.
   */
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

/** Each takes the id of a checkout, a subscription, a dispute or a customer. */
const SIMULATIONS = {
  'card-declined': (simulate, id) => simulate.declineCard(id),
  'checkout-expires': (simulate, id) => simulate.expire(id),
  'payment-needs-action': (simulate, id) => simulate.payUnconfirmed(id),
  'payment-confirmed': (simulate, id) => simulate.confirmBankDebit(id),
  'payment-succeeds': (simulate, id) => simulate.settleBankDebit(id, 'succeeded'),
  'payment-fails': (simulate, id) => simulate.settleBankDebit(id, 'failed'),
  'first-payment-expires': (simulate, id) => simulate.expireFirstPayment(id),
  'renewal-fails': (simulate, id) => simulate.failPayment(id),
  'renewal-needs-action': (simulate, id) => simulate.requireAction(id),
  'invoice-paid': (simulate, id) => simulate.recoverPayment(id),
  'trial-ends-soon': (simulate, id) => simulate.endTrialSoon(id),
  'trial-ends': (simulate, id) => simulate.endTrial(id),
  paused: (simulate, id) => simulate.pause(id),
  'paused-after-failure': (simulate, id) => simulate.pauseAfterFailure(id),
  resumed: (simulate, id) => simulate.resume(id),
  canceled: (simulate, id) => simulate.cancel(id),
  refunded: (simulate, id) => simulate.refund(id),
  disputed: (simulate, id) => simulate.dispute(id),
  'dispute-won': (simulate, id) => simulate.closeDispute(id, 'won'),
  'dispute-lost': (simulate, id) => simulate.closeDispute(id, 'lost'),
  'customer-deleted': (simulate, id) => simulate.deleteCustomer(id),
} satisfies Record<string, (simulate: Simulator, id: string) => Promise<unknown>>

export type Simulation = keyof typeof SIMULATIONS

/**
 * Runs the simulation of that name. Rejects with an ApiError: 404 for an unknown name or id, 409 when it is
 * impossible now.
 */
export async function runSimulation(name: string, id: string, simulator: Simulator): Promise<void> {
  if (!Object.hasOwn(SIMULATIONS, name))
    throw new ApiError(404, 'invalid_request_error', `There is no simulation called '${name}'`)
  try {
    await SIMULATIONS[name as Simulation](simulator, id)
  } catch (error) {
    // A plain Error says that the object is in the wrong state; a TypeError or the like is a bug.
    if ((error as Error).constructor !== Error) throw error
    throw new ApiError(409, 'invalid_request_error', (error as Error).message)
  }
}

export const NO_FAULT = 'none'

/** Which fault the API shows, and how events are delivered. Times are in milliseconds. */
export interface SettingValues {
  fault: Fault | typeof NO_FAULT
  slowMs: number
  delivery: DeliveryMode
  lateMs: number
}

/** The settings that the overview page and programs in other processes can change. */
export class SandboxSettings {
  constructor(
    private readonly api: Api,
    private readonly deliveries: WebhookDeliveries,
  ) {}

  get current(): SettingValues {
    const { api, deliveries } = this
    return {
      fault: api.fault ?? NO_FAULT,
      slowMs: api.slowMs,
      delivery: deliveries.mode,
      lateMs: deliveries.lateMs,
    }
  }

  /** Changes the settings that are in the form; throws 400, and changes nothing, when a value is invalid. */
  update(fields: Form): void {
    const fault = oneOf(fields, 'fault', [NO_FAULT, ...FAULTS])
    const delivery = oneOf(fields, 'delivery', DELIVERY_MODES)
    const slowMs = integer(fields, 'slowMs')
    const lateMs = integer(fields, 'lateMs')
    if (fault) this.api.fault = fault === NO_FAULT ? null : fault
    if (delivery) this.deliveries.mode = delivery
    this.api.slowMs = slowMs ?? this.api.slowMs
    this.deliveries.lateMs = lateMs ?? this.deliveries.lateMs
  }
}
