import type { Server } from 'node:http'
import type { ApiRequest } from './api.js'
import type { Checkout } from './checkout.js'
import type { Customer } from './customers.js'
import type { PaymentEvent } from './events.js'
import type { Fault } from './fault.js'
import { close, listen, urlOf } from './http-server.js'
import { Provider } from './provider.js'
import { State } from './state.js'
import { StateFile } from './state-file.js'
import type { Subscription } from './subscription.js'
import type { SubscriptionPatch } from './subscription-changes.js'

export interface PaymentSandboxOptions {
  /** 0 takes a free port. */
  port: number
  /** Default 127.0.0.1: nobody else on the network should see this. */
  host?: string
  /** The one bearer key that is accepted. */
  secretKey: string
  /** Where events are posted; null when they are not. */
  webhookUrl: string | null
  webhookSecret: string
  /** The prices that exist. */
  priceIds: string[]
  /** Where the state survives a restart; without it, it does not. */
  stateFile?: string
}

/**
 * A stand-in for Stripe on this machine: its HTTP API as far as we use it, a hosted checkout page, and
 * webhooks. Never part of production.
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
    const provider = new Provider(state, options, urlOf(server))
    provider.checkouts.moveOpenPages()
    const sandbox = new PaymentSandbox(server, provider, state, file)
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

  events(): PaymentEvent[] {
    return structuredClone([...this.state.events.values()])
  }

  /** Does what the Pay button does; rejects when the checkout is unknown or not open. */
  async pay(checkoutId: string): Promise<void> {
    this.provider.payments.pay(checkoutId)
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
