import Stripe from 'stripe'
import { ApiError } from '../../errors/api-error.js'
import { isSold } from '../catalog/plan-catalog.js'
import { callStripe } from './payment-provider.js'

const DETAILS = ['currency_options', 'product']

/** Who was to buy what when the provider refused. */
export interface RefusedSale {
  readonly customer: string
  readonly price: string
}

/**
 * What to throw for an error of `callStripe` about a price: `CURRENCY_FIXED` (409) if the customer pays in another
 * currency, because trying again does not help. The provider has no code for that, and several wordings, so this
 * asks it for both currencies. Returns `error` unchanged if the provider does not answer, and for a price that is not on
 * sale: the provider remembers a customer's currency even when nothing fixes it any more.
 */
export async function refusalOfPrice(
  stripe: Stripe,
  error: unknown,
  { customer, price }: RefusedSale,
): Promise<unknown> {
  const { cause } = error as ApiError
  if (!(cause instanceof Stripe.errors.StripeInvalidRequestError)) return error
  try {
    const [currency, found] = await callStripe(() =>
      Promise.all([currencyOf(stripe, customer), stripe.prices.retrieve(price, { expand: DETAILS })]),
    )
    const isFixed = currency !== null && isSold(found) && !currenciesOf(found).has(currency)
    return isFixed ? new ApiError('CURRENCY_FIXED', { cause }) : error
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
