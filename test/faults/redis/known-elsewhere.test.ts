import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import pg from 'pg'
import { KNOWN_EVERYWHERE_AFTER_MS, permissionsOf, SessionStore, UserAdministration } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { type TestApp } from '../../support/test-app.js'
import { copyKey, getCopied } from '../support/copies.js'
import { claimsOf, logout, refresh, refreshAsMain, sidOf } from '../support/requests.js'
import { type Replicas, startReplicasOn } from '../support/store-service.js'
import { whileRefreshing } from '../support/while-refreshing.js'

const LOGOUTS = 40
/** At each of two replicas, one after the other. */
const REFRESHES_AFTER = 25
/** The bar. */
const SOON_MS = 2_000

describe('two replicas', () => {
  let redis: RedisServer
  let service: Replicas
  let app: TestApp
  let other: TestApp

  beforeAll(async () => {
    redis = await startRedis()
    // The machine may be busy; a Redis that is slow to answer has tests of its own.
    service = await startReplicasOn(redis.url, {
      SESSION_STORE_TIMEOUT_MS: '3000',
      DATABASE_TIMEOUT_MS: '3000',
    })
    ;({ app, other } = service)
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })
  afterAll(async () => {
    await service?.stop()
    await redis?.stop()
  })

  async function copiedSession(): Promise<SignedIn> {
    const session = await signIn(app, await anOwner(app), 'satellite')
    await getCopied(app, session)
    return session
  }

  test('a logout at one is known at the other at once: no refresh that begins after its answer gets a token', async () => {
    const tokens: number[] = []
    for (let times = 0; times < LOGOUTS; times++) {
      const session = await copiedSession()
      let isOver = false
      // Copies are read and written all the while.
      const busy = [app, other].map(async each => {
        while (!isOver) await refresh(each, session)
      })
      expect(await logout(times % 2 === 0 ? app : other, session)).toMatchObject({ status: 204 })
      const after = [app, other].map(async each => {
        for (let count = 0; count < REFRESHES_AFTER; count++)
          tokens.push((await refresh(each, session)).status)
      })
      await Promise.all(after)
      isOver = true
      await Promise.all(busy)
    }
    expect(tokens).toHaveLength(2 * LOGOUTS * REFRESHES_AFTER)
    expect(tokens.filter(status => status !== 401)).toEqual([])
  }, 60_000)

  test('a permission that was taken at one is gone at the other at once', async () => {
    const member = await aMember(app, await anOwner(app))
    const grant = (permissions: Parameters<typeof permissionsOf>[0]) =>
      app.get(UserAdministration).grant(member, permissionsOf(permissions))
    const session = await signIn(app, member, 'main')
    for (let times = 0; times < 5; times++) {
      await grant(['payments', 'viewReports'])
      await getCopied(other, session)
      await grant(['viewReports'])
      for (const each of [other, app])
        expect(claimsOf(await refreshAsMain(each, session)).permissions).toEqual(
          permissionsOf(['viewReports']),
        )
    }
  })

  test('a logout whose deletion Redis loses is known within 2 s, though the copy is there again', async () => {
    const session = await copiedSession()
    const copy = await redisCli(redis.port, 'GET', copyKey(session))
    expect(await logout(app, session)).toMatchObject({ status: 204 })
    const answeredAt = performance.now()
    const putBack = () => redisCli(redis.port, 'SET', copyKey(session), copy)
    await putBack()
    await eventually(async () => (await refresh(other, session)).status === 401, { timeoutMs: SOON_MS })
    await sleep(Math.max(0, answeredAt + KNOWN_EVERYWHERE_AFTER_MS - performance.now()))
    for (let times = 0; times < 20; times++) {
      await putBack()
      for (const each of [app, other]) expect(await refresh(each, session)).toMatchObject({ status: 401 })
    }
  })

  test('a logout while Redis takes no writes is answered when the other knows of it, within 2 s', async () => {
    const session = await copiedSession()
    const live = await copiedSession()
    await redisCli(redis.port, 'CONFIG', 'SET', 'min-replicas-to-write', '1')
    try {
      const sentAt = performance.now()
      expect(await logout(app, session)).toMatchObject({ status: 204 })
      expect(performance.now() - sentAt).toBeLessThan(SOON_MS + 500)
      expect(await redisCli(redis.port, 'EXISTS', copyKey(session))).toBe('1')
      await whileRefreshing({ apps: [app, other], live: [live], ended: [session] }, () => sleep(500))
    } finally {
      await redisCli(redis.port, 'CONFIG', 'SET', 'min-replicas-to-write', '0')
    }
  })

  test('security M4: what a replica ended that died before it told Redis is ended for the other within 2 s', async () => {
    const session = await copiedSession()
    const hung = jest.spyOn(app.get(SessionStore), 'forget').mockReturnValue(new Promise(() => {}))
    void logout(app, session).catch(() => {})
    await eventually(() => hung.mock.calls.length > 0, { what: 'the commit' })
    await eventually(async () => (await refresh(other, session)).status === 401, { timeoutMs: SOON_MS })
    expect(await redisCli(redis.port, 'EXISTS', copyKey(session))).toBe('1')
    // A client that repeats it is answered when the copy has gone.
    hung.mockRestore()
    expect(await logout(other, session)).toMatchObject({ status: 204 })
    expect(await redisCli(redis.port, 'EXISTS', copyKey(session))).toBe('0')
  })

  test('security M4: what such a replica ended is ended although a later change was committed before', async () => {
    const [session, later] = [await copiedSession(), await copiedSession()]
    const dead = new pg.Client({ connectionString: app.settings.databaseUrl })
    await dead.connect()
    try {
      await dead.query('begin')
      await dead.query('update sessions set ended_at = now() where sid = $1', [sidOf(session)])
      await dead.query('insert into session_changes (sid) values ($1)', [sidOf(session)])
      expect(await logout(app, later)).toMatchObject({ status: 204 })
      // Longer than any mark is used.
      await sleep(2 * KNOWN_EVERYWHERE_AFTER_MS)
      expect(await refresh(other, session)).toMatchObject({ status: 200 })
      await dead.query('commit')
    } finally {
      await dead.end()
    }
    await eventually(async () => (await refresh(other, session)).status === 401, { timeoutMs: SOON_MS })
    await eventually(async () => (await refresh(app, session)).status === 401, { timeoutMs: SOON_MS })
  })

  test('a login ends the session of its old cookie, though Redis takes no writes', async () => {
    const owner = await anOwner(app)
    const old = await signIn(app, owner, 'main')
    await getCopied(other, old)
    await redisCli(redis.port, 'CONFIG', 'SET', 'min-replicas-to-write', '1')
    try {
      const answer = await sendLogin(app, owner, { Cookie: `sessionId=${old.sessionId}` })
      expect(answer).toMatchObject({ status: 200 })
      expect(await refreshAsMain(other, old)).toMatchObject({ status: 401 })
    } finally {
      await redisCli(redis.port, 'CONFIG', 'SET', 'min-replicas-to-write', '0')
    }
    expect(await other.get(SessionStore).listByUser(owner.id, other.clock.now())).toHaveLength(1)
  })
})
