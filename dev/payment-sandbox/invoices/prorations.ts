import { nowSeconds } from '../state/clock.js'
import type { State } from '../state/state.js'
import type { Subscription } from '../subscriptions/subscription.js'

/** What a change within a period costs or gives back. Source: https://docs.stripe.com/billing/subscriptions/prorations. */
export class Prorations {
  constructor(private readonly state: State) {}

  /** Notes the difference in price for the rest of the period, to the second; a trial costs nothing before and after. */
  record(before: Subscription, after: Subscription): void {
    if (before.status === 'trialing' || after.status === 'trialing') return
    const difference = Math.round(restOf(after) - restOf(before))
    if (difference !== 0) this.state.prorations.set(after.id, this.pending(after) + difference)
  }

  /** What is noted, in cents, less than 0 for a credit. */
  pending({ id }: Subscription): number {
    return this.state.prorations.get(id) ?? 0
  }

  /** What is noted, and notes it no more: it is on an invoice now. */
  takePending(subscription: Subscription): number {
    const cents = this.pending(subscription)
    this.state.prorations.delete(subscription.id)
    return cents
  }
}

/** What the rest of each item's period is worth, in cents. */
function restOf({ items }: Subscription): number {
  const now = nowSeconds()
  return items.data.reduce((sum, { price, quantity, current_period_start, current_period_end }) => {
    const rest =
      Math.max(0, current_period_end - now) / Math.max(1, current_period_end - current_period_start)
    return sum + (price.unit_amount ?? 0) * (quantity ?? 1) * rest
  }, 0)
}
