import { Injectable } from '@nestjs/common'
import Stripe from 'stripe'
import { callStripeOrNull } from './payment-provider.js'

/** Which prices are billed by usage. The provider refuses a quantity for those, and there is no other way to know them. */
@Injectable()
export class MeteredPrices {
  /** A price never changes this, so that each is asked for once. */
  private readonly known = new Map<string, boolean>()

  constructor(private readonly stripe: Stripe) {}

  /** `{ quantity }`, or nothing for a price that is billed by usage. Throws like `callStripe`. */
  async quantityOf(priceId: string, quantity: number): Promise<{ quantity?: number }> {
    return (await this.isMetered(priceId)) ? {} : { quantity }
  }

  private async isMetered(priceId: string): Promise<boolean> {
    const known = this.known.get(priceId)
    if (known !== undefined) return known
    const price = await callStripeOrNull(() => this.stripe.prices.retrieve(priceId))
    // The sale itself is then refused, and says why.
    if (!price) return false
    const isMetered = isBilledByUsage(price)
    this.known.set(priceId, isMetered)
    return isMetered
  }
}

export function isBilledByUsage({ recurring }: Stripe.Price): boolean {
  return recurring?.usage_type === 'metered'
}
