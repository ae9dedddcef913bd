import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eq } from 'drizzle-orm'
import type { RedisClientType } from 'redis'
import {
  DatabaseSessionStore,
  openDatabase,
  readSettings,
  type SessionForm,
  sessionKey,
  sessions,
  UserSessions,
} from '../sources.js'
import { createDatabase } from '../support/postgres/postgres-server.js'
import { startRedisCluster } from '../support/redis/redis-cluster.js'
import { startRedisSentinel } from '../support/redis/redis-sentinel.js'
import { startRedis } from '../support/redis/redis-server.js'
import { onServers } from '../support/tiers.js'
import { openRedisStore } from './open-redis-store.js'
import { type OpenStore, sessionStoreContract } from './session-store.contract.js'

sessionStoreContract('Redis', () => onRedis(startRedis()), onServers.describe)
sessionStoreContract('Redis, in the compact form', () => onRedis(startRedis(), 'compact'), onServers.describe)
sessionStoreContract('Redis Cluster', () => onRedis(startRedisCluster()), onServers.describe)
sessionStoreContract(
  'Redis Sentinel',
  () => onRedis(startRedisSentinel({ sentinels: 1 })),
  onServers.describe,
)

sessionStoreContract(
  'PostgreSQL',
  async () => {
    const { url, drop } = await createDatabase()
    return onDatabase(url, drop)
  },
  onServers.describe,
)

sessionStoreContract('PGlite', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-sessions-'))
  return onDatabase(`pglite:${folder}`, () => rm(folder, { recursive: true }))
})

async function onRedis(
  starting: Promise<{ url: string; stop(): Promise<void> }>,
  form: SessionForm = 'long',
): Promise<OpenStore> {
  const [server, { url: databaseUrl, drop }] = await Promise.all([starting, createDatabase()])
  const database = await openDatabase(readSettings({ NODE_ENV: 'test', DATABASE_URL: databaseUrl }))
  const userSessions = new UserSessions(database)
  const { store, redis, close } = await openRedisStore(server.url, userSessions, form)
  return {
    store,
    userSessions,
    database,
    keeps: async sid => {
      const hash = await redis.run(commands => (commands as RedisClientType).hGetAll(sessionKey(sid)))
      return Object.keys(hash).length > 0
    },
    close: async () => {
      close()
      await database.onApplicationShutdown()
      await Promise.all([server.stop(), drop()])
    },
  }
}

async function onDatabase(databaseUrl: string, remove: () => Promise<void>): Promise<OpenStore> {
  const database = await openDatabase(readSettings({ NODE_ENV: 'test', DATABASE_URL: databaseUrl }))
  const userSessions = new UserSessions(database)
  return {
    store: new DatabaseSessionStore(database, userSessions),
    userSessions,
    database,
    keeps: async sid => {
      const rows = await database.run(db => db.select().from(sessions).where(eq(sessions.sid, sid)))
      return rows.length > 0
    },
    close: async () => {
      await database.onApplicationShutdown()
      await remove()
    },
  }
}
