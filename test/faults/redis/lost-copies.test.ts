import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { KNOWN_EVERYWHERE_AFTER_MS, permissionsOf, type User, UserAdministration } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { infoField, redisCli } from '../../support/redis/redis-cli.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import type { TestApp } from '../../support/test-app.js'
import { saw } from '../reliability/saw.js'
import { copyKey, getCopied, hasCopy } from '../support/copies.js'
import { startMovableAddress } from '../support/movable-address.js'
import { claimsOf, endOthers, logout, refresh, refreshAsMain } from '../support/requests.js'
import {
  type Replicas,
  type StoreService,
  serveOnRedis,
  startReplicasOn,
  startServiceOn,
} from '../support/store-service.js'
import { whileRefreshing } from '../support/while-refreshing.js'

const HOUR = 3_600

describe('fleet 7: a Redis that lost everything', () => {
  let redis: RedisServer
  let app: TestApp
  let other: TestApp

  serveOnRedis(started => {
    ;({ redis, app, other } = started)
  })

  test.each<[string, () => Promise<unknown>]>([
    ['emptied while it is connected', () => redisCli(redis.port, 'FLUSHALL')],
    ['restarted without its files', () => redis.kill('SIGKILL').then(() => redis.restart())],
  ])('logs nobody out, needs no operator, and has copies again: %s', async (_, lose) => {
    const owner = await anOwner(app)
    const live = await signIn(app, owner, 'main')
    const ended = await signIn(app, owner, 'satellite')
    await getCopied(app, live, ended)
    expect(await logout(app, ended)).toMatchObject({ status: 204 })
    const { lost } = await whileRefreshing({ apps: [app, other], live: [live], ended: [ended] }, async () => {
      await lose()
      expect(await sendLogin(other, owner)).toMatchObject({ status: 200 })
      await eventually(() => hasCopy(other, live), { what: 'a copy again' })
    })
    saw('redis-emptied', { lost })
  })
})

test('fleet 7: another server in place of a Redis logs nobody out and revives nobody', async () => {
  const [before, after] = await Promise.all([startRedis(), startRedis()])
  const address = await startMovableAddress(before.port)
  const service = await startReplicasOn(`redis://127.0.0.1:${address.port}`)
  const { app, other } = service
  try {
    const owner = await anOwner(app)
    const [live, ended] = [await signIn(app, owner, 'satellite'), await signIn(app, owner, 'satellite')]
    await getCopied(app, live, ended)
    expect(await logout(app, ended)).toMatchObject({ status: 204 })
    await whileRefreshing({ apps: [app, other], live: [live], ended: [ended] }, async () => {
      address.moveTo(after.port)
      await before.kill('SIGKILL')
      await eventually(async () => (await redisCli(after.port, 'EXISTS', copyKey(live))) === '1', {
        what: 'a copy at the new server',
      })
    })
  } finally {
    await service.stop()
    address.close()
    await Promise.all([before.stop(), after.stop()])
  }
})

test('fleet 7: two installations on one Redis serve nobody from the copies of the other', async () => {
  const redis = await startRedis()
  const services: StoreService[] = []
  try {
    services.push(await startServiceOn(redis.url), await startServiceOn(redis.url))
    const [one, two] = services.map(({ app }) => app) as [TestApp, TestApp]
    const session = await signIn(one, await anOwner(one), 'satellite')
    await getCopied(one, session)
    for (let times = 0; times < 3; times++) {
      expect(await refresh(two, session)).toMatchObject({ status: 401 })
      expect(await refresh(one, session)).toMatchObject({ status: 200 })
    }
    expect(await hasCopy(one, session)).toBe(true)
  } finally {
    for (const { stop } of services) await stop()
    await redis.stop()
  }
})

describe('a Redis that evicts', () => {
  // Each refreshes without a pause at both replicas: more would wait for the database for too long, on a slow machine.
  const SESSIONS = 12
  const FILL = `for n = 1, 8000 do redis.call('SET', 'filler:' .. n, string.rep('x', 1000)) end`
  let redis: RedisServer
  let app: TestApp
  let other: TestApp

  serveOnRedis(
    started => {
      ;({ redis, app, other } = started)
    },
    ['--maxmemory', '3mb', '--maxmemory-policy', 'allkeys-lru'],
  )

  test('logs nobody out and revives nobody, with 3 MB and allkeys-lru', async () => {
    const owner = await anOwner(app)
    const sessions: SignedIn[] = []
    while (sessions.length < SESSIONS) sessions.push(await signIn(app, owner, 'satellite'))
    await getCopied(app, ...sessions)
    const ended = sessions.splice(0, SESSIONS / 4)
    for (const session of ended) expect(await logout(app, session)).toMatchObject({ status: 204 })
    const { lost } = await whileRefreshing({ apps: [app, other], live: sessions, ended }, async () => {
      for (let times = 0; times < 3; times++) await redisCli(redis.port, 'EVAL', FILL, '0')
      // What is used is kept: there is a copy of each, or there will be.
      for (const session of sessions) await eventually(() => hasCopy(app, session))
    })
    const evicted = Number(infoField(await redisCli(redis.port, 'INFO', 'stats'), 'evicted_keys'))
    expect(evicted).toBeGreaterThan(SESSIONS)
    saw('redis-evicts', { lost })
  })
})

describe('a Redis that comes back as it was an hour ago', () => {
  let redis: RedisServer
  let service: Replicas
  let app: TestApp
  let other: TestApp

  beforeAll(async () => {
    redis = await startRedis()
    service = await startReplicasOn(redis.url)
    ;({ app, other } = service)
  })
  afterEach(() => redisCli(redis.port, 'FLUSHALL'))
  afterAll(async () => {
    await service?.stop()
    await redis?.stop()
  })

  /**
   * What `change` changes is as before in Redis, which crashes and comes back an hour later, or at least not before every process has
   * read the change.
   */
  async function losing(copied: readonly SignedIn[], change: () => Promise<unknown>): Promise<void> {
    await getCopied(app, ...copied)
    await redisCli(redis.port, 'SAVE')
    await change()
    await sleep(KNOWN_EVERYWHERE_AFTER_MS)
    for (const { clock } of [app, other]) clock.advance(HOUR)
    await redis.kill('SIGKILL')
    await redis.restart()
    for (const session of copied) expect(await redisCli(redis.port, 'EXISTS', copyKey(session))).toBe('1')
  }

  async function isOver(ended: readonly SignedIn[], live: readonly SignedIn[]): Promise<number> {
    const copied = () => eventually(() => hasCopy(other, live[0] as SignedIn))
    return (await whileRefreshing({ apps: [app, other], live, ended }, async () => void (await copied())))
      .lost
  }

  test('revives no session that was ended since', async () => {
    const owner = await anOwner(app)
    const [live, ended] = [await signIn(app, owner, 'satellite'), await signIn(app, owner, 'satellite')]
    await losing([live, ended], async () => {
      expect(await logout(app, ended)).toMatchObject({ status: 204 })
    })
    saw('redis-old', { lost: await isOver([ended], [live]) })
  })

  test('revives no session of a user whose sessions were all ended, and keeps the session that did it', async () => {
    const owner = await anOwner(app)
    const keeper = await signIn(app, owner, 'main')
    const others = [await signIn(app, owner, 'satellite'), await signIn(app, owner, 'satellite')]
    await losing([keeper, ...others], async () => {
      expect(await endOthers(app, keeper)).toMatchObject({ status: 200, json: { ended: 2 } })
    })
    await isOver(others, [keeper])
  })

  test('revives nobody who was disabled', async () => {
    const owner = await anOwner(app)
    const sessions = [await signIn(app, owner, 'satellite'), await signIn(app, owner, 'main')]
    const witness = await signIn(app, await anOwner(app), 'satellite')
    await losing([...sessions, witness], () => app.get(UserAdministration).disable(owner))
    await isOver(sessions, [witness])
  })

  test('gives back no permission that was taken away', async () => {
    const member = await aMember(app, await anOwner(app))
    const grant = (granted: User['granted']) => app.get(UserAdministration).grant(member, granted)
    await grant(permissionsOf(['payments', 'viewReports']))
    const main = await signIn(app, member, 'main')
    await losing([main], () => grant(permissionsOf(['viewReports'])))
    for (const each of [app, other])
      for (let times = 0; times < 3; times++)
        expect(claimsOf(await refreshAsMain(each, main)).permissions).toEqual(permissionsOf(['viewReports']))
  })
})
