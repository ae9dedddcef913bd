import type { Stripe } from 'stripe'
import { newId, nowSeconds } from './clock.js'
import { emailAddress, type Form, metadata, text, textList } from './http.js'

export type Customer = Stripe.Customer
export type DeletedCustomer = Stripe.DeletedCustomer

/** A customer as in the request; throws 400 for an e-mail address or metadata that Stripe refuses. */
export function newCustomer(params: Form): Customer {
  return {
    id: newId('cus_', 14),
    object: 'customer',
    address: null,
    balance: 0,
    created: nowSeconds(),
    currency: null,
    default_source: null,
    delinquent: false,
    description: text(params, 'description'),
    email: emailAddress(params, 'email'),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: false,
    metadata: metadata(params),
    name: text(params, 'name'),
    phone: text(params, 'phone'),
    preferred_locales: textList(params, 'preferred_locales'),
    shipping: null,
    tax_exempt: 'none',
  }
}
