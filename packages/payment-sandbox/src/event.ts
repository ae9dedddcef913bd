/** The API request that caused an event; both are null when a person or the clock did. */
export interface EventCause {
  id: string | null
  idempotency_key: string | null
}

/**
 * Stripe's event. `pending_webhooks` is 1 until the webhook answers with a 2xx status, and 0 when there is no
 * webhook.
 */
export interface PaymentEvent {
  id: string
  object: 'event'
  api_version: string
  created: number
  /** Only updates have `previous_attributes`: the earlier values of the top-level fields that changed. */
  data: { object: object; previous_attributes?: object }
  livemode: boolean
  pending_webhooks: 0 | 1
  request: EventCause
  type: string
}

/**
 * How events are delivered to the webhook.
 * - `normal`: at once and roughly in order
 * - `twice`: each is sent again after it has been delivered
 * - `late`: all after the same delay
 * - `shuffled`: each after a random delay, so in any order
 */
export const DELIVERY_MODES = ['normal', 'twice', 'late', 'shuffled'] as const
export type DeliveryMode = (typeof DELIVERY_MODES)[number]

/** The delay before the first attempt; random from 0 to `lateMs` for `shuffled`. */
export function firstDelayMs(mode: DeliveryMode, lateMs: number): number {
  if (mode === 'late') return lateMs
  return mode === 'shuffled' ? Math.random() * lateMs : 0
}
