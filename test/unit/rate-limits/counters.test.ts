import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  type ApiError,
  bucketsOf,
  type Client,
  Counters,
  Metrics,
  openRedis,
  RATE_LIMIT_SETTINGS,
  RateLimiter,
  type RedisConnection,
  SettingSheet,
  type Settings,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { type RedisCluster, startRedisCluster } from '../../support/redis/redis-cluster.js'
import { startRedisSentinel } from '../../support/redis/redis-sentinel.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { onServers, slow, slowOnServers } from '../../support/tiers.js'

const WINDOW_SECONDS = 100
/** A Redis that did not answer is left alone for a second. */
const ASKED_AGAIN_MS = 1_200
const ASKED_AGAIN = { what: 'Redis to be told', everyMs: ASKED_AGAIN_MS }
/** A connection that does not answer is given up after three seconds. */
const GIVEN_UP_MS = 5_000

/** Wrong passwords for one account from one network. */
const MAX = 7
const LIMITS = new SettingSheet(
  { ATTEMPTS_PER_ACCOUNT_AND_NETWORK: String(MAX), ATTEMPT_WINDOW_SECONDS: String(WINDOW_SECONDS) },
  true,
).read(RATE_LIMIT_SETTINGS)

let clients = 0
/** Nobody else comes from its network or origin. */
function aClient(): Client {
  clients++
  return { requestId: '', ip: `10.9.${clients}.7`, userAgent: null, origin: `https://${clients}.test` }
}

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
])('Counters in %s', (name, start) => {
  const rule = !start ? it : name === 'one Redis' ? onServers : slowOnServers
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
  const points = async (keys: string[]) => (await others.read(counted(keys))).map(count => count.points)
  const untilEmpty = (keys: string[]) =>
    eventually(async () => (await points(keys)).every(count => count === 0), { what: 'their window to end' })

  rule('begin at nothing, and looking makes none', async () => {
    const keys = someKeys()
    for (let count = 0; count < 2; count++)
      expect(await counters.read(counted(keys))).toEqual(
        counted(keys).map(counter => ({ ...counter, points: 0, msLeft: 0 })),
      )
  })

  rule('count in the order of the keys, a hundred at once too', async () => {
    const [one, two] = someKeys() as [string, string]
    await counters.add(counted([two]))
    const both = await Promise.all(Array.from({ length: 100 }, () => counters.add(counted([one, two]))))
    const seen = both.map(([first]) => first?.points ?? 0).sort((a, b) => a - b)
    expect(seen).toEqual(Array.from({ length: 100 }, (_, index) => index + 1))
    expect(await points([one, two])).toEqual([100, 101])
  })

  slow('end with the window that the first time began', async () => {
    const keys = someKeys()
    await counters.add(keys.map(key => ({ key, windowSeconds: 2 })))
    for (const { msLeft } of await counters.add(counted(keys))) expect(msLeft).toBeLessThanOrEqual(2_000)
    await untilEmpty(keys)
    for (const { points: anew, msLeft } of await counters.add(counted(keys))) {
      expect(anew).toBe(1)
      expect(msLeft).toBeGreaterThan(90_000)
    }
  })

  const limiterOn = (its: Counters) =>
    new RateLimiter(its, { rateLimits: LIMITS } as Settings, { enqueue: () => {} } as never, new Metrics())
  const aGuess = () => ({ kind: 'password', subject: randomUUID(), client: aClient() }) as const
  const refusalOf = (work: Promise<unknown>): Promise<ApiError | null> =>
    work.then(
      () => null,
      error => error,
    )

  rule(
    'let through no more than there may be, a hundred at once, and count none that is refused',
    async () => {
      const [limiter, replica] = [limiterOn(counters), limiterOn(others)]
      const guess = aGuess()
      const refusals = await Promise.all(
        Array.from({ length: 100 }, (_, index) => refusalOf((index % 2 ? limiter : replica).count(guess))),
      )
      let letThrough = refusals.filter(refusal => refusal === null).length
      expect(letThrough).toBeLessThanOrEqual(MAX)
      // Two that come at once to the last place may both be refused.
      while ((await refusalOf(limiter.count(guess))) === null) letThrough++
      expect(letThrough).toBe(MAX)
      // The total is everybody's.
      const buckets = bucketsOf(guess, LIMITS).filter(({ scope }) => scope !== 'total')
      const left = await others.read(buckets)
      expect(left.map(({ scope, points }) => `${scope}: ${points}`)).toEqual(
        left.map(({ scope }) => `${scope}: ${MAX}`),
      )
    },
  )

  rule('live longer the more often they were full', async () => {
    const limiter = limiterOn(counters)
    const guess = aGuess()
    const waits: number[] = []
    for (let round = 0; round < 7; round++) {
      for (let count = 0; count < MAX; count++) expect(await refusalOf(limiter.count(guess))).toBeNull()
      waits.push(Number((await refusalOf(limiter.count(guess)))?.options.headers?.['Retry-After']))
      // As if its window had ended.
      await counters.forget(bucketsOf(guess, LIMITS))
    }
    const expected = [100, 200, 400, 800, 1_600, 3_200, 3_600]
    for (const [round, seconds] of expected.entries()) {
      expect(waits[round]).toBeLessThanOrEqual(seconds)
      expect(waits[round]).toBeGreaterThan(seconds - 50)
    }
  })

  rule('are given back and forgotten', async () => {
    const keys = someKeys()
    await counters.add(counted(keys))
    const second = await counters.add(counted(keys))
    await counters.takeOff(second.slice(1))
    expect(await points(keys)).toEqual([2, 1, 1, 1, 1, 1])
    await counters.forget(counted(keys.slice(0, 3)))
    expect(await points(keys)).toEqual([0, 0, 0, 1, 1, 1])
  })

  slow('given back after their window do not go below nothing', async () => {
    const keys = someKeys()
    const added = await Promise.all(
      Array.from({ length: 3 }, () => counters.add(keys.map(key => ({ key, windowSeconds: 1 })))),
    )
    await untilEmpty(keys)
    await Promise.all(added.map(each => counters.takeOff(each)))
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
      for (let login = 0; login < 3; login++) await counters.takeOff(await counters.add(counted))
    } finally {
      await hung.kill('SIGCONT')
    }
    const left = await others.read(counted.filter(({ key }) => healthy.includes(key)))
    expect(left.map(({ points }) => points)).toEqual(healthy.map(() => 0))
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
    const add = async () => {
      const [added] = await counters.add(counted)
      return added!
    }
    expect(await add()).toMatchObject({ points: 1 })
    await redis.kill('SIGSTOP')
    const unsure = [await add(), await add()]
    expect(unsure.map(({ points }) => points)).toEqual([2, 3])
    await redis.kill('SIGCONT')
    await eventually(async () => {
      await counters.read(counted)
      return counters.silentShards === 0
    }, ASKED_AGAIN)
    await counters.takeOff(unsure)
    const [inRedis] = await others.read(counted)
    expect(inRedis?.points).toBeGreaterThanOrEqual(1)
    await redis.kill('SIGSTOP')
    expect(await add()).toMatchObject({ points: 2 })
    await redis.kill('SIGCONT')
  })

  slow('are sent nothing that counts until it answers again', async () => {
    const [counters, others] = [await open(), await open()]
    const counted = [{ key: randomUUID(), windowSeconds: WINDOW_SECONDS }]
    await redis.kill('SIGSTOP')
    await counters.read(counted)
    expect(counters.silentShards).toBe(1)
    // Longer than a connection is kept that does not answer.
    let added = 0
    for (const until = performance.now() + GIVEN_UP_MS; performance.now() < until; added++) {
      await sleep(100)
      await counters.add(counted)
    }
    expect((await counters.read(counted))[0]?.points).toBe(added)
    await redis.kill('SIGCONT')
    await eventually(async () => {
      expect((await counters.read(counted))[0]?.points).toBe(0)
      expect((await others.read(counted))[0]?.points).toBe(0)
      return counters.silentShards === 0
    }, ASKED_AGAIN)
  })
})
