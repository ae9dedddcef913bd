import 'reflect-metadata'
import { randomUUID } from 'node:crypto'
import { Session } from 'node:inspector/promises'
import { PaymentSandbox } from '@mainstay-auth/payment-sandbox'
import Stripe from 'stripe'
import { createApp } from '../../dist/src/app.js'
import { BillingWorker } from '../../dist/src/billing/worker.js'
import { readSettings } from '../../dist/src/platform/config/read-settings.js'
import { canonicalEmail } from '../../dist/src/users/email.js'
import { UserCreation } from '../../dist/src/users/user-changes.js'
import { makeKeys } from '../contestants/make-keys.mjs'
import { SATELLITE, serviceEnvironment } from '../contestants/service.mjs'
import { stopAll } from '../machine/stop-all.mjs'
import { query, startPostgres, startRedis } from '../machine/stores.mjs'
import { markdownTable } from '../markdown-table.mjs'
import { PASSWORD, USER_AGENT } from '../seed.mjs'
import { signedEvent } from '../webhook-events.mjs'

const BARS = { login: 36, refresh: 20, data: 15, 'webhook and worker': 28, 'change of permissions': 26 }
/** What runs by itself meanwhile is not there each time. */
const TIMES = 5
const OURS = /\/dist\/(src\/.*)$/

/**
 * Counts the files of src that a request enters, by V8's precise coverage: those in which a function ran each time. Prints
 * them with `isVerbose`. Exit code 1 when a bar is missed; rejects when an answer was not 2xx.
 */
export async function measureHops({ isVerbose }) {
  try {
    const [databaseUrl, redisUrl] = await Promise.all([startPostgres(), startRedis('redis')])
    const environment = serviceEnvironment({ databaseUrl, redisUrl })
    await makeKeys(environment)
    const sandbox = await PaymentSandbox.start({
      port: 0,
      secretKey: environment.STRIPE_SECRET_KEY,
      webhookSecret: environment.STRIPE_WEBHOOK_SECRET,
      webhookUrl: null,
      priceIds: [environment.STRIPE_PRICE_IDS],
    })
    const app = await createApp(readSettings({ ...environment, STRIPE_API_URL: sandbox.url }))
    try {
      await app.listen(0, '127.0.0.1')
      const requests = await requestsTo(app, sandbox, environment)
      const found = await filesEntered(requests)
      if (isVerbose) for (const [name, files] of Object.entries(found)) console.log(listOf(name, files))
      const { text, missed } = report(found)
      console.log(text)
      if (missed > 0) process.exitCode = 1
    } finally {
      await app.close()
      await sandbox.stop()
    }
  } finally {
    await stopAll()
  }
}

/** `{ name: () => Promise }`: each does one request, and what it leads to, to its end. */
async function requestsTo(app, sandbox, environment) {
  const { MAIN_ORIGIN, STRIPE_WEBHOOK_SECRET } = environment
  const creation = app.get(UserCreation)
  const worker = app.get(BillingWorker)
  const send = sender(await app.getUrl())
  const owner = await creation.createAccount(canonicalEmail('owner@customer.example'), PASSWORD)
  const member = await creation.createMember(
    owner.accountId,
    canonicalEmail('member@customer.example'),
    PASSWORD,
  )
  const logIn = ({ email }, source, origin) =>
    send('POST', '/api/login', { Origin: origin }, { email, password: PASSWORD, source })
  const ofOwner = await logIn(owner, 'main', MAIN_ORIGIN)
  const ofMember = await (await logIn(member, 'satellite', SATELLITE)).json()
  const manager = {
    Origin: MAIN_ORIGIN,
    Authorization: `Bearer ${(await ofOwner.json()).accessToken}`,
    Cookie: ofOwner.headers.getSetCookie()[0].split(';')[0],
  }
  const subscription = await subscribe(sandbox, environment, owner.accountId)
  let viewReports = true
  return {
    login: () => logIn(member, 'satellite', SATELLITE),
    refresh: () => send('POST', '/api/refresh', { Origin: SATELLITE, 'X-Session-ID': ofMember.sessionId }),
    data: () =>
      send('GET', '/api/data', { Origin: SATELLITE, Authorization: `Bearer ${ofMember.accessToken}` }),
    'webhook and worker': async () => {
      const { path, headers, body } = signedEvent(subscription, STRIPE_WEBHOOK_SECRET)
      await send('POST', path, headers, body)
      await worker.settled()
    },
    'change of permissions': () => {
      viewReports = !viewReports
      const none = { payments: false, accountSettings: false, teamManagement: false, dataEntry: true }
      return send('PUT', `/api/team/${member.id}/permissions`, manager, { ...none, viewReports })
    },
  }
}

function sender(url) {
  return async (method, path, headers, body) => {
    const answer = await fetch(url + path, {
      method,
      headers: {
        'User-Agent': USER_AGENT,
        ...(body && { 'Content-Type': 'application/json; charset=utf-8' }),
        ...headers,
      },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status} ${await answer.text()}`)
    return answer
  }
}

async function subscribe(sandbox, { STRIPE_SECRET_KEY, STRIPE_PRICE_IDS, DATABASE_URL }, accountId) {
  const { hostname: host, port } = new URL(sandbox.url)
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

async function filesEntered(requests) {
  const inspector = new Session()
  inspector.connect()
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const found = {}
  for (const [name, request] of Object.entries(requests)) {
    await request()
    const each = []
    for (let time = 0; time < TIMES; time++) {
      await inspector.post('Profiler.takePreciseCoverage')
      await request()
      const { result } = await inspector.post('Profiler.takePreciseCoverage')
      each.push(new Set(result.filter(({ functions }) => functions.some(hasRun)).flatMap(ourFile)))
    }
    found[name] = [...each[0]].filter(file => each.every(files => files.has(file))).sort()
  }
  inspector.disconnect()
  return found
}

function hasRun({ ranges }) {
  return ranges[0].count > 0
}

function ourFile({ url }) {
  const file = OURS.exec(url)?.[1]
  return file ? [file] : []
}

function listOf(name, files) {
  return `${name}\n${files.map(file => `- ${file}`).join('\n')}\n`
}

function report(found) {
  let missed = 0
  const rows = Object.entries(found).map(([name, { length }]) => {
    const holds = length <= BARS[name]
    if (!holds) missed++
    return [name, String(length), `≤ ${BARS[name]}`, holds ? 'holds' : '**missed**']
  })
  return { text: markdownTable(['files of src entered by', '', 'bar', ''], rows), missed }
}
