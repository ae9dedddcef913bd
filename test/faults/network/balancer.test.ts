import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { BuiltServer } from '../../conformance/service/built-server.js'
import { environmentOf } from '../../conformance/service/environment.js'
import { subscribe } from '../../http/support/api-calls.js'
import type { User } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { request, type TestResponse } from '../../support/http-request.js'
import { anOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres-server.js'
import { Balancer } from '../../support/processes/balancer.js'
import { freePort } from '../../support/processes/free-port.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { saw } from '../reliability/saw.js'
import { getCopied } from '../support/copies.js'
import { logout, readData, refresh, refreshAsMain } from '../support/requests.js'

/** Long enough for checks of a balancer to fail twice. */
const OUTAGE_MS = 3_000
const CHECKS = { everyMs: 100, failures: 2 }

let postgres: PostgresServer
let redis: RedisServer
let apps: TestApp[]
let owner: User
let main: SignedIn
let satellite: SignedIn
let leaving: SignedIn

beforeAll(async () => {
  ;[postgres, redis] = await Promise.all([
    startPostgres(),
    startRedis({ args: ['--appendonly', 'yes', '--appendfsync', 'always'] }),
  ])
  const stores = {
    ...{ DATABASE_URL: postgres.url, DATABASE_TIMEOUT_MS: '3000' },
    ...{ SESSION_STORE_URL: redis.url, LOG_LEVEL: 'silent' },
  }
  const first = await TestApp.start(stores)
  const keys = {
    JWT_KEYS_FILE: first.settings.jwtKeysFile,
    SECRETS_KEYS_FILE: first.settings.secretsKeysFile,
    JWT_ISSUER: first.settings.jwtIssuer,
  }
  apps = [first, await TestApp.start({ ...stores, ...keys })]
  owner = await anOwner(first)
  main = await signIn(first, owner, 'main')
  satellite = await signIn(first, owner, 'satellite')
  leaving = await signIn(first, owner, 'satellite')
  await getCopied(first, main, satellite)
})
afterAll(async () => {
  await Promise.all((apps ?? []).map(app => app.stop()))
  await Promise.all([redis?.stop(), postgres?.stop()])
})

describe('fleet 3: through a balancer that checks /health/ready', () => {
  let balancer: Balancer
  /** The fleet, as clients see it. */
  let fleet: TestApp
  beforeAll(async () => {
    balancer = await Balancer.start(
      apps.map(({ url }) => url),
      CHECKS,
    )
    fleet = Object.assign(Object.create(TestApp.prototype), { url: balancer.url })
  })
  afterAll(() => balancer.stop())

  const ASKED: Readonly<Record<string, () => Promise<TestResponse>>> = {
    refresh: () => refresh(fleet, satellite),
    'refresh on the main site': () => refreshAsMain(fleet, main),
    login: () => sendLogin(fleet, owner),
    logout: () => logout(fleet, leaving),
    payments: () => subscribe(fleet, main),
    data: () => readData(fleet, main),
    keys: () => fleet.request({ path: '/.well-known/jwks.json' }),
  }
  const DATABASE = '503 DATABASE_UNAVAILABLE'

  // The table of docs/operations/outages.md, "When a part is down".
  test.each([
    {
      part: 'database',
      stop: () => postgres.kill('SIGQUIT'),
      restart: () => postgres.restart(),
      answers: {
        ...{ refresh: '200', 'refresh on the main site': '200', data: '200', keys: '200' },
        ...{ login: DATABASE, logout: DATABASE, payments: DATABASE },
      },
    },
    {
      part: 'sessionStore',
      stop: () => redis.kill('SIGKILL'),
      restart: () => redis.restart(),
      answers: {
        ...{ refresh: '200', 'refresh on the main site': '200', data: '200', keys: '200' },
        ...{ login: '200', logout: '204 undefined', payments: '201 undefined' },
      },
    },
  ])('with the $part down, what does not need it goes on', async ({ part, stop, restart, answers }) => {
    await stop()
    try {
      await eventually(async () => (await partsOf(fleet))[part].state === 'down')
      for (const endAt = performance.now() + OUTAGE_MS; performance.now() < endAt; )
        for (const [name, expected] of Object.entries(answers)) {
          const answer = await (ASKED[name] as () => Promise<TestResponse>)()
          expect([name, outcome(answer)]).toEqual([name, expected])
          if (answer.status === 503) expect(answer.headers['retry-after']).toMatch(/^[2-5]$/)
        }
      expect(balancer.upCount).toBe(2)
    } finally {
      await restart()
    }
    await eventually(async () => (await partsOf(fleet))[part].state === 'up')
    await eventually(async () => outcome(await (ASKED.refresh as () => Promise<TestResponse>)()) === '200')
  })

  test('the status says since when a part is as it is', async () => {
    const app = apps[0] as TestApp
    await eventually(async () => (await app.request({ path: '/health/status' })).json.status === 'ok')
    const before = await partsOf(app)
    app.clock.advance(60)
    await postgres.kill('SIGQUIT')
    const { database, sessionStore } = await eventually(async () => {
      const parts = await partsOf(app)
      return parts.database.state === 'down' && parts
    })
    expect(sessionStore).toEqual(before.sessionStore)
    expect(Date.parse(database.since) - Date.parse(before.database.since)).toBeGreaterThanOrEqual(60_000)
    expect((await app.request({ path: '/health/status' })).json.status).toBe('degraded')
    await postgres.restart()
    await eventually(async () => (await partsOf(app)).database.state === 'up')
  })
})

describe('fleet 9: SIGTERM of one of two replicas', () => {
  let replicas: BuiltServer[]
  let balancer: Balancer
  beforeAll(async () => {
    const { settings } = apps[0] as TestApp
    const start = async () =>
      BuiltServer.start(
        environmentOf({
          PORT: String(await freePort()),
          DATABASE_URL: postgres.url,
          SESSION_STORE_URL: redis.url,
          SESSION_STORE_TIMEOUT_MS: '3000',
          JWT_KEYS_FILE: settings.jwtKeysFile,
          SECRETS_KEYS_FILE: settings.secretsKeysFile,
          LOG_LEVEL: 'warn',
          DRAIN_SECONDS: '6',
        }),
      )
    replicas = await Promise.all([start(), start()])
    // The checks that balancers are usually set to.
    balancer = await Balancer.start(
      replicas.map(({ url }) => url),
      { everyMs: 2_000, failures: 2 },
    )
  })
  afterAll(async () => {
    await balancer?.stop()
    await Promise.all((replicas ?? []).map(replica => replica.stop()))
  })

  test('fails no refresh; is not ready at once, and closes connections with its responses', async () => {
    const [stopping] = replicas as [BuiltServer, BuiltServer]
    const statuses: number[] = []
    let isOver = false
    const load = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        const headers = { Origin: MAIN, Cookie: `sessionId=${main.sessionId}`, Connection: 'keep-alive' }
        statuses.push((await request(balancer.url, { method: 'POST', path: '/api/refresh', headers })).status)
        await sleep(10)
      }
    })
    await sleep(200)
    const ended = stopping.end()
    await eventually(async () => (await request(stopping.url, { path: '/health/ready' })).status === 503)
    const headers = { Connection: 'keep-alive' }
    const answer = await request(stopping.url, { path: '/.well-known/jwks.json', headers })
    expect(answer).toMatchObject({ status: 200, headers: { connection: 'close' } })
    expect(await ended).toBe(0)
    expect(balancer.upCount).toBe(1)
    isOver = true
    await Promise.all(load)
    expect(statuses.length).toBeGreaterThan(100)
    const failed = statuses.filter(status => status !== 200)
    expect(failed).toEqual([])
    saw('sigterm', { lost: failed.length })
  })
})

async function partsOf(app: Pick<TestApp, 'request'>) {
  const { status, json } = await app.request({ path: '/health/status' })
  expect(status).toBe(200)
  return json.parts
}

function outcome({ status, json }: TestResponse): string {
  return status === 200 ? '200' : `${status} ${json?.code}`
}
