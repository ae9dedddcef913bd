import { expect, test } from '@jest/globals'
import { anOwner, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { startRedis } from '../../support/redis/redis-server.js'
import { refreshUntilServed } from '../support/refresh-until-served.js'
import { login, logout, refresh } from '../support/requests.js'
import { startServiceOn } from '../support/store-service.js'

test('a Redis cut off from its replicas serves nobody, and learns what was ended when it has them back', async () => {
  const redis = await startRedis()
  const { app, stop } = await startServiceOn(redis.url)
  try {
    const owner = await anOwner(app)
    const live = await signIn(app, owner, 'satellite')
    const ended = await signIn(app, owner, 'satellite')
    await redisCli(redis.port, 'CONFIG', 'SET', 'min-replicas-to-write', '1')
    expect(await refresh(app, live)).toMatchObject({ status: 503 })
    expect(await login(app, owner)).toMatchObject({ status: 503 })
    expect(await logout(app, ended)).toMatchObject({ status: 503 })
    await redisCli(redis.port, 'CONFIG', 'SET', 'min-replicas-to-write', '0')
    await refreshUntilServed(app, { live, ended }, 3_000)
  } finally {
    await stop()
    await redis.stop()
  }
})
