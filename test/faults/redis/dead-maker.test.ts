import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import pg from 'pg'
import {
  Database,
  leases,
  markerKey,
  permissionsOf,
  SessionStore,
  sessionChanges,
  UserAdministration,
  unavailable,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, PASSWORD, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { startMovableAddress } from '../support/movable-address.js'
import { claimsOf, logout, refresh, refreshAsMain, sidOf } from '../support/requests.js'
import { type StoreService, startServiceOn } from '../support/store-service.js'

/** The bar is 5 s; the rest is for a busy test machine. */
const SOON_MS = 8_000

describe('two replicas, of which one cannot tell Redis what it has recorded', () => {
  let redis: RedisServer
  let dying: StoreService
  let other: TestApp

  beforeAll(async () => {
    redis = await startRedis()
    dying = await startServiceOn(redis.url)
    other = await TestApp.start({ ...dying.app.stores })
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })
  afterAll(async () => {
    await other?.stop()
    await dying?.stop()
    await redis?.stop()
  })

  /** What it decides is committed; then it is as good as dead. */
  function cannotTell(): void {
    const store = dying.app.get(SessionStore)
    jest.spyOn(store, 'apply').mockRejectedValue(unavailable('SESSION_STORE_UNAVAILABLE'))
  }

  test('security M4: what it ended is ended for the other one within seconds', async () => {
    const owner = await anOwner(other)
    const sessions = [await signIn(other, owner, 'satellite'), await signIn(other, owner, 'main')]
    cannotTell()
    await expect(dying.app.get(UserAdministration).disable(owner)).rejects.toMatchObject({
      code: 'SESSION_STORE_UNAVAILABLE',
    })
    await eventually(async () => (await refresh(other, sessions[0]!)).status === 401, { timeoutMs: SOON_MS })
    expect(await refreshAsMain(other, sessions[1]!)).toMatchObject({ status: 401 })
  })

  test('security M4: what it took away is gone for the other one within seconds', async () => {
    const member = await aMember(other, await anOwner(other))
    await other.app.get(UserAdministration).grant(member, permissionsOf(['payments', 'viewReports']))
    const session = await signIn(other, member, 'main')
    cannotTell()
    const cut = dying.app.get(UserAdministration).grant(member, permissionsOf(['viewReports']))
    await expect(cut).rejects.toMatchObject({ code: 'SESSION_STORE_UNAVAILABLE' })
    await eventually(async () => !claimsOf(await refreshAsMain(other, session)).permissions.payments, {
      timeoutMs: SOON_MS,
    })
  })

  test('security M4: what it ended is ended although a later change was committed before', async () => {
    const owner = await anOwner(other)
    const [ended, settled, later] = [
      await signIn(other, owner, 'satellite'),
      await signIn(other, owner, 'satellite'),
      await signIn(other, owner, 'satellite'),
    ]
    expect(await logout(other, settled!)).toMatchObject({ status: 204 })
    const dead = new pg.Client({ connectionString: other.stores.DATABASE_URL })
    await dead.connect()
    try {
      const { rows } = await dead.query(
        `update session_changes set recorded_at = recorded_at - interval '2 minutes' returning id`,
      )
      const settledId = Math.max(...rows.map(({ id }) => Number(id)))
      await dead.query('begin')
      await dead.query(`insert into session_changes (sid, until) values ($1, now() + interval '1 day')`, [
        sidOf(ended!),
      ])
      expect(await logout(other, later!)).toMatchObject({ status: 204 })
      await eventually(async () => (await markedId()) >= settledId, { timeoutMs: 20_000 })
      await dead.query('commit')
    } finally {
      await dead.end()
    }
    await eventually(async () => (await refresh(other, ended!)).status === 401, { timeoutMs: SOON_MS })
  })

  async function markedId(): Promise<number> {
    return Number((await redisCli(redis.port, 'GET', markerKey('AA'))).split(':')[1])
  }

  test('a login succeeds though the session of its old cookie cannot be ended, which ends soon after', async () => {
    const owner = await anOwner(other)
    const old = await signIn(other, owner, 'main')
    cannotTell()
    const answer = await dying.app.request({
      method: 'POST',
      path: '/api/login',
      headers: { Origin: MAIN, Cookie: `sessionId=${old.sessionId}` },
      body: { email: owner.email, password: PASSWORD, source: 'main' },
    })
    expect(answer).toMatchObject({ status: 200 })
    await eventually(async () => (await refreshAsMain(other, old)).status === 401, { timeoutMs: SOON_MS })
    expect(await other.app.get(SessionStore).listByUser(owner.id, other.clock.now())).toHaveLength(1)
  })

  test('security L10: an end is kept as long as its session would have lived, whatever SESSION_TTL_SECONDS is now', async () => {
    const session = await signIn(other, await anOwner(other), 'satellite')
    const { expiresAt } = (await other.app.get(SessionStore).find(sidOf(session), other.clock.now()))!
    const lowered = await TestApp.start({
      ...dying.app.stores,
      SESSION_TTL_SECONDS: '3600',
      JWT_KEYS_FILE: other.settings.jwtKeysFile,
    })
    try {
      expect(await logout(lowered, session)).toMatchObject({ status: 204 })
    } finally {
      await lowered.stop()
    }
    const rows = await other.app.get(Database).run(db =>
      db
        .select()
        .from(sessionChanges)
        .where(eq(sessionChanges.sid, sidOf(session))),
    )
    expect(rows).toMatchObject([{ until: expiresAt }])
  })
})

test('security M4: what a dead replica ended is ended although the one that repeats changes has lost Redis', async () => {
  const redis = await startRedis()
  const address = await startMovableAddress(redis.port)
  const cutOff = await startServiceOn(`redis://127.0.0.1:${address.port}`)
  const { app } = cutOff
  try {
    // It is the only one, so the work is its.
    await eventually(() => holderOfTheWork(app))
    const other = await TestApp.start({
      ...app.stores,
      SESSION_STORE_URL: redis.url,
    })
    try {
      const session = await signIn(other, await anOwner(other), 'satellite')
      address.beSilent(true)
      const until = new Date(Date.now() + 86_400_000)
      await app.get(Database).run(db => db.insert(sessionChanges).values({ sid: sidOf(session), until }))
      await eventually(async () => (await refresh(other, session)).status === 401, { timeoutMs: SOON_MS })
    } finally {
      await other.stop()
    }
  } finally {
    await cutOff.stop()
    address.close()
    await redis.stop()
  }
})

function holderOfTheWork(app: TestApp) {
  return app.get(Database).run(async db => {
    const [lease] = await db.select().from(leases).where(eq(leases.name, 'session-changes'))
    return lease?.holder
  })
}
