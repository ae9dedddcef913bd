// npm run bench -- webhooks: how fast signed events are taken in and worked off.
import { createHmac, randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { PaymentSandbox } from '@mainstay-auth/payment-sandbox'
import Stripe from 'stripe'
import { inTurn, Requests, ROUNDS, SECONDS } from './load.mjs'
import { BOTH_CORES, query, running, startPostgres, startRedis, stopAll } from './machine.mjs'
import { heading, markdownTable, median, medianRatio, print, step, verdict } from './report.mjs'
import { makeKeys, serviceEnvironment, startBare, startService } from './service.mjs'

const BARS = { perSecond: 300, p99: 100 }
/** Enough that neighbouring events are of different customers, as they are at a provider. */
const CUSTOMERS = 200
const EMPTY_WITHIN_MS = 60_000
/** As many as Stripe may have under way; more only wait for one another. */
const CONNECTIONS = 16
/** More than are sent in a second: an event that comes again costs less, and would be measured as if it were new. */
const MAX_PER_SECOND = 6_000

/**
 * Measures how fast signed events are taken in and worked off, all programs on both cores, and prints the report.
 * Exit code 1 when a bar is missed; rejects when an answer was not 2xx or an event was lost.
 */
export async function measureWebhooks() {
  const startedAt = performance.now()
  let sandbox
  try {
    const [databaseUrl, redisUrl] = await step('stores', () =>
      Promise.all([startPostgres(), startRedis('redis')]),
    )
    const given = serviceEnvironment({ databaseUrl, redisUrl })
    sandbox = await startSandbox(given)
    const environment = { ...given, STRIPE_API_URL: sandbox.url }
    await makeKeys(environment)
    const [service, bare] = await step('start', () =>
      Promise.all([startService('service', environment), startBare(environment)]),
    )
    for (const child of running) child.pin(BOTH_CORES)
    const subscriptions = await step('customers', () => subscriptionsOfMany(environment))
    report(await measureInTurn({ service, bare }, subscriptions, environment), secondsSince(startedAt))
  } finally {
    await sandbox?.stop()
    await stopAll()
  }
}

/** The provider. It sends no events of its own: the bench posts them itself, and counts them. */
export function startSandbox({ STRIPE_SECRET_KEY, STRIPE_WEBHOOK_SECRET, STRIPE_PRICE_IDS }) {
  return PaymentSandbox.start({
    port: 0,
    secretKey: STRIPE_SECRET_KEY,
    webhookSecret: STRIPE_WEBHOOK_SECRET,
    webhookUrl: null,
    secondaryEvents: false,
    priceIds: [STRIPE_PRICE_IDS],
  })
}

async function subscriptionsOfMany(environment) {
  const subscriptions = []
  while (subscriptions.length < CUSTOMERS) {
    const accountId = randomUUID()
    await query(
      environment.DATABASE_URL,
      `insert into accounts (id, created_at) values ('${accountId}', now())`,
    )
    subscriptions.push(await subscribed(accountId, environment))
  }
  return subscriptions
}

/** A subscription of the account, at the provider and in the database. */
export async function subscribed(accountId, environment) {
  const { STRIPE_API_URL, STRIPE_SECRET_KEY, STRIPE_PRICE_IDS, DATABASE_URL } = environment
  const { hostname: host, port } = new URL(STRIPE_API_URL)
  const stripe = new Stripe(STRIPE_SECRET_KEY, { protocol: 'http', host, port, telemetry: false })
  const customer = await stripe.customers.create({ metadata: { accountId } })
  const checkout = await stripe.checkout.sessions.create({
    mode: 'subscription',
    customer: customer.id,
    client_reference_id: randomUUID(),
    line_items: [{ price: STRIPE_PRICE_IDS, quantity: 1 }],
    success_url: 'https://www.main-site.example/',
  })
  await fetch(`${checkout.url}/pay`, { method: 'POST', redirect: 'manual' })
  await query(
    DATABASE_URL,
    `insert into billing_customers (account_id, customer_id) values ('${accountId}', '${customer.id}')`,
  )
  return (await stripe.subscriptions.list({ customer: customer.id })).data[0]
}

async function measureInTurn({ service, bare }, subscriptions, { DATABASE_URL, STRIPE_WEBHOOK_SECRET }) {
  let taken = 0
  const load = async (server, seconds) => {
    const requests = webhookRequests(subscriptions, seconds, STRIPE_WEBHOOK_SECRET)
    const result = await requests.load(server, seconds, { cores: BOTH_CORES })
    if (result.requests > requests.requests.length) throw new Error('There were too few events')
    return result
  }
  const measured = await inTurn({
    service: async seconds => {
      const result = await load(service, seconds)
      taken += result.requests
      const emptySeconds = await untilEmpty(DATABASE_URL)
      return { ...result, handledPerSecond: result.requests / (seconds + emptySeconds), emptySeconds }
    },
    bare: seconds => load(bare, seconds),
  })
  await requireAll(DATABASE_URL, taken)
  return measured
}

/** Seconds until every event that was taken in has had its effect. */
async function untilEmpty(databaseUrl) {
  const startedAt = performance.now()
  const waiting = 'select 1 from provider_events where effect is null limit 1'
  while ((await query(databaseUrl, waiting)).rowCount > 0) {
    if (performance.now() - startedAt > EMPTY_WITHIN_MS) throw new Error('Events wait for over a minute')
    await sleep(50)
  }
  return secondsSince(startedAt)
}

function secondsSince(startedAt) {
  return (performance.now() - startedAt) / 1000
}

/** What was answered with 200 is there. An event that was under way at the end of a turn may be too. */
async function requireAll(databaseUrl, taken) {
  const { rows } = await query(databaseUrl, 'select count(*)::int as events from provider_events')
  if (rows[0].events < taken) throw new Error(`${taken} events were taken in, ${rows[0].events} are there`)
}

function report({ service, bare }, seconds) {
  const ours = field => service.map(round => round[field])
  const theirs = field => bare.map(round => round[field])
  const row = (what, field, digits) => [
    what,
    median(ours(field)).toFixed(digits),
    median(theirs(field)).toFixed(digits),
    medianRatio(ours(field), theirs(field)).toFixed(2),
  ]
  const isFast = median(ours('perSecond')) >= BARS.perSecond
  const isQuick = median(ours('p99')) < BARS.p99
  const alone = (what, field, digits) => [what, median(ours(field)).toFixed(digits), '', '', '', '']
  const table = markdownTable(
    ['figure', 'service', 'bare limit', 'ratio', 'bar', 'verdict'],
    [
      [...row('webhooks, events/s', 'perSecond', 0), `≥ ${BARS.perSecond}`, verdict(isFast)],
      [...row('webhooks, half of the answers within, ms', 'p50', 1), '', ''],
      [...row('webhooks, 99 of 100 answers within, ms', 'p99', 1), `< ${BARS.p99}`, verdict(isQuick)],
      [...row('webhooks, processor time an event, µs', 'cpuMicroseconds', 0), '', ''],
      alone('webhooks, taken in and worked off, events/s', 'handledPerSecond', 0),
      alone('webhooks, the inbox is empty after, s', 'emptySeconds', 2),
    ],
  )
  const how = `${ROUNDS} rounds of ${SECONDS} s each in turn, all programs on both cores, medians`
  print(`${heading(how, seconds)}\n\n${table}`, [isFast, isQuick])
}

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
