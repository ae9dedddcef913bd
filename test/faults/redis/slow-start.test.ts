import { expect, test } from '@jest/globals'
import { createRedisClient, handleOf, openRedis, type SessionId } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, sendLogin, signIn } from '../../support/people.js'
import { freePort } from '../../support/processes/free-port.js'
import { redisCli } from '../../support/redis/redis-cli.js'
import { startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'
import { refresh } from '../support/requests.js'
import { startServiceOn } from '../support/store-service.js'

test('fleet 8: a start waits for a Redis that comes later', async () => {
  const port = await freePort()
  const opening = openRedis(`redis://127.0.0.1:${port}`, 3_000)
  const redis = await startRedis({ port })
  try {
    const connection = await opening
    expect(await connection.run(commands => commands.get('a'))).toBeNull()
    connection.onApplicationShutdown()
  } finally {
    await redis.stop()
  }
})

test('fleet 8: a service starts without Redis, and uses it once it is there', async () => {
  const port = await freePort()
  const { app, stop } = await startServiceOn(`redis://127.0.0.1:${port}`)
  try {
    const session = await signIn(app, await anOwner(app), 'satellite')
    expect(await refresh(app, session)).toMatchObject({ status: 200 })
    const redis = await startRedis({ port })
    try {
      await eventually(async () => {
        await refresh(app, session)
        return (
          (await redisCli(port, 'EXISTS', `copy:${handleOf(session.sessionId as SessionId)}`)).trim() === '1'
        )
      })
      expect(await refresh(app, session)).toMatchObject({ status: 200 })
    } finally {
      await redis.stop()
    }
  } finally {
    await stop()
  }
})

test('fleet 8: a cluster in which nobody serves some of the slots refuses nobody, also at start', async () => {
  const redis = await startRedis({
    args: [
      ...['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
      ...['--cluster-require-full-coverage', 'no'],
    ],
  })
  await redisCli(redis.port, 'CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  const { app, stop } = await startServiceOn(`redis+cluster://127.0.0.1:${redis.port}`)
  try {
    const owner = await anOwner(app)
    const sessions = []
    for (let made = 0; made < 8; made++) sessions.push(await signIn(app, owner, 'satellite'))
    await redisCli(redis.port, 'CLUSTER', 'DELSLOTSRANGE', '0', '8000')
    const second = await TestApp.start({ ...app.stores })
    try {
      for (const each of [app, second]) {
        const answers = await Promise.all(sessions.map(session => refresh(each, session)))
        const logins = await Promise.all(Array.from({ length: 8 }, () => sendLogin(each, owner)))
        for (const answer of [...answers, ...logins]) expect(answer).toMatchObject({ status: 200 })
      }
    } finally {
      await second.stop()
    }
  } finally {
    await stop()
    await redis.stop()
  }
})

test('a cluster is reached with the password in its URL, at the servers too that the URL does not name', async () => {
  const redis = await startRedis({
    args: [
      ...['--cluster-enabled', 'yes', '--cluster-port', String(await freePort())],
      ...['--requirepass', 'p@ss'],
    ],
  })
  const cli = (...command: string[]) => redisCli(redis.port, '--no-auth-warning', '-a', 'p@ss', ...command)
  await cli('CLUSTER', 'ADDSLOTSRANGE', '0', '16383')
  await eventually(async () => (await cli('CLUSTER', 'INFO')).includes('cluster_state:ok'))
  const client = createRedisClient(`redis+cluster://:p%40ss@127.0.0.1:${redis.port}`)
  const refused = new Promise((_, reject) => client.onError(reason => reject(new Error(reason))))
  try {
    const answer = client.connect().then(() => client.commands.get('a'))
    expect(await Promise.race([answer, refused])).toBeNull()
  } finally {
    client.close()
    await redis.stop()
  }
})
