import type { Server } from 'node:http'
import type { ApiRequest } from './api/api.js'
import type { Fault } from './api/fault.js'
import type { Checkout } from './checkout/checkout.js'
import type { Customer } from './customers/customer.js'
import type { DeliveryMode } from './events/delivery-mode.js'
import type { PaymentEvent } from './events/event.js'
import { close, listen, urlOf } from './http/server.js'
import { keptEventsOf, type PaymentSandboxOptions } from './payment-sandbox-options.js'
import { Provider } from './provider.js'
import { State } from './state/state.js'
import { StateFile } from './state/state-file.js'
import type { Subscription } from './subscriptions/subscription.js'
import type { SubscriptionPatch } from './subscriptions/subscription-patch.js'

/**
 * A stand-in for Stripe on this machine: its HTTP API as far as we use it, hosted pages to pay and to change
 * a subscription, and webhooks. Never part of production.
 */
export class PaymentSandbox {
  /** Without a slash at the end. */
  readonly url: string

  private constructor(
    private readonly server: Server,
    private readonly provider: Provider,
    private readonly state: State,
    private readonly file: StateFile | null,
  ) {
    this.url = urlOf(server)
    server.on('request', (request, reply) => void provider.serve(request, reply))
  }

  /** Listens, with the state of last time if a file is given. Rejects when the port is taken or the file is not ours. */
  static async start(options: PaymentSandboxOptions): Promise<PaymentSandbox> {
    const state = new State()
    const file = options.stateFile ? await StateFile.open(options.stateFile, state) : null
    const server = await listen(options.port, options.host ?? '127.0.0.1')
    const { sideEvents = true, accountId = 'acct_payment_sandbox' } = options
    const keptEvents = keptEventsOf(options)
    const provider = new Provider(state, { ...options, keptEvents, sideEvents, accountId }, urlOf(server))
    provider.movePages()
    const sandbox = new PaymentSandbox(server, provider, state, file)
    sandbox.livemode = options.livemode ?? false
    sandbox.webhookUrl = options.webhookUrl
    return sandbox
  }

  get webhookUrl(): string | null {
    return this.provider.deliveries.url
  }

  /** Takes effect at the next attempt; events that have not arrived yet go to the new URL. */
  set webhookUrl(url: string | null) {
    this.provider.deliveries.url = url
    this.provider.deliveries.deliverPending()
  }

  get fault(): Fault | null {
    return this.provider.api.fault
  }

  /** Goes wrong with every API call, not with pages and webhooks, until it is set to null again. */
  set fault(fault: Fault | null) {
    this.provider.api.fault = fault
  }

  /** An id: then only API calls that name it go wrong; null, as at first, is every call. */
  set faultOnlyFor(id: string | null) {
    this.provider.api.faultOnlyFor = id
  }

  /** How long the faults `slow` and `late-answer` take, in milliseconds; 1,000 unless set. */
  set slowMs(milliseconds: number) {
    this.provider.api.slowMs = milliseconds
  }

  get slowMs(): number {
    return this.provider.api.slowMs
  }

  /** How later events come to the webhook; `lateMs` (200 unless set) is how long `late` and at most `shuffled` wait. */
  set deliveryMode(mode: DeliveryMode) {
    this.provider.deliveries.mode = mode
  }

  get deliveryMode(): DeliveryMode {
    return this.provider.deliveries.mode
  }

  set lateMs(milliseconds: number) {
    this.provider.deliveries.lateMs = milliseconds
  }

  get lateMs(): number {
    return this.provider.deliveries.lateMs
  }

  /** What later events claim of themselves and of their object. */
  set livemode(isLive: boolean) {
    this.provider.events.livemode = isLive
  }

  get livemode(): boolean {
    return this.provider.events.livemode
  }

  /** The last 1,000 API requests that arrived, oldest first, whatever became of them. */
  get requests(): readonly ApiRequest[] {
    return this.provider.api.requests
  }

  /** Copies, oldest first; the same for the three below. */
  checkouts(): Checkout[] {
    return structuredClone([...this.state.checkouts.values()].map(({ checkout }) => checkout))
  }

  customers(): Customer[] {
    return structuredClone([...this.state.customers.values()])
  }

  subscriptions(): Subscription[] {
    return structuredClone([...this.state.subscriptions.values()])
  }

  /** `from` leaves out the first so many. */
  events(from = 0): PaymentEvent[] {
    return structuredClone([...this.state.events.values()].slice(from))
  }

  /** Does what the Pay button does; rejects when the checkout is unknown or not open. */
  async pay(checkoutId: string): Promise<void> {
    this.provider.payments.pay(checkoutId)
    this.provider.deliveries.deliverPending()
  }

  /** Pays with a bank debit: complete, but unpaid, the subscription incomplete. Rejects when it is not open or free. */
  async payLater(checkoutId: string): Promise<void> {
    this.provider.payments.payLater(checkoutId)
    this.provider.deliveries.deliverPending()
  }

  /** How the payment of `payLater` ends; one that failed may still succeed. Rejects when none is on its way. */
  async payAsync(checkoutId: string, outcome: 'succeeded' | 'failed'): Promise<void> {
    if (outcome === 'succeeded') this.provider.delayedPayments.succeed(checkoutId)
    else this.provider.delayedPayments.fail(checkoutId)
    this.provider.deliveries.deliverPending()
  }

  /** An incomplete subscription was not paid in time: it has expired. Rejects when it is not incomplete. */
  async expireFirstPayment(subscriptionId: string): Promise<void> {
    this.provider.delayedPayments.expire(subscriptionId)
    this.provider.deliveries.deliverPending()
  }

  /** Puts an add-on in front of what the subscription has, as in the dashboard; rejects for an unknown price. */
  async addItem(subscriptionId: string, price: string): Promise<void> {
    this.provider.subscriptions.addItem(subscriptionId, price)
    this.provider.deliveries.deliverPending()
  }

  /** Lets an open checkout run out of time; rejects when it is unknown or not open. */
  async expire(checkoutId: string): Promise<void> {
    this.provider.checkouts.expire(checkoutId)
    this.provider.deliveries.deliverPending()
  }

  /** Ends a subscription now; rejects when it is unknown or has ended. */
  async cancel(subscriptionId: string): Promise<void> {
    this.provider.subscriptions.cancel(subscriptionId)
    this.provider.deliveries.deliverPending()
  }

  /** Changes a subscription as if at Stripe, and emits the event; rejects when it is unknown or has ended. */
  async changeSubscription(subscriptionId: string, patch: SubscriptionPatch): Promise<void> {
    this.provider.subscriptions.change(subscriptionId, patch)
    this.provider.deliveries.deliverPending()
  }

  /** A renewal now, or another try at the open invoice, fails: past due, with an open invoice. Rejects when it has ended. */
  async failPayment(subscriptionId: string): Promise<void> {
    this.provider.dunning.failAttempt(subscriptionId, 'invoice.payment_failed')
    this.provider.deliveries.deliverPending()
  }

  /** As `failPayment`, but the bank wants the customer to confirm. */
  async requireAction(subscriptionId: string): Promise<void> {
    this.provider.dunning.failAttempt(subscriptionId, 'invoice.payment_action_required')
    this.provider.deliveries.deliverPending()
  }

  /** The open invoice is paid, the subscription active again; rejects when none is open. */
  async recoverPayment(subscriptionId: string): Promise<void> {
    this.provider.dunning.recover(subscriptionId)
    this.provider.deliveries.deliverPending()
  }

  /** Gives the newest payment back, or `amount` cents of it; rejects when there is nothing (or less) to give. */
  async refund(subscriptionId: string, amount: number | null = null): Promise<void> {
    this.provider.charges.refund(subscriptionId, amount)
    this.provider.deliveries.deliverPending()
  }

  /** The customer's bank disputes the newest payment; the id of the dispute. Rejects when it did so before. */
  async dispute(subscriptionId: string): Promise<string> {
    const { id } = this.provider.charges.dispute(subscriptionId)
    this.provider.deliveries.deliverPending()
    return id
  }

  /** The bank decides; won is won by us. The subscription goes on either way, as at Stripe. */
  async closeDispute(disputeId: string, outcome: 'won' | 'lost'): Promise<void> {
    this.provider.charges.closeDispute(disputeId, outcome)
    this.provider.deliveries.deliverPending()
  }

  /** A trial comes to three days before its end; rejects when it is not on trial. */
  async endTrialSoon(subscriptionId: string): Promise<void> {
    this.provider.trials.endSoon(subscriptionId)
    this.provider.deliveries.deliverPending()
  }

  /** Deletes a customer and ends what it has; rejects when it is unknown or already deleted. */
  async deleteCustomer(customerId: string): Promise<void> {
    this.provider.deletion.delete(customerId)
    this.provider.deliveries.deliverPending()
  }

  /** Delivers an event (again), retrying; true once it got 2xx. */
  async deliver(event: PaymentEvent): Promise<boolean> {
    return this.provider.deliveries.deliver(event)
  }

  /** Resolves when no delivery is under way or waiting to be retried. */
  async settled(): Promise<void> {
    await this.provider.deliveries.settled()
  }

  /** Stops serving and delivering, and writes the state; safe to repeat. Rejects when the state cannot be written. */
  async stop(): Promise<void> {
    await this.provider.deliveries.stop()
    await close(this.server)
    await this.file?.flush()
  }
}
