import { Injectable } from '@nestjs/common'
import Stripe from 'stripe'
import { askFor } from './payment-provider.js'

/** What an event is about, as it is at the provider now: the payload is only a hint where to look. */
export interface ProviderLook {
  readonly subscription: Stripe.Subscription | null
  /** The checkout that is open no more; null when the event is not about one. */
  readonly closedCheckoutId: string | null
}

const NOTHING: ProviderLook = { subscription: null, closedCheckoutId: null }

@Injectable()
export class ProviderLooks {
  constructor(private readonly stripe: Stripe) {}

  /** Asks the provider; what it does not know is nothing. Throws as `ask` does. */
  async lookAt(event: Stripe.Event): Promise<ProviderLook> {
    const { object } = event.data
    if (object.object === 'checkout.session') return this.lookAtCheckout(object.id)
    if (object.object === 'subscription') return this.lookAtSubscription(object.id)
    if (object.object === 'invoice')
      return this.lookAtSubscription(object.parent?.subscription_details?.subscription)
    return NOTHING
  }

  private async lookAtCheckout(id: string): Promise<ProviderLook> {
    const checkout = await askFor(() => this.stripe.checkout.sessions.retrieve(id))
    if (!checkout || checkout.status === 'open') return NOTHING
    const isPaid = checkout.payment_status !== 'unpaid'
    const { subscription } = isPaid ? await this.lookAtSubscription(checkout.subscription) : NOTHING
    return { subscription, closedCheckoutId: id }
  }

  private async lookAtSubscription(
    reference: string | Stripe.Subscription | null | undefined,
  ): Promise<ProviderLook> {
    const id = typeof reference === 'string' ? reference : reference?.id
    const subscription = id ? await askFor(() => this.stripe.subscriptions.retrieve(id)) : null
    return { subscription, closedCheckoutId: null }
  }
}
