import { afterEach, beforeAll, expect, it, jest } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import { anAppWithPlans } from '../../http/support/paying.js'
import {
  accounts,
  Database,
  EntitlementSweep,
  Entitlements,
  leases,
  NOTHING_RECORDED,
  PlansFile,
} from '../../sources.js'
import { anOwner } from '../../support/people.js'

/** Of entitlements.ts. */
const ACCOUNTS_A_PAGE = 500
const HOUR_MS = 3_600_000

const app = anAppWithPlans()
let database: Database

beforeAll(async () => {
  database = app.database
  await sweep()
})
afterEach(() => void jest.restoreAllMocks())

/** Whether or not another replica has just done it. */
async function sweep(): Promise<number | null> {
  await database.run(db => db.delete(leases).where(eq(leases.name, 'entitlements')))
  return app.get(EntitlementSweep).run()
}

async function set(accountId: string, values: Partial<typeof accounts.$inferInsert>): Promise<void> {
  await database.run(db => db.update(accounts).set(values).where(eq(accounts.id, accountId)))
}

const inMs = (milliseconds: number) => new Date(app.clock.now().getTime() + milliseconds)

it('does nothing where nothing is due', async () => {
  await anOwner(app)
  await sweep()
  expect(await sweep()).toBe(0)
})

it('takes a grace period that has ended, and none that has not', async () => {
  const [ended, ending, going] = [await anOwner(app), await anOwner(app), await anOwner(app)]
  await sweep()
  await set(ended.accountId, { entitledUntil: inMs(-HOUR_MS) })
  await set(ending.accountId, { entitledUntil: inMs(0) })
  await set(going.accountId, { entitledUntil: inMs(HOUR_MS) })
  const decided = jest.spyOn(app.get(Entitlements), 'decideFor')
  expect(await sweep()).toBe(2)
  expect(decided.mock.calls.flatMap(([, ids]) => ids).sort()).toEqual(
    [ended.accountId, ending.accountId].sort(),
  )
})

it.each(['an older version', '', 'zzzz', null])('takes accounts that were decided by %j', async version => {
  const owner = await anOwner(app)
  await sweep()
  await set(owner.accountId, { entitledBy: version })
  expect(await sweep()).toBe(1)
  const [row] = await database.run(db => db.select().from(accounts).where(eq(accounts.id, owner.accountId)))
  expect(row?.entitledBy).toBe(app.app.get(PlansFile).version)
})

it('without a plans file takes accounts that one has decided, and no others', async () => {
  const [by, without] = [await anOwner(app), await anOwner(app)]
  await sweep()
  await database.run(db => db.update(accounts).set({ entitledBy: null }))
  await set(by.accountId, { entitledBy: 'a version' })
  const decided: string[] = []
  jest.replaceProperty(app.get(EntitlementSweep) as never, 'plans', { version: null } as never)
  jest.spyOn(app.get(Entitlements), 'decideFor').mockImplementation(async (transaction, ids) => {
    decided.push(...ids)
    for (const id of ids)
      await transaction.update(accounts).set({ entitledBy: null }).where(eq(accounts.id, id))
    return NOTHING_RECORDED
  })
  expect(await sweep()).toBe(1)
  expect(decided).toEqual([by.accountId])
  expect(decided).not.toContain(without.accountId)
})

it('goes on until all are done, some hundred at a time', async () => {
  await sweep()
  await app.query(sql`
      insert into accounts (id, created_at, entitled_by)
      select gen_random_uuid(), now(), 'another version' from generate_series(1, ${ACCOUNTS_A_PAGE + 1})`)
  const decided = jest.spyOn(app.get(Entitlements), 'decideFor')
  expect(await sweep()).toBe(ACCOUNTS_A_PAGE + 1)
  expect(decided.mock.calls.map(([, ids]) => ids.length)).toEqual([ACCOUNTS_A_PAGE, 1, 0])
  // Once a minute is enough, whichever replica does it.
  expect(await app.get(EntitlementSweep).run()).toBeNull()
})
