import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { BillingQueue } from '../../../src/billing/sync/billing-queue.js'
import { BillingWorker } from '../../../src/billing/sync/billing-worker.js'
import { WaitingEvents } from '../../../src/billing/sync/waiting-events.js'
import type { Db } from '../../../src/database/connection.js'
import { Database } from '../../../src/database/database.js'
import { removeRows } from '../../../src/database/remove-expired-rows.js'
import { providerEvents } from '../../../src/database/schema.js'
import { Users } from '../../../src/users/users.js'
import { anOwner } from '../../support/people.js'
import { TestApp } from '../../support/test-app.js'
import { readBy } from '../support/read-by.js'

const CUSTOMERS = 20_000
const EVENTS_EACH = 3
const MEMBERS = 5_000

let app: TestApp
let database: Database
beforeAll(async () => {
  app = await TestApp.start('redis + postgres', { LOG_LEVEL: 'silent' })
  database = app.app.get(Database)
  // It would work them off meanwhile.
  await app.app.get(BillingWorker).onApplicationShutdown()
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
afterAll(() => app?.stop())

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
      db => app.app.get(WaitingEvents).of(db, 'cus_00004711'),
      'provider_events',
    )
    expect(rows).toBe(EVENTS_EACH)
  })

  test('is searched for forgotten customers in steps, and each is found', async () => {
    const forgotten = ['cus_00000001', 'cus_00009999', 'cus_00020000']
    await database.run(db =>
      db.execute(sql`delete from billing_work where customer_id in (${sql.join(forgotten, sql`, `)})`),
    )
    let statements = 0
    const counting = {
      run: (work: Parameters<Database['run']>[0]) => {
        statements += 1
        return database.run(work)
      },
    }
    expect(await new BillingQueue(counting as Database).addForgotten()).toBe(forgotten.length)
    expect(statements).toBeGreaterThanOrEqual((CUSTOMERS * EVENTS_EACH) / 5_000)
    expect(await app.app.get(BillingQueue).addForgotten()).toBe(0)
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

test('A page of a large team reads its own users only', async () => {
  const { accountId } = await anOwner(app)
  await database.maintain(async db => {
    await db.execute(sql`
      insert into users (id, account_id, email, role, granted, created_at)
      select gen_random_uuid(), ${accountId}::uuid, 'long-' || n || '@team.example', 'member', '{}', now() + n * interval '1 s'
      from generate_series(1, ${MEMBERS}::int) n`)
    await db.execute(sql`analyze users`)
  })
  const page = await app.app.get(Users).listByAccount(accountId, null, 51)
  expect(page).toHaveLength(51)
  for (const after of [null, page[50] ?? null]) {
    const usersOn = (db: Db): Users =>
      Object.assign(Object.create(app.app.get(Users)), { database: onlyOn(db) })
    const { rows } = await readBy(database, db => usersOn(db).listByAccount(accountId, after, 51), 'users')
    expect(rows).toBe(51)
  }
})

/** All of it in one transaction, whose reads are counted. */
function onlyOn(db: Db): Database {
  return { run: work => work(db) } as Database
}

function queueOn(db: Db) {
  return new BillingQueue(onlyOn(db))
}
