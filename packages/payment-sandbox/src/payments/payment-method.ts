import type { Stripe } from 'stripe'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'

/** Stripe's payment method, with its customer as an id. */
export type PaymentMethod = Omit<Stripe.PaymentMethod, 'card' | 'customer'> & {
  card: Stripe.PaymentMethod.Card
  customer: string | null
}

/** Whose card it is; `id` is null if the card is attached to no customer. */
export type Payer = Pick<Stripe.Customer, 'email' | 'name'> & { id: string | null }

/** Stripe's test card that is always declined: https://docs.stripe.com/testing#declined-payments. */
export function newDeclinedCard(payer: Payer): PaymentMethod {
  const card = newCard(payer)
  return { ...card, card: { ...card.card, fingerprint: 'SandboxDeclinedCard', last4: '0002' } }
}

/** Stripe's test card that always succeeds. */
export function newCard({ id: customer, email, name }: Payer): PaymentMethod {
  return {
    id: newId('pm_1', 23),
    object: 'payment_method',
    allow_redisplay: 'limited',
    billing_details: { address: null, email, name: name ?? null, phone: null, tax_id: null },
    card: CARD,
    created: nowSeconds(),
    customer,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  }
}

const CARD = {
  brand: 'visa',
  checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
  country: 'US',
  display_brand: 'visa',
  exp_month: 12,
  exp_year: 2040,
  fingerprint: 'SandboxCard',
  funding: 'credit',
  generated_from: null,
  last4: '4242',
  networks: { available: ['visa'], preferred: null },
  regulated_status: 'unregulated',
  three_d_secure_usage: { supported: true },
  wallet: null,
} satisfies Stripe.PaymentMethod.Card
