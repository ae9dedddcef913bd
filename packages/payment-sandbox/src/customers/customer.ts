import type { Stripe } from 'stripe'
import type { Form } from '../http/form.js'
import { metadata, text } from '../http/form-fields.js'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'

export type Customer = Stripe.Customer
export type DeletedCustomer = Stripe.DeletedCustomer

/** A customer with the name, e-mail, phone, description and metadata of the request. */
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
    email: text(params, 'email'),
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
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
  }
}
