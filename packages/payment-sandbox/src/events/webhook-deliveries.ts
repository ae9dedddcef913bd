import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { State } from '../state/state.js'
import { type DeliveryMode, firstDelayMs } from './delivery-mode.js'
import type { PaymentEvent } from './event.js'
import { postEvent } from './webhook-request.js'

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
