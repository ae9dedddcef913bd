import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect } from '@jest/globals'
import { hash } from '@node-rs/argon2'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { handleOf, newSessionId, PERMISSIONS, permissionsOf } from '../../sources.js'
import { withMigrationsUpTo } from '../../support/migrations-up-to.js'
import { anEmail, PASSWORD, signIn } from '../../support/people.js'
import { createDatabase, type TestDatabase } from '../../support/postgres/postgres-server.js'
import { aSatellite } from '../../support/satellites.js'
import { SHOP_ONE, SHOP_TWO, TestApp } from '../../support/test-app.js'
import { onServers } from '../../support/tiers.js'
import { outcome, refreshByHeader } from '../support/api-calls.js'
import { handOff } from '../support/handoff-calls.js'
import { onMainSite } from '../support/reauthenticate.js'

/** The last one before there were satellites in the database. */
const LAST_BEFORE = '0011_device_ids'

const accountId = randomUUID()
const owner = { id: randomUUID(), accountId, email: anEmail() }
const member = { id: randomUUID(), accountId, email: anEmail() }
const sessionId = newSessionId()

describe('an installation from before there were satellites in the database', () => {
  let database: TestDatabase
  let app: TestApp
  beforeAll(async () => {
    database = await createDatabase({ isEmpty: true })
    await fillAsBefore(database.url)
    // Its sessions are in the database.
    app = await TestApp.start({
      DATABASE_URL: database.url,
      SESSION_STORE_URL: '',
    })
  }, 60_000)
  afterAll(async () => {
    await app?.stop()
    await database?.drop()
  })

  onServers('goes on with its sessions and logins, on the satellites of ALLOWED_ORIGINS', async () => {
    expect(outcome(await refreshByHeader(app, sessionId))).toBe('200')
    await signIn(app, owner, 'satellite', SHOP_TWO)
    await signIn(app, member, 'satellite', SHOP_ONE)
    await expect(signIn(app, member, 'satellite', SHOP_TWO)).rejects.toThrow('INVALID_CREDENTIALS')
  })

  onServers('requires no hand-offs, but has them', async () => {
    const main = await signIn(app, owner, 'main')
    const account = await onMainSite(app, main, 'GET', '/api/account')
    expect(account.json).toMatchObject({ accountId, handoffRequired: 'none' })
    await handOff(app, main, SHOP_ONE)
    await handOff(app, await signIn(app, member, 'main'), SHOP_ONE)
    await aSatellite(app, owner, 'https://own.test')
    await handOff(app, main, 'https://own.test')
  })
})

async function fillAsBefore(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  try {
    await client.connect()
    await withMigrationsUpTo(LAST_BEFORE, migrationsFolder => migrate(drizzle(client), { migrationsFolder }))
    await addPeople(client)
  } finally {
    await client.end()
  }
}

async function addPeople(client: pg.Client): Promise<void> {
  const passwordHash = await hash(PASSWORD)
  const all = permissionsOf(PERMISSIONS)
  const some = permissionsOf(['dataEntry', 'viewReports'])
  const user =
    'insert into users (id, account_id, email, role, granted, satellites, password_hash, created_at) values ($1, $2, $3, $4, $5, $6, $7, now())'
  await client.query('insert into accounts (id, created_at) values ($1, now())', [accountId])
  await client.query(user, [owner.id, accountId, owner.email, 'owner', all, null, passwordHash])
  await client.query(user, [member.id, accountId, member.email, 'member', some, [SHOP_ONE], passwordHash])
  const sid = handleOf(sessionId)
  await client.query(
    `insert into sessions (sid, user_id, account_id, source, permissions, origin, ip, created_at, last_used, expires_at)
     values ($1, $2, $3, 'satellite', $4, $5, '127.0.0.1', now(), now(), now() + interval '1 day')`,
    [sid, member.id, accountId, some, SHOP_ONE],
  )
  await client.query(
    `insert into user_sessions (sid, user_id, expires_at) values ($1, $2, now() + interval '1 day')`,
    [sid, member.id],
  )
}
