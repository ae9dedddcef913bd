import { setMaxListeners } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import pLimit from 'p-limit'
import type { State } from '../state/state.js'
import { type DeliveryMode, firstDelayMs } from './delivery-mode.js'
import type { PaymentEvent } from './event.js'
import { postEvent } from './webhook-request.js'

// Stripe goes on for three days (https://docs.stripe.com/webhooks#retries); who develops waits about three minutes.
const RETRY_DELAYS_MS = [200, 1_000, 5_000, ...Array<number>(12).fill(15_000)]

// Each attempt is a connection of its own: thousands at once would use up the ports.
const MAX_CONNECTIONS = 32

/** Posts events to the webhook: all at once and in no promised order, like Stripe. */
export class WebhookDeliveries {
  url: string | null = null
  mode: DeliveryMode = 'normal'
  /** How long `late` and, at most, `shuffled` wait. */
  lateMs = 200
  private readonly inProgress = new Set<Promise<boolean>>()
  private readonly stopping = new AbortController()
  private readonly limit = pLimit(MAX_CONNECTIONS)

  constructor(
    private readonly state: State,
    private readonly secret: string,
  ) {
    // Every delivery listens; Node would warn of the eleventh.
    setMaxListeners(0, this.stopping.signal)
  }

  /** Begins the delivery, as `mode` says, of every event that has not arrived and was not begun; safe to repeat. */
  deliverPending(): void {
    if (this.url === null) return
    for (const event of this.state.undelivered.values()) {
      this.state.undelivered.delete(event.id)
      void this.track(this.deliverInMode(event))
    }
  }

  /** Delivers one event at once, retrying; true once it got 2xx, false when it gave up, had no URL, or was stopped. */
  deliver(event: PaymentEvent): Promise<boolean> {
    return this.track(this.deliverWithRetries(event))
  }

  /** Resolves when every event has arrived or was given up, including those that come up meanwhile. */
  async settled(): Promise<void> {
    this.deliverPending()
    while (this.inProgress.size > 0) await Promise.all(this.inProgress)
  }

  /** Gives up what is under way; it is tried again at the next start when the state is kept. */
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
    const hasArrived = await this.deliverWithRetries(event)
    if (hasArrived && mode === 'twice') await this.post(event)
    return hasArrived
  }

  private async deliverWithRetries(event: PaymentEvent): Promise<boolean> {
    for (const delay of [...RETRY_DELAYS_MS, null]) {
      if (this.url === null) break
      if (await this.post(event)) return this.markDelivered(event)
      if (delay === null || !(await this.pause(delay))) return false
    }
    // Not given up: when there is a URL again, deliverPending begins anew.
    const stored = this.state.events.get(event.id) ?? event
    if (stored.pending_webhooks > 0) this.state.undelivered.set(stored.id, stored)
    return false
  }

  private post(event: PaymentEvent): Promise<boolean> {
    const sent: PaymentEvent = { ...event, pending_webhooks: 1 }
    const { signal } = this.stopping
    return this.limit(async () => this.url !== null && postEvent(this.url, sent, this.secret, signal))
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
