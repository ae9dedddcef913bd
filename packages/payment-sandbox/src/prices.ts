import type { Stripe } from 'stripe'
import { monthsAfter, newId, nowSeconds } from './clock.js'
import { ApiError, type Form, textList } from './http.js'

type Product = Stripe.Product

/** Each price has its own product: `price_team_monthly` belongs to `prod_team_monthly`, “Team monthly”. */
export function productIdOf(priceId: string): string {
  return priceId.replace(/^price_/, 'prod_')
}

/** Translated names work without any setup. */
const GERMAN: Readonly<Record<string, string>> = {
  monthly: 'monatlich',
  yearly: 'jährlich',
  basic: 'basis',
}

const FEATURES = ['Your whole team', 'Data entry and reports on every site']
const GERMAN_FEATURES = ['Ihr ganzes Team', 'Dateneingabe und Berichte auf jeder Website']

/** The name of a price's product, as in “Team monthly”. */
export function productName(priceId: string): string {
  return titled(priceId.replace(/^price_/, '').replaceAll('_', ' '))
}

function inGerman(words: string): string {
  return words.replace(/\w+/g, word => GERMAN[word] ?? word)
}

function titled(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** A product for any id that starts with `prod_`; throws 404 resource_missing for other ids. */
export function findProduct(id: string): Product {
  const words = /^prod_(.+)$/.exec(id)?.[1]?.replaceAll('_', ' ')
  if (!words) throw ApiError.missing(404, 'product', id, 'id')
  return {
    id,
    object: 'product',
    active: true,
    created: CREATED_SECONDS,
    default_price: null,
    description: null,
    images: [],
    livemode: false,
    marketing_features: FEATURES.map(name => ({ name })),
    metadata: {
      name_de: titled(inGerman(words)),
      features_de: GERMAN_FEATURES.join(' | '),
    },
    name: titled(words),
    package_dimensions: null,
    shippable: null,
    statement_descriptor: null,
    tax_code: null,
    tax_details: null,
    type: 'service',
    unit_label: null,
    updated: CREATED_SECONDS,
    url: null,
  }
}

/** Stripe's price as it is in JSON, where decimals are strings; the `stripe` package converts them. */
export type Price = Omit<Stripe.Price, 'unit_amount_decimal'> & { unit_amount_decimal: string }

// Fixed: a date that changed at every start would make two answers about one checkout differ.
const CREATED_SECONDS = 1_735_689_600

const MONTHS_OF_A_YEAR = 10

/**
 * The prices that exist. Each costs 10.00 times its position in the list, so that a change of plan is
 * visible, and a yearly one ten months of the price before it, as if two were free. Ids that contain `yearly` are yearly, ids that contain `_eur` are in euros, ids that contain `metered` are
 * billed by usage; all others are monthly, in US dollars and billed by quantity.
 */
export class Prices {
  private readonly prices: Map<string, Price>

  constructor(
    priceIds: string[],
    private readonly archivedProducts: ReadonlySet<string>,
  ) {
    const amountOf = (id: string, index: number) =>
      id.includes('yearly') ? MONTHS_OF_A_YEAR * Math.max(1, index) * 1000 : (index + 1) * 1000
    this.prices = new Map(priceIds.map((id, index) => [id, recurringPrice(id, amountOf(id, index))]))
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

/**
 * The end of a period of the price that starts at `start`, or of that many periods, in seconds since 1970.
 */
export function nextPeriodEnd(price: Price, start: number, periods = 1): number {
  return monthsAfter(start, periods * monthsOf(price))
}

/** The length of the price's period, in months. */
export function monthsOf({ recurring }: Price): number {
  return (recurring?.interval === 'year' ? 12 : 1) * (recurring?.interval_count ?? 1)
}

/**
 * Stripe's legacy form of a recurring price, still on every item. Its decimal amount is a string, as in JSON.
 */
export type Plan = Omit<Stripe.Plan, 'amount_decimal'> & { amount_decimal: string }

export function planOf(price: Price): Plan {
  const { recurring } = price
  return {
    id: price.id,
    object: 'plan',
    active: price.active,
    amount: price.unit_amount,
    amount_decimal: price.unit_amount_decimal,
    billing_scheme: price.billing_scheme,
    created: price.created,
    currency: price.currency,
    interval: recurring!.interval,
    interval_count: recurring!.interval_count,
    livemode: price.livemode,
    metadata: price.metadata,
    meter: recurring!.meter,
    nickname: price.nickname,
    product: price.product as string,
    tiers_mode: null,
    transform_usage: null,
    trial_period_days: null,
    usage_type: recurring!.usage_type,
  }
}

// Round numbers, so that their effect is easy to see.
const TAX_PERCENT = 20
const DISCOUNT_PERCENT = 10

/** The one promotion code that there is: a tenth off every invoice. */
export const PROMOTION_CODE = 'SANDBOX10'

/** In cents: what an amount comes to with the discount of the promotion code, and then the tax, where there are any. */
export function totalsOf(
  subtotal: number,
  { isDiscounted, isTaxed }: { isDiscounted: boolean; isTaxed: boolean },
): { discount: number; tax: number; total: number } {
  const discount = isDiscounted ? Math.round((subtotal * DISCOUNT_PERCENT) / 100) : 0
  const tax = isTaxed ? Math.round(((subtotal - discount) * TAX_PERCENT) / 100) : 0
  return { discount, tax, total: subtotal - discount + tax }
}
