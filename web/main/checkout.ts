import type { OfferedPlan } from '../pieces/billing/plans.js'
import { paymentReturnUrl } from '../pieces/billing/subscription.js'
import { call } from './api.js'

interface StartedCheckout {
  readonly checkoutUrl: string
}

/** Leaves for the hosted payment page, which sends the browser back to `returnUrl`; to the overview without one. */
export async function startCheckout(priceId: string | undefined, returnUrl: string | null): Promise<void> {
  const { checkoutUrl } = await call<StartedCheckout>('POST', 'subscription/create', {
    ...(priceId && { priceId }),
    return: returnUrl ?? paymentReturnUrl(`${location.origin}/account`),
  })
  location.assign(checkoutUrl)
}

/**
 * Leaves for the provider's pages about cards, invoices and the end of the subscription, which lead back to the overview.
 */
export async function openPortal(): Promise<void> {
  const { url } = await call<{ readonly url: string }>('POST', 'subscription/portal', {
    return: `${location.origin}/account`,
  })
  location.assign(url)
}

/** What is on sale now. */
export async function readPlans(): Promise<readonly OfferedPlan[]> {
  return (await call<{ readonly plans: readonly OfferedPlan[] }>('GET', 'plans')).plans
}
