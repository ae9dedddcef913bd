import { expect, test } from '@jest/globals'
import { sessionKey } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { isReplicaInStep, startRedis } from '../../support/redis/redis-server.js'
import { startMovableAddress } from '../support/movable-address.js'
import { refreshUntilServed } from '../support/refresh-until-served.js'
import { logout, sidOf } from '../support/requests.js'
import { startServiceOn } from '../support/store-service.js'

test('an address that leads to a new master: the old one, now a replica, is left', async () => {
  const before = await startRedis()
  const after = await startRedis({ args: ['--replicaof', `127.0.0.1 ${before.port}`] })
  const address = await startMovableAddress(before.port)
  const { app, stop } = await startServiceOn(`redis://127.0.0.1:${address.port}`)
  try {
    const owner = await anOwner(app)
    const live = await signIn(app, owner, 'satellite')
    const ended = await signIn(app, owner, 'satellite')
    await eventually(() => isReplicaInStep(after.port), { what: 'the replica to be in step' })
    await eventually(async () => (await redisCli(after.port, 'EXISTS', sessionKey(sidOf(ended)))) === '1')
    await redisCli(after.port, 'REPLICAOF', 'NO', 'ONE')
    expect(await logout(app, ended)).toMatchObject({ status: 204 })
    address.moveTo(after.port)
    await redisCli(before.port, 'REPLICAOF', '127.0.0.1', String(after.port))
    expect(await refreshUntilServed(app, { live, ended }, 10_000)).toMatchObject({
      wasUnavailable: true,
      lost: 0,
    })
    expect(await redisCli(after.port, 'EXISTS', sessionKey(sidOf(ended)))).toBe('0')
  } finally {
    await stop()
    address.close()
    await Promise.all([before.stop(), after.stop()])
  }
})
