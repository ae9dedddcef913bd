import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import pg from 'pg'
import {
  type Finding,
  openRedis,
  StoreSupervisor,
  sessionKey,
  type User,
  UserAdministration,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.js'
import type { RedisServer } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'
import { FAILOVER_MS, losing } from '../support/failover.js'
import { refresh, sidOf } from '../support/requests.js'
import { type StoreService, startServiceOn } from '../support/store-service.js'

/** A year of a service with hundreds of thousands of users. */
const CHANGES = 1_000_000
const CHANGES_A_STATEMENT = 100_000

describe('the shards of a Redis Cluster', () => {
  let cluster: RedisCluster
  let service: StoreService
  let app: TestApp

  beforeAll(async () => {
    cluster = await startRedisCluster()
    service = await startServiceOn(cluster.url)
    app = service.app
  }, 60_000)
  afterAll(async () => {
    await service?.stop()
    await cluster?.stop()
  })

  test('doctor looks at every master and every replica', async () => {
    const look = async () => {
      const settings = { NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores }
      const { output } = await runInProcess(['doctor', '--json'], settings)
      return (JSON.parse(output) as Finding[]).filter(({ check }) => check.startsWith('redis.'))
    }
    const before = await look()
    const statusesOf = (check: string) =>
      before.filter(finding => finding.check === check).map(({ status }) => status)
    expect(before[0]).toMatchObject({ check: 'redis.connection', status: 'ok', saw: '3 masters' })
    expect(statusesOf('redis.policy')).toEqual(['ok', 'ok', 'ok'])
    expect(statusesOf('redis.replicas')).toEqual(['ok', 'ok', 'ok'])
    expect(statusesOf('redis.installation')).toEqual(['ok'])
    // As the tests start them.
    expect(statusesOf('redis.persistence')).toEqual(['fault', 'fault', 'fault'])

    const [, master, , , replica] = cluster.nodes as [...RedisServer[]]
    const evict = (policy: string) =>
      Promise.all(
        [master, replica].map(node => redisCli(node!.port, 'CONFIG', 'SET', 'maxmemory-policy', policy)),
      )
    await evict('allkeys-lru')
    try {
      const wrong = (await look()).filter(
        ({ status, saw }) => status === 'fault' && saw.includes('allkeys-lru'),
      )
      expect(wrong.map(({ check }) => check).sort()).toEqual(['redis.policy', 'redis.replicas'])
      expect(wrong.map(({ saw }) => saw).join()).toContain(`127.0.0.1:${master!.port}`)
    } finally {
      await evict('noeviction')
    }
  })

  test('fleet 4: with a million changes on record a cut connection stops its own shard alone, and for a moment only', async () => {
    const own = await sessionsOnAllShards(await anOwner(app))
    await recordOldChanges()
    const [cut, ...others] = [...own.keys()] as [RedisServer, ...RedisServer[]]
    const elsewhere = new Set<number>()
    await redisCli(cut.port, 'CLIENT', 'KILL', 'TYPE', 'normal')
    await eventually(
      async () => {
        const [answer, ...rest] = await Promise.all(
          [cut, ...others].map(shard => refresh(app, own.get(shard)!)),
        )
        for (const { status } of rest) elsewhere.add(status)
        expect([200, 503]).toContain(answer!.status)
        return answer!.status === 200
      },
      // 1 s on a machine that does nothing else; with every change repeated it would be minutes.
      { what: 'the shard to be served again' },
    )
    expect([...elsewhere]).toEqual([200])
  }, 60_000)

  test('fleet 4: with a million changes on record another replica starts as soon as with none', async () => {
    const own = await sessionsOnAllShards(await anOwner(app))
    // It would not be there within the time of a test if it read them.
    const replica = await TestApp.start({ ...app.stores })
    try {
      for (const session of own.values())
        expect(await refresh(replica, session)).toMatchObject({ status: 200 })
    } finally {
      await replica.stop()
    }
  }, 30_000)

  test('fleet 7: a replica of a shard that would evict: no start, and no serving of that shard once it has taken over', async () => {
    const own = await sessionsOnAllShards(await anOwner(app))
    const [master, ...others] = [...own.keys()] as [RedisServer, ...RedisServer[]]
    const replica = await replicaOf(master)
    const setPolicy = (policy: string) => redisCli(replica.port, 'CONFIG', 'SET', 'maxmemory-policy', policy)
    await setPolicy('allkeys-lfu')
    await expect(openRedis(cluster.url, 3_000)).rejects.toThrow(
      `replica 127.0.0.1:${replica.port} is allkeys-lfu`,
    )
    expect(await refresh(app, own.get(master)!)).toMatchObject({ status: 200 })
    expect(await redisCli(replica.port, 'CLUSTER', 'FAILOVER')).toBe('OK')
    const reasons = () =>
      app.app
        .get(StoreSupervisor)
        .status()
        .map(({ reason }) => reason)
    await eventually(() => reasons().some(reason => reason.includes('must be noeviction')), {
      timeoutMs: FAILOVER_MS,
    })
    expect(await refresh(app, own.get(master)!)).toMatchObject({ status: 503 })
    for (const other of others) expect(await refresh(app, own.get(other)!)).toMatchObject({ status: 200 })
    await setPolicy('noeviction')
    await eventually(async () => (await refresh(app, own.get(master)!)).status === 200)
  }, 60_000)

  test('fleet 1: a user with sessions on every master who is disabled stays so, although one of them loses its newest writes', async () => {
    const owner = await anOwner(app)
    const own = await sessionsOnAllShards(owner)
    const witnesses = await sessionsOnAllShards(await anOwner(app))
    const [failing] = [...own.keys()]
    const replica = await replicaOf(failing!)
    await losing(
      async () => expect(await app.get(UserAdministration).disable(owner)).toBeGreaterThanOrEqual(own.size),
      failing!,
      replica,
      'SIGKILL',
    )
    const ofEnded = new Set<number>()
    await eventually(
      async () => {
        for (const session of own.values()) ofEnded.add((await refresh(app, session)).status)
        const answers = await Promise.all([...witnesses.values()].map(witness => refresh(app, witness)))
        expect(answers.map(({ status }) => status)).not.toContain(401)
        return answers.every(({ status }) => status === 200)
      },
      { timeoutMs: FAILOVER_MS },
    )
    for (const session of own.values()) expect(await refresh(app, session)).toMatchObject({ status: 401 })
    ofEnded.delete(503)
    expect([...ofEnded]).toEqual([401])
  }, 90_000)

  test('fleet 7: a loss is accepted while another shard fails over, and each shard is named', async () => {
    const own = await sessionsOnAllShards(await anOwner(app))
    const failing = await masterWithReplica()
    const [emptied] = [...own.keys()].filter(master => master !== failing)
    await redisCli(emptied!.port, 'FLUSHALL')
    expect(await refresh(app, own.get(emptied!)!)).toMatchObject({ status: 503 })
    const replica = await replicaOf(failing)
    await replica.kill('SIGSTOP')
    await failing.kill('SIGKILL')
    const env = { NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores }
    const command = spawn(process.execPath, ['dist/joined/cli.js', 'store:accept-loss'], { env })
    // Nobody takes over before the command waits for it.
    command.stdout.once('data', () => void replica.kill('SIGCONT'))
    const [code, output] = await Promise.all([
      once(command, 'close').then(([code]) => code),
      text(command.stdout),
    ])
    expect({ code, output }).toMatchObject({ code: 0 })
    expect(output).toContain(`Waiting for up to a minute for 127.0.0.1:${failing.port}`)
    expect(output).toContain(`127.0.0.1:${emptied!.port} had lost data`)
    expect(output.match(/^127\.0\.0\.1:\d+ had /gm)).toHaveLength(3)
    await eventually(async () => (await refresh(app, own.get(emptied!)!)).status === 401, {
      timeoutMs: FAILOVER_MS,
    })
  }, 120_000)

  /** One that has not failed yet: whoever took over from it has no replica of its own. */
  async function masterWithReplica(): Promise<RedisServer> {
    for (const node of cluster.nodes) {
      const info = await redisCli(node.port, 'INFO', 'replication').catch(() => '')
      if (/role:master[\s\S]*slave0:.*state=online/.test(info)) return node
    }
    throw new Error('No master has a replica')
  }

  /** One session of the user on each master. */
  async function sessionsOnAllShards(user: User): Promise<Map<RedisServer, SignedIn>> {
    const found = new Map<RedisServer, SignedIn>()
    while (found.size < 3) {
      const session = await signIn(app, user, 'satellite')
      const [master] = await cluster.mastersOf([sessionKey(sidOf(session))])
      found.set(master!, session)
    }
    return found
  }

  async function replicaOf(master: RedisServer): Promise<RedisServer> {
    const info = await redisCli(master.port, 'INFO', 'replication')
    const port = Number(/slave0:ip=127\.0\.0\.1,port=(\d+)/.exec(info)?.[1])
    return cluster.nodes.find(node => node.port === port)!
  }

  /** Below every marker, as are all that were made more than a minute ago. */
  async function recordOldChanges(): Promise<void> {
    const client = new pg.Client({ connectionString: app.stores.DATABASE_URL })
    await client.connect()
    try {
      for (let first = 1; first < CHANGES; first += CHANGES_A_STATEMENT)
        await client.query(
          `insert into session_changes (id, sid, until) overriding system value
           select -n, 'ended long ago ' || lpad(n::text, 7, '0'), now() + interval '20 days'
           from generate_series($1::int, $2::int) n`,
          [first, first + CHANGES_A_STATEMENT - 1],
        )
      await client.query('analyze session_changes')
    } finally {
      await client.end()
    }
  }
})
