import { createHmac } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import * as http from 'node:http'
import * as https from 'node:https'
import { setTimeout as wait } from 'node:timers/promises'
import { rootCertificates } from 'node:tls'
import pLimit from 'p-limit'
import Stripe from 'stripe'
import { newId, nowSeconds } from './clock.js'
import type { Customer } from './customer.js'
import { type DeliveryMode, type EventCause, firstDelayMs, type PaymentEvent } from './event.js'
import { ApiError, createdWithin, type Form, flag, text, textList } from './http.js'
import type { Invoice } from './invoice.js'
import {
  type Due,
  declinedPaymentIntent,
  newCard,
  newCharge,
  newDeclinedCard,
  newDeclinedCharge,
  newDeclinedSetupIntent,
  newSetupIntent,
  type Payer,
  paymentIntentOf,
} from './payment.js'
import type { State } from './state.js'
import { type Subscription, shown } from './subscription.js'

const NOBODY: EventCause = { id: null, idempotency_key: null }

export class Events {
  /** The `livemode` of later events and of their objects. */
  livemode = false

  constructor(
    private readonly state: State,
    private readonly hasWebhook: () => boolean,
    private readonly maxEvents: number,
    private readonly hasSecondaryEvents: boolean,
  ) {}

  /**
   * Records an event with a copy of the object as it is now. For an update, `before` is a copy of the object
   * as it was. The code that answers the request then calls `deliverPending`.
   */
  emit(type: string, changedObject: object, cause: EventCause = NOBODY, before?: object): void {
    const { livemode } = this
    const object = asShown(changedObject)
    const event: PaymentEvent = {
      id: newId('evt_1', 23),
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: nowSeconds(),
      data: {
        object: { ...structuredClone(object), livemode },
        ...(before && { previous_attributes: changed(asShown(before), object) }),
      },
      livemode,
      pending_webhooks: this.hasWebhook() ? 1 : 0,
      request: cause,
      type,
    }
    this.state.events.set(event.id, event)
    if (event.pending_webhooks > 0) this.state.undelivered.set(event.id, event)
    for (const id of this.state.events.keys()) {
      if (this.state.events.size <= this.maxEvents) break
      this.state.events.delete(id)
    }
    this.state.changed()
  }

  /**
   * Like `emit`, for events that say nothing about the state of a subscription; does nothing when they are
   * switched off.
   */
  emitSecondary(type: string, object: object, cause?: EventCause, before?: object): void {
    if (this.hasSecondaryEvents) this.emit(type, object, cause, before)
  }

  /** The event; throws 404 resource_missing when it is unknown or no longer stored. */
  find(id: string): PaymentEvent {
    const event = this.state.events.get(id)
    if (!event) throw ApiError.missing(404, 'event', id, 'id')
    return event
  }

  /**
   * Newest first, filtered by `type` (with wildcards such as `invoice.*`), `types`, `created` and
   * `delivery_success`.
   */
  list(params: Form): PaymentEvent[] {
    const isInRange = createdWithin(params)
    const type = text(params, 'type')
    const types = textList(params, 'types')
    const isDelivered = flag(params, 'delivery_success')
    return [...this.state.events.values()].reverse().filter(event => {
      if (type !== null && !matches(event.type, type)) return false
      if (types.length > 0 && !types.includes(event.type)) return false
      if (isDelivered !== null && isDelivered !== (event.pending_webhooks === 0)) return false
      return isInRange(event)
    })
  }
}

function asShown(object: object): object {
  return (object as Subscription).object === 'subscription' ? shown(object as Subscription) : object
}

function changed(before: object, after: object): object {
  const now = new Map<string, unknown>(Object.entries(after))
  return Object.fromEntries(
    Object.entries(before).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(now.get(name))),
  )
}

function matches(type: string, pattern: string): boolean {
  return pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : type === pattern
}

// Long enough for a breakpoint; Stripe does not publish its timeout.
const TIMEOUT_MS = 20_000

/**
 * Posts a signed event once. True for a 2xx answer; false for any other, for none within 20 s, and after
 * `signal`. `certificate` (PEM) is trusted besides Node's own.
 */
async function postEvent(
  url: string,
  event: PaymentEvent,
  secret: string,
  signal: AbortSignal,
  certificate?: string,
): Promise<boolean> {
  const body = JSON.stringify(event, null, 2)
  const headers = {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Stripe-Signature': signatureHeader(body, secret),
    'User-Agent': 'Stripe/1.0 (payment sandbox)',
  }
  const { request } = url.startsWith('https:') ? https : http
  const trust = certificate && { ca: [...rootCertificates, certificate], allowPartialTrustChain: true }
  return new Promise(resolve => {
    const fail = () => resolve(false)
    // A new connection each time: one that stayed open would keep the receiver from stopping.
    const options = { method: 'POST', headers, agent: false, timeout: TIMEOUT_MS, signal, ...(trust || {}) }
    const post = request(url, options)
    post.on('error', fail).on('timeout', () => post.destroy())
    post.on('close', fail)
    post.on('response', response => {
      response.resume()
      resolve(Math.floor(response.statusCode! / 100) === 2)
    })
    post.end(body)
  })
}

/**
 * Signed again for every attempt, so that a retry is not refused as too old. Source:
 * https://docs.stripe.com/webhooks/signature.
 */
function signatureHeader(body: string, secret: string): string {
  const seconds = nowSeconds()
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`
}

// Stripe retries for three days (https://docs.stripe.com/webhooks#retries); about three minutes are enough
// for development.
const RETRY_DELAYS_MS = [200, 1_000, 5_000, ...Array<number>(12).fill(15_000)]

// Each attempt opens its own connection: thousands at once would exhaust the ports.
const MAX_CONNECTIONS = 32

/** Posts events to the webhook, concurrently and in no guaranteed order, like Stripe. */
export class WebhookDeliveries {
  url: string | null = null
  mode: DeliveryMode = 'normal'
  /** The delay of `late` and the longest delay of `shuffled`, in milliseconds. */
  lateMs = 200
  private readonly inProgress = new Set<Promise<boolean>>()
  private readonly stopping = new AbortController()
  private readonly limit = pLimit(MAX_CONNECTIONS)

  constructor(
    private readonly state: State,
    private readonly secret: string,
    private readonly certificate?: string,
  ) {
    // Every delivery adds a listener; Node would warn about the eleventh.
    setMaxListeners(0, this.stopping.signal)
  }

  /** Starts the delivery of every undelivered event, as `mode` says; safe to repeat. */
  deliverPending(): void {
    if (this.url === null) return
    for (const event of this.state.undelivered.values()) {
      this.state.undelivered.delete(event.id)
      void this.track(this.deliverInMode(event))
    }
  }

  /**
   * Delivers one event now, with retries; true once the webhook answered 2xx, false after giving up, without
   * a URL or when stopped.
   */
  deliver(event: PaymentEvent): Promise<boolean> {
    return this.track(this.deliverWithRetries(event))
  }

  /** Resolves when every event is delivered or given up, including those that are emitted meanwhile. */
  async settled(): Promise<void> {
    this.deliverPending()
    while (this.inProgress.size > 0) await Promise.all(this.inProgress)
  }

  /** Aborts all deliveries. With a state file, the next start resumes them. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all(this.inProgress)
  }

  private track(delivery: Promise<boolean>): Promise<boolean> {
    this.inProgress.add(delivery)
    return delivery.finally(() => this.inProgress.delete(delivery))
  }

  private async deliverInMode(event: PaymentEvent): Promise<boolean> {
    const { mode } = this
    const delay = firstDelayMs(mode, this.lateMs)
    if (delay > 0 && !(await this.pause(delay))) return false
    const isDelivered = await this.deliverWithRetries(event)
    if (isDelivered && mode === 'twice') await this.post(event)
    return isDelivered
  }

  private async deliverWithRetries(event: PaymentEvent): Promise<boolean> {
    for (const delay of [...RETRY_DELAYS_MS, null]) {
      if (this.url === null) break
      if (await this.post(event)) return this.markDelivered(event)
      if (delay === null || !(await this.pause(delay))) return false
    }
    // Not given up: deliverPending starts again once there is a URL.
    const stored = this.state.events.get(event.id) ?? event
    if (stored.pending_webhooks > 0) this.state.undelivered.set(stored.id, stored)
    return false
  }

  private post(event: PaymentEvent): Promise<boolean> {
    const sent: PaymentEvent = { ...event, pending_webhooks: 1 }
    const { secret, certificate } = this
    const { signal } = this.stopping
    return this.limit(async () => this.url !== null && postEvent(this.url, sent, secret, signal, certificate))
  }

  private markDelivered(event: PaymentEvent): true {
    event.pending_webhooks = 0
    this.state.changed()
    return true
  }

  private async pause(milliseconds: number): Promise<boolean> {
    const { signal } = this.stopping
    return wait(milliseconds, true, { ref: false, signal }).catch(() => false)
  }
}

/**
 * The events about cards, payment intents, charges and drafts that Stripe sends besides those about the
 * subscription: most of what a webhook receives. The only state they change is the customer's currency.
 */
export class SecondaryEvents {
  constructor(private readonly events: Events) {}

  /**
   * For a completed checkout; `invoice` is paid, or open while the payment is pending. `triedAt`: when a card was
   * declined before, which created the payment intent. `underWay`: what has become of it while it is open.
   */
  ofCheckout(
    customer: Customer,
    invoice: Invoice,
    triedAt: number | undefined,
    underWay: 'processing' | 'requires_action',
  ): void {
    const card = newCard(customer)
    this.events.emitSecondary('payment_method.attached', card)
    this.ofCurrency(customer, invoice.currency)
    this.ofNewInvoice(invoice)
    if (invoice.amount_due > 0) this.ofNewPayment(invoice, card.id, triedAt, underWay)
    else this.ofSavedCard(customer, card.id)
    if (invoice.status === 'paid') this.ofPaid(invoice, { card: card.id, triedAt })
  }

  /** For the invoice of a period that begins, before anybody has tried to collect it. */
  ofRenewal(invoice: Invoice): void {
    this.ofNewInvoice(invoice)
    if (invoice.amount_due > 0) this.ofNewPaymentIntent(invoice)
  }

  /** For a card that was declined in a checkout, which creates nothing but an intent. */
  ofDeclinedCheckout(due: Due, payer: Payer, isFirstAttempt: boolean): void {
    if (isFirstAttempt) this.ofNewPaymentIntent(due)
    this.ofDeclined(due, payer)
  }

  /** For a card that was declined when it was only to be saved, for this customer if there is one already. */
  ofDeclinedSetup(customer: string | null, payer: Payer): void {
    const setupIntent = newDeclinedSetupIntent(customer, newDeclinedCard(payer))
    this.events.emitSecondary('setup_intent.created', { ...setupIntent, last_setup_error: null })
    this.events.emitSecondary('setup_intent.setup_failed', setupIntent)
  }

  /** For a card that was declined. */
  ofDeclined(due: Due, payer: Payer): void {
    const card = newDeclinedCard(payer)
    const charge = newDeclinedCharge(due, card)
    this.events.emitSecondary('charge.failed', charge)
    this.events.emitSecondary('payment_intent.payment_failed', declinedPaymentIntent(due, charge, card))
  }

  /** For an invoice that has been paid. `triedAt` as in {@link ofCheckout}. */
  ofPaid(
    invoice: Invoice,
    { card = null, triedAt }: { card?: string | null; triedAt?: number | undefined } = {},
  ) {
    if (invoice.amount_paid > 0) {
      this.events.emitSecondary('charge.succeeded', newCharge(invoice))
      const paymentIntent = paymentIntentOf(withIntentOf(invoice, triedAt), 'succeeded', card)
      this.events.emitSecondary('payment_intent.succeeded', paymentIntent)
    }
    this.events.emitSecondary('invoice.payment_succeeded', invoice)
  }

  /** Sets the customer's currency, as Stripe does with the first invoice. */
  private ofCurrency(customer: Customer, currency: string): void {
    if (customer.currency) return
    const before = structuredClone(customer)
    customer.currency = currency
    this.events.emitSecondary('customer.updated', customer, undefined, before)
  }

  private ofNewInvoice(invoice: Invoice): void {
    const { status_transitions, ...rest } = invoice
    const draft: Invoice = {
      ...rest,
      amount_paid: 0,
      amount_remaining: invoice.amount_due,
      attempt_count: 0,
      attempted: false,
      effective_at: null,
      ending_balance: null,
      number: null,
      status: 'draft',
      status_transitions: { ...status_transitions, finalized_at: null, paid_at: null },
    }
    const { effective_at, ending_balance, number } = invoice
    const finalized_at = status_transitions.finalized_at
    this.events.emitSecondary('invoice.created', draft)
    this.events.emitSecondary('invoice.finalized', {
      ...draft,
      effective_at,
      ending_balance,
      number,
      status: 'open',
      status_transitions: { ...draft.status_transitions, finalized_at },
    } satisfies Invoice)
  }

  private ofNewPaymentIntent(due: Due): void {
    const paymentIntent = paymentIntentOf(due, 'requires_payment_method', null)
    this.events.emitSecondary('payment_intent.created', paymentIntent)
  }

  private ofNewPayment(
    invoice: Invoice,
    card: string,
    triedAt: number | undefined,
    underWay: 'processing' | 'requires_action',
  ): void {
    if (triedAt === undefined) this.ofNewPaymentIntent(invoice)
    if (invoice.status !== 'open') return
    const paymentIntent = paymentIntentOf(withIntentOf(invoice, triedAt), underWay, card)
    this.events.emitSecondary(`payment_intent.${underWay}`, paymentIntent)
  }

  private ofSavedCard(customer: Customer, card: string): void {
    const setupIntent = newSetupIntent(customer.id, card)
    this.events.emitSecondary('setup_intent.created', setupIntent)
    this.events.emitSecondary('setup_intent.succeeded', setupIntent)
  }
}

/** The invoice as what its payment intent was created for: with itself, or with an attempt before. */
function withIntentOf(invoice: Invoice, triedAt: number | undefined): Due {
  return triedAt === undefined ? invoice : { ...invoice, created: triedAt }
}
