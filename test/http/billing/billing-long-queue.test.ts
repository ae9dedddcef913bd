import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import {
  type BillingHealth,
  BillingQueue,
  BillingReconciler,
  BillingWorker,
  checkouts,
  Database,
  type Db,
  healthOf,
  permissionsOf,
  providerEvents,
  removeRows,
  secondsAfter,
  Users,
  WaitingEvents,
} from '../../sources.js'
import { anOwner, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { readBy } from '../support/read-by.js'
import { team } from '../support/team-calls.js'

const CUSTOMERS = 20_000
const EVENTS_EACH = 3
/** More than a page of a search looks at. */
const MEMBERS = 40_000

const app = anApp()
let database: Database
beforeAll(async () => {
  database = app.get(Database)
  // It would work them off meanwhile.
  await app.get(BillingWorker).onApplicationShutdown()
  const id = sql`'cus_' || lpad(n::text, 8, '0')`
  await database.maintain(async db => {
    await db.execute(sql`
      insert into provider_events (id, type, customer_id, event, created_at, received_at)
      select 'evt_' || n || '_' || m, 'customer.subscription.updated', ${id}, '{}', now(), now()
      from generate_series(1, ${CUSTOMERS}::int) n, generate_series(1, ${EVENTS_EACH}::int) m`)
    await db.execute(sql`
      insert into billing_work (customer_id, due_at, attempts)
      select ${id}, now() - interval '1 hour', case when n % 5000 = 0 then 3 else 0 end
      from generate_series(1, ${CUSTOMERS}::int) n`)
    await db.execute(sql`
      insert into billing_work (customer_id, due_at, is_routine)
      select 'routine_' || n, now() + interval '1 hour', true from generate_series(1, ${CUSTOMERS}::int) n`)
    await db.execute(sql`analyze provider_events, billing_work`)
  })
})

describe('A long queue of billing events', () => {
  test('is claimed from without reading those that are not claimed', async () => {
    const claimed: unknown[] = []
    const { rows } = await readBy(
      database,
      async db => claimed.push(...(await queueOn(db).claim(6, 4))),
      'billing_work',
    )
    expect(claimed).toHaveLength(6)
    expect(rows).toBeGreaterThan(0)
    expect(rows).toBeLessThan(100)
  })

  test('gives the events of a customer without those of others', async () => {
    const { rows } = await readBy(
      database,
      db => app.get(WaitingEvents).of(db, 'cus_00004711'),
      'provider_events',
    )
    expect(rows).toBe(EVENTS_EACH)
  })

  test('is summed up for operators without reading all that wait', async () => {
    const read: Partial<BillingHealth>[] = []
    const sumUp = async (db: Db) => read.push(await healthOf(db))
    const events = await readBy(database, sumUp, 'provider_events')
    const customers = await readBy(database, sumUp, 'billing_work')
    expect(events.rows).toBeLessThan(10_100)
    expect(customers.rows).toBeLessThan(10_100)
    const [{ waitingEvents, ...health } = {}] = read
    expect(health).toMatchObject({ customersDue: 10_000, customersFailed: 4, customersParked: 0 })
    // What ANALYZE has found in a part of them.
    expect(Math.abs((waitingEvents as number) / (CUSTOMERS * EVENTS_EACH) - 1)).toBeLessThan(0.1)
  })

  test('is searched for unqueued customers without reading the queue again and again', async () => {
    const { rows } = await readBy(database, db => queueOn(db).addUnqueued(), 'billing_work')
    expect(rows).toBeGreaterThan(CUSTOMERS / 2)
    expect(rows).toBeLessThan(2 * CUSTOMERS)
  })

  test('is searched for unqueued customers in steps, and each is found', async () => {
    const unqueued = ['cus_00000001', 'cus_00009999', 'cus_00020000']
    await database.run(db =>
      db.execute(sql`delete from billing_work where customer_id in (${sql.join(unqueued, sql`, `)})`),
    )
    let statements = 0
    const counting = {
      run: (work: Parameters<Database['run']>[0]) => {
        statements += 1
        return database.run(work)
      },
    }
    expect(await new BillingQueue(counting as Database).addUnqueued()).toBe(unqueued.length)
    expect(statements).toBeGreaterThanOrEqual((CUSTOMERS * EVENTS_EACH) / 10_000)
    expect(await app.get(BillingQueue).addUnqueued()).toBe(0)
  })

  test('is emptied of what is old in statements of 5,000', async () => {
    const sizes: number[] = []
    const counting = {
      run: async (work: Parameters<Database['run']>[0]) => {
        const before = await database.run(db => db.$count(providerEvents))
        const result = await database.run(work)
        sizes.push(before - (await database.run(db => db.$count(providerEvents))))
        return result
      },
    }
    const which = sql`customer_id <= 'cus_00004000'`
    expect(await removeRows(counting as Database, providerEvents, which)).toBe(4_000 * EVENTS_EACH)
    expect(sizes).toEqual([5_000, 5_000, 2_000])
  })
})

test('Checkouts that have long been closed are removed at night', async () => {
  const { accountId } = await anOwner(app)
  const aCheckout = (providerId: string, daysAgo: number, isOpen = false) => ({
    ...{ id: randomUUID(), accountId, providerId, isOpen },
    ...{ priceId: 'price_monthly', returnUrl: 'https://www.main.test/' },
    createdAt: secondsAfter(app.clock.now(), -daysAgo * 24 * 60 * 60),
    expiresAt: app.clock.now(),
  })
  const some = [aCheckout('cs_old', 91), aCheckout('cs_open', 91, true), aCheckout('cs_new', 89)]
  await database.run(db => db.insert(checkouts).values(some))
  await app.get(BillingReconciler).everyNight()
  const left = await database.run(db => db.select().from(checkouts).where(eq(checkouts.accountId, accountId)))
  expect(left.map(({ providerId }) => providerId).sort()).toEqual(['cs_new', 'cs_open'])
})

slow('A page of a large team reads its own users only', async () => {
  const { accountId } = await anOwner(app)
  await addMembers(accountId, 'long')
  const page = await app.get(Users).listByAccount(accountId, null, 51)
  expect(page).toHaveLength(51)
  for (const after of [null, page[50] ?? null]) {
    const usersOn = (db: Db): Users => Object.assign(Object.create(app.get(Users)), { database: onlyOn(db) })
    const { rows } = await readBy(database, db => usersOn(db).listByAccount(accountId, after, 51), 'users')
    expect(rows).toBe(51)
  }
})

slow(
  'A search in a large team looks at a limited part of it at a time, and finds whoever is there',
  async () => {
    const owner = await anOwner(app)
    const { accountId } = owner
    await addMembers(accountId, 'searched')
    const users = app.get(Users)
    const sought = 'searched-15000@team'
    const { users: none, rest } = await users.search(accountId, sought, null, 51)
    expect(none).toEqual([])
    expect(rest).not.toBeNull()
    const found = { users: [{ email: `${sought}.example` }] }
    expect(await users.search(accountId, sought, rest, 51)).toMatchObject(found)
    const usersOn = (db: Db): Users => Object.assign(Object.create(users), { database: onlyOn(db) })
    const { rows } = await readBy(database, db => usersOn(db).search(accountId, sought, null, 51), 'users')
    expect(rows).toBeGreaterThan(10_000)
    expect(rows).toBeLessThanOrEqual(2 * 10_000)

    const session = await signIn(app, owner, 'main')
    const pages: { users: object[]; next: string | null }[] = []
    for (let next: string | null = ''; next !== null; next = pages.at(-1)?.next ?? null)
      pages.push((await team(app, session, 'GET', `?q=${sought}${next && `&after=${next}`}`)).json)
    expect(pages.map(({ users }) => users.length)).toEqual([0, 1, 0, 0, 0])
    expect(pages[1]).toMatchObject(found)
  },
)

/** Later than the owner, one a second. */
function addMembers(accountId: string, name: string): Promise<void> {
  return database.maintain(async db => {
    await db.execute(sql`
      insert into users (id, account_id, email, role, granted, created_at)
      select gen_random_uuid(), ${accountId}::uuid, ${name}::text || '-' || n || '@team.example', 'member',
        ${JSON.stringify(permissionsOf([]))}::jsonb, now() + n * interval '1 s'
      from generate_series(1, ${MEMBERS}::int) n`)
    await db.execute(sql`analyze users`)
  })
}

/** All of it in one transaction, whose reads are counted. */
function onlyOn(db: Db): Database {
  return { run: work => work(db) } as Database
}

function queueOn(db: Db) {
  return new BillingQueue(onlyOn(db))
}
