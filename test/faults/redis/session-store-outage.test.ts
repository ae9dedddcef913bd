import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { subscribe } from '../../http/support/api-calls.js'
import type { User } from '../../sources.js'
import { aChallenge, giveAuthenticator, secondStep } from '../../support/authenticator.js'
import { eventually } from '../../support/eventually.js'
import type { TestResponse } from '../../support/http-request.js'
import { scrape } from '../../support/metrics.js'
import { anOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import type { TestApp } from '../../support/test-app.js'
import { saw } from '../reliability/saw.js'
import { getCopied, hasCopy } from '../support/copies.js'
import { logout, refresh, refreshAsMain, sidOf } from '../support/requests.js'
import {
  type Replicas,
  type StoreService,
  startReplicasOn,
  startServiceOn,
} from '../support/store-service.js'
import { whileRefreshing } from '../support/while-refreshing.js'

const HIT = 'mainstay_session_copies_total{outcome="hit"}'
const UNAVAILABLE = 'mainstay_session_copies_total{outcome="unavailable"}'

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
  let service: Replicas
  let app: TestApp
  let other: TestApp
  let owner: User
  let main: SignedIn
  let satellite: SignedIn
  let ended: SignedIn
  let secondFactor: () => Promise<TestResponse>

  beforeAll(async () => {
    redis = await startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] })
    service = await startReplicasOn(redis.url, { METRICS_PORT: '0' })
    ;({ app, other } = service)
    owner = await anOwner(app)
    main = await signIn(app, owner, 'main')
    satellite = await signIn(app, owner, 'satellite')
    ended = await signIn(app, owner, 'satellite')
    await getCopied(app, main, satellite, ended)
    const enrolled = await anOwner(app)
    const phone = await giveAuthenticator(app, enrolled)
    const challenge = await aChallenge(app, enrolled)
    secondFactor = () => secondStep(app, { challenge, code: phone.code() })
    await redis.kill(signal)
  })
  afterAll(async () => {
    await service?.stop()
    await redis?.stop()
  })

  test.each<[string, number, () => Promise<TestResponse>]>([
    ['refresh on the main site', 200, () => refreshAsMain(app, main)],
    ['refresh elsewhere', 200, () => refresh(app, satellite)],
    ['login', 200, () => sendLogin(app, owner)],
    ['the second step of a login', 200, () => secondFactor()],
    ['payment', 201, () => subscribe(app, main)],
    ['logout', 204, () => logout(app, ended)],
  ])('%s goes on', async (_, status, send) => {
    expect(await send()).toMatchObject({ status })
  })

  test('no user is told to log in again, and a logout is known at every replica', async () => {
    const hundred = async () => {
      const answers = await Promise.all(Array.from({ length: 100 }, () => refresh(app, satellite)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    }
    const seen = await whileRefreshing(
      { apps: [app, other], live: [main, satellite], ended: [ended] },
      hundred,
    )
    saw(fault, { status: 200, ...seen })
  })

  test('it is alive, ready, and says what is down', async () => {
    expect(await app.request({ path: '/health/live' })).toMatchObject({ status: 200 })
    expect(await app.request({ path: '/health/ready' })).toMatchObject({ status: 200 })
    await eventually(async () => {
      const { json } = await app.request({ path: '/health/status' })
      return json.parts.sessionStore.state === 'down' && json.parts.database.state === 'up'
    })
  })

  test('metrics say that there are no copies', async () => {
    const before = (await scrape(app)).values.get(UNAVAILABLE) as number
    expect(await refresh(app, satellite)).toMatchObject({ status: 200 })
    const { values } = await scrape(app)
    expect(values.get(UNAVAILABLE)).toBe(before + 1)
    expect(values.get('mainstay_session_copy_write_failures_total')).toBeGreaterThan(0)
    expect(values.get('mainstay_session_changes_age_seconds')).toBeLessThan(60)
    expect(values.get('mainstay_part_up{part="database"}')).toBe(1)
    await eventually(
      async () => (await scrape(app)).values.get('mainstay_part_up{part="sessionStore"}') === 0,
    )
  })

  test('copies are served again soon after, and what ended meanwhile is not', async () => {
    const { lost } = await whileRefreshing(
      { apps: [app, other], live: [main, satellite], ended: [ended] },
      async () => {
        await revive(redis)
        const backAt = performance.now()
        const before = (await scrape(app)).values.get(HIT) as number
        await eventually(async () => ((await scrape(app)).values.get(HIT) as number) > before, {
          what: 'a copy to be served',
        })
        saw('redis-back', { recoveredMs: performance.now() - backAt, lost: 0 })
      },
    )
    expect(lost).toBe(0)
    await eventually(async () => (await app.request({ path: '/health/status' })).json.status === 'ok')
  })
})

describe('more refreshes without a copy than the database bears', () => {
  const POOL_SIZE = 4
  /** Half of the pool, and 25 that wait for each. */
  const HELD = (POOL_SIZE / 2) * (1 + 25)
  const SESSIONS = 30
  let redis: RedisServer
  let service: StoreService
  let app: TestApp
  let sessions: SignedIn[]

  beforeAll(async () => {
    redis = await startRedis()
    service = await startServiceOn(redis.url, {
      DATABASE_POOL_SIZE: String(POOL_SIZE),
      DATABASE_TIMEOUT_MS: '3000',
    })
    app = service.app
    const owner = await anOwner(app)
    sessions = []
    while (sessions.length < SESSIONS) sessions.push(await signIn(app, owner, 'satellite'))
    await getCopied(app, ...sessions)
  })
  afterAll(async () => {
    await service?.stop()
    await redis?.stop()
  })

  /**
   * Three times as many as it holds, while the database is slow; `meanwhile` runs when those who are too many were refused.
   * Returns the sessions that were served, and how many were answered 401.
   */
  async function flood(
    meanwhile: () => Promise<void> = async () => {},
  ): Promise<{ served: ReadonlySet<SignedIn>; lost: number }> {
    const slow = new pg.Client({ connectionString: app.settings.databaseUrl })
    await slow.connect()
    await slow.query('begin')
    await slow.query('select 1 from sessions where sid = any($1) for update', [sessions.map(sidOf)])
    const answers: TestResponse[] = []
    const herd = Array.from({ length: 3 * HELD }, async (_, client) => {
      const answer = await refresh(app, sessions[client % SESSIONS] as SignedIn)
      answers.push(answer)
      return answer
    })
    try {
      await eventually(() => answers.length >= 2 * HELD, { what: 'those who are too many to be refused' })
      for (const { status, headers, json } of answers) {
        expect([status, json.code]).toEqual([503, 'SESSION_STORE_UNAVAILABLE'])
        expect(headers['retry-after']).toMatch(/^[2-5]$/)
      }
      await meanwhile()
    } finally {
      await slow.query('rollback')
      await slow.end()
    }
    const statuses = (await Promise.all(herd)).map(({ status }) => status)
    const isServed = (_: unknown, client: number) => statuses[client] === 200
    const count = statuses.filter(isServed).length
    // Those who waited for more than half a second are refused as well.
    expect(count).toBeGreaterThanOrEqual(POOL_SIZE / 2)
    expect(count).toBeLessThanOrEqual(HELD)
    const served = herd.map((_, client) => sessions[client % SESSIONS] as SignedIn).filter(isServed)
    return { served: new Set(served), lost: statuses.filter(status => status === 401).length }
  }

  test('with an emptied Redis, those who are served leave copies, whoever else was refused meanwhile', async () => {
    await redisCli(redis.port, 'FLUSHALL')
    const { served } = await flood()
    for (const session of served)
      await eventually(() => hasCopy(app, session), { what: 'a copy', timeoutMs: 2_000 })
  })

  test('at three times the load others get 503 with Retry-After, logins and logouts go on, and it recovers by itself', async () => {
    const somebody = await anOwner(app)
    const leaving = await signIn(app, somebody, 'satellite')
    await redis.kill('SIGKILL')
    let left: Promise<TestResponse> | undefined
    const { lost } = await flood(async () => {
      left = logout(app, leaving)
      expect(await sendLogin(app, somebody)).toMatchObject({ status: 200 })
    })
    expect(await left).toMatchObject({ status: 204 })
    for (const session of sessions) expect(await refresh(app, session)).toMatchObject({ status: 200 })
    saw('redis-down-flood', { status: 503, lost })
  })
})

test('a Redis that hung until its connection was given up is found again', async () => {
  const redis = await startRedis()
  const { app, stop } = await startServiceOn(redis.url)
  try {
    const session = await signIn(app, await anOwner(app), 'satellite')
    await getCopied(app, session)
    await redis.kill('SIGSTOP')
    // Past the 5 s after which the socket counts as dead: from then on a request does not even wait.
    let quickInARow = 0
    await eventually(
      async () => {
        const startedAt = performance.now()
        expect(await refresh(app, session)).toMatchObject({ status: 200 })
        quickInARow = performance.now() - startedAt < 100 ? quickInARow + 1 : 0
        return quickInARow > 20
      },
      { what: 'the connection to be given up', everyMs: 200 },
    )
    await redis.kill('SIGCONT')
    await eventually(() => hasCopy(app, session), { what: 'Redis to be found' })
    expect(await refresh(app, session)).toMatchObject({ status: 200 })
  } finally {
    await stop()
    await redis.stop()
  }
}, 60_000)
