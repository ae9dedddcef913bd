import { ApiError } from '../http/api-error.js'
import { nowSeconds } from '../state/clock.js'
import type { State } from '../state/state.js'
import type { Subscription } from '../subscriptions/subscription.js'
import { hasEnded } from '../subscriptions/subscription-changes.js'

/**
 * For a checkout: throws 400 when the customer has a subscription, or an open checkout of one, in another currency.
 * Source: https://docs.stripe.com/billing/customer#currency.
 */
export function requireCurrency(state: State, customer: string, currency: string): void {
  const used = currenciesOf(state, customer).find(each => each !== currency)
  if (used === undefined) return
  const message =
    'You cannot combine currencies on a single customer. This customer has an active subscription, subscription ' +
    `schedule, discount, quote, invoice item or active subscription mode checkout session with currency ${used}.`
  throw new ApiError(400, 'invalid_request_error', message)
}

/** For a change of price: throws 400, in other words than at a checkout, when the subscription has another currency. */
export function requireSameCurrency(subscription: Subscription, currency: string): void {
  if (subscription.currency === currency) return
  const message = `The price specified only supports \`${currency}\`. This doesn't match the expected currency: \`${subscription.currency}\`.`
  throw new ApiError(400, 'invalid_request_error', message)
}

function currenciesOf(state: State, customer: string): string[] {
  const subscriptions = state.subscriptions.ofCustomer(customer).filter(each => !hasEnded(each))
  const open = state.checkouts
    .ofCustomer(customer)
    .map(({ checkout }) => checkout)
    .filter(
      ({ mode, status, expires_at }) =>
        mode === 'subscription' && status === 'open' && expires_at > nowSeconds(),
    )
  return [...subscriptions, ...open].flatMap(({ currency }) => currency ?? [])
}
