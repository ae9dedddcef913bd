import type { Stripe } from 'stripe'
import { ApiError } from '../http/api-error.js'

export type Product = Stripe.Product

const CREATED_SECONDS = 1_735_689_600

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

/** The name of a price's product, as in “Team monthly”, in German for `de`. */
export function productName(priceId: string, language: string): string {
  const words = priceId.replace(/^price_/, '').replaceAll('_', ' ')
  return titled(language === 'de' ? inGerman(words) : words)
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
