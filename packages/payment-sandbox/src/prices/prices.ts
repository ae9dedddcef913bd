import type { Stripe } from 'stripe'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { textList } from '../http/form-fields.js'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'
import { productIdOf } from './products.js'

/** Stripe's price as it is in JSON, where decimals are strings; the `stripe` package converts them. */
export type Price = Omit<Stripe.Price, 'unit_amount_decimal'> & { unit_amount_decimal: string }

// Fixed: a date that changed at every start would make two answers about one checkout differ.
const CREATED_SECONDS = 1_735_689_600

/**
 * The prices that exist. Each costs 10.00 times its position in the list, so that a change of plan is
 * visible. Ids that contain `yearly` are yearly, ids that contain `_eur` are in euros, ids that contain `metered` are
 * billed by usage; all others are monthly, in US dollars and billed by quantity.
 */
export class Prices {
  private readonly prices: Map<string, Price>

  constructor(
    priceIds: string[],
    private readonly archivedProducts: ReadonlySet<string>,
  ) {
    this.prices = new Map(priceIds.map((id, index) => [id, recurringPrice(id, (index + 1) * 1000)]))
  }

  /** All prices, in the configured order. */
  all(): Price[] {
    return [...this.prices.values()]
  }

  /** The price that a parameter names; throws 400 resource_missing, naming `param`. */
  find(id: string, param: string): Price {
    const price = this.prices.get(id)
    if (!price) throw ApiError.missing(400, 'price', id, param)
    return price
  }

  /** Like `find`; also throws 400 for a price of an archived product, in Stripe's words. */
  sold(id: string, param: string): Price {
    const price = this.find(id, param)
    if (!this.archivedProducts.has(price.product as string)) return price
    const message = `The price with ID ${id} is not available to be purchased because its product is not active.`
    throw new ApiError(400, 'invalid_request_error', message)
  }

  /**
   * The price that a path names, with `currency_options` where `expand[]` names them; throws 404 resource_missing.
   * Source: https://docs.stripe.com/api/prices/object#price_object-currency_options.
   */
  retrieved(id: string, params: Form): object {
    const price = this.prices.get(id)
    if (!price) throw ApiError.missing(404, 'price', id, 'price')
    if (!textList(params, 'expand').includes('currency_options')) return price
    const { currency, custom_unit_amount, tax_behavior, unit_amount, unit_amount_decimal } = price
    const option = { custom_unit_amount, tax_behavior, unit_amount, unit_amount_decimal }
    return { ...price, currency_options: { [currency]: option } }
  }
}

/** Throws 400 for a quantity of what is billed by usage; the message is Stripe's. */
export function requireNoQuantity(quantity: number | null, { recurring }: Price, param: string): void {
  if (quantity === null || recurring?.usage_type !== 'metered') return
  const message = `Quantity should not be specified where usage_type is \`metered\`. Remove quantity from \`${param}\``
  throw ApiError.badParameter('parameter_invalid', `${param}[quantity]`, message)
}

/** How many to multiply the amount of a price by for one period: none of what is billed by usage, as nobody uses it. */
export function billedQuantity({ recurring }: Price, quantity = 1): number {
  return recurring?.usage_type === 'metered' ? 0 : quantity
}

/** A one-time price, which the checkout request defines itself. */
export function oneTimePrice(amount: number): Price {
  const id = newId('price_1', 23)
  return { ...recurringPrice(id, amount), created: nowSeconds(), recurring: null, type: 'one_time' }
}

function recurringPrice(id: string, amount: number): Price {
  const isMetered = id.includes('metered')
  return {
    id,
    object: 'price',
    active: true,
    billing_scheme: 'per_unit',
    created: CREATED_SECONDS,
    currency: id.includes('_eur') ? 'eur' : 'usd',
    custom_unit_amount: null,
    livemode: false,
    lookup_key: null,
    metadata: {},
    nickname: null,
    product: productIdOf(id),
    recurring: {
      interval: id.includes('yearly') ? 'year' : 'month',
      interval_count: 1,
      meter: isMetered ? id.replace(/^price_/, 'mtr_') : null,
      trial_period_days: null,
      usage_type: isMetered ? 'metered' : 'licensed',
    },
    tax_behavior: 'unspecified',
    tiers_mode: null,
    transform_quantity: null,
    type: 'recurring',
    unit_amount: amount,
    unit_amount_decimal: String(amount),
  }
}
