import { join } from 'node:path'
import { isReady } from '../contestants/service.mjs'
import { Child } from '../machine/child.mjs'
import { freePort } from '../machine/free-port.mjs'
import { FOLDER, ROOT } from '../machine/machine.mjs'
import { median } from './rounds.mjs'

const TIMES = 3
const LOGINS = 50
const REQUESTS = 1_000

/**
 * What `npm start` runs, on a new data folder and then on the same one again: seconds from the start of the
 * process to the first 200, and resident bytes of the second after some requests.
 */
export async function measureStart() {
  const measured = []
  for (let time = 0; time < TIMES; time++) measured.push(await startTwice(join(FOLDER, `data-${time}`)))
  const medianOf = name => median(measured.map(one => one[name]))
  return {
    newFolder: medianOf('newFolder'),
    existingFolder: medianOf('existingFolder'),
    resident: medianOf('resident'),
  }
}

async function startTwice(folder) {
  const first = await startOn(folder)
  await first.child.stop()
  const second = await startOn(folder)
  await someRequests(second.url)
  const resident = second.child.residentBytes()
  await second.child.stop()
  return { newFolder: first.seconds, existingFolder: second.seconds, resident }
}

async function startOn(folder) {
  const [port, paymentsPort] = [await freePort(), await freePort()]
  const url = `http://localhost:${port}`
  const child = await Child.start({
    name: 'development',
    command: process.execPath,
    args: ['--max-semi-space-size=8', 'dist/dev/main.js'],
    cwd: ROOT,
    env: {
      NODE_ENV: 'development',
      PORT: String(port),
      STRIPE_API_URL: `http://localhost:${paymentsPort}`,
      DATA_DIR: folder,
    },
    isReady: () => isReady(url),
    askEveryMs: 5,
  })
  return { child, url, seconds: (performance.now() - child.startedAt) / 1000 }
}

async function someRequests(url) {
  let latest
  for (let i = 0; i < LOGINS; i++) {
    const body = {
      email: 'owner@example.com',
      password: 'correct horse battery staple',
      source: 'satellite',
    }
    latest = await answerOf(`${url}/api/login`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
  }
  for (let i = 0; i < REQUESTS; i++) {
    const headers = { 'X-Session-ID': latest.sessionId }
    const { accessToken } = await answerOf(`${url}/api/refresh`, { method: 'POST', headers })
    await answerOf(`${url}/api/data`, { headers: { Authorization: `Bearer ${accessToken}` } })
  }
}

async function answerOf(url, options) {
  const answer = await fetch(url, options)
  if (answer.status !== 200) throw new Error(`${url} answered ${answer.status} ${await answer.text()}`)
  return answer.json()
}
