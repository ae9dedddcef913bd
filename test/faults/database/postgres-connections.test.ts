import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import pg from 'pg'
import { type Connection, openPostgres, RETRY_LIMIT_MS, RETRY_MS } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { type PgBouncer, POOL_OF_PGBOUNCER, startPgBouncer } from '../../support/postgres/pgbouncer.js'
import { createDatabase, startPostgres, type TestDatabase } from '../../support/postgres/postgres-server.js'
import { TestApp } from '../../support/test-app.js'
import { saw } from '../reliability/saw.js'
import { getCopied } from '../support/copies.js'
import { type MovableAddress, startMovableAddress } from '../support/movable-address.js'
import { logout, readData, refresh, refreshAsMain } from '../support/requests.js'

/** The rest is for a busy test machine. */
const PATIENCE_MS = 400
const POOL_SIZE = 10

function startOn(url: string, environment: Record<string, string> = {}): Promise<TestApp> {
  return TestApp.start({
    ...{ DATABASE_URL: url, DATABASE_TIMEOUT_MS: String(PATIENCE_MS), LOG_LEVEL: 'silent' },
    ...environment,
  })
}

describe('fleet 12: a PostgreSQL that is silent', () => {
  let database: TestDatabase
  let address: MovableAddress
  let app: TestApp
  beforeAll(async () => {
    database = await createDatabase()
    const url = new URL(database.url)
    address = await startMovableAddress(Number(url.port))
    url.port = String(address.port)
    app = await startOn(url.href, { DATABASE_POOL_SIZE: String(POOL_SIZE) })
  })
  afterAll(async () => {
    address?.beSilent(false)
    await app?.stop()
    address?.close()
    await database?.drop()
  })

  test('answers 503 to the first and to everybody after, and serves again when it answers', async () => {
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'main')
    await getCopied(app, session)
    address.beSilent(true)
    const answeredMs = await msOf503(() => sendLogin(app, owner))
    for (let time = 0; time < 5; time++) expect(await logout(app, session)).toMatchObject({ status: 503 })
    expect(await refreshAsMain(app, session)).toMatchObject({ status: 200 })
    address.beSilent(false)
    const backAt = performance.now()
    await eventually(async () => (await sendLogin(app, owner)).status === 200)
    saw('postgres-silent', { status: 503, answeredMs, recoveredMs: performance.now() - backAt })
    expect(await logout(app, session)).toMatchObject({ status: 204 })
  })

  test('turns many waiting requests away without losing a connection', async () => {
    const owner = await anOwner(app)
    address.beSilent(true)
    const answers = await Promise.all(Array.from({ length: 30 }, () => ping()))
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(503))
    address.beSilent(false)
    await eventually(async () => (await sendLogin(app, owner)).status === 200)
    // With one connection less, the last would wait for longer than anybody waits for a connection.
    const database = app.database
    const all = Array.from(
      { length: POOL_SIZE },
      () => () => database.transaction(db => db.execute(sql`select pg_sleep(1.2)`)),
    )
    await eventually(() => Promise.all(all.map(begin => begin())))
  })

  test('is told from a slow one', async () => {
    const slow = app.query(sql`select pg_sleep(1.5)`)
    await expect(slow).resolves.toBeDefined()
  })

  async function ping() {
    const failure = await app.database
      .transaction(db => db.execute(sql`select 1`))
      .then(
        () => null,
        error => error,
      )
    return { status: failure?.status }
  }
})

test('fleet 12: uses the one of two hosts in DATABASE_URL that takes writes, also after a failover', async () => {
  const primary = await startPostgres()
  const standby = await startPostgres({ standbyOf: primary.url })
  const url = `postgres://postgres@127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres?target_session_attrs=read-write`
  const app = await startOn(url)
  try {
    const owner = await anOwner(app)
    expect(await sendLogin(app, owner)).toMatchObject({ status: 200 })
    await eventually(() => has(standby.url, owner.email))
    await primary.kill('SIGQUIT')
    expect(await sendLogin(app, owner)).toMatchObject({ status: 503 })
    await query(standby.url, 'select pg_promote()')
    const promotedAt = performance.now()
    await eventually(async () => (await sendLogin(app, owner)).status === 200)
    saw('postgres-failover', { status: 503, recoveredMs: performance.now() - promotedAt })
    expect(await anOwner(app)).toBeDefined()
  } finally {
    await app.stop()
    await Promise.all([primary.stop(), standby.stop()])
  }
})

describe('fleet 12: through PgBouncer with transaction pooling', () => {
  let database: TestDatabase
  let bouncer: PgBouncer
  let app: TestApp
  beforeAll(async () => {
    database = await createDatabase({ isEmpty: true })
    bouncer = await startPgBouncer(database.url)
    app = await startOn(bouncer.url, { SESSION_STORE_URL: '' })
  })
  afterAll(async () => {
    await app?.stop()
    await bouncer?.stop()
    await database?.drop()
  })

  test('it starts, migrates and serves many at once', async () => {
    const owner = await anOwner(app)
    const sessions: SignedIn[] = await Promise.all(
      Array.from({ length: 8 }, () => signIn(app, owner, 'satellite')),
    )
    const answers = await Promise.all(
      sessions.flatMap(session => [refresh(app, session), readData(app, session)]),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await logout(app, sessions[0] as SignedIn)).toMatchObject({ status: 204 })
    expect(await refresh(app, sessions[0] as SignedIn)).toMatchObject({ status: 401 })
  })

  test('a second replica finds the lock of the migrations free', async () => {
    const held = () => query(database.url, `select pid from pg_locks where locktype = 'advisory'`)
    expect(await held()).toEqual([])
    const second = await startOn(bouncer.url, { SESSION_STORE_URL: '' })
    try {
      expect(await sendLogin(second, await anOwner(app))).toMatchObject({ status: 200 })
      expect(await held()).toEqual([])
    } finally {
      await second.stop()
    }
  })

  test('statements that take too long are ended by the server, on every connection of PgBouncer', async () => {
    const tooLong = () => app.query(sql`select pg_sleep(60)`)
    const statements = Array.from({ length: POOL_OF_PGBOUNCER }, tooLong)
    await Promise.all(
      statements.map(one => expect(one).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' })),
    )
    // A backend that sleeps does not notice that its client has gone: the server's own time limit ended these.
    await eventually(async () => (await sleepers(database.url)).length === 0)
  })
})

describe('a start while connecting takes more than the second that requests wait', () => {
  let database: TestDatabase
  let address: MovableAddress
  let connection: Connection
  beforeAll(async () => {
    database = await createDatabase({ isEmpty: true })
    const url = new URL(database.url)
    address = await startMovableAddress(Number(url.port))
    url.port = String(address.port)
    address.beSlow(1_200)
    connection = openPostgres({ url: url.href, poolSize: 2, timeoutMs: PATIENCE_MS }, () => {})
  })
  afterAll(async () => {
    await connection?.close()
    address?.close()
    await database?.drop()
  })

  test('fails after some seconds', async () => {
    await expect(connection.migrate()).rejects.toThrow('does not answer')
  })

  test('succeeds as soon as connecting is quick', async () => {
    const before = address.accepted
    const migrated = connection.migrate()
    // After the search for a host and the migration, which wait for longer.
    await eventually(() => address.accepted > before + 1, { what: 'a second try' })
    address.beSlow(0)
    await migrated
    expect(await connection.run(db => db.execute(sql`select 1 as one`))).toMatchObject({ rows: [{ one: 1 }] })
  })
})

describe('a database that is closed', () => {
  let database: TestDatabase
  let address: MovableAddress
  let connection: Connection
  beforeEach(async () => {
    database = await createDatabase({ isEmpty: true })
    const url = new URL(database.url)
    address = await startMovableAddress(Number(url.port))
    url.port = String(address.port)
    connection = openPostgres({ url: url.href, poolSize: 2, timeoutMs: PATIENCE_MS }, () => {})
    await connection.migrate()
  })
  afterEach(async () => {
    address?.close()
    await database?.drop()
  })

  test('while it is silent, is not tried again', async () => {
    address.beSilent(true)
    await expect(connection.run(db => db.execute(sql`select 1`))).rejects.toThrow('does not answer')
    const before = address.accepted
    await eventually(async () => address.accepted > before, { what: 'a probe' })
    const last = address.accepted
    await connection.close()
    await sleep(RETRY_LIMIT_MS + 3 * RETRY_MS)
    expect(address.accepted).toBe(last)
  })

  test('no longer waits for another migration', async () => {
    const other = new pg.Client({ connectionString: database.url })
    await other.connect()
    try {
      await other.query('begin')
      await other.query('select pg_advisory_xact_lock(7245001)')
      const closing = new AbortController()
      const migrated = connection.migrate(closing.signal)
      migrated.catch(() => {})
      await eventually(async () => {
        const { rows } = await other.query(
          `select 1 from pg_locks where locktype = 'advisory' and not granted`,
        )
        return rows.length > 0
      })
      closing.abort()
      await expect(migrated).rejects.toThrow('Connection terminated')
    } finally {
      await other.end()
      await connection.close()
    }
  })
})

describe('a process that stands still, as when it loads code', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await createDatabase({ isEmpty: true })
  })
  afterAll(() => database?.drop())

  test('does not take PostgreSQL for silent', async () => {
    const options = { url: database.url, poolSize: 2, timeoutMs: PATIENCE_MS }
    const connection = openPostgres(options, () => {})
    try {
      const answer = connection.run(db => db.execute(sql`select 1 as one`))
      for (let time = 0; time < 3; time++) await standStill(PATIENCE_MS)
      expect(await answer).toMatchObject({ rows: [{ one: 1 }] })
    } finally {
      await connection.close()
    }
  })
})

/** Keeps this process from reading answers, then lets it read once. */
async function standStill(milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds
  while (performance.now() < until);
  await setImmediate()
}

async function msOf503(send: () => Promise<{ status: number }>): Promise<number> {
  const startedAt = performance.now()
  expect(await send()).toMatchObject({ status: 503 })
  return performance.now() - startedAt
}

function sleepers(url: string): Promise<unknown[]> {
  return query(
    url,
    `select 1 from pg_stat_activity where state = 'active' and query like 'select pg_sleep(%'`,
  )
}

async function has(url: string, email: string): Promise<boolean> {
  return (await query(url, `select 1 from users where email = '${email}'`)).length > 0
}

async function query(connectionString: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}
