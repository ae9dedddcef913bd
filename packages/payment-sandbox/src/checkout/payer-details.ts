import type { Stripe } from 'stripe'
import type { Form } from '../http/form.js'
import { text } from '../http/form-fields.js'
import type { Checkout, CheckoutRecord } from './checkout.js'

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

export const ADDRESS_FIELDS = ['line1', 'postal_code', 'city', 'country'] as const

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
