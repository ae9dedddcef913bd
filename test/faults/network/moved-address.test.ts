import { expect, test } from '@jest/globals'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { isReplicaInStep, startRedis } from '../../support/redis/redis-server.js'
import { copyKey, getCopied } from '../support/copies.js'
import { startMovableAddress } from '../support/movable-address.js'
import { logout } from '../support/requests.js'
import { startReplicasOn } from '../support/store-service.js'
import { whileRefreshing } from '../support/while-refreshing.js'

test('an address that leads to a new master: the old one, now a replica, is left', async () => {
  const before = await startRedis()
  const after = await startRedis({ args: ['--replicaof', `127.0.0.1 ${before.port}`] })
  const address = await startMovableAddress(before.port)
  const { app, other, stop } = await startReplicasOn(`redis://127.0.0.1:${address.port}`)
  try {
    const owner = await anOwner(app)
    const live = await signIn(app, owner, 'satellite')
    const ended = await signIn(app, owner, 'satellite')
    await eventually(() => isReplicaInStep(after.port), { what: 'the replica to be in step' })
    await getCopied(app, live, ended)
    await eventually(async () => (await redisCli(after.port, 'EXISTS', copyKey(ended))) === '1')
    await redisCli(after.port, 'REPLICAOF', 'NO', 'ONE')
    expect(await logout(app, ended)).toMatchObject({ status: 204 })
    address.moveTo(after.port)
    await redisCli(before.port, 'REPLICAOF', '127.0.0.1', String(after.port))
    await redisCli(after.port, 'DEL', copyKey(live))
    await whileRefreshing({ apps: [app, other], live: [live], ended: [ended] }, async () => {
      await eventually(async () => (await redisCli(after.port, 'EXISTS', copyKey(live))) === '1', {
        what: 'the new master to be used',
      })
    })
  } finally {
    await stop()
    address.close()
    await Promise.all([before.stop(), after.stop()])
  }
})
