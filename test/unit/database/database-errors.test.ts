import { randomUUID } from 'node:crypto'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import {
  ApiError,
  Database,
  hourlyBudgets,
  openDatabase,
  openPostgres,
  permissionsOf,
  readSettings,
  startFailure,
  users,
} from '../../sources.js'
import { createDatabase, type TestDatabase } from '../../support/postgres/postgres-server.js'
import { freePort } from '../../support/processes/free-port.js'
import { onServers, slow } from '../../support/tiers.js'

const EMAIL = 'somebody@example.com'
const HASH = '$argon2id$v=19$m=19456,t=2,p=1$not-for-the-log'

let server: TestDatabase
let working: Database
let unreachable: Database
beforeAll(async () => {
  server = await createDatabase()
  working = await openDatabase(readSettings({ NODE_ENV: 'test', DATABASE_URL: server.url }))
  unreachable = new Database(
    openPostgres(
      { url: `postgres://127.0.0.1:${await freePort()}/none`, poolSize: 2, timeoutMs: 3_000 },
      () => {},
    ),
  )
})
afterAll(async () => {
  await Promise.all([working.onApplicationShutdown(), unreachable.onApplicationShutdown()])
  await server.drop()
})

describe('what the database throws never holds the values of the query', () => {
  onServers('that failed', async () => {
    const error = await failureOf(working)
    expect(error.message).toContain('insert into "users"')
    expect(error.message).toContain('users_account_id_accounts_id_fk')
  })

  onServers('that it was out of reach for', async () => {
    expect(await failureOf(unreachable)).toMatchObject({ code: 'DATABASE_UNAVAILABLE' })
  })

  onServers('of a transaction', async () => {
    const error = await working.transaction(addUser).catch(error => error)
    expectNoValues(error)
  })
})

describe('a start says in a line why DATABASE_URL cannot be used', () => {
  onServers.each([
    [
      'nobody answers',
      async () => `postgres://127.0.0.1:${await freePort()}/none`,
      'connect ECONNREFUSED 127.0.0.1:',
    ],
    [
      'there is no such database',
      async () => elsewhere({ database: 'nowhere' }),
      'database "nowhere" does not exist',
    ],
    [
      'the user may create nothing there',
      async () => elsewhere({ user: await guest() }),
      'permission denied for ',
    ],
    [
      'its search_path names no schema there is (reports, unclear)',
      async () => elsewhere({ database: await withoutSchema() }),
      'no schema has been selected to create in',
    ],
  ])('%s', async (_, url, reason) => {
    const settings = readSettings({ NODE_ENV: 'test', DATABASE_URL: await url() })
    const failure = startFailure(await openDatabase(settings).catch(error => error))
    expect(failure).toMatch(new RegExp(`^DATABASE_URL cannot be used: ${reason}[^\\n]*$`))
  })

  const elsewhere = ({ database, user }: { database?: string; user?: string }) => {
    const url = new URL(server.url)
    if (database) url.pathname = database
    if (user) url.username = user
    return url.href
  }
  const withoutSchema = async () => {
    const name = `elsewhere_${randomUUID().slice(0, 8)}`
    await working.run(db => db.execute(sql.raw(`create database ${name}`)))
    await working.run(db => db.execute(sql.raw(`alter database ${name} set search_path = nowhere`)))
    return name
  }
  const guest = async () => {
    const name = `guest_${randomUUID().slice(0, 8)}`
    await working.run(db => db.execute(sql.raw(`create role ${name} login`)))
    return name
  }
})

onServers('does not take the outage of another store for its own', async () => {
  const refused = new ApiError('SESSION_STORE_UNAVAILABLE', { cause: new Error('no answer in 300 ms') })
  const error = await working.transaction(() => Promise.reject(refused)).catch(error => error)
  expect(error).toBe(refused)
})

onServers('returns what was done in a transaction that is rolled back, and keeps none of it', async () => {
  const name = randomUUID()
  const rows = await working.rolledBack(db =>
    db.insert(hourlyBudgets).values({ name, hour: new Date(), used: 7 }).returning(),
  )
  expect(rows).toMatchObject([{ name, used: 7 }])
  expect(await working.run(db => db.$count(hourlyBudgets, eq(hourlyBudgets.name, name)))).toBe(0)
  const refused = new ApiError('TOO_BUSY')
  await expect(working.rolledBack(() => Promise.reject(refused))).rejects.toBe(refused)
})

slow('answers the one of two deadlocked transactions that is rolled back like a busy service', async () => {
  const [one, other] = [7_001, 7_002]
  const bothHaveOne = barrier(2)
  const lock = (first: number, second: number) =>
    working.transaction(async transaction => {
      await transaction.execute(sql`select pg_advisory_xact_lock(${first})`)
      await bothHaveOne()
      await transaction.execute(sql`select pg_advisory_xact_lock(${second})`)
    })
  const results = await Promise.allSettled([lock(one, other), lock(other, one)])
  const refusals = results.flatMap(result => (result.status === 'rejected' ? [result.reason] : []))
  expect(refusals).toMatchObject([{ code: 'TOO_BUSY' }])
})

/** Resolves for everybody once so many wait for it. */
function barrier(count: number): () => Promise<void> {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  let arrived = 0
  return () => {
    arrived += 1
    if (arrived === count) open()
    return opened
  }
}

async function failureOf(database: Database): Promise<Error> {
  const error = await database.run(addUser).catch(error => error)
  expectNoValues(error)
  return error
}

/** Fails wherever it is tried: there is no such account. */
async function addUser(db: Parameters<Parameters<Database['run']>[0]>[0]): Promise<void> {
  await db.insert(users).values({
    id: randomUUID(),
    accountId: randomUUID(),
    email: EMAIL,
    role: 'owner',
    granted: permissionsOf([]),
    passwordHash: HASH,
    createdAt: new Date(),
  })
}

/** Neither in the message nor in a stack, a property or a cause. */
function expectNoValues(error: unknown): void {
  expect(error).toBeInstanceOf(Error)
  const shown = inspect(error, { depth: 10, showHidden: true })
  expect(shown).not.toContain(EMAIL)
  expect(shown).not.toContain('not-for-the-log')
}
