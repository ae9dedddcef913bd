import Stripe from 'stripe'
import { ApiError } from '../../platform/errors/api-error.js'
import type { PlanCache, RefusedCurrencies, Sale } from '../billing-caches.js'
import { isSold } from '../catalog/plan-catalog.js'
import { callStripe, callStripeOrNull } from './payment-provider.js'

const DETAILS = ['currency_options', 'product']

/** Where to ask about a price, and who has to learn what became of it. */
interface PriceSources {
  readonly stripe: Stripe
  readonly plans: Pick<PlanCache, 'expire'>
  readonly currencies: Pick<RefusedCurrencies, 'add'>
}

/**
 * What to throw for an error of `callStripe` about a price. The provider has no code for what follows, and several
 * wordings, so this asks it. `PLAN_UNAVAILABLE` (409) for a price that is no longer on sale: it is not shown any longer.
 * `CURRENCY_FIXED` (409) if the customer pays in another currency; not before, because the provider remembers a customer's
 * currency even when nothing fixes it any more. Returns `error` unchanged in all other cases, and if the provider does
 * not answer.
 */
export async function refusalOfPrice(
  { stripe, plans, currencies }: PriceSources,
  error: unknown,
  { customer, price }: Sale,
): Promise<unknown> {
  const { code, cause } = error as ApiError
  const isRefused = code === 'PAYMENT_PROVIDER_REFUSED'
  if (!isRefused || !(cause instanceof Stripe.errors.StripeInvalidRequestError)) return error
  try {
    const found = await callStripeOrNull(() => stripe.prices.retrieve(price, { expand: DETAILS }))
    if (!found || !isSold(found)) {
      await plans.expire()
      return new ApiError('PLAN_UNAVAILABLE', { cause })
    }
    const currency = await callStripe(() => currencyOf(stripe, customer))
    const isFixed = currency !== null && !currenciesOf(found).has(currency)
    if (!isFixed) return error
    currencies.add({ customer, price })
    return new ApiError('CURRENCY_FIXED', { cause })
  } catch {
    return error
  }
}

/** Null for a customer who has bought nothing yet, or is gone. */
async function currencyOf(stripe: Stripe, customer: string): Promise<string | null> {
  const found = await stripe.customers.retrieve(customer)
  return found.deleted ? null : (found.currency ?? null)
}

/** A price may have several. */
function currenciesOf({ currency, currency_options: options }: Stripe.Price): ReadonlySet<string> {
  return new Set([currency, ...Object.keys(options ?? {})])
}
