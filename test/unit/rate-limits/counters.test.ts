import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { type Added, Counters, type LimitedCounter, openRedis, type RedisConnection } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { type RedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.js'
import { startRedisSentinel } from '../../support/redis/redis-sentinel.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { onServers, slow } from '../../support/tiers.js'

const WINDOW_SECONDS = 100
/** A Redis that did not answer is left alone for a second. */
const ASKED_AGAIN_MS = 1_200
const ASKED_AGAIN = { what: 'Redis to be told', everyMs: ASKED_AGAIN_MS }
/** A connection that does not answer is given up after three seconds. */
const GIVEN_UP_MS = 5_000

const connect = (url: string, timeoutMs = 300) => openRedis(url, timeoutMs)

interface Store {
  readonly url: string
  stop(): Promise<void>
}

describe.each<[string, (() => Promise<Store>) | null]>([
  ['memory', null],
  ['one Redis', startRedis],
  ['a cluster', startRedisCluster],
  ['sentinels', startRedisSentinel],
])('Counters in %s', (_, start) => {
  const rule = start ? onServers : it
  let store: Store | undefined
  const connections: RedisConnection[] = []
  let counters: Counters
  let others: Counters

  beforeAll(async () => {
    store = await start?.()
    // The machine may be busy; a Redis that hangs has tests of its own below.
    if (store) connections.push(await connect(store.url, 5_000), await connect(store.url, 5_000))
    const [one = null, other = null] = connections
    counters = new Counters(one)
    // What is in Redis, and not in the memory of the first, is there for the other as well.
    others = store ? new Counters(other) : counters
  }, 60_000)
  afterAll(async () => {
    for (const connection of connections) connection.onApplicationShutdown()
    await store?.stop()
  })

  const someKeys = () => Array.from({ length: 6 }, () => `test:${randomUUID()}`)
  const counted = (keys: string[]) => keys.map(key => ({ key, windowSeconds: WINDOW_SECONDS }))
  const limitOf = (key: string, rest: Partial<LimitedCounter> = {}): LimitedCounter => ({
    ...{ key, max: null, windowsSeconds: [WINDOW_SECONDS], timesFullKey: null },
    ...rest,
  })
  const points = async (keys: string[]) => (await others.read(keys)).map(count => count.points)
  const untilEmpty = (keys: string[]) =>
    eventually(async () => (await points(keys)).every(count => count === 0), { what: 'their window to end' })

  rule('begin at nothing, and looking makes none', async () => {
    const keys = someKeys()
    for (let count = 0; count < 2; count++)
      expect(await counters.read(keys)).toEqual(keys.map(() => ({ points: 0, msLeft: 0 })))
  })

  rule('count in the order of the keys, a hundred at once too', async () => {
    const [one, two] = someKeys() as [string, string]
    await counters.add(counted([two]))
    const both = await Promise.all(Array.from({ length: 100 }, () => counters.add(counted([one, two]))))
    const seen = both.map(({ counts }) => counts[0]?.points ?? 0).sort((a, b) => a - b)
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
    expect(await points([one, two])).toEqual([100, 101])
  })

  rule('add nothing while one of them is full, unless they are told to', async () => {
    const keys = someKeys().slice(0, 3)
    const limits = keys.map((key, index) => limitOf(key, { max: index === 1 ? 2 : null }))
    for (const expected of [1, 2]) {
      const { counts, refund } = await counters.addUnlessFull(limits)
      expect([counts.map(count => count.points), refund === null]).toEqual([keys.map(() => expected), false])
    }
    const full = await counters.addUnlessFull(limits)
    expect([full.counts.map(count => count.points), full.refund]).toEqual([[2, 2, 2], null])
    expect(await points(keys)).toEqual([2, 2, 2])
    const added = await counters.addEvenIfFull(limits)
    expect(await points(keys)).toEqual([3, 3, 3])
    await added.refund(key => key !== keys[0])
    expect(await points(keys)).toEqual([3, 2, 2])
  })

  rule('live longer the more often they were full', async () => {
    const [key, timesFullKey] = someKeys() as [string, string]
    const limit = limitOf(key, { windowsSeconds: [100, 200], timesFullKey })
    for (const seconds of [100, 200, 200]) {
      const [count] = (await counters.addUnlessFull([limit])).counts
      expect(count?.msLeft).toBeGreaterThan((seconds - 50) * 1000)
      expect(count?.msLeft).toBeLessThanOrEqual(seconds * 1000)
      await counters.forget([key])
      await counters.add(counted([timesFullKey]))
    }
  })

  slow('end with the window that the first time began', async () => {
    const keys = someKeys()
    await counters.add(keys.map(key => ({ key, windowSeconds: 2 })))
    for (const { msLeft } of (await counters.add(counted(keys))).counts)
      expect(msLeft).toBeLessThanOrEqual(2_000)
    await untilEmpty(keys)
    for (const { points: anew, msLeft } of (await counters.add(counted(keys))).counts) {
      expect(anew).toBe(1)
      expect(msLeft).toBeGreaterThan(90_000)
    }
  })

  rule('are given back and forgotten', async () => {
    const keys = someKeys()
    await counters.add(counted(keys))
    const second = await counters.add(counted(keys))
    await second.refund(key => key !== keys[0])
    expect(await points(keys)).toEqual([2, 1, 1, 1, 1, 1])
    await counters.forget(keys.slice(0, 3))
    expect(await points(keys)).toEqual([0, 0, 0, 1, 1, 1])
  })

  slow('given back after their window do not go below nothing', async () => {
    const keys = someKeys()
    const added = await Promise.all(
      Array.from({ length: 3 }, () => counters.add(keys.map(key => ({ key, windowSeconds: 1 })))),
    )
    await untilEmpty(keys)
    await Promise.all(added.map(each => each.refund()))
    await counters.add(counted(keys))
    expect(await points(keys)).toEqual(keys.map(() => 1))
  })
})

describe('Counters while one shard hangs', () => {
  let cluster: RedisCluster
  let connection: RedisConnection
  beforeAll(async () => {
    cluster = await startRedisCluster()
    // Those that do not hang have to answer in time, also on a busy machine.
    connection = await connect(cluster.url, 2_000)
  }, 60_000)
  afterAll(async () => {
    connection?.onApplicationShutdown()
    await cluster?.stop()
  })

  slow('fleet 12: are given back on the others, where what was right must not count', async () => {
    const counters = new Counters(connection)
    const keys = Array.from({ length: 12 }, () => randomUUID())
    const owners = await cluster.mastersOf(keys.map(key => `attempts:${key}`))
    const hung = owners[0] as RedisServer
    const healthy = keys.filter((_, index) => owners[index] !== hung)
    expect(healthy.length).toBeGreaterThan(0)
    const counted = keys.map(key => ({ key, windowSeconds: WINDOW_SECONDS }))
    const others = new Counters(connection)
    await hung.kill('SIGSTOP')
    try {
      for (let login = 0; login < 3; login++) {
        const { refund: giveBack } = await counters.add(counted)
        await giveBack()
      }
    } finally {
      await hung.kill('SIGCONT')
    }
    // Whatever it does next tells what it owes.
    await eventually(async () => {
      await counters.read(keys)
      const left = (await others.read(healthy)).map(({ points }) => points)
      expect(left).toEqual(healthy.map(() => 0))
      return true
    }, ASKED_AGAIN)
  })
})

describe('Counters while Redis hangs', () => {
  let redis: RedisServer
  const connections: RedisConnection[] = []
  const open = async () => {
    const connection = await connect(redis.url)
    connections.push(connection)
    return new Counters(connection)
  }
  beforeAll(async () => {
    redis = await startRedis()
  })
  afterAll(async () => {
    for (const connection of connections) connection.onApplicationShutdown()
    await redis?.stop()
  })

  slow('go on from where this process has come, and are given back where they were counted', async () => {
    const [counters, others] = [await open(), await open()]
    const counted = [{ key: randomUUID(), windowSeconds: WINDOW_SECONDS }]
    const add = () => counters.add(counted)
    const pointsOf = ({ counts }: Added) => counts[0]?.points
    expect(pointsOf(await add())).toBe(1)
    await redis.kill('SIGSTOP')
    const unsure = [await add(), await add()]
    expect(unsure.map(pointsOf)).toEqual([2, 3])
    await redis.kill('SIGCONT')
    await eventually(async () => {
      await counters.read(counted.map(({ key }) => key))
      return counters.silentShards === 0
    }, ASKED_AGAIN)
    for (const added of unsure) await added.refund()
    const [inRedis] = await others.read(counted.map(({ key }) => key))
    expect(inRedis?.points).toBeGreaterThanOrEqual(1)
    await redis.kill('SIGSTOP')
    expect(pointsOf(await add())).toBe(2)
    await redis.kill('SIGCONT')
  })

  slow('are told once, however often it was asked while it hung', async () => {
    const [counters, others] = [await open(), await open()]
    const counted = [{ key: randomUUID(), windowSeconds: WINDOW_SECONDS }]
    const keys = counted.map(({ key }) => key)
    await redis.kill('SIGSTOP')
    await counters.read(keys)
    // Longer than a connection is kept that does not answer.
    let added = 0
    for (const until = performance.now() + GIVEN_UP_MS; performance.now() < until; added++) {
      await sleep(100)
      await counters.add(counted)
      await (await counters.add(counted)).refund()
    }
    await redis.kill('SIGCONT')
    await eventually(async () => {
      const [own] = (await counters.read(keys)).map(({ points }) => points)
      const [seenByOthers] = (await others.read(keys)).map(({ points }) => points)
      expect([own, seenByOthers]).toEqual([added, added])
      return true
    }, ASKED_AGAIN)
  })

  onServers('are told to the other replicas when it answers again', async () => {
    const [counters, others] = [await open(), await open()]
    const [told, forgotten] = [randomUUID(), randomUUID()]
    const keys = [told, forgotten]
    await redis.kill('SIGSTOP')
    for (let count = 0; count < 3; count++)
      await counters.add(keys.map(key => ({ key, windowSeconds: WINDOW_SECONDS })))
    await counters.forget([forgotten])
    await redis.kill('SIGCONT')
    // The one that was under way when Redis stopped may have been counted there as well.
    const pointsAt = async (from: Counters) => (await from.read(keys)).map(({ points }) => points)
    await eventually(async () => {
      const [own] = await pointsAt(counters)
      expect(own).toBeGreaterThanOrEqual(3)
      expect(own).toBeLessThanOrEqual(4)
      const [seenByOthers, forgottenByAll] = await pointsAt(others)
      expect(seenByOthers).toBe(own)
      expect(forgottenByAll).toBeLessThanOrEqual(1)
      return true
    }, ASKED_AGAIN)
  })
})
