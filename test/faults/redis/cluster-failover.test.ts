import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sessionKey, type User } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { infoField, redisCli } from '../../support/redis/redis-cli.js'
import { type RedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.js'
import type { RedisServer } from '../../support/redis/redis-server.js'
import type { TestApp } from '../../support/test-app.js'
import { FAILOVER_MS, FAILURES, losing } from '../support/failover.js'
import { refreshUntilServed } from '../support/refresh-until-served.js'
import { login, logout, refresh, sidOf } from '../support/requests.js'
import { type StoreService, startServiceOn } from '../support/store-service.js'

/**
 * As long as a service may wait: with the usual 300 and 400 ms a busy machine has it answer 503 although all servers are
 * there, and what was to be ended is not ended then.
 */
const PATIENT = { SESSION_STORE_TIMEOUT_MS: '3000', DATABASE_TIMEOUT_MS: '3000' }
const UNAVAILABLE = { status: 503, json: { code: 'SESSION_STORE_UNAVAILABLE' } }

describe('when a master of a Redis Cluster', () => {
  let cluster: RedisCluster
  let service: StoreService
  let app: TestApp

  beforeAll(async () => {
    cluster = await startRedisCluster()
    service = await startServiceOn(cluster.url, PATIENT)
    app = service.app
  }, 60_000)
  afterAll(async () => {
    await service?.stop()
    await cluster?.stop()
  })

  test.each(FAILURES)(
    '$what, its sessions are 503 until its replica has taken over, and what was ended stays ended',
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
        async () => expect(await refresh(app, live)).toMatchObject(UNAVAILABLE),
      )
      expect(await refreshUntilServed(app, { live, ended }, FAILOVER_MS)).toMatchObject({ lost: 0 })
      // On whichever shard; the others may still hear that all slots are served again.
      await eventually(async () => (await login(app, owner)).status === 200, { timeoutMs: FAILOVER_MS })
    },
    60_000,
  )

  test('dies, what is ended before its replica has taken over is ended when it has', async () => {
    const owner = await anOwner(app)
    const { master, replica } = await aMasterWithReplica()
    const live = await signInOn(master, owner)
    const ended = await signInOn(master, owner)
    await hasAllOf(master)
    await replica.kill('SIGSTOP')
    await master.kill('SIGKILL')
    expect(await logout(app, ended)).toMatchObject(UNAVAILABLE)
    await replica.kill('SIGCONT')
    await refreshUntilServed(app, { live, ended }, FAILOVER_MS)
  }, 60_000)

  /** One that has not failed yet: whoever took over from it has no replica of its own. */
  async function aMasterWithReplica(): Promise<{ master: RedisServer; replica: RedisServer }> {
    for (const master of cluster.nodes) {
      const info = await redisCli(master.port, 'INFO', 'replication').catch(() => '')
      const port = Number(/slave0:ip=127\.0\.0\.1,port=(\d+)/.exec(info)?.[1])
      const replica = cluster.nodes.find(node => node.port === port)
      if (replica) return { master, replica }
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

  /** A session that lies on this master. On the way others are opened, on shards that may still be failing over. */
  async function signInOn(master: RedisServer, user: User): Promise<SignedIn> {
    for (;;) {
      const session = await eventually(() => signIn(app, user, 'satellite'), { timeoutMs: FAILOVER_MS })
      const [itsMaster] = await cluster.mastersOf([sessionKey(sidOf(session))])
      if (itsMaster === master) return session
    }
  }
})
