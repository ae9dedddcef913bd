import type { Stripe } from 'stripe'
import { billedQuantity, type Price } from '../prices/prices.js'
import { totalsOf } from '../prices/totals.js'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'
import type { Subscription } from '../subscriptions/subscription.js'

/** Stripe's `checkout.session`, with references as ids. */
export type Checkout = Omit<Stripe.Checkout.Session, 'customer' | 'subscription' | 'invoice'> & {
  customer: string | null
  subscription: string | null
  invoice: string | null
}

export interface CheckoutLine {
  price: Price
  /** Absent for what is billed by usage. */
  quantity?: number
}

/** A checkout, and what Stripe stores with it but does not return. */
export interface CheckoutRecord {
  checkout: Checkout
  lines: CheckoutLine[]
  subscriptionMetadata: Record<string, string>
  /** The length of the trial; absent in old state files. */
  trialDays?: number | null
  /** What happens when the trial ends without a means of payment; absent in old state files. */
  trialSettings?: Subscription['trial_settings']
  /** What may be saved with a customer who was there before; absent in old state files. */
  customerUpdate?: { address: boolean; name: boolean }
  /** The id of the discount, once a promotion code was entered. */
  discountId?: string
  /** Whether the subscription uses Stripe's older billing mode; absent in old state files. */
  isClassic?: boolean
  /**
   * The id of its invoice to be, and when the payment intent for that was created; absent until a card is declined, the
   * time also in old state files.
   */
  invoiceId?: string
  triedAt?: number
}

/** The fields that the caller chooses; all others are the same for every checkout. */
export type CheckoutTerms = Pick<
  Checkout,
  | 'cancel_url'
  | 'client_reference_id'
  | 'customer'
  | 'customer_email'
  | 'expires_at'
  | 'locale'
  | 'metadata'
  | 'success_url'
> & { mode: CheckoutMode }

/** What the caller chose about the page itself, with Stripe's names. */
export type CheckoutOptions = Pick<
  Checkout,
  | 'allow_promotion_codes'
  | 'allowed_payment_method_types'
  | 'automatic_tax'
  | 'billing_address_collection'
  | 'consent_collection'
  | 'excluded_payment_method_types'
  | 'payment_method_collection'
  | 'payment_method_configuration_details'
  | 'phone_number_collection'
  | 'tax_id_collection'
>

export const CHECKOUT_MODES = ['subscription', 'payment', 'setup'] as const
export type CheckoutMode = (typeof CHECKOUT_MODES)[number]

/**
 * An open, unpaid checkout with its page under `pagesUrl`. `due` is today's amount in cents, before tax; null in a setup.
 */
export function newCheckout(
  terms: CheckoutTerms,
  options: CheckoutOptions & Pick<Checkout, 'payment_method_types'>,
  due: { amount: number; currency: string } | null,
  pagesUrl: string,
): Checkout {
  const amount = due?.amount ?? null
  const id = newId('cs_test_a1', 56)
  return {
    id,
    object: 'checkout.session',
    ...NOT_USED_HERE,
    ...terms,
    ...options,
    amount_subtotal: amount,
    amount_total: amount,
    created: nowSeconds(),
    currency: due?.currency ?? null,
    custom_fields: [],
    custom_text: {
      after_submit: null,
      shipping_address: null,
      submit: null,
      terms_of_service_acceptance: null,
    },
    customer_creation: terms.customer ? null : terms.mode === 'subscription' ? 'always' : 'if_required',
    customer_details: null,
    invoice: null,
    livemode: false,
    payment_status: 'unpaid',
    shipping_options: [],
    status: 'open',
    subscription: null,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    ui_mode: 'hosted_page',
    url: pageUrl(id, pagesUrl),
  }
}

/** The URL of a checkout's hosted page. */
export function pageUrl(checkoutId: string, pagesUrl: string): string {
  return `${pagesUrl}/pay/${checkoutId}`
}

/** Works out what is due today, in a checkout that is still open. */
export function updateTotals({ checkout, discountId }: CheckoutRecord): void {
  if (checkout.amount_subtotal === null) return
  const isDiscounted = discountId !== undefined
  const { discount, tax, total } = totalsOf(checkout.amount_subtotal, {
    isDiscounted,
    isTaxed: checkout.automatic_tax.enabled,
  })
  checkout.amount_total = total
  checkout.total_details = { amount_discount: discount, amount_shipping: 0, amount_tax: tax }
}

/** The sum of the lines, in cents. */
export function totalOf(lines: CheckoutLine[]): number {
  return lines.reduce(
    (sum, line) => sum + (line.price.unit_amount ?? 0) * billedQuantity(line.price, line.quantity),
    0,
  )
}

const NOT_USED_HERE = {
  adaptive_pricing: null,
  after_expiration: null,
  client_secret: null,
  collected_information: null,
  consent: null,
  currency_conversion: null,
  customer_account: null,
  discounts: null,
  integration_identifier: null,
  invoice_creation: null,
  managed_payments: null,
  origin_context: null,
  payment_intent: null,
  payment_link: null,
  payment_method_options: null,
  permissions: null,
  recovered_from: null,
  saved_payment_method_options: null,
  setup_intent: null,
  shipping_address_collection: null,
  shipping_cost: null,
  submit_type: null,
  wallet_options: null,
} satisfies Partial<Checkout>
