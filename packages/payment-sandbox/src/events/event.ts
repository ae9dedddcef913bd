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
