import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import { type Finding, type User, UserAdministration } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { infoField, redisCli } from '../../support/redis/redis-cli.js'
import { type RedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.js'
import type { RedisServer } from '../../support/redis/redis-server.js'
import type { TestApp } from '../../support/test-app.js'
import { copyKey, getCopied, hasCopy } from '../support/copies.js'
import { FAILOVER_MS, FAILURES, losing } from '../support/failover.js'
import { logout } from '../support/requests.js'
import { type Replicas, startBeside, startReplicasOn } from '../support/store-service.js'
import { whileRefreshing } from '../support/while-refreshing.js'

/** As long as a service may wait: with the usual 300 and 400 ms a busy machine has it answer 503 although all servers are there. */
const PATIENT = { SESSION_STORE_TIMEOUT_MS: '3000', DATABASE_TIMEOUT_MS: '3000' }
/** Forty a second for three hours, which is as long as they are kept. */
const CHANGES = 432_000

describe('when a master of a Redis Cluster', () => {
  let cluster: RedisCluster
  let service: Replicas
  let app: TestApp
  let other: TestApp

  beforeAll(async () => {
    cluster = await startRedisCluster()
    service = await startReplicasOn(cluster.url, PATIENT)
    ;({ app, other } = service)
  }, 60_000)
  afterAll(async () => {
    await service?.stop()
    await cluster?.stop()
  })

  test('is looked at, doctor looks at the two others too', async () => {
    const look = async () => {
      const settings = { NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores }
      const { output } = await runInProcess(['doctor', '--json'], settings)
      return (JSON.parse(output) as Finding[]).filter(({ check }) => check.startsWith('redis.'))
    }
    const statusesOf = (findings: Finding[], check: string) =>
      findings.filter(finding => finding.check === check).map(({ status }) => status)
    const before = await look()
    expect(before[0]).toMatchObject({ check: 'redis.connection', status: 'ok', saw: '3 masters' })
    // As the tests start them.
    expect(statusesOf(before, 'redis.policy')).toEqual(['warning', 'warning', 'warning'])
    expect(statusesOf(before, 'redis.role')).toEqual(['ok', 'ok', 'ok'])
    const [, master] = cluster.nodes as [RedisServer, RedisServer]
    await redisCli(master.port, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    try {
      const evicting = (await look()).filter(({ saw }) => saw.includes('allkeys-lru'))
      expect(evicting).toMatchObject([{ check: 'redis.policy', status: 'ok' }])
      expect(evicting[0]?.saw).toContain(`127.0.0.1:${master.port}`)
    } finally {
      await redisCli(master.port, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    }
  })

  test('fleet 4: is cut off for a moment, nobody is refused', async () => {
    const own = await sessionsOnAllShards(await anOwner(app))
    const [cut] = [...own.keys()] as [RedisServer]
    await whileRefreshing({ apps: [app, other], live: [...own.values()], ended: [] }, async () => {
      await redisCli(cut.port, 'CLIENT', 'KILL', 'TYPE', 'normal')
      await eventually(() => hasCopy(app, own.get(cut) as SignedIn), { what: 'the shard again' })
    })
  })

  test('fleet 4: changes of three hours are on record, another replica starts as soon as with none', async () => {
    const own = await sessionsOnAllShards(await anOwner(app))
    const ended = await signIn(app, await anOwner(app), 'satellite')
    await getCopied(app, ended)
    await recordChanges()
    expect(await logout(app, ended)).toMatchObject({ status: 204 })
    const replica = await startBeside(app, PATIENT)
    try {
      await whileRefreshing({ apps: [app, other, replica], live: [...own.values()], ended: [ended] }, () =>
        getCopied(replica, ...own.values()),
      )
    } finally {
      await replica.stop()
    }
  }, 60_000)

  test.each(FAILURES)(
    '$what, nobody is refused until its replica has taken over, and what was ended stays ended',
    async ({ signal }) => {
      const owner = await anOwner(app)
      const { master, replica } = await aMasterWithReplica()
      const live = await signInOn(master, owner)
      const ended = await signInOn(master, owner)
      await hasAllOf(master)
      await losing(
        async () => expect(await logout(app, ended)).toMatchObject({ status: 204 }),
        master,
        replica,
        signal,
      )
      await whileRefreshing({ apps: [app, other], live: [live], ended: [ended] }, async () => {
        expect(await sendLogin(app, owner)).toMatchObject({ status: 200 })
        for (const each of [app, other])
          await eventually(() => hasCopy(each, live), { what: 'the new master', timeoutMs: FAILOVER_MS })
        // It has not heard of the deletion.
        expect(await hasCopy(app, ended)).toBe(true)
      })
    },
    60_000,
  )

  test('fleet 1: dies, a user with sessions on every master who was disabled stays so, although the newest writes are lost', async () => {
    const owner = await anOwner(app)
    const { master, replica } = await aMasterWithReplica()
    const own = await sessionsOnAllShards(owner)
    const witnesses = await sessionsOnAllShards(await anOwner(app))
    await hasAllOf(master)
    await losing(
      async () => expect(await app.get(UserAdministration).disable(owner)).toBeGreaterThanOrEqual(own.size),
      master,
      replica,
      'SIGKILL',
    )
    const watched = { apps: [app, other], live: [...witnesses.values()], ended: [...own.values()] }
    await whileRefreshing(watched, async () => {
      await eventually(() => hasCopy(other, witnesses.get(master) as SignedIn), { timeoutMs: FAILOVER_MS })
    })
  }, 90_000)

  /** One that has not failed yet: whoever took over from it has no replica of its own. */
  async function aMasterWithReplica(): Promise<{ master: RedisServer; replica: RedisServer }> {
    for (const master of cluster.nodes) {
      const info = await redisCli(master.port, 'INFO', 'replication').catch(() => '')
      const port = Number(/slave0:ip=127\.0\.0\.1,port=(\d+),state=online/.exec(info)?.[1])
      const replica = cluster.nodes.find(node => node.port === port)
      if (/role:master/.test(info) && replica) return { master, replica }
    }
    throw new Error('No master has a replica')
  }

  /** Waits until the replica has said, as it does every second, that it has all that this master has written so far. */
  async function hasAllOf(master: RedisServer): Promise<void> {
    const replication = () => redisCli(master.port, 'INFO', 'replication')
    const written = Number(infoField(await replication(), 'master_repl_offset'))
    await eventually(
      async () => Number(/slave0:.*,state=online,offset=(\d+)/.exec(await replication())?.[1]) >= written,
      { what: 'the replica to be in step' },
    )
  }

  /** A session with its copy on this master. */
  async function signInOn(master: RedisServer, user: User): Promise<SignedIn> {
    for (;;) {
      const session = await signIn(app, user, 'satellite')
      const [itsMaster] = await cluster.mastersOf([copyKey(session)])
      if (itsMaster !== master) continue
      await getCopied(app, session)
      return session
    }
  }

  /** One session of the user with its copy on each master. */
  async function sessionsOnAllShards(user: User): Promise<Map<RedisServer, SignedIn>> {
    const found = new Map<RedisServer, SignedIn>()
    while (found.size < 3) {
      const session = await signIn(app, user, 'satellite')
      const [master] = await cluster.mastersOf([copyKey(session)])
      if (found.has(master as RedisServer)) continue
      await getCopied(app, session)
      found.set(master as RedisServer, session)
    }
    return found
  }

  async function recordChanges(): Promise<void> {
    const client = new pg.Client({ connectionString: app.settings.databaseUrl })
    await client.connect()
    try {
      await client.query(
        `insert into session_changes (sid) select 'ended before ' || n from generate_series(1, $1::int) n`,
        [CHANGES],
      )
    } finally {
      await client.end()
    }
  }
})
