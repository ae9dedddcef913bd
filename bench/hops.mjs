// npm run bench -- hops [list]: the files of src that a request enters.
import 'reflect-metadata'
import { Session } from 'node:inspector/promises'
import { createApp } from '../dist/src/app.js'
import { BillingWorker } from '../dist/src/billing/worker.js'
import { readSettings } from '../dist/src/platform/config/read-settings.js'
import { canonicalEmail } from '../dist/src/users/email.js'
import { UserAdministration } from '../dist/src/users/user-changes.js'
import { startPostgres, startRedis, stopAll } from './machine.mjs'
import { markdownTable } from './report.mjs'
import { PASSWORD, USER_AGENT } from './seed.mjs'
import { makeKeys, SATELLITE, serviceEnvironment } from './service.mjs'
import { signedEvent, startSandbox, subscribed } from './webhooks.mjs'

/** Where the merging of files is heading; no limits. */
const COMPASSES = { login: 28, refresh: 15, data: 11, 'webhook and worker': 18, 'change of permissions': 27 }
/** What runs by itself meanwhile is not there each time. */
const TIMES = 5
const OURS = /\/dist\/(src\/.*)$/

/**
 * Counts the files of src that a request enters, by V8's precise coverage: those in which a function ran each time. Prints
 * them with `isVerbose`. Rejects when an answer was not 2xx.
 */
export async function measureHops({ isVerbose }) {
  try {
    const [databaseUrl, redisUrl] = await Promise.all([startPostgres(), startRedis('redis')])
    const environment = serviceEnvironment({ databaseUrl, redisUrl })
    await makeKeys(environment)
    const sandbox = await startSandbox(environment)
    const app = await createApp(readSettings({ ...environment, STRIPE_API_URL: sandbox.url }))
    try {
      await app.listen(0, '127.0.0.1')
      const requests = await requestsTo(app, sandbox, environment)
      const found = await filesEntered(requests)
      if (isVerbose) for (const [name, files] of Object.entries(found)) console.log(listOf(name, files))
      report(found)
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
  const creation = app.get(UserAdministration)
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
  const subscription = await subscribed(owner.accountId, { ...environment, STRIPE_API_URL: sandbox.url })
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
  const rows = Object.entries(found).map(([name, { length }]) => [
    name,
    String(length),
    String(COMPASSES[name]),
  ])
  console.log(markdownTable(['entered by', 'files of src', 'compass'], rows))
}
