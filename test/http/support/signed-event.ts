import { eq } from 'drizzle-orm'
import Stripe from 'stripe'
import { BillingWorker, providerEvents } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import type { TestApp } from '../../support/test-app.js'

let eventNumber = 0

/** An event about a subscription that the provider does not know, unless `difference` says otherwise. */
export function anEvent(difference: object = {}): { id: string } {
  return {
    id: `evt_test_${++eventNumber}`,
    object: 'event',
    type: 'customer.subscription.updated',
    created: Math.floor(Date.now() / 1000),
    data: { object: { object: 'subscription', id: 'sub_unknown' } },
    ...difference,
  } as { id: string }
}

/** Posts an event as the provider does; `deviation` is what is wrong with its signature. */
export function postEvent(
  app: TestApp,
  event: object,
  deviation: { secondsAhead?: number; secret?: string } = {},
): Promise<TestResponse> {
  const body = JSON.stringify(event)
  return postBytes(app, body, { 'Stripe-Signature': signatureOf(app, body, deviation) })
}

export function postBytes(
  app: TestApp,
  body: string,
  headers: Record<string, string | string[]>,
): Promise<TestResponse> {
  return app.post('/api/webhooks/stripe', body, { 'Content-Type': 'application/json', ...headers })
}

/** Posts an event of this size. Blanks after the JSON count as bytes and mean nothing. */
export function postEventOfSize(
  app: TestApp,
  bytes: number,
  headers: Record<string, string> = {},
  secret?: string,
): Promise<TestResponse> {
  const event = { id: 'evt_large', object: 'event', type: 'ping', created: 1, data: { object: {} } }
  const body = JSON.stringify(event).padEnd(bytes)
  return postBytes(app, body, { 'Stripe-Signature': signatureOf(app, body, { secret }), ...headers })
}

export function signatureOf(
  app: TestApp,
  payload: string,
  {
    secondsAhead = 0,
    secret = app.settings.stripe?.webhookSecrets[0] as string,
  }: { secondsAhead?: number; secret?: string } = {},
): string {
  const timestamp = Math.floor(Date.now() / 1000) + secondsAhead
  return Stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp })
}

/** What the service keeps of an event when all that is due is done: one row, or none. */
export async function keptEvents(app: TestApp, id: string) {
  await app.get(BillingWorker).settled()
  return app.database.run(db => db.select().from(providerEvents).where(eq(providerEvents.id, id)))
}
