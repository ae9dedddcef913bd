import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, jest, test } from '@jest/globals'
import {
  type Database,
  DatabaseSessionStore,
  handleOf,
  newSessionId,
  openDatabase,
  readSettings,
} from '../sources.js'
import { copyEmbeddedDatabase } from '../support/embedded-database.js'
import { eventually } from '../support/eventually.js'
import { createDatabase } from '../support/postgres/postgres-server.js'
import { startRedisCluster } from '../support/redis/redis-cluster.js'
import { startRedisSentinel } from '../support/redis/redis-sentinel.js'
import { startRedis } from '../support/redis/redis-server.js'
import { onServers } from '../support/tiers.js'
import { TIMEOUTS_OF_ACCOUNTS } from './kept-session.js'
import { openRedisStore, REFRESHES_AT_ONCE } from './open-redis-store.js'
import { type OpenStore, sessionStoreContract } from './session-store.contract.js'

sessionStoreContract('PostgreSQL, with copies in Redis', () => onRedis(startRedis()), onServers.describe)
sessionStoreContract(
  'PostgreSQL, with copies in a Redis Cluster',
  () => onRedis(startRedisCluster()),
  onServers.describe,
)
sessionStoreContract(
  'PostgreSQL, with copies in Redis Sentinel',
  () => onRedis(startRedisSentinel({ sentinels: 1 })),
  onServers.describe,
)

sessionStoreContract(
  'PostgreSQL',
  async () => {
    const { url, drop } = await createDatabase()
    return onDatabase(await opened(url), drop)
  },
  onServers.describe,
)

sessionStoreContract('PGlite', async () => {
  const { database, remove } = await embedded()
  return onDatabase(database, remove)
})

const aSid = () => handleOf(newSessionId())

afterEach(() => void jest.restoreAllMocks())
/** So that nobody waits too long, however slow this machine is. */
const stopTheClock = () => void jest.spyOn(performance, 'now').mockReturnValue(performance.now())

test.each<[string, (store: DatabaseSessionStore) => Promise<unknown>, unknown]>([
  ['one cookie', store => store.touch(aSid(), new Date()), null],
  ['several', store => store.findAll([aSid(), aSid()], new Date()), []],
])('refreshes with %s that too many wait before are refused, and may come again', async (_, ask, none) => {
  const { database, remove } = await embedded()
  const store = new DatabaseSessionStore(database, 1, TIMEOUTS_OF_ACCOUNTS)
  const refresh = () => ask(store)
  stopTheClock()
  const answers = await Promise.allSettled(Array.from({ length: 40 }, refresh))
  const refused = answers.filter(({ status }) => status === 'rejected')
  expect(refused.map(answer => answer.status === 'rejected' && answer.reason)).toEqual(
    refused.map(() => expect.objectContaining({ code: 'SESSION_STORE_UNAVAILABLE' })),
  )
  // One is being worked on, and 25 wait.
  expect(refused).toHaveLength(14)
  expect(await refresh()).toEqual(none)
  await database.onApplicationShutdown()
  await remove()
})

test('refreshes of others are served while one network sends any number', async () => {
  const { database, remove } = await embedded()
  const store = new DatabaseSessionStore(database, 1, TIMEOUTS_OF_ACCOUNTS)
  const from = (ip: string) =>
    store.touch(aSid(), new Date(), { requestId: 'req-1', ip, userAgent: null, origin: null })
  stopTheClock()
  const flood = Array.from({ length: 200 }, () => from('2001:db8::1'))
  const others = Array.from({ length: 10 }, (_, index) => from(`203.0.113.${index}`))
  expect(await Promise.all(others)).toEqual(others.map(() => null))
  const floodAnswers = await Promise.allSettled(flood)
  expect(floodAnswers.some(({ status }) => status === 'rejected')).toBe(true)
  await database.onApplicationShutdown()
  await remove()
})

function opened(databaseUrl: string): Promise<Database> {
  return openDatabase(readSettings({ NODE_ENV: 'test', DATABASE_URL: databaseUrl }))
}

async function embedded(): Promise<{ database: Database; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-sessions-'))
  await copyEmbeddedDatabase(folder)
  return { database: await opened(`pglite:${folder}`), remove: () => rm(folder, { recursive: true }) }
}

async function onRedis(starting: Promise<{ url: string; stop(): Promise<void> }>): Promise<OpenStore> {
  const [server, { url: databaseUrl, drop }] = await Promise.all([starting, createDatabase()])
  const database = await opened(databaseUrl)
  const { store, redis, close } = await openRedisStore(server.url, database)
  return {
    store,
    database,
    copied: async sid => {
      await store.touch(sid, new Date())
      const stamp = () => redis.run(commands => commands.getRange(`copy:${sid}`, 0, 9))
      await eventually(async () => /^\d+$/.test((await stamp()) ?? ''), { what: 'the copy', everyMs: 2 })
    },
    close: async () => {
      close()
      await database.onApplicationShutdown()
      await Promise.all([server.stop(), drop()])
    },
  }
}

async function onDatabase(database: Database, remove: () => Promise<void>): Promise<OpenStore> {
  return {
    store: new DatabaseSessionStore(database, REFRESHES_AT_ONCE, TIMEOUTS_OF_ACCOUNTS),
    database,
    copied: async () => {},
    close: async () => {
      await database.onApplicationShutdown()
      await remove()
    },
  }
}
