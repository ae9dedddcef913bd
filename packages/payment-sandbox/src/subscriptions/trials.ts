import type { Events } from '../events/events.js'
import { nowSeconds } from '../state/clock.js'
import type { Subscription } from './subscription.js'
import type { Subscriptions } from './subscriptions.js'
import { endTrialAt } from './trial.js'

// https://docs.stripe.com/billing/subscriptions/trials: the event comes three days before the end.
const NOTICE_SECONDS = 3 * 24 * 60 * 60

export class Trials {
  constructor(
    private readonly events: Events,
    private readonly subscriptions: Subscriptions,
  ) {}

  /**
   * Shortens a trial to its last three days and emits `customer.subscription.trial_will_end`; throws when it
   * is not on trial.
   */
  endSoon(subscriptionId: string): void {
    const subscription = this.onTrial(subscriptionId)
    endTrialAt(subscription, Math.min(subscription.trial_end!, nowSeconds() + NOTICE_SECONDS))
    this.events.emit('customer.subscription.trial_will_end', subscription)
  }

  /** Ends a trial now, as `trial_end=now` does; throws when it is not on trial. */
  end(subscriptionId: string): void {
    this.subscriptions.change(this.onTrial(subscriptionId).id, { trial_end: 'now' })
  }

  private onTrial(subscriptionId: string): Subscription {
    const subscription = this.subscriptions.find(subscriptionId)
    if (subscription.status === 'trialing') return subscription
    throw new Error(`Subscription ${subscriptionId} is not on trial`)
  }
}
