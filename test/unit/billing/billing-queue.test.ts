import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import {
  BillingInbox,
  BillingQueue,
  type ClaimedWork,
  type Database,
  openDatabase,
  readSettings,
  rowsOf,
} from '../../sources.js'
import { copyEmbeddedDatabase } from '../../support/embedded-database.js'

let folder: string
let database: Database
let queue: BillingQueue
let inbox: BillingInbox

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-billing-queue-'))
  await copyEmbeddedDatabase(folder)
  database = await openDatabase(readSettings({ NODE_ENV: 'test', DATABASE_URL: `pglite:${folder}` }))
  queue = new BillingQueue(database)
  inbox = new BillingInbox(database)
})
afterAll(async () => {
  await database?.onApplicationShutdown()
  await rm(folder, { recursive: true })
})
beforeEach(() => run(sql`delete from billing_work`).then(() => run(sql`delete from provider_events`)))

async function run<Row>(statement: ReturnType<typeof sql>): Promise<Row[]> {
  return rowsOf<Row>(await database.run(db => db.execute(statement)))
}

interface WorkRow {
  readonly customer_id: string
  readonly version: number
  readonly attempts: number
  readonly is_routine: boolean
  readonly is_claimed: boolean
  readonly is_parked: boolean
  readonly last_error: string | null
  /** Seconds from now. */
  readonly due_in: number
  readonly claimed_for: number | null
}

function work(): Promise<WorkRow[]> {
  return run<WorkRow>(sql`
    select customer_id, version::float8 as version, attempts, is_routine, claim is not null as is_claimed,
      parked_at is not null as is_parked, last_error,
      extract(epoch from due_at - clock_timestamp())::float8 as due_in,
      extract(epoch from claimed_until - clock_timestamp())::float8 as claimed_for
    from billing_work order by customer_id`)
}

async function claimed(): Promise<ClaimedWork> {
  const [claim] = await queue.claim(1, 1)
  if (!claim) throw new Error('nothing is due')
  return claim
}

const makeDue = () => run(sql`update billing_work set due_at = clock_timestamp() - interval '1 second'`)
const finish = (claim: ClaimedWork) => database.transaction(transaction => queue.finish(transaction, claim))
const anEvent = (id: string, customer: string | null, type = 'invoice.paid') =>
  ({
    id,
    type,
    created: 1_800_000_000,
    data: { object: { id: 'in_1', customer } },
  }) as unknown as Stripe.Event

describe('a claim', () => {
  it('is held by one worker, for fifteen seconds unless it is renewed (B14)', async () => {
    await queue.add('cus_1')
    const claim = await claimed()
    expect(claim).toEqual({
      customerId: 'cus_1',
      claim: expect.stringMatching(/^[0-9a-f-]{36}$/),
      version: 1,
      attempts: 0,
      isRoutine: false,
    })
    expect(await queue.claim(10, 10)).toEqual([])
    const [row] = await work()
    expect(row?.claimed_for).toBeGreaterThan(10)
    expect(row?.claimed_for).toBeLessThanOrEqual(15)
    await run(sql`update billing_work set claimed_until = clock_timestamp() + interval '1 second'`)
    await queue.renew(claim)
    const [renewed] = await work()
    expect(renewed?.claimed_for).toBeGreaterThan(10)
    // A worker that is dead for longer loses it, and renews nobody else's.
    await run(sql`update billing_work set claimed_until = clock_timestamp() - interval '1 second'`)
    const next = await claimed()
    await run(sql`update billing_work set claimed_until = clock_timestamp() + interval '1 second'`)
    await queue.renew(claim)
    const [held] = await work()
    expect([next.claim === claim.claim, (held?.claimed_for as number) <= 1]).toEqual([false, true])
  })

  it('can be given back at once', async () => {
    await queue.add('cus_1')
    await queue.release(await claimed())
    expect(await work()).toMatchObject([{ is_claimed: false, claimed_for: null, attempts: 0 }])
    expect((await claimed()).customerId).toBe('cus_1')
  })

  it('whose result is outdated can be given back for a second later', async () => {
    await queue.add('cus_1')
    const outdated = await claimed()
    await database.transaction(transaction => queue.repeat(transaction, outdated))
    const [row] = await work()
    expect(row).toMatchObject({ is_claimed: false, claimed_for: null, version: 1 })
    expect(row?.due_in).toBeLessThanOrEqual(1)
    expect(await queue.claim(1, 1)).toEqual([])
    await makeDue()
    const held = await claimed()
    // Whose claim is lost gives nothing back.
    await database.transaction(transaction => queue.repeat(transaction, outdated))
    expect(await work()).toMatchObject([{ is_claimed: true }])
    expect(held.claim).not.toBe(outdated.claim)
  })

  it('is never of what is not due yet, or was given up', async () => {
    await queue.addRoutine(['cus_1'], 100, 1)
    await queue.add('cus_2')
    await run(sql`update billing_work set parked_at = clock_timestamp() where customer_id = 'cus_2'`)
    expect(await queue.claim(10, 10)).toEqual([])
  })

  it('goes first to what is new, then to what has failed, then to what is only compared', async () => {
    await queue.addRoutine(['routine_1', 'routine_2'], -100, 1)
    for (const id of ['failed_1', 'failed_2', 'new_1', 'new_2']) await queue.add(id)
    await run(sql`update billing_work set attempts = 1 where customer_id like 'failed%'`)
    await makeDue()
    const ids = async (max: number, maxOther: number) => {
      const found = await queue.claim(max, maxOther)
      await run(sql`update billing_work set claim = null, claimed_until = null`)
      return found.map(({ customerId }) => customerId).sort()
    }
    expect(await ids(2, 2)).toEqual(['new_1', 'new_2'])
    expect(await ids(4, 2)).toEqual(['failed_1', 'failed_2', 'new_1', 'new_2'])
    expect(await ids(10, 3)).toEqual([
      ...['failed_1', 'failed_2', 'new_1', 'new_2'],
      expect.stringMatching(/^routine_/),
    ])
    expect(await ids(10, 1)).toEqual([expect.stringMatching(/^failed_/), 'new_1', 'new_2'])
    expect(await ids(10, 0)).toEqual(['new_1', 'new_2'])
    const routine = (await queue.claim(10, 10)).filter(({ isRoutine }) => isRoutine)
    expect(routine.map(({ customerId }) => customerId).sort()).toEqual(['routine_1', 'routine_2'])
  })

  it('goes to what has waited longest', async () => {
    for (const id of ['young', 'old']) await queue.add(id)
    await run(
      sql`update billing_work set due_at = clock_timestamp() - interval '1 hour' where customer_id = 'old'`,
    )
    expect((await claimed()).customerId).toBe('old')
  })
})

describe('work is done', () => {
  it('unless events are left that wait', async () => {
    await inbox.store(anEvent('evt_1', 'cus_1'))
    await inbox.store(anEvent('evt_2', 'cus_other'))
    await run(sql`delete from billing_work where customer_id = 'cus_other'`)
    const claim = await claimed()
    await finish(claim)
    expect(await work()).toMatchObject([{ customer_id: 'cus_1', is_claimed: false }])
    await run(sql`update provider_events set effect = 'applied' where id = 'evt_1'`)
    await finish(await claimed())
    expect(await work()).toEqual([])
  })

  it('not with the transaction that it belongs to, when that fails', async () => {
    await queue.add('cus_1')
    const claim = await claimed()
    const failing = database.transaction(async transaction => {
      await queue.finish(transaction, claim)
      await queue.add('cus_2', transaction)
      throw new Error('rolled back')
    })
    await expect(failing).rejects.toThrow('rolled back')
    expect(await work()).toMatchObject([{ customer_id: 'cus_1', is_claimed: true }])
  })
})

describe('work that failed', () => {
  it.each([
    [0, 0.75, 1.25],
    [1, 1.5, 2.5],
    [5, 24, 40],
    [18, 2_700, 4_500],
  ])('after %d attempts waits from %d to %d s', async (attempts, min, max) => {
    await queue.add('cus_1')
    await run(sql`update billing_work set attempts = ${attempts}`)
    expect(await queue.retry(await claimed(), 'no answer')).toBe(false)
    const [row] = await work()
    expect(row).toMatchObject({
      attempts: attempts + 1,
      is_claimed: false,
      is_parked: false,
      last_error: 'no answer',
    })
    expect(row?.due_in).toBeGreaterThan(min - 0.7)
    expect(row?.due_in).toBeLessThanOrEqual(max)
  })

  it('is given up after twenty attempts, until there is a new reason to look', async () => {
    await queue.add('cus_1')
    await run(sql`update billing_work set attempts = 19`)
    expect(await queue.retry(await claimed(), 'x'.repeat(600))).toBe(true)
    expect(await work()).toMatchObject([{ attempts: 20, is_parked: true, last_error: 'x'.repeat(500) }])
    await queue.add('cus_1')
    expect(await work()).toMatchObject([{ attempts: 0, is_parked: false, version: 2 }])
    expect((await claimed()).customerId).toBe('cus_1')
  })

  it('keeps its count when there is a new reason before it was given up, and is due at once', async () => {
    await queue.add('cus_1')
    await run(sql`update billing_work set attempts = 10`)
    await queue.retry(await claimed(), 'no answer')
    await queue.add('cus_1')
    const [row] = await work()
    expect(row).toMatchObject({ attempts: 11, version: 2 })
    expect(row?.due_in).toBeLessThanOrEqual(0)
  })
})

describe('comparisons', () => {
  it('are spread over time, and make nothing a comparison that is not one', async () => {
    await queue.add('cus_2')
    await queue.addRoutine(['cus_1', 'cus_2', 'cus_3'], 100, 50)
    const rows = await work()
    expect(rows.map(({ is_routine }) => is_routine)).toEqual([true, false, true])
    const [first, known, third] = rows.map(({ due_in }) => due_in) as [number, number, number]
    expect(first).toBeGreaterThan(90)
    expect(first).toBeLessThanOrEqual(100)
    expect(known).toBeLessThanOrEqual(0)
    expect(third - first).toBeCloseTo(100, 0)
  })
})

describe('events', () => {
  it.each([
    ['of nobody', anEvent('evt_1', null)],
    ['without an effect', anEvent('evt_1', 'cus_1', 'invoice.created')],
  ])('%s are handled at once, and keep no personal data', async (_, event) => {
    expect(await inbox.store(event)).toBe(false)
    expect(await work()).toEqual([])
    expect(
      await run(sql`select effect, event, handled_at is not null as handled from provider_events`),
    ).toEqual([{ effect: 'none', event: null, handled: true }])
  })

  it('keep what the database cannot store as something that it can', async () => {
    const event = anEvent('evt_1', 'cus_1')
    const object = { ...event.data.object, name: 'a\u0000b\ud800c', path: 'C:\\u0000' }
    await inbox.store({ ...event, data: { object } } as unknown as Stripe.Event)
    const [row] = await run<{ name: string; path: string }>(sql`
      select event #>> '{data,object,name}' as name, event #>> '{data,object,path}' as path from provider_events`)
    expect(row).toEqual({ name: 'a\ufffdb\ufffdc', path: 'C:\\u0000' })
  })

  it('wait again when they are replayed, if they concern anybody', async () => {
    await inbox.store(anEvent('evt_1', 'cus_1'))
    await run(sql`update provider_events set effect = 'applied', handled_at = clock_timestamp()`)
    await finish(await claimed())
    expect(await inbox.replay('evt_1')).toBe(true)
    expect(await work()).toMatchObject([{ customer_id: 'cus_1' }])
    expect(await run(sql`select effect, handled_at from provider_events`)).toEqual([
      { effect: null, handled_at: null },
    ])
    await inbox.store(anEvent('evt_2', null))
    const none = () => run(sql`select effect, handled_at from provider_events where id = 'evt_2'`)
    const before = await none()
    expect(await inbox.replay('evt_2')).toBe(false)
    expect(await none()).toEqual(before)
    expect(await inbox.replay('evt_unknown')).toBe(false)
  })

  it('that nobody looks at are found', async () => {
    for (const id of ['evt_1', 'evt_2']) await inbox.store(anEvent(id, 'cus_1'))
    await inbox.store(anEvent('evt_3', 'cus_2'))
    await inbox.store(anEvent('evt_4', null))
    await inbox.store(anEvent('evt_5', 'cus_3'))
    await run(sql`update provider_events set effect = 'applied' where id = 'evt_5'`)
    await run(sql`delete from billing_work where customer_id <> 'cus_2'`)
    expect(await queue.addUnqueued()).toBe(1)
    expect((await work()).map(({ customer_id }) => customer_id)).toEqual(['cus_1', 'cus_2'])
    expect(await queue.addUnqueued()).toBe(0)
  })
})
