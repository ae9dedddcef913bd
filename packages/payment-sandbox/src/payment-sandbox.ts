import type { Server } from 'node:http'
import type { ApiRequest, Fault } from './api.js'
import type { Checkout } from './checkout.js'
import type { Customer } from './customer.js'
import type { DeliveryMode, PaymentEvent } from './event.js'
import { close, listen, urlOf } from './http.js'
import type { PageBrand } from './page.js'
import type { Dashboard } from './portals.js'
import { Provider } from './provider.js'
import type { Simulator } from './simulator.js'
import { State, StateFile } from './state.js'
import type { Subscription } from './subscription.js'

export interface PaymentSandboxOptions {
  /** 0 picks a free port. */
  port: number
  /**
   * Default 127.0.0.1, so that nobody else on the network can reach the sandbox. Requests for other hosts are answered
   * 421, except for addresses, localhost and names without a dot.
   */
  host?: string
  /** The only bearer key that the API accepts. */
  secretKey: string
  /** Where to post events; null for nowhere. */
  webhookUrl: string | null
  /** A certificate (PEM) to trust at the webhook, besides those that Node trusts: one that a machine made for itself. */
  webhookCertificate?: string
  webhookSecret: string
  /** The prices that exist; see `Prices` for what their ids mean. */
  priceIds: string[]
  /** The file that keeps the state across restarts. Without it, the state is in memory only. */
  stateFile?: string
  /** How many events stay listed. Default 20,000, or 500 with a state file, which every change rewrites. */
  maxEvents?: number
  /**
   * Whether to send the `SecondaryEvents` too, as Stripe does. Default true; false helps tests that count
   * events.
   */
  secondaryEvents?: boolean
  /** The `livemode` of all events. Default false. */
  livemode?: boolean
  /** The account that the secret key belongs to. Default `acct_payment_sandbox`. */
  accountId?: string
  /** The name and colours of the pages; neutral ones by default. */
  brand?: PageBrand
}

const MAX_EVENTS = 20_000
const MAX_EVENTS_IN_FILE = 500

function maxEventsOf({ maxEvents, stateFile }: PaymentSandboxOptions): number {
  return maxEvents ?? (stateFile ? MAX_EVENTS_IN_FILE : MAX_EVENTS)
}

/**
 * A local stand-in for Stripe: the part of its HTTP API that we use, hosted pages to pay and to change a
 * subscription, and webhooks. Never part of production.
 */
export class PaymentSandbox {
  /** Without a trailing slash. */
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

  /**
   * A listening sandbox, with the state of its file, if any. Rejects when the port is in use or the file is
   * not ours.
   */
  static async start(options: PaymentSandboxOptions): Promise<PaymentSandbox> {
    const state = new State()
    const file = options.stateFile ? await StateFile.open(options.stateFile, state) : null
    const server = await listen(options.port, options.host ?? '127.0.0.1')
    const { secondaryEvents = true, accountId = 'acct_payment_sandbox' } = options
    const maxEvents = maxEventsOf(options)
    const provider = new Provider(state, { ...options, maxEvents, secondaryEvents, accountId }, urlOf(server))
    provider.updatePageUrls()
    const sandbox = new PaymentSandbox(server, provider, state, file)
    sandbox.livemode = options.livemode ?? false
    sandbox.webhookUrl = options.webhookUrl
    return sandbox
  }

  /** What payers, banks, the clock, and people in Stripe's dashboard do. */
  get simulate(): Simulator {
    return this.provider.simulator
  }

  /** What is configured by hand: change it as somebody would in Stripe's dashboard. */
  get dashboard(): Dashboard {
    return this.provider.dashboard
  }

  get webhookUrl(): string | null {
    return this.provider.deliveries.url
  }

  /** Takes effect at the next attempt; undelivered events go to the new URL. */
  set webhookUrl(url: string | null) {
    this.provider.deliveries.url = url
    this.provider.deliveries.deliverPending()
  }

  get fault(): Fault | null {
    return this.provider.api.fault
  }

  /** Applies to every API call, but not to pages and webhooks, until it is set to null. */
  set fault(fault: Fault | null) {
    this.provider.api.fault = fault
  }

  /** Limits the fault to API calls that contain this id; null, the default, is every call. */
  set faultOnlyFor(id: string | null) {
    this.provider.api.faultOnlyFor = id
  }

  /** The delay of the faults `slow` and `late-answer`. Default 1,000. */
  set slowMs(milliseconds: number) {
    this.provider.api.slowMs = milliseconds
  }

  get slowMs(): number {
    return this.provider.api.slowMs
  }

  /**
   * How later events are delivered. `lateMs`, by default 200, is the delay of `late` and the longest of
   * `shuffled`.
   */
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

  /** The `livemode` of later events and of their objects. */
  set livemode(isLive: boolean) {
    this.provider.events.livemode = isLive
  }

  get livemode(): boolean {
    return this.provider.events.livemode
  }

  /** The last 1,000 API requests, oldest first, answered or not. */
  get requests(): readonly ApiRequest[] {
    return this.provider.api.requests
  }

  /** Copies, oldest first; the same goes for the three below. */
  checkouts(): Checkout[] {
    return structuredClone([...this.state.checkouts.values()].map(({ checkout }) => checkout))
  }

  customers(): Customer[] {
    return structuredClone([...this.state.customers.values()])
  }

  subscriptions(): Subscription[] {
    return structuredClone([...this.state.subscriptions.values()])
  }

  /** `from` skips that many of the oldest. */
  events(from = 0): PaymentEvent[] {
    return structuredClone([...this.state.events.values()].slice(from))
  }

  /** Delivers an event, again if need be, with retries; true once the webhook answered 2xx. */
  async deliver(event: PaymentEvent): Promise<boolean> {
    return this.provider.deliveries.deliver(event)
  }

  /** Resolves when no delivery is in progress or waiting for a retry. */
  async settled(): Promise<void> {
    await this.provider.deliveries.settled()
  }

  /**
   * Stops serving and delivering, and writes the state; safe to repeat. Rejects when the state cannot be
   * written.
   */
  async stop(): Promise<void> {
    await this.provider.deliveries.stop()
    await close(this.server)
    await this.file?.flush()
  }
}
