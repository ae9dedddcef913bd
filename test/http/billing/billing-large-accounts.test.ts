import { expect, it } from '@jest/globals'
import { eq, isNull, sql } from 'drizzle-orm'
import pg from 'pg'
import {
  accounts,
  type Db,
  EntitlementSweep,
  leases,
  permissionsOf,
  sessionChanges,
  type User,
  users,
} from '../../sources.js'
import { aMember, anOwner, sendLogin, signIn } from '../../support/people.js'
import { anAppWithPlans, permissionsAfterRefresh } from '../support/paying.js'
import { aSubscriber } from '../support/subscriber.js'

const MEMBERS = 20_000
const ACCOUNTS = 20_000
const FILE_BEFORE = 'the file before'
const PLAIN_GRANT = JSON.stringify(permissionsOf(['dataEntry', 'viewReports']))

const app = anAppWithPlans()

it('fleet 5: a change of plan of 20,000 members writes one row for them, and none of theirs', async () => {
  const payer = await aSubscriber(app, await anOwner(app))
  await addMembers(payer.owner, MEMBERS)
  const member = await aMember(app, payer.owner)
  const signedIn = await signIn(app, member, 'main')
  const before = await rowsOf(payer.owner)
  await app.sandbox.simulate.cancel(payer.subscriptionId)
  await app.paymentsSettled()
  expect(await permissionsAfterRefresh(app, signedIn)).toEqual([])
  const after = await rowsOf(payer.owner)
  expect(after.changes).toBe(before.changes + 1)
  expect(after.members).toBe(before.members)
  expect(await login(member)).toBe(200)
}, 120_000)

it('fleet 5: an edit of the plans file reaches every one of many accounts in one run', async () => {
  await addAccounts(ACCOUNTS)
  expect(await sweep()).toBe(ACCOUNTS)
  expect(await run(db => db.$count(accounts, isNull(accounts.entitled)))).toBe(0)
}, 900_000)

function run<T>(work: (db: Db) => Promise<T>): Promise<T> {
  return app.database.run(work)
}

async function sweep(): Promise<number | null> {
  await run(db => db.delete(leases).where(eq(leases.name, 'entitlements')))
  return app.get(EntitlementSweep).run()
}

/** As a client does it, which comes again when it is told to. */
async function login({ email }: User): Promise<number> {
  const send = () => sendLogin(app, { email })
  const { status, json } = await send()
  // Between the look at the user and the record of the login the user got something else.
  return status === 503 && json.code === 'TOO_BUSY' ? (await send()).status : status
}

/** People who are not logged in. */
function addMembers({ accountId }: User, count: number): Promise<void> {
  return fill(
    `insert into users (id, account_id, email, role, granted, created_at)
     select gen_random_uuid(), id, id || '-' || number || '@example.com', 'member', $1::jsonb, now()
     from accounts, generate_series(1, $2::int) as number where id = $3`,
    [PLAIN_GRANT, count, accountId],
  )
}

/**
 * Accounts of three that pay for nothing, by the rules of another plans file. In one statement the trigger on users
 * would look for each account in a table that was empty when this was planned: row by row.
 */
async function addAccounts(count: number): Promise<void> {
  await fill(
    `insert into accounts (id, created_at, entitled_by)
     select gen_random_uuid(), now(), $1 from generate_series(1, $2::int)`,
    [FILE_BEFORE, count],
  )
  await fill(
    `insert into users (id, account_id, email, role, granted, created_at)
     select gen_random_uuid(), id, id || '-' || number || '@example.com', 'member', $1::jsonb, now()
     from accounts, generate_series(1, 3) as number where entitled_by = $2`,
    [PLAIN_GRANT, FILE_BEFORE],
  )
}

/** Past the service, whose statements may not take so long. */
async function fill(text: string, values: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: app.settings.databaseUrl })
  await client.connect()
  await client.query(text, values)
  await client.query('analyze')
  await client.end()
}

/** How many changes of sessions are recorded, and what tells whether a user of the account has been written. */
async function rowsOf({ accountId }: User): Promise<{ changes: number; members: string }> {
  const changes = await run(db => db.$count(sessionChanges))
  const versions = sql<string>`string_agg(xmin::text, ' ' order by id)`
  const [row] = await run(db => db.select({ versions }).from(users).where(eq(users.accountId, accountId)))
  return { changes, members: row?.versions ?? '' }
}
