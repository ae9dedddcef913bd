import { randomBytes, randomInt, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { isReady, NODE_OPTIONS, SATELLITE, serviceEnvironment } from '../contestants/service.mjs'
import { Child } from '../machine/child.mjs'
import { freePort } from '../machine/free-port.mjs'
import { MEASURED_CORE, ROOT } from '../machine/machine.mjs'
import { stopAll } from '../machine/stop-all.mjs'
import { startPostgres, startRedis } from '../machine/stores.mjs'
import { markdownTable } from '../markdown-table.mjs'
import { PASSWORD, seed } from '../seed.mjs'
import { median } from './rounds.mjs'

/** The last quarter of the time beside the second: the first fills caches that stay. */
const BAR = 1.05
const SAMPLE_EVERY_MS = 60_000
/** About 25 requests a second, so that hours of it can run beside other work. */
const VISITORS = 5
const PAUSE_MS = 200
/** Sessions that visitors come back with. */
const KEPT_SESSIONS = 500
const HEAP = pathToFileURL(join(import.meta.dirname, '../profile/heap.mjs')).href
/** What the service may answer to what visitors do, 503 being for a machine that is busy with something else. */
const EXPECTED = new Set([200, 202, 204, 400, 401, 403, 404, 429, 503])

/**
 * Memory of one process of production over `--minutes`, while people it has never seen come from addresses it has never
 * seen: what is kept for each of them must not grow without end. Exit code 1 when the bar is missed.
 */
export async function measureSoak(args) {
  const { values } = parseArgs({ args, options: { minutes: { type: 'string', default: '120' } } })
  const minutes = Number(values.minutes)
  try {
    const [databaseUrl, redisUrl] = await Promise.all([startPostgres(), startRedis('redis')])
    const environment = { ...serviceEnvironment({ databaseUrl, redisUrl }), TRUST_PROXY: '127.0.0.1' }
    const { users } = await seed(environment)
    const port = await freePort()
    const service = await Child.start({
      name: 'soak',
      command: process.execPath,
      args: [...NODE_OPTIONS, '--expose-gc', '--import', HEAP, 'dist/src/main.js'],
      cwd: ROOT,
      env: { ...environment, PORT: String(port) },
      cores: MEASURED_CORE,
      messages: true,
      isReady: () => isReady(`http://127.0.0.1:${port}`),
    })
    const crowd = new Crowd(`http://127.0.0.1:${port}`, users)
    const samples = await crowd.during(() => sampled(service, minutes))
    report(samples, crowd.answers)
  } finally {
    await stopAll()
  }
}

async function sampled(service, minutes) {
  const samples = []
  for (let minute = 1; minute <= minutes; minute++) {
    await sleep(SAMPLE_EVERY_MS)
    samples.push(await service.ask('memory'))
  }
  return samples
}

class Crowd {
  /** How often each status was answered. */
  answers = new Map()
  #sessions = []
  #isOver = false

  constructor(url, users) {
    this.url = url
    this.users = users
  }

  async during(work) {
    const visitors = Array.from({ length: VISITORS }, () => this.#visit())
    try {
      // A visitor who was answered what nobody should be ends the run.
      return await Promise.race([work(), Promise.all(visitors)])
    } finally {
      this.#isOver = true
      await Promise.allSettled(visitors)
    }
  }

  async #visit() {
    const deeds = [
      ...[() => this.#logIn(), () => this.#logOut(), () => this.#guess(), () => this.#forget()],
      ...Array.from({ length: 4 }, () => () => this.#refresh()),
      ...[
        () => this.#unknownSession(),
        () => this.#unknownPlace(),
        () => this.#unknownOrigin(),
        () => this.#nonsense(),
      ],
    ]
    while (!this.#isOver) {
      await deeds[randomInt(deeds.length)]()
      await sleep(PAUSE_MS)
    }
  }

  async #logIn() {
    const { email } = this.users[randomInt(this.users.length)]
    const answer = await this.#post('/api/login', { email, password: PASSWORD, source: 'satellite' })
    if (answer.sessionId) this.#sessions.push(answer.sessionId)
    if (this.#sessions.length > KEPT_SESSIONS) this.#sessions.shift()
  }

  async #refresh() {
    const sessionId = this.#sessions[randomInt(this.#sessions.length || 1)]
    if (!sessionId) return
    const { accessToken } = await this.#post('/api/refresh', null, { 'X-Session-ID': sessionId })
    if (accessToken) await this.#ask('/api/data', { headers: { Authorization: `Bearer ${accessToken}` } })
  }

  async #logOut() {
    const sessionId = this.#sessions.length > KEPT_SESSIONS / 2 && this.#sessions.pop()
    if (sessionId) await this.#post('/api/logout', null, { 'X-Session-ID': sessionId })
  }

  #guess() {
    const known = randomInt(2) === 0 && this.users[randomInt(this.users.length)].email
    const email = known || `${randomUUID()}@nobody.example`
    return this.#post('/api/login', { email, password: randomUUID(), source: 'satellite' })
  }

  #forget() {
    return this.#post('/api/forgot-password', { email: `${randomUUID()}@nobody.example` })
  }

  #unknownSession() {
    return this.#post('/api/refresh', null, { 'X-Session-ID': randomUUID() })
  }

  #unknownPlace() {
    return this.#ask(`/${randomUUID()}?${randomUUID()}`)
  }

  #unknownOrigin() {
    return this.#ask('/api/data', { headers: { Origin: `https://${randomUUID()}.example` } })
  }

  #nonsense() {
    const headers = { Authorization: `Bearer ${randomBytes(200).toString('base64url')}` }
    return this.#ask('/api/data', { headers })
  }

  #post(path, body, headers = {}) {
    const json = body && { 'Content-Type': 'application/json' }
    return this.#ask(path, {
      method: 'POST',
      headers: { ...headers, ...json },
      ...(body && { body: JSON.stringify(body) }),
    })
  }

  async #ask(path, { headers = {}, ...init } = {}) {
    const answer = await fetch(`${this.url}${path}`, {
      ...init,
      headers: {
        Origin: SATELLITE,
        'User-Agent': `Mozilla/5.0 (X11; Linux x86_64) Firefox/${randomInt(90, 150)}.0 ${randomUUID()}`,
        'X-Forwarded-For': address(),
        ...headers,
      },
    })
    const { status } = answer
    this.answers.set(status, (this.answers.get(status) ?? 0) + 1)
    const text = await answer.text()
    if (!EXPECTED.has(status)) throw new Error(`${path} answered ${status} ${text}`)
    return text.startsWith('{') ? JSON.parse(text) : {}
  }
}

/** Of either kind, hardly ever the same twice. */
function address() {
  if (randomInt(2) === 0) return Array.from({ length: 4 }, () => randomInt(1, 250)).join('.')
  return `2001:${Array.from({ length: 7 }, () => randomInt(1, 0xffff).toString(16)).join(':')}`
}

function report(samples, answers) {
  const quarter = Math.floor(samples.length / 4)
  const parts = Array.from({ length: 4 }, (_, index) =>
    samples.slice(index * quarter, index === 3 ? undefined : (index + 1) * quarter),
  )
  const of = name => parts.map(part => median(part.map(sample => sample[name])))
  const used = of('used')
  const ratio = used[3] / used[1]
  const rows = [
    ['in use, garbage left out', ...used.map(megabytes)],
    ['resident', ...of('resident').map(megabytes)],
  ]
  console.log(
    markdownTable(['MB, median of a quarter of the time', 'first', 'second', 'third', 'fourth'], rows),
  )
  const counts = [...answers].toSorted(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`)
  console.log(`\n${samples.length} minutes: ${counts.join(', ')}.`)
  const verdict = ratio <= BAR ? 'holds' : '**missed**'
  console.log(`Fourth quarter beside the second: ${ratio.toFixed(3)}, bar ${BAR}: ${verdict}.`)
  if (ratio > BAR) process.exitCode = 1
}

function megabytes(bytes) {
  return (bytes / 1_000_000).toFixed(1)
}
