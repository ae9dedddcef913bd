import { describe, expect, test } from '@jest/globals'
import { eventually } from '../../support/eventually.js'
import { anOwner, sendLogin, signIn } from '../../support/people.js'
import { startRedisSentinel } from '../../support/redis/redis-sentinel.js'
import { saw } from '../reliability/saw.js'
import { getCopied, hasCopy } from '../support/copies.js'
import { FAILOVER_MS, FAILURES, losing } from '../support/failover.js'
import { logout } from '../support/requests.js'
import { startReplicasOn } from '../support/store-service.js'
import { whileRefreshing } from '../support/while-refreshing.js'

describe.each(FAILURES)('when the master of Redis Sentinel $what', ({ signal }) => {
  test('nobody is refused until its replica has taken over, and what was ended stays ended', async () => {
    const group = await startRedisSentinel({ sentinels: 3 })
    const { app, other, stop } = await startReplicasOn(group.url)
    try {
      const owner = await anOwner(app)
      const live = await signIn(app, owner, 'satellite')
      const ended = await signIn(app, owner, 'satellite')
      await getCopied(app, live, ended)
      let recoveredMs = 0
      await losing(
        async () => expect(await logout(app, ended)).toMatchObject({ status: 204 }),
        group.master,
        group.replica,
        signal,
      )
      const failedAt = performance.now()
      const { lost } = await whileRefreshing(
        { apps: [app, other], live: [live], ended: [ended] },
        async () => {
          expect(await sendLogin(app, owner)).toMatchObject({ status: 200 })
          await eventually(async () => (await group.masterPort()) === group.replica.port, {
            timeoutMs: FAILOVER_MS,
          })
          for (const each of [app, other])
            await eventually(() => hasCopy(each, live), { what: 'the new master', timeoutMs: FAILOVER_MS })
          recoveredMs = performance.now() - failedAt
          // It has not heard of the deletion.
          expect(await hasCopy(app, ended)).toBe(true)
        },
      )
      saw('redis-failover', { recoveredMs, lost })
    } finally {
      await stop()
      await group.stop()
    }
  }, 60_000)
})
