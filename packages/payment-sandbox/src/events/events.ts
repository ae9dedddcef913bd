import Stripe from 'stripe'
import { createdWithin } from '../api/list.js'
import { ApiError } from '../http/api-error.js'
import type { Form } from '../http/form.js'
import { flag, text, textList } from '../http/form-fields.js'
import { nowSeconds } from '../state/clock.js'
import { newId } from '../state/ids.js'
import type { State } from '../state/state.js'
import { type Subscription, shown } from '../subscriptions/subscription.js'
import type { EventCause, PaymentEvent } from './event.js'

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
