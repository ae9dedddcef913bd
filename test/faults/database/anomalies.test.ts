import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually } from '../../support/eventually.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { type PostgresServer, startPostgres } from '../../support/postgres/postgres-server.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'
import { getCopied } from '../support/copies.js'
import { refresh } from '../support/requests.js'

/** As when a phone leaves the Wi-Fi. */
const ANOTHER_NETWORK = { 'X-Forwarded-For': '203.0.113.7' }
/** And another kind of device. */
const ELSEWHERE = {
  ...ANOTHER_NETWORK,
  'User-Agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) Chrome/140.0.0.0 Safari/537.36',
}

describe('an anomaly while PostgreSQL is down', () => {
  let postgres: PostgresServer
  let redis: RedisServer
  let app: TestApp

  beforeAll(async () => {
    ;[postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  })
  afterEach(() => app?.stop())
  afterAll(() => Promise.all([redis?.stop(), postgres?.stop()]))

  async function start(environment: Record<string, string>): Promise<void> {
    app = await TestApp.start({
      DATABASE_URL: postgres.url,
      SESSION_STORE_URL: redis.url,
      TRUST_PROXY: '127.0.0.1',
      ...environment,
    })
  }

  function refreshFrom(where: Readonly<Record<string, string>>, { sessionId }: SignedIn) {
    const headers = { 'X-Session-ID': sessionId, ...where }
    return app.post('/api/refresh', undefined, headers)
  }

  async function databaseIsBack(): Promise<void> {
    await postgres.restart()
    await eventually(() => app.database.ping().then(() => true))
  }

  test('refuses nobody who is only in another network; it is in the audit log after the first refresh when the database is back', async () => {
    await start({})
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'satellite')
    await getCopied(app, session)
    await postgres.kill('SIGQUIT')
    expect(await refreshFrom(ANOTHER_NETWORK, session)).toMatchObject({ status: 200 })
    await databaseIsBack()
    expect(await refreshFrom(ANOTHER_NETWORK, session)).toMatchObject({ status: 200 })
    const noted = { userId: owner.id, action: 'session.anomaly' }
    await eventually(async () => (await app.auditRows(noted)).length > 0)
  })

  test('that voids a re-authentication is 503 until that can be recorded', async () => {
    await start({})
    const session = await signIn(app, await anOwner(app), 'satellite')
    await getCopied(app, session)
    await postgres.kill('SIGQUIT')
    expect(await refreshFrom(ELSEWHERE, session)).toMatchObject({
      status: 503,
      json: { code: 'DATABASE_UNAVAILABLE' },
    })
    await databaseIsBack()
    expect(await refreshFrom(ELSEWHERE, session)).toMatchObject({ status: 200 })
  })

  test('that ends the session is 503 until that can be recorded, and then 401', async () => {
    await start({ ANOMALY_POLICY: 'revoke:60' })
    const session = await signIn(app, await anOwner(app), 'satellite')
    await getCopied(app, session)
    await postgres.kill('SIGQUIT')
    for (let times = 0; times < 2; times++)
      expect(await refreshFrom(ELSEWHERE, session)).toMatchObject({
        status: 503,
        json: { code: 'DATABASE_UNAVAILABLE' },
      })
    expect(await refresh(app, session)).toMatchObject({ status: 200 })
    await databaseIsBack()
    expect(await refreshFrom(ELSEWHERE, session)).toMatchObject({ status: 401 })
    expect(await refresh(app, session)).toMatchObject({ status: 401 })
  })
})
