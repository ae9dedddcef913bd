import Stripe from 'stripe'
import { ApiError } from '../../errors/api-error.js'
import { callStripe } from './payment-provider.js'

/** Who was to buy what when the provider refused. */
export interface RefusedSale {
  readonly customer: string
  readonly price: string
}

/**
 * What to throw for an error of `callStripe` about a price: `CURRENCY_FIXED` (409) if the customer pays in another
 * currency, because trying again does not help. The provider has no code for that, and several wordings, so this
 * asks it for both currencies. The error itself when it does not answer.
 */
export async function refusalOfPrice(
  stripe: Stripe,
  error: unknown,
  { customer, price }: RefusedSale,
): Promise<unknown> {
  const { cause } = error as ApiError
  if (!(cause instanceof Stripe.errors.StripeInvalidRequestError)) return error
  try {
    const [currency, offered] = await callStripe(() =>
      Promise.all([currencyOf(stripe, customer), currenciesOf(stripe, price)]),
    )
    return currency === null || offered.has(currency) ? error : new ApiError('CURRENCY_FIXED', { cause })
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
async function currenciesOf(stripe: Stripe, price: string): Promise<ReadonlySet<string>> {
  const { currency, currency_options: options } = await stripe.prices.retrieve(price, {
    expand: ['currency_options'],
  })
  return new Set([currency, ...Object.keys(options ?? {})])
}
