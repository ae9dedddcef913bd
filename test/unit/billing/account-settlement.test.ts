import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { and, eq, inArray } from 'drizzle-orm'
import {
  AccountSettlement,
  billingCustomers,
  billingWork,
  checkouts,
  Database,
  type Db,
  PAYABLE_FOR_SECONDS,
  providerEvents,
  secondsAfter,
  subscriptions,
} from '../../sources.js'
import { anOwner } from '../../support/people.js'
import { TestApp } from '../../support/test-app.js'

const DAY = 24 * 60 * 60
/** How long after its last moment the event of a page that was paid may arrive. */
const LEEWAY_SECONDS = 60 * 60

let app: TestApp
let settlement: AccountSettlement
let accountId: string
let customerId: string
let count = 0
beforeAll(async () => {
  app = await TestApp.start()
  settlement = app.app.get(AccountSettlement)
})
afterAll(() => app.stop())
beforeEach(async () => {
  ;({ accountId, customerId } = await anAccount())
})

async function anAccount() {
  const owner = await anOwner(app)
  const customer = { accountId: owner.accountId, customerId: `cus_${++count}` }
  await run(db => db.insert(billingCustomers).values(customer))
  return customer
}

function run<T>(work: (db: Db) => Promise<T>): Promise<T> {
  return app.app.get(Database).transaction(work)
}

type Subscription = typeof subscriptions.$inferInsert

async function subscribed(about: Partial<Subscription> = {}, of = accountId): Promise<void> {
  const now = app.clock.now()
  const row: Subscription = {
    accountId: of,
    providerId: `sub_${++count}`,
    status: 'active',
    cancelAtPeriodEnd: false,
    currentPeriodEnd: secondsAfter(now, 30 * DAY),
    seenAt: now,
    ...about,
  }
  await run(db =>
    db.insert(subscriptions).values(row).onConflictDoUpdate({ target: subscriptions.accountId, set: row }),
  )
}

async function checkedOut(about: Partial<typeof checkouts.$inferInsert> = {}): Promise<string> {
  const now = app.clock.now()
  const providerId = `cs_${++count}`
  const row = { id: randomUUID(), accountId, priceId: 'price_monthly', returnUrl: 'https://www.main.test/' }
  await run(db =>
    db.insert(checkouts).values({ ...row, providerId, createdAt: now, expiresAt: now, ...about }),
  )
  return providerId
}

async function anEvent(about: string, effect: string | null = null): Promise<string> {
  const id = `evt_${++count}`
  const now = app.clock.now()
  const data = { object: { id: 'in_1', object: 'invoice', customer_email: 'somebody@example.com' } }
  const event = { id, type: 'invoice.paid', created: 1, data }
  const times = { createdAt: now, receivedAt: now }
  await run(db =>
    db
      .insert(providerEvents)
      .values({ id, type: 'invoice.paid', customerId: about, event, effect, ...times }),
  )
  return id
}

describe('an account is billed', () => {
  const billedUntil = () => run(db => settlement.billedUntil(db, accountId))

  it('no more without a subscription, or when that has ended or was never paid', async () => {
    await subscribed({}, (await anAccount()).accountId)
    expect(await billedUntil()).toBeNull()
    for (const status of ['canceled', 'incomplete', 'incomplete_expired']) {
      await subscribed({ status, surplus: ['sub_second'] })
      expect(await billedUntil()).toBeNull()
    }
  })

  it.each([
    ['nobody has cancelled', {}],
    ['nobody has cancelled, and is not paid', { status: 'past_due' }],
    ['is one of two', { cancelAtPeriodEnd: true, surplus: ['sub_second'] }],
  ])('without a known end for a subscription that %s', async (_, about) => {
    await subscribed(about)
    await expect(billedUntil()).rejects.toMatchObject({ code: 'SUBSCRIPTION_LIVE' })
  })

  it('until the end of a fixed term, and no more where the paid period is the last one', async () => {
    const currentPeriodEnd = secondsAfter(app.clock.now(), 30 * DAY)
    const endsAt = secondsAfter(currentPeriodEnd, 300 * DAY)
    await subscribed({ cancelAtPeriodEnd: true, currentPeriodEnd, endsAt })
    expect(await billedUntil()).toEqual(endsAt)
    await subscribed({ cancelAtPeriodEnd: true, currentPeriodEnd, endsAt: currentPeriodEnd })
    expect(await billedUntil()).toBeNull()
  })
})

describe('a subscription of an account that is to be deleted', () => {
  /** The customers that are to be looked at after this, which then ends what was cancelled. */
  const queued = () =>
    run(async db => {
      await settlement.endCancelled(db, accountId)
      const rows = await db.select().from(billingWork).where(eq(billingWork.customerId, customerId))
      return rows.length > 0
    })

  it('is ended early if it was cancelled', async () => {
    await subscribed({ cancelAtPeriodEnd: true }, (await anAccount()).accountId)
    expect(await queued()).toBe(false)
    await subscribed()
    expect(await queued()).toBe(false)
    await subscribed({ cancelAtPeriodEnd: true })
    expect(await queued()).toBe(true)
  })

  it('needs no end where its customer is gone', async () => {
    await run(db =>
      db.update(billingCustomers).set({ customerId: null }).where(eq(billingCustomers.accountId, accountId)),
    )
    await subscribed({ cancelAtPeriodEnd: true })
    expect(await queued()).toBe(false)
  })
})

describe('the payment pages of an account that is to be deleted', () => {
  /** The account's customer is queued after this, if the provider has to expire a page. */
  const isQueuedByClosing = () =>
    run(async db => {
      await settlement.closePages(db, accountId)
      return (await db.$count(billingWork, eq(billingWork.customerId, customerId))) > 0
    })
  const openPages = () =>
    run(db => db.$count(checkouts, and(eq(checkouts.accountId, accountId), eq(checkouts.isOpen, true))))

  it('are left alone when they are closed, or those of another account', async () => {
    await checkedOut({ isOpen: false })
    await checkedOut({ accountId: (await anAccount()).accountId })
    expect(await isQueuedByClosing()).toBe(false)
  })

  it('are expired at the provider, and stay open here until it has answered', async () => {
    await checkedOut()
    expect([await isQueuedByClosing(), await openPages()]).toEqual([true, 1])
  })

  it('are closed here at once while the provider is creating them', async () => {
    await checkedOut({ providerId: null })
    expect([await isQueuedByClosing(), await openPages()]).toEqual([false, 0])
  })

  it('need not be expired where their customer is gone', async () => {
    const isOurs = eq(billingCustomers.accountId, accountId)
    await run(db => db.update(billingCustomers).set({ customerId: null }).where(isOurs))
    await checkedOut()
    expect(await isQueuedByClosing()).toBe(false)
  })
})

describe('a subscription that holds up the deletion of its account', () => {
  const uncancelled = () => run(db => settlement.uncancelled(db, accountId))

  it('is a live one that nobody has cancelled', async () => {
    await subscribed({}, (await anAccount()).accountId)
    expect(await uncancelled()).toBeNull()
    await subscribed({ status: 'past_due' })
    expect(await uncancelled()).toBe('past_due')
    await subscribed({ status: 'canceled' })
    expect(await uncancelled()).toBeNull()
    await subscribed({ cancelAtPeriodEnd: true })
    expect(await uncancelled()).toBeNull()
  })
})

describe('an account is settled', () => {
  const isSettled = () => run(db => settlement.isSettled(db, accountId))

  it('when no subscription goes on', async () => {
    await subscribed({}, (await anAccount()).accountId)
    expect(await isSettled()).toBe(true)
    for (const status of ['active', 'past_due', 'unpaid', 'paused', 'incomplete']) {
      await subscribed({ status })
      expect([status, await isSettled()]).toEqual([status, false])
    }
    for (const status of ['canceled', 'incomplete_expired']) {
      await subscribed({ status })
      expect([status, await isSettled()]).toEqual([status, true])
    }
  })

  it('when no page can be paid, and none can have been paid that we do not know of', async () => {
    await checkedOut()
    expect(await isSettled()).toBe(false)
    app.clock.advance(PAYABLE_FOR_SECONDS + LEEWAY_SECONDS - 10)
    expect(await isSettled()).toBe(false)
    app.clock.advance(10)
    expect(await isSettled()).toBe(true)
    await run(db => db.delete(checkouts).where(eq(checkouts.accountId, accountId)))
    await checkedOut({ isOpen: false })
    expect(await isSettled()).toBe(true)
  })

  it('when no event waits that is about it', async () => {
    await anEvent('cus_of_nobody')
    await anEvent(`checkout:${await checkedOut({ isOpen: false })}`, 'none')
    await anEvent(customerId, 'applied')
    expect(await isSettled()).toBe(true)
    await anEvent(customerId)
    expect(await isSettled()).toBe(false)
  })

  it('when no event waits that is about a page of it', async () => {
    await anEvent(`checkout:${await checkedOut({ isOpen: false })}`)
    expect(await isSettled()).toBe(false)
  })
})

it('what we know of its payments can be forgotten, with what its events say of people', async () => {
  const other = await anAccount()
  await subscribed({}, other.accountId)
  await subscribed({ status: 'canceled' })
  const checkout = await checkedOut({ isOpen: false })
  const ours = [await anEvent(customerId, 'applied'), await anEvent(`checkout:${checkout}`, 'applied')]
  const theirs = await anEvent(other.customerId, 'applied')
  await run(db => settlement.forget(db, accountId))
  const left = await run(async db => {
    const of = [accountId, other.accountId]
    const tables = [checkouts, subscriptions, billingCustomers]
    const rows = []
    for (const table of tables)
      rows.push(
        await db.select({ accountId: table.accountId }).from(table).where(inArray(table.accountId, of)),
      )
    return rows
  })
  const ofTheOther = [{ accountId: other.accountId }]
  expect(left).toEqual([[], ofTheOther, ofTheOther])
  const emailsIn = (ids: string[]) =>
    run(async db => {
      const rows = await db
        .select({ event: providerEvents.event })
        .from(providerEvents)
        .where(inArray(providerEvents.id, ids))
      return rows.map(({ event }) => JSON.stringify(event).includes('somebody@example.com'))
    })
  expect(await emailsIn(ours)).toEqual([false, false])
  expect(await emailsIn([theirs])).toEqual([true])
})
