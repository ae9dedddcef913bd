import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { User } from '../../sources.js'
import { aChallenge, giveAuthenticator, secondStep } from '../../support/authenticator.js'
import { eventually } from '../../support/eventually.js'
import type { TestResponse } from '../../support/http-request.js'
import { scrape } from '../../support/metrics.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import type { TestApp } from '../../support/test-app.js'
import { saw } from '../reliability/saw.js'
import { refreshUntilServed } from '../support/refresh-until-served.js'
import { login, logout, pay, refresh, refreshAsMain } from '../support/requests.js'
import { type StoreService, startServiceOn } from '../support/store-service.js'

/** Connecting again takes at most half a second, the next replay at most 200 ms more; the rest as above. */
const BACK_MS = 4_000

const GATE_OPEN = 'mainstay_store_gate_open{shard="0"}'
const GATE_SINCE = 'mainstay_store_gate_since_timestamp_seconds{shard="0"}'

describe.each<{
  what: string
  fault: 'redis-refused' | 'redis-hangs'
  signal: NodeJS.Signals
  revive: (redis: RedisServer) => Promise<void>
}>([
  { what: 'has crashed', fault: 'redis-refused', signal: 'SIGKILL', revive: redis => redis.restart() },
  { what: 'hangs', fault: 'redis-hangs', signal: 'SIGSTOP', revive: redis => redis.kill('SIGCONT') },
])('while Redis $what', ({ fault, signal, revive }) => {
  let redis: RedisServer
  let service: StoreService
  let app: TestApp
  let owner: User
  let main: SignedIn
  let satellite: SignedIn
  let other: SignedIn
  let secondFactor: () => Promise<TestResponse>
  let killedAt: number

  beforeAll(async () => {
    redis = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] })
    service = await startServiceOn(redis.url, { METRICS_PORT: '0' })
    app = service.app
    owner = await anOwner(app)
    main = await signIn(app, owner, 'main')
    satellite = await signIn(app, owner, 'satellite')
    other = await signIn(app, owner, 'satellite')
    const enrolled = await anOwner(app)
    const phone = await giveAuthenticator(app, enrolled)
    const challenge = await aChallenge(app, enrolled)
    secondFactor = () => secondStep(app, { challenge, code: phone.code() })
    killedAt = Date.now() / 1000
    await redis.kill(signal)
  })
  afterAll(async () => {
    await service?.stop()
    await redis?.stop()
  })

  test.each<[string, () => Promise<TestResponse>]>([
    ['refresh on the main site', () => refreshAsMain(app, main)],
    ['refresh elsewhere', () => refresh(app, satellite)],
    ['login', () => login(app, owner)],
    ['the second step of a login', () => secondFactor()],
    ['payment', () => pay(app, main)],
  ])('%s is 503 while it hangs, and no cookie is touched', async (_, send) => {
    const answer = await send()
    expect(answer).toMatchObject({ status: 503, json: { code: 'SESSION_STORE_UNAVAILABLE' } })
    expect(answer.headers['retry-after']).toMatch(/^[2-5]$/)
    expect(answer.setCookies).toEqual([])
  })

  test('no user is told to log in again', async () => {
    const startedAt = performance.now()
    const answers = await Promise.all(Array.from({ length: 100 }, () => refresh(app, satellite)))
    const answeredMs = performance.now() - startedAt
    const statuses = answers.map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([503]))
    saw(fault, { status: 503, answeredMs, lost: statuses.filter(status => status === 401).length })
  })

  test('it is alive, ready, and says what is down', async () => {
    expect(await app.request({ path: '/health/live' })).toMatchObject({ status: 200 })
    expect(await app.request({ path: '/health/ready' })).toMatchObject({ status: 200 })
    await eventually(async () => {
      const { json } = await app.request({ path: '/health/status' })
      return json.parts.sessionStore.state === 'down' && json.parts.database.state === 'up'
    })
  })

  test('metrics say that its gate is shut, and since when', async () => {
    await eventually(async () => (await scrape(app)).values.get(GATE_OPEN) === 0)
    const { values } = await scrape(app)
    expect(values.get('mainstay_part_up{part="sessionStore"}')).toBe(0)
    expect(values.get(GATE_SINCE)).toBeGreaterThan(killedAt)
    expect(values.get(GATE_SINCE)).toBeLessThan(Date.now() / 1000)
    expect(values.get('mainstay_part_up{part="database"}')).toBe(1)
  })

  test('comes back soon after, with every session', async () => {
    // Redis could not be told of it, but it was recorded, and is made before anything is served.
    expect(await logout(app, satellite)).toMatchObject({ status: 503 })
    await revive(redis)
    const { recoveredMs, lost } = await refreshUntilServed(app, { live: other, ended: satellite }, BACK_MS)
    saw('redis-back', { recoveredMs, lost })
    expect(await refreshAsMain(app, main)).toMatchObject({ status: 200 })
    expect(await login(app, owner)).toMatchObject({ status: 200 })
    expect(await pay(app, main)).toMatchObject({ status: 201 })
    await eventually(async () => (await app.request({ path: '/health/status' })).json.status === 'ok')
    expect((await scrape(app)).values.get(GATE_OPEN)).toBe(1)
  })
})

test('a Redis that hung until its connection was given up is found again', async () => {
  const redis = await startRedis()
  const { app, stop } = await startServiceOn(redis.url)
  try {
    const session = await signIn(app, await anOwner(app), 'satellite')
    await redis.kill('SIGSTOP')
    // Past the 5 s after which the socket counts as dead: from then on a request does not even wait.
    await eventually(
      async () => {
        const startedAt = performance.now()
        expect(await refresh(app, session)).toMatchObject({ status: 503 })
        return performance.now() - startedAt < 100
      },
      { what: 'the connection to be given up', everyMs: 200 },
    )
    await redis.kill('SIGCONT')
    await refreshUntilServed(app, { live: session }, 2 * BACK_MS)
  } finally {
    await stop()
    await redis.stop()
  }
})
