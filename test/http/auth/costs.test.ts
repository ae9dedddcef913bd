import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { getCopied } from '../../faults/support/copies.js'
import { refresh, sidOf } from '../../faults/support/requests.js'
import { sessions } from '../../sources.js'
import { aChallenge, giveAuthenticator, secondStep } from '../../support/authenticator.js'
import { CountedRequests } from '../../support/counted-requests.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
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

test('a session that is refreshed every quarter of an hour costs the database a statement an hour', async () => {
  const owner = await anOwner(app)
  const [hours, quarters] = [8, 4]
  const counts: number[] = []
  // On a busy machine a refresh may come while this process does not know of the newest changes, and be read anew.
  while (counts.at(-1) !== hours && counts.length < TRIES) {
    const session = await signIn(app, owner, 'satellite')
    await getCopied(app, session)
    // What reads a session also says when it was used.
    const written = new Set<number>()
    const look = async () => written.add(await lastUsed(session))
    await look()
    for (let count = 0; count < hours * quarters; count++) {
      // On a busy machine a copy is read a moment after the answer.
      app.clock.advance(3_600 / quarters + 1)
      expect(await refresh(app, session)).toMatchObject({ status: 200 })
      await look()
    }
    // The last one follows its answer.
    await eventually(async () => (await look()).size > hours, { what: `${hours} statements` })
    counts.push(written.size - 1)
  }
  expect(Math.min(...counts)).toBe(hours)
})

async function lastUsed(session: SignedIn): Promise<number> {
  const ofSession = eq(sessions.sid, sidOf(session))
  const [row] = await app.database.run(db =>
    db.select({ lastUsed: sessions.lastUsed }).from(sessions).where(ofSession),
  )
  return row?.lastUsed.getTime() ?? Number.NaN
}

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
