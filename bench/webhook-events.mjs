import { createHmac, randomBytes } from 'node:crypto'
import { Requests } from './measure/load.mjs'

/** As many as Stripe may have under way; more only wait for one another. */
const CONNECTIONS = 16
/** More than are sent in a second: an event that comes again costs less, and would be measured as if it were new. */
const MAX_PER_SECOND = 6_000

/** Fresh signed events about the subscriptions in turn, enough for so many seconds. */
export function webhookRequests(subscriptions, seconds, secret) {
  const requests = Array.from({ length: MAX_PER_SECOND * seconds }, (_, index) =>
    signedEvent(subscriptions[index % subscriptions.length], secret),
  )
  return new Requests(`webhooks-${randomBytes(4).toString('hex')}`, requests, { connections: CONNECTIONS })
}

/** A new event about the subscription, as Stripe posts it. */
export function signedEvent(subscription, secret) {
  return signed(eventAbout(subscription), secret)
}

function eventAbout(subscription) {
  return {
    id: `evt_1${randomBytes(12).toString('hex')}`,
    object: 'event',
    api_version: '2026-10-29.clover',
    created: Math.floor(Date.now() / 1000),
    data: { object: subscription, previous_attributes: { cancel_at_period_end: true } },
    livemode: false,
    pending_webhooks: 1,
    request: { id: null, idempotency_key: null },
    type: 'customer.subscription.updated',
  }
}

function signed(event, secret) {
  const body = JSON.stringify(event)
  const { created } = event
  const signature = createHmac('sha256', secret).update(`${created}.${body}`).digest('hex')
  return {
    method: 'POST',
    path: '/api/webhooks/stripe',
    headers: {
      'Content-Type': 'application/json; charset=utf-8',
      'User-Agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
      'Stripe-Signature': `t=${created},v1=${signature}`,
    },
    body,
  }
}
