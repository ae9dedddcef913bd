import { untilLeft, watchPage } from '../pieces/router.js'
import { site } from '../pieces/site.js'
import { type OfferedPlan, paymentReturnUrl, type Subscription } from '../pieces/subscription.js'
import { call } from './api.js'

interface StartedCheckout {
  readonly checkoutUrl: string
}

/** The page where payments start, and return to. */
export const BILLING_PAGE = '/account/billing'

/**
 * Leaves for the hosted payment page, which sends the browser back to `returnUrl`, or to the billing page if
 * that is null. Stays with people who have gone to another page meanwhile.
 */
export async function startCheckout(priceId: string | undefined, returnUrl: string | null): Promise<void> {
  const isStillHere = watchPage()
  const { checkoutUrl } = await call<StartedCheckout>('POST', 'subscription/create', {
    ...(priceId && { priceId }),
    return: returnUrl ?? paymentReturnUrl(`${location.origin}${BILLING_PAGE}`),
  })
  if (isStillHere()) await leaveFor(checkoutUrl)
}

/** Leaves for the provider's pages about cards, invoices and cancellation, which lead back to the billing page. */
export async function openPortal(): Promise<void> {
  const isStillHere = watchPage()
  const { url } = await call<{ readonly url: string }>('POST', 'subscription/portal', {
    return: `${location.origin}${BILLING_PAGE}`,
  })
  if (isStillHere()) await leaveFor(url)
}

function leaveFor(url: string): Promise<void> {
  location.assign(url)
  return untilLeft()
}

/** Where nothing is sold: as much of it as is asked for then. */
const NO_SUBSCRIPTION = { state: 'none', limits: {} } as Subscription

/** The account's subscription. */
export async function readOwnSubscription(): Promise<Subscription> {
  return site.takesPayments ? call<Subscription>('GET', 'subscription') : NO_SUBSCRIPTION
}

/** The plans that are on sale now. */
export async function readPlans(): Promise<readonly OfferedPlan[]> {
  if (!site.takesPayments) return []
  return (await call<{ readonly plans: readonly OfferedPlan[] }>('GET', 'plans')).plans
}
