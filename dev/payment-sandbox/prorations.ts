import { nowSeconds } from './sandbox-clock.js'
import type { State } from './state.js'
import { type Subscription, totalOfItems } from './subscription.js'
import { periodEnd } from './subscription-changes.js'

/** What a change within a period costs or gives back. Source: https://docs.stripe.com/billing/subscriptions/prorations. */
export class Prorations {
  constructor(private readonly state: State) {}

  /** Notes the difference in price for the rest of the period, to the second; a trial costs nothing before and after. */
  note(before: Subscription, after: Subscription): void {
    if (before.status === 'trialing' || after.status === 'trialing') return
    const end = periodEnd(after)
    const start = after.items.data[0]!.current_period_start
    const rest = Math.max(0, end - nowSeconds()) / Math.max(1, end - start)
    const difference = Math.round((totalOfItems(after) - totalOfItems(before)) * rest)
    if (difference !== 0) this.state.prorations.set(after.id, this.of(after) + difference)
  }

  /** What is noted, in cents, less than 0 for a credit. */
  of({ id }: Subscription): number {
    return this.state.prorations.get(id) ?? 0
  }

  /** What is noted, and notes it no more: it is on an invoice now. */
  take(subscription: Subscription): number {
    const cents = this.of(subscription)
    this.state.prorations.delete(subscription.id)
    return cents
  }
}
