import { expect, it } from '@jest/globals'
import Stripe from 'stripe'
import { ApiError, PriceRefusals, unavailable } from '../../sources.js'

const SALE = { customer: 'cus_1', price: 'price_1' }

/** Whatever the words: the provider has several for this, and none that it promises. */
const REFUSED = new ApiError('PAYMENT_PROVIDER_REFUSED', {
  cause: new Stripe.errors.StripeInvalidRequestError({ type: 'invalid_request_error', message: 'No.' }),
})

/** A provider that knows this customer and this price, of which it gives in full what is asked for. */
function aProvider(customer: object | Error, price: object) {
  const customers = {
    retrieve: async (id: string) => {
      if (customer instanceof Error) throw customer
      return { id, ...customer }
    },
  }
  const prices = {
    retrieve: async (id: string, { expand = [] }: { expand?: string[] } = {}) => {
      const { currency_options, product, ...rest } = price as Record<string, unknown>
      return {
        id,
        ...rest,
        product: expand.includes('product') ? product : 'prod_1',
        ...(expand.includes('currency_options') && { currency_options }),
      }
    },
  }
  const stripe = { customers, prices } as unknown as Stripe
  return new PriceRefusals(stripe, { expire: async () => undefined } as never)
}

const ON_SALE = { active: true, product: { active: true } }
const IN_EUROS = { ...ON_SALE, currency: 'eur', currency_options: { eur: {} } }
const IN_BOTH = { ...ON_SALE, currency: 'eur', currency_options: { eur: {}, usd: {} } }

it.each<[string, object, object, string]>([
  ['another currency', { currency: 'usd' }, IN_EUROS, 'CURRENCY_FIXED'],
  [
    'another currency, where the price has one',
    { currency: 'usd' },
    { ...ON_SALE, currency: 'eur' },
    'CURRENCY_FIXED',
  ],
  ['the same currency', { currency: 'eur' }, IN_EUROS, 'PAYMENT_PROVIDER_REFUSED'],
  ['one of the currencies of the price', { currency: 'usd' }, IN_BOTH, 'PAYMENT_PROVIDER_REFUSED'],
  [
    'another currency, of a price that is no longer sold',
    { currency: 'usd' },
    { ...IN_EUROS, active: false },
    'PLAN_UNAVAILABLE',
  ],
  [
    'another currency, of a product that is no longer sold',
    { currency: 'usd' },
    { ...IN_EUROS, product: { active: false } },
    'PLAN_UNAVAILABLE',
  ],
  ['no currency yet', { currency: null }, IN_EUROS, 'PAYMENT_PROVIDER_REFUSED'],
  ['nobody any more', { deleted: true }, IN_EUROS, 'PAYMENT_PROVIDER_REFUSED'],
])('a sale is refused to a customer of %s', async (_, customer, price, code) => {
  const refusal = await aProvider(customer, price).explain(REFUSED, SALE)
  // Operators read what the provider has said.
  expect(refusal).toMatchObject({ code, cause: REFUSED.cause })
})

it('the refusal stays what it was where the provider does not say more, or did not refuse at all', async () => {
  const silent = aProvider(new Stripe.errors.StripeConnectionError({ message: 'down' } as never), IN_EUROS)
  expect(await silent.explain(REFUSED, SALE)).toBe(REFUSED)
  const down = unavailable('PAYMENT_PROVIDER_UNAVAILABLE')
  expect(await aProvider({ currency: 'usd' }, IN_EUROS).explain(down, SALE)).toBe(down)
})
