import { describe, expect, test } from '@jest/globals'
import { createApp, permissionsOf, readSettings, StoreSupervisor, UserAdministration } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, signIn } from '../../support/people.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import type { TestApp } from '../../support/test-app.js'
import { saw } from '../reliability/saw.js'
import { claimsOf, login, logout, refresh, refreshAsMain } from '../support/requests.js'
import { serveOnRedis } from '../support/store-service.js'

describe('while Redis has no memory left', () => {
  let redis: RedisServer
  let app: TestApp

  serveOnRedis(started => {
    redis = started.redis
    app = started.app
  })

  /** Runs `work` with a Redis that refuses every write that needs memory. */
  async function whileFull(work: () => Promise<void>): Promise<void> {
    await redisCli(redis.port, 'CONFIG', 'SET', 'maxmemory', '1')
    await work().finally(() => redisCli(redis.port, 'CONFIG', 'SET', 'maxmemory', '0'))
  }

  test('keeps people logged in, and admits nobody new', async () => {
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'main')
    await whileFull(async () => {
      expect(await refreshAsMain(app, session)).toMatchObject({ status: 200 })
      const refused = await login(app, owner)
      expect(refused).toMatchObject({
        status: 503,
        json: { code: 'SESSION_STORE_UNAVAILABLE' },
      })
      const { status } = await refreshAsMain(app, session)
      expect(status).toBe(200)
      saw('redis-full', { status: refused.status, lost: status === 200 ? 0 : 1 })
    })
    expect(await login(app, owner)).toMatchObject({ status: 200 })
  })

  test('a logout ends the session', async () => {
    const session = await signIn(app, await anOwner(app), 'satellite')
    await whileFull(async () => {
      expect(await logout(app, session)).toMatchObject({ status: 204 })
      expect(await refresh(app, session)).toMatchObject({ status: 401 })
    })
    expect(await refresh(app, session)).toMatchObject({ status: 401 })
  })

  test('a permission that was taken away is gone at the next refresh', async () => {
    const member = await aMember(app, await anOwner(app))
    const session = await signIn(app, member, 'main')
    await whileFull(async () => {
      await app.get(UserAdministration).grant(member, permissionsOf(['viewReports']))
      const answer = await refreshAsMain(app, session)
      expect(answer).toMatchObject({ status: 200 })
      expect(claimsOf(answer).permissions).toEqual(permissionsOf(['viewReports']))
    })
  })

  test('changes can be made again', async () => {
    const member = await aMember(app, await anOwner(app))
    const session = await signIn(app, member, 'main')
    await app.get(UserAdministration).grant(member, permissionsOf(['viewReports']))
    const { gates } = app.get(StoreSupervisor)
    const { shards } = gates.openShards()
    await whileFull(async () => {
      for (const shard of shards) gates.markStale(shard, 'it came back', { mayHaveLost: true })
      await eventually(() => gates.openShards().shards.length === shards.length)
    })
    expect(claimsOf(await refreshAsMain(app, session)).permissions).toEqual(permissionsOf(['viewReports']))
  })
})

test('the service does not start on a Redis that evicts', async () => {
  const redis = await startRedis({ args: ['--maxmemory-policy', 'volatile-ttl'] })
  try {
    await expect(start(redis.url)).rejects.toThrow(/maxmemory-policy is volatile-ttl; it must be noeviction/)
  } finally {
    await redis.stop()
  }
})

test('fleet 7: the service does not start on a Redis with a replica that would evict', async () => {
  const password = 'correct: horse/battery'
  const protectedBy = ['--requirepass', password, '--masterauth', password]
  const redis = await startRedis({ args: protectedBy })
  const policy = ['--maxmemory-policy', 'allkeys-lru']
  const replica = await startRedis({
    args: [...protectedBy, ...policy, '--replicaof', `127.0.0.1 ${redis.port}`],
  })
  const cli = (port: number, ...command: string[]) =>
    redisCli(port, '--no-auth-warning', '-a', password, ...command)
  try {
    await eventually(async () => (await cli(redis.port, 'INFO', 'replication')).includes('state=online'))
    const url = `redis://:${encodeURIComponent(password)}@127.0.0.1:${redis.port}`
    await expect(start(url)).rejects.toThrow(
      `the maxmemory-policy of its replica 127.0.0.1:${replica.port} is allkeys-lru; it must be noeviction`,
    )
    await cli(replica.port, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    await start(url)
  } finally {
    await Promise.all([redis.stop(), replica.stop()])
  }
})

/** Starts the service on a new database, and stops it again. */
async function start(sessionStoreUrl: string): Promise<void> {
  const database = await createDatabase()
  try {
    const settings = readSettings({
      NODE_ENV: 'test',
      DATABASE_URL: database.url,
      SESSION_STORE_URL: sessionStoreUrl,
      LOG_LEVEL: 'silent',
    })
    const app = await createApp(settings)
    await app.close()
  } finally {
    await database.drop()
  }
}
