import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { AccountsService } from '../../src/accounts/accounts.service.js'
import type { User } from '../../src/accounts/user.js'
import { sessionKey } from '../../src/sessions/session-keys.js'
import { eventually } from '../support/eventually.js'
import { anOwner, type SignedIn, signIn } from '../support/people.js'
import { redisCli } from '../support/redis-cli.js'
import { type RedisCluster, startRedisCluster } from '../support/redis-cluster.js'
import type { RedisServer } from '../support/redis-server.js'
import type { TestApp } from '../support/test-app.js'
import { FAILOVER_MS, losing } from './failover.js'
import { refresh, sidOf } from './requests.js'
import { type StoreService, startServiceOn } from './store-service.js'

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

  test('fleet 1: a user with sessions on every master who is disabled stays so, although one of them loses its newest writes', async () => {
    const owner = await anOwner(app)
    const own = await sessionsOnAllShards(owner)
    const witnesses = await sessionsOnAllShards(await anOwner(app))
    const [failing] = [...own.keys()]
    const replica = await replicaOf(failing!)
    await losing(
      async () => expect(await app.app.get(AccountsService).disable(owner)).toBeGreaterThanOrEqual(own.size),
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

  /** One session of the user on each master. */
  async function sessionsOnAllShards(user: User): Promise<Map<RedisServer, SignedIn>> {
    const found = new Map<RedisServer, SignedIn>()
    while (found.size < 3) {
      const session = await signIn(app, user, 'satellite')
      found.set(await cluster.masterOf(sessionKey(sidOf(session))), session)
    }
    return found
  }

  async function replicaOf(master: RedisServer): Promise<RedisServer> {
    const info = await redisCli(master.port, 'INFO', 'replication')
    const port = Number(/slave0:ip=127\.0\.0\.1,port=(\d+)/.exec(info)?.[1])
    return cluster.nodes.find(node => node.port === port)!
  }
})
