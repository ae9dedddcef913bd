import type { Customer } from '../customers/customer.js'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { flag, nested, oneOf, text, textList } from '../http/form-fields.js'
import type { Checkout, CheckoutOptions, CheckoutRecord } from './checkout.js'

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
