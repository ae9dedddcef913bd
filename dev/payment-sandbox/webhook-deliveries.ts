import { setTimeout as wait } from 'node:timers/promises'
import type { PaymentEvent } from './events.js'
import type { State } from './state.js'
import { postEvent } from './webhook-request.js'

// Stripe goes on for three days (https://docs.stripe.com/webhooks#retries); who develops waits about three minutes.
const RETRY_DELAYS_MS = [200, 1_000, 5_000, ...Array<number>(12).fill(15_000)]

/** Posts events to the webhook: all at once and in no promised order, like Stripe. */
export class WebhookDeliveries {
  url: string | null = null
  private readonly begun = new Set<string>()
  private readonly underWay = new Set<Promise<boolean>>()
  private readonly stopping = new AbortController()

  constructor(
    private readonly state: State,
    private readonly secret: string,
  ) {}

  /** Begins the delivery of every event that has not arrived and was not begun since the start; safe to repeat. */
  deliverPending(): void {
    if (this.url === null) return
    for (const event of this.state.events.values()) {
      if (event.pending_webhooks === 0 || this.begun.has(event.id)) continue
      this.begun.add(event.id)
      void this.deliver(event)
    }
  }

  /** Delivers one event, retrying; true once it got 2xx, false when it gave up, had no URL, or was stopped. */
  deliver(event: PaymentEvent): Promise<boolean> {
    const delivery = this.deliverWithRetries(event)
    this.underWay.add(delivery)
    return delivery.finally(() => this.underWay.delete(delivery))
  }

  /** Resolves when every event has arrived or was given up, including those that come up meanwhile. */
  async settled(): Promise<void> {
    this.deliverPending()
    while (this.underWay.size > 0) await Promise.all(this.underWay)
  }

  /** Gives up what is under way; it is tried again at the next start when the state is kept. */
  async stop(): Promise<void> {
    this.stopping.abort()
    await Promise.all(this.underWay)
  }

  private async deliverWithRetries(event: PaymentEvent): Promise<boolean> {
    const sent: PaymentEvent = { ...event, pending_webhooks: 1 }
    for (const delay of [...RETRY_DELAYS_MS, null]) {
      if (this.url === null) break
      if (await postEvent(this.url, sent, this.secret, this.stopping.signal)) return this.arrived(event)
      if (delay === null || !(await this.pause(delay))) return false
    }
    // Not given up: when there is a URL again, deliverPending begins anew.
    this.begun.delete(event.id)
    return false
  }

  private arrived(event: PaymentEvent): true {
    event.pending_webhooks = 0
    this.state.changed()
    return true
  }

  private async pause(milliseconds: number): Promise<boolean> {
    const { signal } = this.stopping
    return wait(milliseconds, true, { ref: false, signal }).catch(() => false)
  }
}
