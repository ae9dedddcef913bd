import Stripe from 'stripe'
import { newId } from './ids.js'
import { nowSeconds } from './sandbox-clock.js'
import type { State } from './state.js'

/** The API request that caused an event; both null when a person or the clock did. */
export interface EventCause {
  id: string | null
  idempotency_key: string | null
}

/** Stripe's event. `pending_webhooks` is 1 until the webhook has answered 2xx, and 0 when there was none to tell. */
export interface PaymentEvent {
  id: string
  object: 'event'
  api_version: string
  created: number
  data: { object: object }
  livemode: false
  pending_webhooks: 0 | 1
  request: EventCause
  type: string
}

// Enough to look back on; more would only make the state file slow to write.
const KEPT_EVENTS = 500

export class Events {
  constructor(
    private readonly state: State,
    private readonly hasWebhook: () => boolean,
  ) {}

  /** Records an event with a copy of the object as it is now. Whoever answers the request sends it afterwards. */
  emit(type: string, object: object, cause: EventCause = { id: null, idempotency_key: null }): void {
    const event: PaymentEvent = {
      id: newId('evt_1', 23),
      object: 'event',
      api_version: Stripe.API_VERSION,
      created: nowSeconds(),
      data: { object: structuredClone(object) },
      livemode: false,
      pending_webhooks: this.hasWebhook() ? 1 : 0,
      request: cause,
      type,
    }
    this.state.events.set(event.id, event)
    for (const id of [...this.state.events.keys()].slice(0, -KEPT_EVENTS)) this.state.events.delete(id)
    this.state.changed()
  }
}
