import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { aChallenge, giveAuthenticator, secondStep } from '../../support/authenticator.js'
import { CountedRequests } from '../../support/counted-requests.js'
import { anOwner, signIn } from '../../support/people.js'
import { createDatabase, type TestDatabase } from '../../support/postgres/postgres-server.js'
import { type RedisServer, startRedis } from '../../support/redis/redis-server.js'
import { TestApp } from '../../support/test-app.js'

/** What the service does by itself meanwhile is counted too, but not in all of them. */
const TRIES = 8

let database: TestDatabase
let redis: RedisServer
let statements: CountedRequests
let commands: CountedRequests
let app: TestApp
beforeAll(async () => {
  database = await createDatabase()
  redis = await startRedis()
  statements = await CountedRequests.before(database.url)
  commands = await CountedRequests.before(redis.url)
  app = await TestApp.start({
    DATABASE_URL: statements.url,
    SESSION_STORE_URL: commands.url,
    LOGINS_PER_ACCOUNT: '100',
  })
})
afterAll(async () => {
  await app?.stop()
  statements?.stop()
  commands?.stop()
  await redis?.stop()
  await database?.drop()
})

test('a login is a query and a transaction of five statements, and three round trips to Redis', async () => {
  const owner = await anOwner(app)
  // With the two that begin and end the transaction. Each counter is read, added to, and perhaps taken off.
  const cost = { statements: 8, commands: 30 }
  expect(await leastOf(() => signIn(app, owner, 'satellite'))).toEqual(cost)
  expect(await leastOf(() => signIn(app, owner, 'main'))).toEqual(cost)
})

test('its second step is two queries and a transaction of eight statements, and as many round trips', async () => {
  const owner = await anOwner(app)
  const authenticator = await giveAuthenticator(app, owner)
  let challenge = ''
  const before = async () => {
    app.clock.advance(30)
    challenge = await aChallenge(app, owner)
  }
  const step = async () => {
    const { status } = await secondStep(app, { challenge, code: authenticator.code() })
    expect(status).toBe(200)
  }
  expect(await leastOf(step, before)).toEqual({ statements: 12, commands: 33 })
})

/** The least that any of several cost, each after `before`, which is not counted. */
async function leastOf(work: () => Promise<unknown>, before: () => Promise<void> = async () => {}) {
  const costs = []
  for (let count = 0; count < TRIES; count++) {
    await before()
    const [statementsBefore, commandsBefore] = [statements.soFar, commands.soFar]
    await work()
    costs.push({
      statements: statements.soFar - statementsBefore,
      commands: commands.soFar - commandsBefore,
    })
  }
  return {
    statements: Math.min(...costs.map(cost => cost.statements)),
    commands: Math.min(...costs.map(cost => cost.commands)),
  }
}
