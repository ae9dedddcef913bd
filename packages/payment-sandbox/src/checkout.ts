import type { Stripe } from 'stripe'
import { newId, nowSeconds } from './clock.js'
import type { Customer } from './customer.js'
import {
  ApiError,
  emailAddress,
  type Form,
  flag,
  integer,
  metadata,
  nested,
  nestedList,
  oneOf,
  requiredText,
  text,
  textList,
  webUrl,
} from './http.js'
import {
  billedQuantity,
  oneTimePrice,
  type Price,
  type Prices,
  requireNoQuantity,
  totalsOf,
} from './prices.js'
import type { Subscription } from './subscription.js'

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
type CheckoutTerms = Pick<
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
type CheckoutOptions = Pick<
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
type CheckoutMode = (typeof CHECKOUT_MODES)[number]

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

/**
 * What is bought: configured prices in a subscription, `price_data` in a payment (all configured prices are
 * recurring), nothing in a setup. Throws 400 for anything else and for a quantity of 0.
 */
export function checkoutLines(params: Form, mode: CheckoutMode, prices: Prices): CheckoutLine[] {
  const given = nestedList(params, 'line_items')
  if (mode === 'setup' && given.length > 0) throw linesNotAllowed()
  if (mode !== 'setup' && given.length === 0)
    throw ApiError.badParameter('parameter_missing', 'line_items', 'Missing required param: line_items.')
  return given.map((line, index) => {
    const param = `line_items[${index}]`
    const price = mode === 'payment' ? inlinePrice(line, param) : knownPrice(line, `${param}[price]`, prices)
    requireNoQuantity(integer(line, 'quantity'), price, param)
    return price.recurring?.usage_type === 'metered'
      ? { price }
      : { price, quantity: quantityOf(line, param) }
  })
}

function knownPrice(line: Form, param: string, prices: Prices): Price {
  return prices.sold(requiredText(line, 'price', param), param)
}

function inlinePrice(line: Form, param: string): Price {
  const data = nested(line, 'price_data')
  requiredText(data, 'unit_amount', `${param}[price_data][unit_amount]`)
  return oneTimePrice(integer(data, 'unit_amount')!)
}

function quantityOf(line: Form, param: string): number {
  const quantity = integer(line, 'quantity') ?? 1
  if (quantity > 0) return quantity
  const message = 'This value must be greater than or equal to 1.'
  throw ApiError.badParameter('parameter_invalid_integer', `${param}[quantity]`, message)
}

function linesNotAllowed(): ApiError {
  const message = 'You can not pass `line_items` in `setup` mode.'
  return ApiError.badParameter('parameter_invalid', 'line_items', message)
}

// https://docs.stripe.com/api/checkout/sessions/create#create_checkout_session-expires_at
const MIN_LIFETIME_SECONDS = 30 * 60
const MAX_LIFETIME_SECONDS = 24 * 60 * 60

/** The terms of a new checkout; throws 400 for a bad mode, URL, e-mail address, metadata or expires_at. */
export function checkoutTerms(params: Form): CheckoutTerms {
  requiredText(params, 'mode')
  const cancelUrl = text(params, 'cancel_url')
  return {
    cancel_url: cancelUrl && webUrl(cancelUrl, 'cancel_url'),
    client_reference_id: text(params, 'client_reference_id'),
    customer: text(params, 'customer'),
    customer_email: emailAddress(params, 'customer_email'),
    expires_at: expiresAt(integer(params, 'expires_at')),
    locale: text(params, 'locale'),
    metadata: metadata(params),
    mode: oneOf(params, 'mode', CHECKOUT_MODES)!,
    success_url: webUrl(requiredText(params, 'success_url'), 'success_url'),
  }
}

function expiresAt(requested: number | null): number {
  const now = nowSeconds()
  if (requested === null) return now + MAX_LIFETIME_SECONDS
  if (requested >= now + MIN_LIFETIME_SECONDS && requested <= now + MAX_LIFETIME_SECONDS) return requested
  const message =
    'The `expires_at` timestamp must be from 30 minutes to 24 hours after Checkout Session creation.'
  throw ApiError.badParameter('parameter_invalid', 'expires_at', message)
}

/** What may be saved with a customer who was there before. */
type CustomerUpdate = NonNullable<CheckoutRecord['customerUpdate']>

const CARD = 'card'
/** Payment methods whose payment takes days; the first one of the currency is on offer unless the caller chooses. */
const DEBITS = ['us_bank_account', 'sepa_debit', 'acss_debit', 'au_becs_debit', 'bacs_debit'] as const

/** The options of a new checkout; throws 400 for values that Stripe refuses. */
export function checkoutOptions(params: Form): CheckoutOptions {
  const allowed = textList(params, 'allowed_payment_method_types')
  const excluded = textList(params, 'excluded_payment_method_types')
  const configuration = text(params, 'payment_method_configuration')
  return {
    allow_promotion_codes: flag(params, 'allow_promotion_codes'),
    allowed_payment_method_types: allowed.length > 0 ? allowed : null,
    automatic_tax: automaticTax(isEnabled(params, 'automatic_tax')),
    billing_address_collection: oneOf(params, 'billing_address_collection', ['auto', 'required']),
    consent_collection: consentCollection(params),
    ...(excluded.length > 0 && { excluded_payment_method_types: excluded }),
    payment_method_collection: oneOf(params, 'payment_method_collection', COLLECTIONS) ?? 'always',
    payment_method_configuration_details: configuration ? { id: configuration, parent: null } : null,
    phone_number_collection: { enabled: isEnabled(params, 'phone_number_collection') },
    tax_id_collection: {
      enabled: isEnabled(params, 'tax_id_collection'),
      required:
        oneOf(nested(params, 'tax_id_collection'), 'required', TAX_IDS, 'tax_id_collection[required]') ??
        'never',
    },
  }
}

const COLLECTIONS = ['always', 'if_required'] as const
const TAX_IDS = ['if_supported', 'never'] as const

/**
 * What may be saved with the customer. Throws 400, as Stripe does, when there is none yet, and when an option needs what
 * may not be saved. Source: https://docs.stripe.com/tax/checkout and https://docs.stripe.com/tax/checkout/tax-ids.
 */
export function customerUpdate(
  params: Form,
  customer: Customer | null,
  { automatic_tax, tax_id_collection }: CheckoutOptions,
): CustomerUpdate {
  const update = {
    address: mayUpdate(params, 'address'),
    name: mayUpdate(params, 'name'),
  }
  if (!customer) {
    if (!('customer_update' in params)) return update
    throw refusedUpdate('`customer_update` can only be used with `customer`.')
  }
  if (automatic_tax.enabled && !customer.address && !update.address)
    throw new ApiError(
      400,
      'invalid_request_error',
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set `customer_update[address]` to 'auto' to save the billing address entered in Checkout to the Customer.",
      'customer_tax_location_invalid',
    )
  if (tax_id_collection?.enabled && !update.name)
    throw refusedUpdate(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
    )
  return update
}

/** Whether the tax has been worked out, which it is when the page has an address. */
export function automaticTax(
  enabled: boolean,
  status: 'complete' | 'requires_location_inputs' = 'requires_location_inputs',
): Checkout['automatic_tax'] {
  if (!enabled) return { enabled, liability: null, provider: null, status: null }
  return { enabled, liability: { type: 'self' }, provider: 'stripe', status }
}

/** The payment methods of the page; throws 400 when none is left. */
export function paymentMethods(
  { allowed_payment_method_types: allowed, excluded_payment_method_types: excluded = [] }: CheckoutOptions,
  currency: string,
): string[] {
  const usual = [CARD, currency === 'eur' ? 'sepa_debit' : 'us_bank_account']
  const left = (allowed ?? usual).filter(each => !excluded.includes(each))
  if (left.length > 0) return left
  const message =
    'No valid payment method types for this Checkout Session. Please ensure that you have activated payment methods compatible with your chosen currency in your dashboard.'
  throw new ApiError(400, 'invalid_request_error', message)
}

/**
 * Whether it asks for a card: not where another method is wanted, and not to buy something that is free, because others
 * save theirs, unless the caller wants one only if something is due today.
 */
export function takesCard(checkout: Checkout): boolean {
  const { mode, amount_total, payment_method_collection, payment_method_types } = checkout
  if (!payment_method_types.includes(CARD)) return false
  return amount_total !== 0 || (mode !== 'payment' && payment_method_collection !== 'if_required')
}

/** Whether nothing is due today and no means of payment is asked for, so that the subscription has none. */
export function needsNoMethod({ amount_total, payment_method_collection }: Checkout): boolean {
  return amount_total === 0 && payment_method_collection === 'if_required'
}

/** Whether something is due that can be paid by a payment that takes days. */
export function takesDebit({ amount_total, payment_method_types }: Checkout): boolean {
  return Boolean(amount_total) && DEBITS.some(each => payment_method_types.includes(each))
}

function isEnabled(params: Form, name: string): boolean {
  return flag(nested(params, name), 'enabled') === true
}

function consentCollection(params: Form): Checkout['consent_collection'] {
  if (!('consent_collection' in params)) return null
  const consent = nested(params, 'consent_collection')
  return {
    payment_method_reuse_agreement: null,
    promotions: oneOf(consent, 'promotions', ['auto', 'none'], 'consent_collection[promotions]'),
    terms_of_service: oneOf(
      consent,
      'terms_of_service',
      ['none', 'required'],
      'consent_collection[terms_of_service]',
    ),
  }
}

function mayUpdate(params: Form, name: 'address' | 'name'): boolean {
  const update = nested(params, 'customer_update')
  return oneOf(update, name, ['auto', 'never'], `customer_update[${name}]`) === 'auto'
}

function refusedUpdate(message: string): ApiError {
  return ApiError.badParameter('parameter_invalid', 'customer_update', message)
}

/** The fields of the page that a payer fills in. */
export type PayerField =
  | 'line1'
  | 'postal_code'
  | 'city'
  | 'country'
  | 'phone'
  | 'tax_id'
  | 'business_name'
  | 'terms'
  | 'promotions'

const ADDRESS_FIELDS = ['line1', 'postal_code', 'city', 'country'] as const

/** What the page asks for, and whether the payer must fill it in. */
export function askedFields({ checkout }: CheckoutRecord): Map<PayerField, boolean> {
  const { automatic_tax, billing_address_collection, consent_collection } = checkout
  const { phone_number_collection, tax_id_collection } = checkout
  const fields = new Map<PayerField, boolean>()
  if (automatic_tax.enabled || billing_address_collection === 'required')
    for (const field of ADDRESS_FIELDS) fields.set(field, true)
  if (phone_number_collection?.enabled) fields.set('phone', true)
  if (tax_id_collection?.enabled) {
    const isRequired = tax_id_collection.required === 'if_supported'
    fields.set('tax_id', isRequired).set('business_name', isRequired)
  }
  if (consent_collection?.promotions === 'auto') fields.set('promotions', false)
  if (consent_collection?.terms_of_service === 'required') fields.set('terms', true)
  return fields
}

/** Whether everything is there that the payer must fill in. */
export function isFilledIn(record: CheckoutRecord, given: Form): boolean {
  return [...askedFields(record)].every(([field, isRequired]) => !isRequired || text(given, field) !== null)
}

/** What somebody fills in who fills in everything; for payments that do not come from the page. */
export function sampleDetails(): Form {
  return {
    line1: '1 Sandbox Street',
    postal_code: '94103',
    city: 'San Francisco',
    country: 'US',
    phone: '+14155550100',
    tax_id: 'US000000000',
    business_name: 'Sandbox Company',
    terms: 'on',
    promotions: 'on',
  }
}

/** The parts of a complete checkout that follow from what was filled in. */
export function payerDetails(record: CheckoutRecord, given: Form, known: { name: string | null }) {
  const asked = askedFields(record)
  const value = (field: PayerField) => (asked.has(field) ? text(given, field) : null)
  const taxId = value('tax_id')
  const businessName = value('business_name')
  return {
    customer: {
      address: asked.has('line1') ? addressOf(given) : null,
      business_name: businessName,
      individual_name: null,
      name: businessName ?? known.name,
      phone: value('phone'),
      tax_exempt: 'none',
      tax_ids: taxId ? [{ type: taxId.startsWith('US') ? 'us_ein' : 'eu_vat', value: taxId }] : [],
    } satisfies Omit<NonNullable<Checkout['customer_details']>, 'email'>,
    consent: consentOf(asked, given),
  }
}

function addressOf(given: Form): Stripe.Address {
  const [line1, postal_code, city, country] = ADDRESS_FIELDS.map(field => text(given, field))
  return {
    city: city!,
    country: country!,
    line1: line1!,
    line2: null,
    postal_code: postal_code!,
    state: null,
  }
}

function consentOf(asked: Map<PayerField, boolean>, given: Form): Checkout['consent'] {
  if (!asked.has('promotions') && !asked.has('terms')) return null
  return {
    promotions: asked.has('promotions') ? (text(given, 'promotions') ? 'opt_in' : 'opt_out') : null,
    terms_of_service: asked.has('terms') ? 'accepted' : null,
  }
}
