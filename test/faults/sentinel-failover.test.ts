import { describe, expect, test } from '@jest/globals'
import { anOwner, signIn } from '../support/people.js'
import { startRedisSentinel } from '../support/redis-sentinel.js'
import { FAILOVER_MS, FAILURES, losing } from './failover.js'
import { refreshUntilServed } from './refresh-until-served.js'
import { login, logout } from './requests.js'
import { startServiceOn } from './store-service.js'

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
      expect(await refreshUntilServed(app, { live, ended }, FAILOVER_MS)).toEqual({ wasUnavailable: true })
      expect(await login(app, owner)).toMatchObject({ status: 200 })
    } finally {
      await stop()
      await group.stop()
    }
  }, 60_000)
})
