import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { KNOWN_EVERYWHERE_AFTER_MS, Satellites } from '../../sources.js'
import { aChallenge, giveAuthenticator, secondStep } from '../../support/authenticator.js'
import { eventually } from '../../support/eventually.js'
import { scrape } from '../../support/metrics.js'
import { anOwner, sendLogin, signIn } from '../../support/people.js'
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres-server.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { aSatellite, setSatelliteState } from '../../support/satellites.js'
import { TestApp } from '../../support/test-app.js'
import { saw } from '../reliability/saw.js'
import { getCopied, hasCopy } from '../support/copies.js'
import { logout, readData, refresh, refreshAsMain } from '../support/requests.js'
import { startBeside } from '../support/store-service.js'
import { whileRefreshing } from '../support/while-refreshing.js'

describe('while PostgreSQL is down', () => {
  let postgres: PostgresServer
  let redis: RedisServer
  let app: TestApp

  beforeAll(async () => {
    ;[postgres, redis] = await Promise.all([startPostgres(), startRedis()])
    app = await TestApp.start({
      DATABASE_URL: postgres.url,
      SESSION_STORE_URL: redis.url,
      // An outage fills the log, as it should.
      METRICS_PORT: '0',
    })
  })
  afterAll(async () => {
    await app?.stop()
    await Promise.all([redis?.stop(), postgres?.stop()])
  })

  async function databaseIsBack(): Promise<void> {
    await postgres.restart()
    await eventually(() => app.database.ping().then(() => true))
  }

  test('shows it in the metrics, and leaves out only what the database would have to tell', async () => {
    await postgres.kill('SIGQUIT')
    try {
      await eventually(async () => (await scrape(app)).values.get('mainstay_part_up{part="database"}') === 0)
      const { values } = await scrape(app)
      for (const part of ['billing', 'satellites'])
        expect(values.get(`mainstay_collect_errors_total{part="${part}"}`)).toBe(1)
      expect(values.has('mainstay_billing_events_waiting')).toBe(false)
      expect(values.has('mainstay_satellites_failing')).toBe(false)
      expect(values.get('mainstay_session_changes_age_seconds')).toBeGreaterThan(0)
      expect(values.get('mainstay_mails_waiting')).toBe(0)
    } finally {
      await databaseIsBack()
    }
  })

  test('continues refresh and data; answers 503 for what must be recorded; a refused logout ends nothing', async () => {
    const owner = await anOwner(app)
    const main = await signIn(app, owner, 'main')
    const satellite = await signIn(app, owner, 'satellite')
    const newcomer = await signIn(app, owner, 'satellite')
    await getCopied(app, main, satellite)
    const enrolled = await anOwner(app)
    const phone = await giveAuthenticator(app, enrolled)
    const challenge = await aChallenge(app, enrolled)
    const secondFactor = () => secondStep(app, { challenge, code: phone.code() })
    await postgres.kill('SIGQUIT')
    expect(await refreshAsMain(app, main)).toMatchObject({ status: 200 })
    expect(await refresh(app, satellite)).toMatchObject({ status: 200 })
    expect(await readData(app, main)).toMatchObject({ status: 200 })
    // Whether there is such a session is in the database alone.
    const unknown = { ...satellite, sessionId: randomUUID() }
    const withoutCopy = [unknown, newcomer].map(session => () => refresh(app, session))
    const recorded = [() => sendLogin(app, owner), () => logout(app, satellite), secondFactor]
    for (const send of [...withoutCopy, ...recorded]) {
      const answer = await send()
      expect(answer).toMatchObject({ status: 503, json: { code: 'DATABASE_UNAVAILABLE' }, setCookies: [] })
      expect(answer.headers['retry-after']).toMatch(/^[2-5]$/)
    }
    expect(await app.request({ path: '/health/live' })).toMatchObject({ status: 200 })
    const { status } = await refresh(app, satellite)
    expect(status).toBe(200)
    await postgres.restart()
    const restartedAt = performance.now()
    await eventually(async () => (await sendLogin(app, owner)).status === 200)
    const recoveredMs = performance.now() - restartedAt
    saw('postgres-down', { status: 503, recoveredMs, lost: status === 200 ? 0 : 1 })
    expect(await secondFactor()).toMatchObject({ status: 200 })
    expect(await logout(app, satellite)).toMatchObject({ status: 204 })
    expect(await refresh(app, satellite)).toMatchObject({ status: 401 })
  })

  test('keeps satellites as they were, and applies changes soon after it', async () => {
    const owner = await anOwner(app)
    const origin = 'https://shop.customers.test'
    const satellite = await aSatellite(app, owner, origin)
    const session = await signIn(app, owner, 'satellite', origin)
    const { sessionId } = session
    const refreshThere = () =>
      app.post('/api/refresh', undefined, { Origin: origin, 'X-Session-ID': sessionId })
    await eventually(async () => (await refreshThere()).status === 200 && (await hasCopy(app, session)))
    const looks = jest.spyOn(app.get(Satellites), 'refresh')
    await postgres.kill('SIGQUIT')
    // For a newer version, in vain.
    await eventually(() => looks.mock.results.length > 2, { what: 'two more looks' })
    looks.mockRestore()
    expect(await refreshThere()).toMatchObject({ status: 200 })
    const unknown = await app.request({ path: '/health/live', headers: { Origin: `${origin}:8443` } })
    expect(unknown).toMatchObject({ status: 403, json: { code: 'ORIGIN_NOT_ALLOWED' } })
    await databaseIsBack()
    await setSatelliteState(app, satellite, 'suspended')
    await eventually(async () => (await refreshThere()).status === 403)
  })

  test('revives nobody from a Redis that lost a revocation, although the database cannot tell it again', async () => {
    const owner = await anOwner(app)
    const ended = await signIn(app, owner, 'satellite')
    const live = await signIn(app, owner, 'satellite')
    await getCopied(app, ended, live)
    await redisCli(redis.port, 'SAVE')
    expect(await logout(app, ended)).toMatchObject({ status: 204 })
    await sleep(KNOWN_EVERYWHERE_AFTER_MS)
    await postgres.kill('SIGQUIT')
    await redis.kill('SIGKILL')
    await redis.restart()
    await eventually(async () => (await refresh(app, live)).status === 200)
    for (let times = 0; times < 20; times++)
      expect(await refresh(app, ended)).toMatchObject({ status: 503, json: { code: 'DATABASE_UNAVAILABLE' } })
    await databaseIsBack()
    expect(await refresh(app, ended)).toMatchObject({ status: 401 })
  })

  test('refreshes sessions with a copy without one 503, until COPIES_WITHOUT_DATABASE_SECONDS are over', async () => {
    const session = await signIn(app, await anOwner(app), 'satellite')
    const impatient = await startBeside(app, { COPIES_WITHOUT_DATABASE_SECONDS: '4' })
    try {
      await getCopied(app, session)
      await whileRefreshing({ apps: [app, impatient], live: [session], ended: [] }, async () => {
        await postgres.kill('SIGQUIT')
        await sleep(2_500)
      })
      await eventually(async () => (await refresh(impatient, session)).status === 503, { timeoutMs: 4_000 })
      expect(await refresh(impatient, session)).toMatchObject({ json: { code: 'DATABASE_UNAVAILABLE' } })
      expect(await refresh(app, session)).toMatchObject({ status: 200 })
      expect(await impatient.request({ path: '/health/ready' })).toMatchObject({ status: 200 })
      await databaseIsBack()
      await eventually(async () => (await refresh(impatient, session)).status === 200)
    } finally {
      await impatient.stop()
    }
  })

  test('answers 503 for a transaction that is cut off between two statements, and the process lives', async () => {
    const database = app.database
    const transaction = database.transaction(async db => {
      await db.execute(sql`select 1`)
      await postgres.kill('SIGQUIT')
      // The connection is lost while nothing waits for an answer on it.
      await sleep(200)
      await db.execute(sql`select 1`)
    })
    await expect(transaction).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
    await databaseIsBack()
  })
})
