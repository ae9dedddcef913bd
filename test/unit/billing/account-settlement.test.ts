import { randomUUID } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { and, eq } from 'drizzle-orm'
import {
  AccountSettlement,
  billingCustomers,
  billingWork,
  checkouts,
  type Db,
  secondsAfter,
  subscriptions,
} from '../../sources.js'
import { anOwner } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'

const DAY = 24 * 60 * 60

const app = anApp()
let settlement: AccountSettlement
let accountId: string
let customerId: string
let count = 0
beforeAll(async () => {
  settlement = app.get(AccountSettlement)
})
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
  return app.database.transaction(work)
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
})
