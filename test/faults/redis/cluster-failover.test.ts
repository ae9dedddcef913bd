import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sessionKey, type User } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { type RedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.js'
import type { RedisServer } from '../../support/redis/redis-server.js'
import type { TestApp } from '../../support/test-app.js'
import { FAILOVER_MS, FAILURES, losing } from '../support/failover.js'
import { refreshUntilServed } from '../support/refresh-until-served.js'
import { login, logout, sidOf } from '../support/requests.js'
import { type StoreService, startServiceOn } from '../support/store-service.js'

describe('when a master of a Redis Cluster', () => {
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

  test.each(FAILURES)(
    '$what, its sessions are 503 until its replica has taken over, and what was ended stays ended',
    async ({ signal }) => {
      const owner = await anOwner(app)
      const { master, replica } = await aMasterWithReplica()
      const live = await signInOn(master, owner)
      const ended = await signInOn(master, owner)
      await losing(
        async () => expect(await logout(app, ended)).toMatchObject({ status: 204 }),
        master,
        replica,
        signal,
      )
      expect(await refreshUntilServed(app, { live, ended }, FAILOVER_MS)).toMatchObject({
        wasUnavailable: true,
        lost: 0,
      })
      expect(await login(app, owner)).toMatchObject({ status: 200 })
    },
    60_000,
  )

  test('dies, what is ended before its replica has taken over is ended when it has', async () => {
    const owner = await anOwner(app)
    const { master } = await aMasterWithReplica()
    const live = await signInOn(master, owner)
    const ended = await signInOn(master, owner)
    await master.kill('SIGKILL')
    expect(await logout(app, ended)).toMatchObject({ status: 503 })
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

  /** A session that lies on this master. On the way others are opened, on shards that may still be failing over. */
  async function signInOn(master: RedisServer, user: User): Promise<SignedIn> {
    for (;;) {
      const session = await eventually(() => signIn(app, user, 'satellite'), { timeoutMs: FAILOVER_MS })
      const [itsMaster] = await cluster.mastersOf([sessionKey(sidOf(session))])
      if (itsMaster === master) return session
    }
  }
})
