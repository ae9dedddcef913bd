import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { Logger, StoreSupervisor } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { run } from '../../support/processes/run-program.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import type { RedisServer } from '../../support/redis/redis-server.js'
import type { TestApp } from '../../support/test-app.js'
import { saw } from '../reliability/saw.js'
import { login, logout, refresh } from '../support/requests.js'
import { serveOnRedis } from '../support/store-service.js'

const UNAVAILABLE = { status: 503, json: { code: 'SESSION_STORE_UNAVAILABLE' } }

describe('fleet 7: a Redis that lost everything', () => {
  let redis: RedisServer
  let app: TestApp

  serveOnRedis(started => {
    redis = started.redis
    app = started.app
  })

  afterEach(() => {
    jest.restoreAllMocks()
  })

  test.each<[string, () => Promise<unknown>]>([
    ['emptied while it is connected', () => redisCli(redis.port, 'FLUSHALL')],
    ['restarted without its files', () => redis.kill('SIGKILL').then(() => redis.restart())],
  ])('answers 503 and never 401 until an operator accepts the loss: %s', async (_, lose) => {
    const owner = await anOwner(app)
    const lost = await signIn(app, owner, 'satellite')
    const ended = await signIn(app, owner, 'satellite')
    expect(await logout(app, ended)).toMatchObject({ status: 204 })
    const fatal = jest.spyOn(Logger.prototype, 'fatal')
    await lose()
    expect(await refresh(app, lost)).toMatchObject(UNAVAILABLE)
    await eventually(() => app.get(StoreSupervisor).status()[0]?.reason.includes('data is gone'))
    for (const session of [lost, ended]) expect(await refresh(app, session)).toMatchObject(UNAVAILABLE)
    expect(await login(app, owner)).toMatchObject(UNAVAILABLE)
    saw('redis-emptied', { status: UNAVAILABLE.status })
    expect(fatal.mock.calls).toEqual([[expect.stringContaining('store:accept-loss')]])

    const environment = { NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores }
    expect(await run('dist/joined/cli.js', ['store:accept-loss'], environment)).toMatchObject({ code: 0 })
    await served(lost)
    for (const session of [lost, ended]) expect(await refresh(app, session)).toMatchObject({ status: 401 })
    expect(await refresh(app, await signIn(app, owner, 'satellite'))).toMatchObject({ status: 200 })
  })

  test('does not serve from a server that may evict sessions after reconnecting to it', async () => {
    const session = await signIn(app, await anOwner(app), 'satellite')
    await redisCli(redis.port, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    await redisCli(redis.port, 'CLIENT', 'KILL', 'TYPE', 'normal')
    await eventually(async () => (await refresh(app, session)).status === 503)
    await eventually(() => app.get(StoreSupervisor).status()[0]?.reason.includes('noeviction'))
    expect(await refresh(app, session)).toMatchObject(UNAVAILABLE)
    await redisCli(redis.port, 'CONFIG', 'SET', 'maxmemory-policy', 'noeviction')
    await served(session)
    expect(await refresh(app, session)).toMatchObject({ status: 200 })
  })

  async function served(session: SignedIn): Promise<void> {
    await eventually(async () => (await refresh(app, session)).status !== 503)
  }
})
