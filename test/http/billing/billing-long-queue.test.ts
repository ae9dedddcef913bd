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
  MEMBER_SORTS,
  MemberList,
  type MemberPlace,
  permissionsOf,
  placeInCursor,
  providerEvents,
  removeRows,
  secondsAfter,
  type User,
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
  database = app.database
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
    await app.query(sql`delete from billing_work where customer_id in (${sql.join(unqueued, sql`, `)})`)
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

slow.describe('A large team', () => {
  /** Beside the page, its users are counted. */
  const COUNTED = MEMBERS + 1
  let owner: User
  beforeAll(async () => {
    for (const name of ['other', 'large']) {
      owner = await anOwner(app)
      await addMembers(owner.accountId, name)
    }
  })

  const listOn = (db: Db): MemberList =>
    Object.assign(Object.create(app.get(MemberList)), { database: onlyOn(db) })

  async function rowsReadBy(query: Omit<Parameters<MemberList['list']>[1], 'limit'>): Promise<number> {
    const list = (db: Db) => listOn(db).list(owner.accountId, { limit: 50, ...query })
    return (await readBy(database, list, 'users')).rows
  }

  test.each([...MEMBER_SORTS])('reads its own users only for a page, sorted by %s', async sort => {
    expect(await rowsReadBy({ sort })).toBeLessThanOrEqual(COUNTED + 60)
    const { next } = await app.get(MemberList).list(owner.accountId, { limit: 100, sort })
    const after = placeInCursor(next as string) as MemberPlace
    expect(await rowsReadBy({ sort, after })).toBeLessThanOrEqual(COUNTED + 60)
  })

  test.each([
    { q: 'large-15000@team' },
    { permission: 'payments' },
    { isDisabled: true, sort: '-name' },
  ] as const)('looks at a limited part of it for a page with the filter %j', async filter => {
    const rows = await rowsReadBy({ sort: 'joined', ...filter })
    expect(rows).toBeGreaterThan(COUNTED + 10_000)
    expect(rows).toBeLessThanOrEqual(COUNTED + 2 * 10_000 + 10)
  })

  test.each([...MEMBER_SORTS])('finds whoever is there in the end, sorted by %s', async sort => {
    const session = await signIn(app, owner, 'main')
    const found: string[][] = []
    for (let next: string | null = ''; next !== null; ) {
      const query = `?q=large-15000@team&sort=${sort}${next && `&after=${next}`}`
      const { json } = await team(app, session, 'GET', query)
      expect(json.total).toBe(COUNTED)
      found.push(json.users.map(({ email }: { email: string }) => email))
      next = json.next
    }
    expect(found).toHaveLength(5)
    expect(found.flat()).toEqual(['large-15000@team.example'])
  })
})

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
  const work: Database['run'] = work => work(db)
  return { run: work, transaction: work } as Database
}

function queueOn(db: Db) {
  return new BillingQueue(onlyOn(db))
}
