import { billedQuantity } from '../prices/prices.js'
import { nowSeconds } from '../state/clock.js'
import type { State } from '../state/state.js'
import type { Subscription } from '../subscriptions/subscription.js'

/**
 * The cost or credit of changes in the middle of a period. Source:
 * https://docs.stripe.com/billing/subscriptions/prorations.
 */
export class Prorations {
  constructor(private readonly state: State) {}

  /**
   * Adds the price difference for the rest of the period, to the second. Nothing is due from or to a trial.
   */
  record(before: Subscription, after: Subscription): void {
    if (before.status === 'trialing' || after.status === 'trialing') return
    const difference = Math.round(remainingValue(after) - remainingValue(before))
    if (difference !== 0) this.state.prorations.set(after.id, this.pending(after) + difference)
  }

  /** The pending amount in cents; negative for a credit. */
  pending({ id }: Subscription): number {
    return this.state.prorations.get(id) ?? 0
  }

  /** The pending amount, which is reset because it goes on an invoice. */
  takePending(subscription: Subscription): number {
    const cents = this.pending(subscription)
    this.state.prorations.delete(subscription.id)
    return cents
  }
}

/** The value of the rest of each item's period, in cents. */
function remainingValue({ items }: Subscription): number {
  const now = nowSeconds()
  return items.data.reduce((sum, { price, quantity, current_period_start, current_period_end }) => {
    const rest =
      Math.max(0, current_period_end - now) / Math.max(1, current_period_end - current_period_start)
    return sum + (price.unit_amount ?? 0) * billedQuantity(price, quantity) * rest
  }, 0)
}
