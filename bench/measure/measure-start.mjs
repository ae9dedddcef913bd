import { join } from 'node:path'
import { prepareDocs } from '../../dev/prepare.mjs'
import { ENTRY, isReady, NODE_OPTIONS, SATELLITE } from '../contestants/service.mjs'
import { Child } from '../machine/child.mjs'
import { freePort } from '../machine/free-port.mjs'
import { FOLDER, ROOT } from '../machine/machine.mjs'
import { PASSWORD } from '../seed.mjs'
import { median } from './rounds.mjs'

const TIMES = 3
const LOGINS = 50
const REQUESTS = 1_000
const SEEDED = { email: 'owner@example.com', password: 'correct horse battery staple' }
/** As in package.json. */
const START_OPTIONS = ['--max-semi-space-size=8']

/**
 * What `npm start` runs, without npm itself, on a new data folder and then on the same one again: seconds from
 * the start of the process to the first 200, and resident bytes of the second after some requests.
 */
export async function measureStart() {
  prepareDocs()
  const measured = []
  for (let time = 0; time < TIMES; time++) measured.push(await startTwice(join(FOLDER, `data-${time}`)))
  const medianOf = name => median(measured.map(one => one[name]))
  return {
    newFolder: medianOf('newFolder'),
    existingFolder: medianOf('existingFolder'),
    resident: medianOf('resident'),
  }
}

/** What the image runs, on stores that are there already: the same. */
export async function measureProductionStart(environment, [user]) {
  const measured = []
  for (let time = 0; time < TIMES; time++) {
    const { child, url, seconds } = await startNode('production', [...NODE_OPTIONS, ENTRY], environment)
    await someRequests(url, { email: user.email, password: PASSWORD, origin: SATELLITE })
    measured.push({ seconds, resident: child.residentBytes() })
    await child.stop()
  }
  return {
    seconds: median(measured.map(one => one.seconds)),
    resident: median(measured.map(one => one.resident)),
  }
}

async function startTwice(folder) {
  const first = await startOn(folder)
  await first.child.stop()
  const second = await startOn(folder)
  await someRequests(second.url, SEEDED)
  const resident = second.child.residentBytes()
  await second.child.stop()
  return { newFolder: first.seconds, existingFolder: second.seconds, resident }
}

async function startOn(folder) {
  const paymentsPort = await freePort()
  return startNode('development', [...START_OPTIONS, 'dev/run.mjs', 'dist/joined/development.js'], {
    NODE_ENV: 'development',
    STRIPE_API_URL: `http://localhost:${paymentsPort}`,
    DATA_DIR: folder,
  })
}

async function startNode(name, args, env) {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const child = await Child.start({
    name,
    command: process.execPath,
    args,
    cwd: ROOT,
    env: { ...env, PORT: String(port) },
    isReady: () => isReady(url),
    askEveryMs: 5,
  })
  return { child, url, seconds: (performance.now() - child.startedAt) / 1000 }
}

async function someRequests(url, { origin, ...credentials }) {
  const sent = origin ? { Origin: origin } : {}
  let latest
  for (let i = 0; i < LOGINS; i++) {
    latest = await answerOf(`${url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...sent },
      body: JSON.stringify({ ...credentials, source: 'satellite' }),
    })
  }
  for (let i = 0; i < REQUESTS; i++) {
    const headers = { 'X-Session-ID': latest.sessionId, ...sent }
    const { accessToken } = await answerOf(`${url}/api/refresh`, { method: 'POST', headers })
    await answerOf(`${url}/api/data`, { headers: { Authorization: `Bearer ${accessToken}`, ...sent } })
  }
}

async function answerOf(url, options) {
  const answer = await fetch(url, options)
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status} ${await answer.text()}`)
  return answer.json()
}
