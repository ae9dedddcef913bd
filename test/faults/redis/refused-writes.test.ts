import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { startRedis } from '../../support/redis/redis-server.js'
import { saw } from '../reliability/saw.js'
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
    const { recoveredMs, lost } = await refreshUntilServed(app, { live, ended }, 3_000)
    saw('redis-split', { status: 503, recoveredMs, lost })
  } finally {
    await stop()
    await redis.stop()
  }
})

test('a Redis that cannot write to its disk serves nobody until it can', async () => {
  const redis = await startRedis({ args: ['--save', '3600 1'] })
  const { app, stop } = await startServiceOn(redis.url)
  const cli = (...command: string[]) => redisCli(redis.port, ...command)
  try {
    const owner = await anOwner(app)
    const live = await signIn(app, owner, 'satellite')
    const ended = await signIn(app, owner, 'satellite')
    const [, folder = ''] = (await cli('CONFIG', 'GET', 'dir')).split('\n')
    // A folder in the place of its file, which it cannot replace.
    const inTheWay = join(folder.trim(), 'dump.rdb')
    await rm(inTheWay, { force: true })
    await mkdir(inTheWay)
    await cli('BGSAVE')
    await eventually(async () => (await cli('INFO', 'persistence')).includes('rdb_last_bgsave_status:err'))
    expect(await refresh(app, live)).toMatchObject({ status: 503 })
    expect(await login(app, owner)).toMatchObject({ status: 503 })
    expect(await logout(app, ended)).toMatchObject({ status: 503 })
    await rm(inTheWay, { recursive: true })
    await cli('BGSAVE')
    await eventually(async () => (await cli('INFO', 'persistence')).includes('rdb_last_bgsave_status:ok'))
    const { recoveredMs, lost } = await refreshUntilServed(app, { live, ended }, 3_000)
    saw('redis-disk', { status: 503, recoveredMs, lost })
  } finally {
    await stop()
    await redis.stop()
  }
})
