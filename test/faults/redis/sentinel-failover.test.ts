import { describe, expect, jest, test } from '@jest/globals'
import { Logger, openRedis, StoreSupervisor } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { startRedisSentinel } from '../../support/redis/redis-sentinel.js'
import { saw } from '../reliability/saw.js'
import { FAILOVER_MS, FAILURES, losing } from '../support/failover.js'
import { refreshUntilServed } from '../support/refresh-until-served.js'
import { login, logout, refresh } from '../support/requests.js'
import { startServiceOn } from '../support/store-service.js'

describe.each(FAILURES)('when the master of Redis Sentinel $what', ({ signal }) => {
  test('sessions are 503 until its replica has taken over, and what was ended stays ended', async () => {
    const group = await startRedisSentinel({ sentinels: 3 })
    const { app, stop } = await startServiceOn(group.url)
    try {
      const owner = await anOwner(app)
      const live = await signIn(app, owner, 'satellite')
      const ended = await signIn(app, owner, 'satellite')
      await losing(
        async () => expect(await logout(app, ended)).toMatchObject({ status: 204 }),
        group.master,
        group.replica,
        signal,
      )
      const { wasUnavailable, recoveredMs, lost } = await refreshUntilServed(
        app,
        { live, ended },
        FAILOVER_MS,
      )
      expect(wasUnavailable).toBe(true)
      saw('redis-failover', { recoveredMs, lost })
      expect(await login(app, owner)).toMatchObject({ status: 200 })
    } finally {
      await stop()
      await group.stop()
    }
  }, 60_000)
})

const PATIENT_MS = 3_000

test('fleet 7: a replica behind sentinels that would evict: no start, a line in the log, no serving once it has taken over', async () => {
  const group = await startRedisSentinel({ sentinels: 3 })
  const setPolicy = (policy: string) =>
    redisCli(group.replica.port, 'CONFIG', 'SET', 'maxmemory-policy', policy)
  const error = jest.spyOn(Logger.prototype, 'error')
  try {
    await setPolicy('volatile-lru')
    await expect(openRedis(group.url, PATIENT_MS)).rejects.toThrow(
      `replica 127.0.0.1:${group.replica.port} is volatile-lru`,
    )
    await setPolicy('noeviction')
    const { app, stop } = await startServiceOn(group.url)
    try {
      const session = await signIn(app, await anOwner(app), 'satellite')
      await setPolicy('volatile-lru')
      await redisCli(group.master.port, 'CLIENT', 'KILL', 'TYPE', 'normal')
      await eventually(
        () => error.mock.calls.some(([line]) => /replica .* must not take over/.test(String(line))),
        {
          timeoutMs: 15_000,
        },
      )
      await eventually(async () => (await refresh(app, session)).status === 200)
      const sentinel = Number(new URL(group.url.split(',')[0]!.replace('redis+sentinel', 'http')).port)
      await eventually(async () => (await redisCli(sentinel, 'SENTINEL', 'FAILOVER', 'mainstay')) === 'OK')
      const status = () => app.get(StoreSupervisor).status()[0]
      await eventually(() => status()?.reason.includes('must be noeviction'), { timeoutMs: FAILOVER_MS })
      expect(await refresh(app, session)).toMatchObject({ status: 503 })
      await setPolicy('noeviction')
      await eventually(async () => (await refresh(app, session)).status === 200)
    } finally {
      await stop()
    }
  } finally {
    jest.restoreAllMocks()
    await group.stop()
  }
}, 90_000)
