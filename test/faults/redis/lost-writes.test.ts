import { describe, expect, test } from '@jest/globals'
import { permissionsOf, StoreSupervisor, sessionKey, UserAdministration } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import type { RedisServer } from '../../support/redis/redis-server.js'
import type { TestApp } from '../../support/test-app.js'
import { refreshUntilServed } from '../support/refresh-until-served.js'
import { claimsOf, endOthers, logout, refresh, refreshAsMain, sidOf } from '../support/requests.js'
import { serveOnRedis } from '../support/store-service.js'

const BACK_MS = 3_000

describe('a Redis that comes back without its newest writes', () => {
  let redis: RedisServer
  let app: TestApp

  serveOnRedis(started => {
    redis = started.redis
    app = started.app
  })

  /** What `change` writes is lost: Redis crashes and comes back as it was before. */
  async function losing(change: () => Promise<void>): Promise<void> {
    await redisCli(redis.port, 'SAVE')
    await change()
    await redis.kill('SIGKILL')
    await redis.restart()
  }

  test('does not bring back a session that was ended', async () => {
    const owner = await anOwner(app)
    const ended = await signIn(app, owner, 'satellite')
    const live = await signIn(app, owner, 'satellite')
    await losing(async () => {
      expect(await logout(app, ended)).toMatchObject({ status: 204 })
    })
    await refreshUntilServed(app, { live, ended }, BACK_MS)
    expect(await redisCli(redis.port, 'EXISTS', sessionKey(sidOf(ended)))).toBe('0')
  })

  test('fleet 4: one that was a replica for a moment is in doubt, although nobody was cut off', async () => {
    const live = await signIn(app, await anOwner(app), 'satellite')
    const status = () => app.get(StoreSupervisor).status()[0]!
    await eventually(() => status().isOpen)
    const { since } = status()
    await redisCli(redis.port, 'REPLICAOF', '127.0.0.1', '1')
    await redisCli(redis.port, 'REPLICAOF', 'NO', 'ONE')
    await eventually(() => status().isOpen && status().since > since)
    expect(await refresh(app, live)).toMatchObject({ status: 200 })
  })

  test('does not give back a permission that was taken away', async () => {
    const member = await aMember(app, await anOwner(app))
    await app.get(UserAdministration).grant(member, permissionsOf(['payments', 'viewReports']))
    const main = await signIn(app, member, 'main')
    const satellite = await signIn(app, member, 'satellite')
    await losing(() => app.get(UserAdministration).grant(member, permissionsOf(['viewReports'])))
    await refreshUntilServed(app, { live: satellite }, BACK_MS)
    expect(claimsOf(await refreshAsMain(app, main)).permissions).toEqual(permissionsOf(['viewReports']))
  })

  test('does not bring back the sessions of a user whose sessions were all ended', async () => {
    const owner = await anOwner(app)
    const witness = await signIn(app, await anOwner(app), 'satellite')
    const sessions = [await signIn(app, owner, 'satellite'), await signIn(app, owner, 'satellite')]
    await losing(async () => {
      expect(await app.get(UserAdministration).endSessions(owner)).toBe(2)
    })
    await refreshUntilServed(app, { live: witness }, BACK_MS)
    for (const session of sessions) expect(await refresh(app, session)).toMatchObject({ status: 401 })
  })

  test('ends all others again, and keeps the session that did it', async () => {
    const owner = await anOwner(app)
    const keeper = await signIn(app, owner, 'main')
    const others = [await signIn(app, owner, 'satellite'), await signIn(app, owner, 'satellite')]
    const witness = await signIn(app, await anOwner(app), 'satellite')
    await losing(async () => {
      expect(await endOthers(app, keeper)).toMatchObject({ status: 200, json: { ended: 2 } })
    })
    await refreshUntilServed(app, { live: witness }, BACK_MS)
    for (const session of others) expect(await refresh(app, session)).toMatchObject({ status: 401 })
    expect(await refreshAsMain(app, keeper)).toMatchObject({ status: 200 })
  })
})
