import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { and, eq, sql } from 'drizzle-orm'
import pg from 'pg'
import {
  accounts,
  Database,
  type Db,
  EntitlementSweep,
  leases,
  PERMISSIONS,
  permissionsOf,
  sessionChanges,
  type User,
  UserEntitlements,
  users,
} from '../../sources.js'
import { aMember, anOwner, PASSWORD, signIn } from '../../support/people.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { aPlansFile, permissionsAfterRefresh } from '../support/paying.js'
import { aSubscriber } from '../support/subscriber.js'

const MEMBERS = 20_000
const ACCOUNTS = 20_000
/** The change takes seconds; what waited for it could log in once or twice. */
const LOGINS_MEANWHILE = 5
/** More than those logins: the login beyond the limit would end the session whose permissions are looked at. */
const MANY_SESSIONS = '1000'
const WITHOUT_PLAN = JSON.stringify(permissionsOf(['payments', 'accountSettings', 'teamManagement']))
const FILE_BEFORE = 'the file before'
const PLAIN_GRANT = JSON.stringify(permissionsOf(['dataEntry', 'viewReports']))

let app: TestApp
let removePlans: () => Promise<void>
beforeAll(async () => {
  const { path, remove } = await aPlansFile()
  removePlans = remove
  app = await TestApp.start({
    PLANS_FILE: path,
    MAX_SESSIONS_PER_USER: MANY_SESSIONS,
  })
})
afterAll(async () => {
  await app.stop()
  await removePlans()
})

slow(
  'fleet 5: a change of plan of 20,000 members holds up none of their logins and reaches them all',
  async () => {
    const payer = await aSubscriber(app, await anOwner(app))
    await addMembers(payer.owner, MEMBERS)
    const member = await aMember(app, payer.owner)
    const signedIn = await signIn(app, member, 'main')
    const before = await countChanges()
    await app.sandbox.simulate.cancel(payer.subscriptionId)
    const logins = new Set<number>()
    let count = 0
    do {
      logins.add(await login(member))
      count++
    } while ((await countBehind(payer.owner)) > 0)
    expect([...logins]).toEqual([200])
    expect(count).toBeGreaterThanOrEqual(LOGINS_MEANWHILE)
    await app.paymentsSettled()
    expect(await permissionsAfterRefresh(app, signedIn)).toEqual([])
    // Of the owner and one member: nobody else is logged in.
    expect((await countChanges()) - before).toBeLessThanOrEqual(2)
  },
)

slow('fleet 5: a change of plan that was cut off between two pages is gone on with', async () => {
  const owner = await anOwner(app)
  await addMembers(owner, 1_200)
  const signedIn = await signIn(app, owner, 'main')
  // As after the transaction that has decided it.
  const all = permissionsOf(PERMISSIONS)
  await run(db => db.update(users).set({ entitled: all }).where(eq(users.accountId, owner.accountId)))
  await run(db => db.update(accounts).set({ usersBehind: true }).where(eq(accounts.id, owner.accountId)))
  await app.get(UserEntitlements).applyToUsers(owner.accountId, 1)
  const left = await countBehind(owner)
  expect(left).toBeGreaterThan(0)
  expect(left).toBeLessThan(1_201)
  await sweep()
  expect(await countBehind(owner)).toBe(0)
  expect(await permissionsAfterRefresh(app, signedIn)).toEqual([
    'payments',
    'accountSettings',
    'teamManagement',
  ])
  const marked = await run(db => db.$count(accounts, eq(accounts.usersBehind, true)))
  expect(marked).toBe(0)
})

it('fleet 5: an edit of the plans file reaches every one of many accounts in one run', async () => {
  await addAccounts(ACCOUNTS)
  expect(await sweep()).toBe(ACCOUNTS)
  expect(await run(db => db.$count(users, sql`${users.entitled} is null`))).toBe(0)
}, 900_000)

function run<T>(work: (db: Db) => Promise<T>): Promise<T> {
  return app.get(Database).run(work)
}

async function sweep(): Promise<number | null> {
  await run(db => db.delete(leases).where(eq(leases.name, 'entitlements')))
  return app.get(EntitlementSweep).run()
}

/** As a client does it, which comes again when it is told to. */
async function login({ email }: User): Promise<number> {
  const body = { email, password: PASSWORD, source: 'main' }
  const send = () => app.request({ method: 'POST', path: '/api/login', headers: { Origin: MAIN }, body })
  const { status, json } = await send()
  // Between the look at the user and the record of the login the user got something else.
  return status === 503 && json.code === 'TOO_BUSY' ? (await send()).status : status
}

/** People who are not logged in. */
function addMembers({ accountId }: User, count: number): Promise<void> {
  return fill(
    `insert into users (id, account_id, email, role, granted, entitled, created_at)
     select gen_random_uuid(), id, id || '-' || number || '@example.com', 'member', $1::jsonb, entitled, now()
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

/** How many users of the account do not have what it is entitled to now that it pays for nothing; all of them before that. */
function countBehind({ accountId }: User): Promise<number> {
  const own = and(
    eq(users.accountId, accountId),
    sql`${users.entitled} is distinct from ${WITHOUT_PLAN}::jsonb`,
  )
  return run(db => db.$count(users, own))
}

function countChanges(): Promise<number> {
  return run(db => db.$count(sessionChanges))
}
