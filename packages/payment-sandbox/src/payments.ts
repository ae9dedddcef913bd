import {
  automaticTax,
  type Checkout,
  type CheckoutRecord,
  needsNoMethod,
  payerDetails,
  sampleDetails,
  takesCard,
} from './checkout.js'
import type { Checkouts } from './checkouts.js'
import { newId, nowSeconds } from './clock.js'
import type { Customer } from './customer.js'
import type { Customers } from './customers.js'
import type { EventCause } from './event.js'
import type { Events, SecondaryEvents } from './events.js'
import { ApiError, type Form } from './http.js'
import { type Invoice, subscriptionIdOf } from './invoice.js'
import type { Invoices } from './invoices.js'
import { paymentIntentIdOf } from './payment.js'
import type { State } from './state.js'
import type { Subscription } from './subscription.js'
import { newSubscription, type Subscriptions } from './subscriptions.js'

export class Payments {
  constructor(
    private readonly state: State,
    private readonly emitters: { readonly events: Events; readonly secondaryEvents: SecondaryEvents },
    private readonly customers: Customers,
    private readonly checkouts: Checkouts,
    private readonly invoices: Invoices,
  ) {}

  /**
   * Completes an open checkout and emits `checkout.session.completed`. For a subscription (active or
   * trialing) it also emits the secondary events before that, and `customer.subscription.created` and
   * `invoice.paid` after. Throws 400 when the checkout is not open, so that paying twice never creates two
   * subscriptions. `details` is what was filled in.
   */
  pay(checkoutId: string, details: Form = sampleDetails()): Checkout {
    const record = this.requireOpen(checkoutId)
    const { mode } = record.checkout
    const isFree = mode === 'setup' || (record.trialDays ?? 0) > 0
    return this.complete(record, isFree ? 'no_payment_required' : 'paid', details)
  }

  /**
   * Completes an open checkout with a payment that takes days: `payment_status` stays unpaid, the
   * subscription incomplete, its invoice open. Throws 400 when the checkout is not open or nothing is due.
   */
  payByBankDebit(checkoutId: string, details: Form = sampleDetails()): Checkout {
    const record = this.requireOpen(checkoutId)
    if (!record.checkout.amount_total) throw refusal('No payment is due for this checkout.')
    return this.complete(record, 'unpaid', details)
  }

  /**
   * The same with a payment that the customer still has to confirm, such as a bank account that is verified by small
   * deposits: its intent is `requires_action`, and `invoice.payment_action_required` is emitted too.
   */
  payUnconfirmed(checkoutId: string, details: Form = sampleDetails()): Checkout {
    const record = this.requireOpen(checkoutId)
    if (!record.checkout.amount_total) throw refusal('No payment is due for this checkout.')
    return this.complete(record, 'unpaid', details, 'requires_action')
  }

  /**
   * Declines a card: the checkout stays open for another one. There is no subscription and no invoice before the
   * payment (https://docs.stripe.com/changelog/basil/2025-03-31/checkout-legacy-subscription-upgrade), so only
   * secondary events are emitted. Throws 400 when the checkout is not open or takes no card.
   */
  decline(checkoutId: string): void {
    const record = this.requireOpen(checkoutId)
    const { amount_total, currency, customer } = record.checkout
    if (!takesCard(record.checkout)) throw refusal('This checkout takes no card.')
    const { email, name = null } = this.knownPayerOf(record.checkout)
    // A card that was declined is attached to nobody.
    const payer = { id: null, email, name }
    const { secondaryEvents } = this.emitters
    if (!amount_total) {
      secondaryEvents.ofDeclinedSetup(customer, payer)
      return
    }
    const isFirstAttempt = record.invoiceId === undefined
    record.invoiceId ??= newId('in_1', 23)
    record.triedAt ??= nowSeconds()
    this.state.changed()
    const due = { id: record.invoiceId, amount_due: amount_total, created: record.triedAt, customer }
    secondaryEvents.ofDeclinedCheckout({ ...due, currency: currency ?? 'usd' }, payer, isFirstAttempt)
  }

  private requireOpen(checkoutId: string): CheckoutRecord {
    const record = this.checkouts.find(checkoutId)
    const { status } = record.checkout
    if (status !== 'open') throw refusal(`This checkout is ${status}.`)
    return record
  }

  private complete(
    record: CheckoutRecord,
    paymentStatus: Checkout['payment_status'],
    details: Form,
    underWay: 'processing' | 'requires_action' = 'processing',
  ): Checkout {
    const { checkout } = record
    const isNew = checkout.customer === null
    const customer = this.payerOf(checkout)
    const given = payerDetails(record, details, { name: customer?.name ?? null })
    if (customer) updateCustomer(customer, given.customer, isNew ? ALL_FIELDS : record.customerUpdate)
    Object.assign(checkout, {
      status: 'complete',
      payment_status: paymentStatus,
      url: null,
      customer: customer?.id ?? null,
      automatic_tax: automaticTax(checkout.automatic_tax.enabled, 'complete'),
      consent: given.consent,
      customer_details: { ...given.customer, email: customer?.email ?? checkout.customer_email },
    } satisfies Partial<Checkout>)
    if (checkout.mode === 'setup') checkout.setup_intent = newId('seti_1', 23)
    if (checkout.mode === 'payment')
      checkout.payment_intent = paymentIntentIdOf({ id: record.invoiceId ?? newId('in_1', 23) })
    const created = checkout.mode === 'subscription' ? this.subscribe(record, customer!) : null
    if (created && paymentStatus === 'unpaid') this.state.paymentsUnderWay.set(created.invoice.id, underWay)
    // Set again, because its customer may be new to the index.
    this.state.checkouts.set(checkout.id, record)
    this.state.changed()
    const { events, secondaryEvents } = this.emitters
    if (created) secondaryEvents.ofCheckout(customer!, created.invoice, record.triedAt, underWay)
    events.emit('checkout.session.completed', checkout)
    if (created) events.emit('customer.subscription.created', created.subscription)
    if (created?.invoice.status === 'paid') events.emit('invoice.paid', created.invoice)
    if (created && underWay === 'requires_action')
      events.emit('invoice.payment_action_required', created.invoice)
    return checkout
  }

  private subscribe(
    record: CheckoutRecord,
    customer: Customer,
  ): { subscription: Subscription; invoice: Invoice } {
    const { checkout } = record
    const subscription = newSubscription(record, customer.id)
    if (needsNoMethod(checkout)) this.state.withoutMethod.set(subscription.id, true)
    const isUnpaid = checkout.payment_status === 'unpaid'
    // https://docs.stripe.com/billing/subscriptions/overview: incomplete while the first payment is pending,
    // too.
    if (isUnpaid) subscription.status = 'incomplete'
    const status = isUnpaid ? 'open' : 'paid'
    const invoice = this.invoices.issue(subscription, 'subscription_create', status, record.invoiceId)
    this.state.subscriptions.set(subscription.id, subscription)
    checkout.subscription = subscription.id
    checkout.invoice = invoice.id
    return { subscription, invoice }
  }

  /** Who pays, as far as the checkout knows before it is complete. */
  private knownPayerOf({ customer, customer_email }: Checkout): Pick<Customer, 'email' | 'name'> {
    return customer ? this.customers.find(customer) : { email: customer_email }
  }

  /** A subscription always has a customer: Stripe creates one when the checkout has none. */
  private payerOf(checkout: Checkout): Customer | null {
    if (checkout.customer) return this.customers.find(checkout.customer)
    if (checkout.mode !== 'subscription') return null
    return this.customers.create(checkout.customer_email ? { email: checkout.customer_email } : {})
  }
}

function refusal(message: string): ApiError {
  return new ApiError(400, 'invalid_request_error', message)
}

const ALL_FIELDS = { address: true, name: true }

/** Saves with the customer what the checkout may: of a customer who is new, everything. */
function updateCustomer(
  customer: Customer,
  { address, business_name, phone }: ReturnType<typeof payerDetails>['customer'],
  update = { address: false, name: false },
): void {
  if (update.address && address) customer.address = address
  if (update.name && business_name) customer.name = business_name
  if (update === ALL_FIELDS && phone) customer.phone = phone
}

/** Bank debits, which succeed or fail days later. */
export class DelayedPayments {
  constructor(
    private readonly emitters: { readonly events: Events; readonly secondaryEvents: SecondaryEvents },
    private readonly checkouts: Checkouts,
    private readonly invoices: Invoices,
    private readonly subscriptions: Subscriptions,
  ) {}

  /** The customer confirms the payment of `payUnconfirmed`. Emits `payment_intent.processing`. */
  confirm(checkoutId: string): void {
    const { checkout } = this.requireUnpaid(checkoutId)
    const paymentIntent = this.invoices.confirmPayment(this.invoices.find(checkout.invoice!))
    this.emitters.events.emit('payment_intent.processing', paymentIntent)
  }

  /** Emits `checkout.session.async_payment_succeeded`. A subscription becomes active, with `invoice.paid`. */
  succeed(checkoutId: string): void {
    const { checkout, triedAt } = this.requireUnpaid(checkoutId)
    checkout.payment_status = 'paid'
    this.emitters.events.emit('checkout.session.async_payment_succeeded', checkout)
    if (checkout.invoice === null) return
    const invoice = this.invoices.find(checkout.invoice)
    const subscription = this.subscriptions.find(checkout.subscription!)
    const before = structuredClone(subscription)
    this.invoices.pay(invoice)
    this.emitters.secondaryEvents.ofPaid(invoice, { triedAt })
    if (subscription.status === 'incomplete') subscription.status = 'active'
    this.emitters.events.emit('customer.subscription.updated', subscription, undefined, before)
    this.emitters.events.emit('invoice.paid', invoice)
  }

  /**
   * Emits `checkout.session.async_payment_failed`, and `invoice.payment_failed` for a subscription, which
   * stays incomplete: Stripe gives the customer 23 hours to pay in another way.
   */
  fail(checkoutId: string): void {
    const { checkout } = this.requireUnpaid(checkoutId)
    this.emitters.events.emit('checkout.session.async_payment_failed', checkout)
    if (checkout.invoice === null) return
    const invoice = this.invoices.find(checkout.invoice)
    this.invoices.recordFailedAttempt(invoice)
    this.emitters.events.emit('invoice.payment_failed', invoice)
  }

  /**
   * Voids the invoice of an incomplete subscription, which becomes `incomplete_expired`, as it would 23 hours
   * later at Stripe. A payment on its way never arrives.
   */
  expire(subscriptionId: string): void {
    const subscription = this.subscriptions.stored(subscriptionId)
    if (subscription.status !== 'incomplete' || !subscription.latest_invoice)
      throw new Error(`Subscription ${subscriptionId} is ${subscription.status}`)
    this.voidUnpaid(this.invoices.find(subscription.latest_invoice as string))
  }

  /**
   * Voids an open invoice and emits `invoice.voided`; an incomplete subscription expires. Throws 400 when it
   * is not open, or when a payment of it is on its way: Stripe's documentation does not say so, but its users do, as in
   * https://github.com/frappe/press/pull/2421.
   */
  void(invoiceId: string, cause?: EventCause): Invoice {
    const invoice = this.invoices.find(invoiceId)
    if (this.invoices.isProcessing(invoice)) throw refusal('A payment of this invoice is processing.')
    return this.voidUnpaid(invoice, cause)
  }

  private voidUnpaid(invoice: Invoice, cause?: EventCause): Invoice {
    this.invoices.void(invoice)
    this.emitters.events.emit('invoice.voided', invoice, cause)
    const subscription = this.subscriptions.stored(subscriptionIdOf(invoice))
    if (subscription.status === 'incomplete') {
      const before = structuredClone(subscription)
      subscription.status = 'incomplete_expired'
      subscription.ended_at = nowSeconds()
      this.emitters.events.emit('customer.subscription.updated', subscription, cause, before)
    }
    return invoice
  }

  private requireUnpaid(checkoutId: string) {
    const record = this.checkouts.find(checkoutId)
    const { status, payment_status, invoice } = record.checkout
    // One that failed may still succeed, unless the invoice was paid in another way or voided since.
    const isDue = invoice === null || this.invoices.find(invoice).status === 'open'
    if (status === 'complete' && payment_status === 'unpaid' && isDue) return record
    throw new Error(`Checkout ${checkoutId} has no pending payment`)
  }
}
