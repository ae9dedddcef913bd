import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Stripe from 'stripe'
import { makeKeys } from '../contestants/make-keys.mjs'
import { isReady, serviceEnvironment, startService } from '../contestants/service.mjs'
import { Child } from '../machine/child.mjs'
import { freePort } from '../machine/free-port.mjs'
import { BOTH_CORES, ROOT } from '../machine/machine.mjs'
import { running, stopAll } from '../machine/stop-all.mjs'
import { query, startPostgres, startRedis } from '../machine/stores.mjs'
import { markdownTable } from '../markdown-table.mjs'
import { webhookRequests } from '../webhook-events.mjs'
import { inTurn, median, medianRatio, ROUNDS, SECONDS } from './rounds.mjs'

const BARS = { perSecond: 300, p99: 100 }
/** Enough that neighbouring events are of different customers, as they are at a provider. */
const CUSTOMERS = 200
const EMPTY_WITHIN_MS = 60_000

/**
 * Measures how fast signed events are taken in and worked off, all programs on both cores, and prints the report.
 * Exit code 1 when a bar is missed; rejects when an answer was not 2xx or an event was lost.
 */
export async function measureWebhooks() {
  try {
    const [databaseUrl, redisUrl] = await Promise.all([startPostgres(), startRedis('redis')])
    const apiPort = await freePort()
    const environment = {
      ...serviceEnvironment({ databaseUrl, redisUrl }),
      STRIPE_API_URL: `http://127.0.0.1:${apiPort}`,
    }
    for (const child of running) child.pin(BOTH_CORES)
    await makeKeys(environment)
    await startSandbox(environment, apiPort)
    const service = await startService('service', environment)
    const bare = await startBareWebhooks(environment)
    for (const child of running) child.pin(BOTH_CORES)
    const subscriptions = await subscribed(environment)
    const measured = await measureInTurn({ service, bare }, subscriptions, environment)
    const { text, missed } = report(measured)
    console.log(text)
    if (missed > 0) process.exitCode = 1
  } finally {
    await stopAll()
  }
}

function startSandbox(environment, port) {
  const { hostname } = new URL(environment.STRIPE_API_URL)
  return startProgram('payment-sandbox', { ...environment, PORT: String(port) }, async () => {
    await fetch(`http://${hostname}:${port}/`)
    return true
  })
}

async function startBareWebhooks(environment) {
  const port = await freePort()
  const child = await startProgram('bare-webhooks', { ...environment, PORT: String(port) }, () =>
    isReady(`http://127.0.0.1:${port}`),
  )
  return { name: 'bare', port, child }
}

function startProgram(name, env, isUp) {
  return Child.start({
    name,
    command: process.execPath,
    args: [join(import.meta.dirname, `../contestants/${name}.mjs`)],
    cwd: ROOT,
    env,
    cores: BOTH_CORES,
    isReady: isUp,
  })
}

/** Customers with a subscription each, at the provider and in the database. */
async function subscribed({ STRIPE_API_URL, STRIPE_SECRET_KEY, STRIPE_PRICE_IDS, DATABASE_URL }) {
  const { hostname: host, port } = new URL(STRIPE_API_URL)
  const stripe = new Stripe(STRIPE_SECRET_KEY, { protocol: 'http', host, port, telemetry: false })
  const subscriptions = []
  while (subscriptions.length < CUSTOMERS) {
    const accountId = randomUUID()
    const customer = await stripe.customers.create({ metadata: { accountId } })
    const checkout = await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      line_items: [{ price: STRIPE_PRICE_IDS, quantity: 1 }],
      success_url: 'https://www.main-site.example/',
    })
    await fetch(`${checkout.url}/pay`, { method: 'POST', redirect: 'manual' })
    subscriptions.push((await stripe.subscriptions.list({ customer: customer.id })).data[0])
    await query(
      DATABASE_URL,
      `insert into accounts (id, created_at) values ('${accountId}', now());
       insert into billing_customers (account_id, customer_id) values ('${accountId}', '${customer.id}')`,
    )
  }
  return subscriptions
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
  return (performance.now() - startedAt) / 1000
}

/** What was answered with 200 is there. An event that was under way at the end of a turn may be too. */
async function requireAll(databaseUrl, taken) {
  const { rows } = await query(databaseUrl, 'select count(*)::int as events from provider_events')
  if (rows[0].events < taken) throw new Error(`${taken} events were taken in, ${rows[0].events} are there`)
}

function report({ service, bare }) {
  const ours = field => service.map(round => round[field])
  const theirs = field => bare.map(round => round[field])
  const row = (what, field, digits) => [
    what,
    median(ours(field)).toFixed(digits),
    median(theirs(field)).toFixed(digits),
    medianRatio(ours(field), theirs(field)).toFixed(2),
  ]
  const bar = (sign, limit, holds) => [`${sign} ${limit}`, holds ? 'holds' : '**missed**']
  const isFast = median(ours('perSecond')) >= BARS.perSecond
  const isQuick = median(ours('p99')) < BARS.p99
  const alone = (what, field, digits) => [what, median(ours(field)).toFixed(digits), '', '', '', '']
  const table = markdownTable(
    ['', 'service', 'bare limit', 'ratio', 'bar', ''],
    [
      [...row('webhooks, events/s', 'perSecond', 0), ...bar('≥', BARS.perSecond, isFast)],
      [...row('webhooks, half of the answers within, ms', 'p50', 1), '', ''],
      [...row('webhooks, 99 of 100 answers within, ms', 'p99', 1), ...bar('<', BARS.p99, isQuick)],
      [...row('webhooks, processor time an event, µs', 'cpuMicroseconds', 0), '', ''],
      alone('webhooks, taken in and worked off, events/s', 'handledPerSecond', 0),
      alone('webhooks, the inbox is empty after, s', 'emptySeconds', 2),
    ],
  )
  const heading = `Webhooks: ${ROUNDS} rounds of ${SECONDS} s each in turn, all programs on both cores, medians.`
  return { text: `${heading}\n\n${table}`, missed: Number(!isFast) + Number(!isQuick) }
}
