import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { Database, Logger, StoreSupervisor, userSessions } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'
import { login, refresh, sidOf } from '../support/requests.js'
import { type StoreService, startServiceOn } from '../support/store-service.js'

const UNAVAILABLE = { status: 503, json: { code: 'SESSION_STORE_UNAVAILABLE' } }
/** The machine may be busy; a Redis that is slow to answer has tests of its own. */
const PATIENT = { SESSION_STORE_TIMEOUT_MS: '3000' }
const COUNT_MARKERS = `
  local generations = {}
  for _, key in ipairs(redis.call('KEYS', 'changes-applied:*')) do
    local generation = string.match(redis.call('GET', key), '^(.-):')
    generations[generation] = (generations[generation] or 0) + 1
  end
  local counts = {}
  for _, count in pairs(generations) do table.insert(counts, tostring(count)) end
  return counts`
const ALL_MARKERS_BUT_ONE = `
  for _, key in ipairs(redis.call('KEYS', 'changes-applied:*')) do
    if key ~= 'changes-applied:{zz}' then redis.call('DEL', key) end
  end`
const MARKERS_OF_TOMORROW = `
  for _, key in ipairs(redis.call('KEYS', 'changes-applied:*')) do
    redis.call('SET', key, (string.gsub(redis.call('GET', key), '%d+$', '1000000')))
  end`

describe('fleet 7: a Redis with the sessions of another installation', () => {
  let redis: RedisServer
  let owning: StoreService
  let session: SignedIn

  beforeAll(async () => {
    redis = await startRedis()
    owning = await startServiceOn(redis.url, PATIENT)
    session = await signIn(owning.app, await anOwner(owning.app), 'satellite')
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })
  afterAll(async () => {
    await owning?.stop()
    await redis?.stop()
  })

  test('is left as it is by a service with an empty database, which serves no sessions and says what is wrong', async () => {
    const fatal = jest.spyOn(Logger.prototype, 'fatal')
    const { answers, stop } = refreshAllTheTime(owning.app, session)
    const intruder = await startServiceOn(redis.url, PATIENT)
    try {
      const owner = await anOwner(intruder.app)
      expect(await login(intruder.app, owner)).toMatchObject(UNAVAILABLE)
      expect(await refresh(intruder.app, session)).toMatchObject(UNAVAILABLE)
      expect(fatal.mock.calls).toEqual([
        [expect.stringMatching(/another installation.*SESSION_STORE_URL or DATABASE_URL.*store:accept-loss/)],
      ])
      // Looks at the markers as it starts.
      const replica = await TestApp.start({ ...owning.app.stores })
      expect(await refresh(replica, session)).toMatchObject({ status: 200 })
      await replica.stop()
      expect(await refresh(intruder.app, session)).toMatchObject(UNAVAILABLE)
    } finally {
      await stop()
      await intruder.stop()
    }
    expect([...answers.keys()]).toEqual([200])
    expect(answers.get(200)).toBeGreaterThan(10)
    expect(await redisCli(redis.port, 'EVAL', COUNT_MARKERS, '0')).toBe('4096')
  })

  test('is left as it is although nearly all its markers are gone', async () => {
    await redisCli(redis.port, 'EVAL', ALL_MARKERS_BUT_ONE, '0')
    const intruder = await startServiceOn(redis.url, PATIENT)
    try {
      expect(await login(intruder.app, await anOwner(intruder.app))).toMatchObject(UNAVAILABLE)
      expect(await redisCli(redis.port, 'EVAL', COUNT_MARKERS, '0')).toBe('1')
    } finally {
      await intruder.stop()
    }
    await acceptLoss(owning.app)
    await served(owning.app, session)
  })

  test('is taken over at an operator’s command, and then the other one refuses', async () => {
    const heir = await startServiceOn(redis.url, PATIENT)
    try {
      const fatal = jest.spyOn(Logger.prototype, 'fatal')
      expect(await acceptLoss(heir.app)).toContain('the server had sessions of another installation')
      await eventually(() => heir.app.get(StoreSupervisor).status()[0]?.isOpen)
      const own = await signIn(heir.app, await anOwner(heir.app), 'satellite')
      await served(heir.app, own)
      // Neither serves what was here before, and the one that lost it does not call it ended.
      expect(await refresh(heir.app, session)).toMatchObject({ status: 401 })
      expect(await refresh(owning.app, session)).toMatchObject(UNAVAILABLE)
      await eventually(() => fatal.mock.calls.some(([line]) => /another installation/.test(String(line))))
      expect(await refresh(owning.app, session)).toMatchObject(UNAVAILABLE)
    } finally {
      await heir.stop()
    }
  })

  /** Refreshes one after the other until it is stopped, and counts the answers. */
  function refreshAllTheTime(app: TestApp, session: SignedIn) {
    const answers = new Map<number, number>()
    let isOver = false
    const refreshing = (async () => {
      while (!isOver) {
        const { status } = await refresh(app, session)
        answers.set(status, (answers.get(status) ?? 0) + 1)
      }
    })()
    const stop = () => {
      isOver = true
      return refreshing
    }
    return { answers, stop }
  }
})

describe('fleet 7: services that are started at once on an empty Redis', () => {
  let redis: RedisServer
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(() => redis?.stop())

  test('serve both when they are of one installation', async () => {
    const database = await createDatabase({ isEmpty: true })
    const stores = { DATABASE_URL: database.url, SESSION_STORE_URL: redis.url, LOG_LEVEL: 'silent' }
    const replicas = await Promise.all([TestApp.start(stores), TestApp.start(stores)])
    try {
      const session = await signIn(replicas[0], await anOwner(replicas[0]), 'satellite')
      for (const replica of replicas) await served(replica, session)
    } finally {
      await Promise.all(replicas.map(replica => replica.stop()))
      await database.drop()
      await redisCli(redis.port, 'FLUSHALL')
    }
  })

  test('serve one of them when they are two installations', async () => {
    const services = await Promise.all([
      startServiceOn(redis.url, PATIENT),
      startServiceOn(redis.url, PATIENT),
    ])
    try {
      const answers = await Promise.all(
        services.map(async ({ app }) => (await login(app, await anOwner(app))).status),
      )
      expect(answers.sort()).toEqual([200, 503])
      expect(await redisCli(redis.port, 'EVAL', COUNT_MARKERS, '0')).toBe('4096')
    } finally {
      await Promise.all(services.map(service => service.stop()))
    }
  })
})

test('fleet 7: a database that was restored from a backup does not vouch for a Redis that was not', async () => {
  const redis = await startRedis()
  const { app, stop } = await startServiceOn(redis.url, PATIENT)
  try {
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'satellite')
    const unknown = await signIn(app, owner, 'satellite')
    await app.get(Database).run(db => db.delete(userSessions).where(eq(userSessions.sid, sidOf(unknown))))
    await redisCli(redis.port, 'EVAL', MARKERS_OF_TOMORROW, '0')
    const restarted = await TestApp.start({ ...app.stores })
    try {
      expect(await refresh(restarted, session)).toMatchObject(UNAVAILABLE)
      const [status] = restarted.app.get(StoreSupervisor).status()
      expect(status?.reason).toContain('the database does not have')
      expect(await acceptLoss(app)).toContain('the server was ahead of the database')
      await served(restarted, session)
      // Nobody could end it.
      expect(await refresh(restarted, unknown)).toMatchObject({ status: 401 })
    } finally {
      await restarted.stop()
    }
  } finally {
    await stop()
    await redis.stop()
  }
})

async function acceptLoss({ settings, stores }: TestApp): Promise<string> {
  const environment = { NODE_ENV: 'test', DATA_DIR: settings.dataDir, ...stores }
  const { code, output, errors } = await runInProcess(['store:accept-loss'], environment)
  expect({ code, errors }).toMatchObject({ code: 0 })
  return output
}

async function served(app: TestApp, session: SignedIn): Promise<void> {
  await eventually(async () => (await refresh(app, session)).status === 200)
}
