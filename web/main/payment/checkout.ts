import type { OfferedPlan } from '../../pieces/billing/plans.js'
import { paymentReturnUrl } from '../../pieces/billing/subscription.js'
import { untilLeft } from '../../pieces/leaving.js'
import { call } from '../api.js'

interface StartedCheckout {
  readonly checkoutUrl: string
}

/** The page where payments start, and return to. */
export const BILLING_PAGE = '/account/billing'

/**
 * Leaves for the hosted payment page, which sends the browser back to `returnUrl`, or to the billing page if
 * that is null.
 */
export async function startCheckout(priceId: string | undefined, returnUrl: string | null): Promise<void> {
  const { checkoutUrl } = await call<StartedCheckout>('POST', 'subscription/create', {
    ...(priceId && { priceId }),
    return: returnUrl ?? paymentReturnUrl(`${location.origin}${BILLING_PAGE}`),
  })
  location.assign(checkoutUrl)
  await untilLeft()
}

/** Leaves for the provider's pages about cards, invoices and cancellation, which lead back to the billing page. */
export async function openPortal(): Promise<void> {
  const { url } = await call<{ readonly url: string }>('POST', 'subscription/portal', {
    return: `${location.origin}${BILLING_PAGE}`,
  })
  location.assign(url)
  await untilLeft()
}

/** The plans that are on sale now. */
export async function readPlans(): Promise<readonly OfferedPlan[]> {
  return (await call<{ readonly plans: readonly OfferedPlan[] }>('GET', 'plans')).plans
}
