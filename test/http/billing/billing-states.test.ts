import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  AuditRetention,
  accounts,
  BillingReconciler,
  EntitlementSweep,
  Logger,
  leases,
  PERMISSIONS,
  PlansFile,
  permissionsOf,
  type User,
  UserAdministration,
  users,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anEmail, anOwner, signIn } from '../../support/people.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { slow, slowOnServers } from '../../support/tiers.js'
import {
  bearer,
  cookie,
  outcome,
  readSubscription,
  refreshByHeader,
  subscribe,
} from '../support/api-calls.js'
import {
  anAppWithPlans,
  aPlansFile,
  click,
  PLANS,
  permissionsAfterRefresh,
  permissionsIn,
  quantityOf,
} from '../support/paying.js'
import { aSubscriber, type Subscriber } from '../support/subscriber.js'
import { claimsOf } from '../support/token-claims.js'

const DAY_SECONDS = 24 * 60 * 60
const WITHOUT_PLAN = ['payments', 'accountSettings', 'teamManagement']
const BASIC = [...WITHOUT_PLAN, 'dataEntry']

describe('what an account pays for', () => {
  const app = anAppWithPlans()
  afterEach(() => {
    jest.restoreAllMocks()
  })

  async function subscription({ signedIn }: Pick<Subscriber, 'signedIn'>) {
    return (await readSubscription(app, signedIn.accessToken)).json
  }

  async function sweep(): Promise<number | null> {
    await app.database.run(db => db.delete(leases).where(eq(leases.name, 'entitlements')))
    return app.get(EntitlementSweep).run()
  }

  async function changed(user: User, set: Partial<typeof users.$inferInsert>): Promise<User> {
    await app.database.run(db => db.update(users).set(set).where(eq(users.id, user.id)))
    return user
  }

  async function inDays(days: number, work: () => Promise<void>): Promise<void> {
    app.clock.advance(days * DAY_SECONDS)
    try {
      await work()
    } finally {
      app.clock.advance(-days * DAY_SECONDS)
    }
  }

  it('starts as nothing: state none, and only what needs no plan', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    expect(await subscription({ signedIn })).toEqual({
      status: 'none',
      state: 'none',
      plan: null,
      planName: null,
      planNames: {},
      quantity: null,
      currentPeriodEnd: null,
      cancelAtPeriodEnd: false,
      endsAt: null,
      renewsAt: null,
      graceUntil: null,
      confirmUrl: null,
      limits: { satellites: null, seats: null },
    })
    expect(permissionsIn(signedIn.accessToken)).toEqual(WITHOUT_PLAN)
  })

  describe('is mailed to those who may pay', () => {
    const billingMails = async (email: string) =>
      (await app.mailsTo(email)).filter(({ text }) => text.includes(`${MAIN}/account/billing`))
    const subjectsTo = async (email: string) => (await billingMails(email)).map(({ subject }) => subject)
    const FAILED = /^A payment for your plan at .+ has failed$/
    const LOST = /^Your account at .+ no longer has its plan$/

    it('a failed payment with its last day and, once, the loss of the plan (B3)', async () => {
      const owner = await anOwner(app)
      const payers = await changed(await aMember(app, owner), {
        granted: permissionsOf(['payments']),
        language: 'de',
      })
      const others = await aMember(app, owner)
      const { subscriptionId, customerId, signedIn } = await aSubscriber(app, owner)
      const fails = async () => {
        await app.sandbox.simulate.failPayment(subscriptionId)
        await app.paymentsSettled()
      }
      await fails()
      const { graceUntil } = await subscription({ signedIn })
      const [mail, ...more] = await billingMails(owner.email)
      expect([mail?.subject, more]).toEqual([expect.stringMatching(FAILED), []])
      const lastDay = { timeZone: 'UTC', dateStyle: 'long' } as const
      expect(mail?.text).toContain(new Date(graceUntil).toLocaleDateString('en-GB', lastDay))
      // The next attempt, and the same event again, are no news.
      await fails()
      for (const event of app.sandbox.events())
        if (JSON.stringify(event.data).includes(customerId)) await app.sandbox.deliver(event)
      await app.paymentsSettled()
      expect(await subjectsTo(owner.email)).toHaveLength(1)
      await inDays(15, async () => {
        await sweep()
        await sweep()
        await app.get(BillingReconciler).reconcile(1_000)
        await app.paymentsSettled()
      })
      expect(await subjectsTo(owner.email)).toEqual([
        expect.stringMatching(FAILED),
        expect.stringMatching(LOST),
      ])
      expect(await subjectsTo(payers.email)).toEqual([
        expect.stringMatching(/^Eine Zahlung für Ihren Tarif bei .+ ist fehlgeschlagen$/),
        expect.stringMatching(/^Ihr Konto bei .+ hat seinen Tarif nicht mehr$/),
      ])
      expect(await subjectsTo(others.email)).toEqual([])
    })

    slow('nothing more when the payment comes in, and again when the next one fails (B3)', async () => {
      const { owner, subscriptionId } = await aSubscriber(app)
      for (const simulation of ['failPayment', 'recoverPayment', 'failPayment'] as const) {
        await app.sandbox.simulate[simulation](subscriptionId)
        await app.paymentsSettled()
      }
      expect(await subjectsTo(owner.email)).toEqual([
        expect.stringMatching(FAILED),
        expect.stringMatching(FAILED),
      ])
    })

    it.each([
      ['cancel', /has ended/],
      ['pause', /is paused/],
    ] as const)('why the plan is lost: %s (B3)', async (simulation, why) => {
      const { owner, subscriptionId } = await aSubscriber(app)
      await app.sandbox.simulate[simulation](subscriptionId)
      await app.paymentsSettled()
      const [mail, ...more] = await billingMails(owner.email)
      expect([mail?.subject, more]).toEqual([expect.stringMatching(LOST), []])
      expect(mail?.text).toMatch(why)
    })
  })

  it('the provider writes to the owner in their language (B3)', async () => {
    const { customerId } = await aSubscriber(app, await changed(await anOwner(app), { language: 'de' }))
    expect(app.sandbox.customers().find(({ id }) => id === customerId)).toMatchObject({
      preferred_locales: ['de'],
    })
  })

  it('reaches every live session of the account at its next refresh, and those who come later', async () => {
    const owner = await anOwner(app)
    const member = await signIn(app, await aMember(app, owner), 'satellite')
    expect(permissionsIn(member.accessToken)).toEqual([])
    const payer = await aSubscriber(app, owner)
    expect(await subscription(payer)).toMatchObject({
      state: 'active',
      plan: 'price_monthly',
      planName: 'Basic',
      planNames: { de: 'Basis' },
    })
    expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(BASIC)
    expect(permissionsIn((await refreshByHeader(app, member.sessionId)).json.accessToken)).toEqual([
      'dataEntry',
    ])
    const newcomer = await signIn(app, await aMember(app, owner), 'main')
    expect(permissionsIn(newcomer.accessToken)).toEqual(['dataEntry'])

    await app.sandbox.simulate.cancel(payer.subscriptionId)
    await app.paymentsSettled()
    expect(await subscription(payer)).toMatchObject({ state: 'canceled' })
    expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(WITHOUT_PLAN)
    expect(permissionsIn((await refreshByHeader(app, member.sessionId)).json.accessToken)).toEqual([])
    expect(await permissionsAfterRefresh(app, newcomer)).toEqual([])
    expect(permissionsIn((await signIn(app, owner, 'main')).accessToken)).toEqual(WITHOUT_PLAN)
  })

  it('is the limit of what anybody is granted, and not forgotten by a grant', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const signedIn = await signIn(app, member, 'main')
    await app.get(UserAdministration).grant(member, permissionsOf(PERMISSIONS))
    expect(await permissionsAfterRefresh(app, signedIn)).toEqual(WITHOUT_PLAN)
    await aSubscriber(app, owner)
    expect(await permissionsAfterRefresh(app, signedIn)).toEqual(BASIC)
  })

  slow(
    'stays for 14 days while a payment is due, from the first failure on, and comes back with the payment',
    async () => {
      const payer = await aSubscriber(app)
      await app.sandbox.simulate.failPayment(payer.subscriptionId)
      await app.paymentsSettled()
      const due = await subscription(payer)
      expect(due).toMatchObject({ status: 'past_due', state: 'past_due' })
      const graceDays = (Date.parse(due.graceUntil) - Date.now()) / 1000 / DAY_SECONDS
      expect(graceDays).toBeCloseTo(14, 2)
      await app.sandbox.simulate.failPayment(payer.subscriptionId)
      await app.paymentsSettled()
      expect((await subscription(payer)).graceUntil).toBe(due.graceUntil)

      await inDays(13.9, async () => {
        await sweep()
        expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(BASIC)
      })
      await inDays(14.1, async () => {
        // No event tells of it.
        expect(await sweep()).toBeGreaterThan(0)
        const { json } = await readSubscription(app, (await signIn(app, payer.owner, 'main')).accessToken)
        expect(json).toMatchObject({ status: 'past_due', state: 'restricted' })
        expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(WITHOUT_PLAN)
        expect(await sweep()).toBe(0)
      })
      await app.sandbox.simulate.recoverPayment(payer.subscriptionId)
      await app.paymentsSettled()
      expect(await subscription(payer)).toMatchObject({ state: 'active', graceUntil: null })
      expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(BASIC)
    },
  )

  it.each([
    ['unpaid', 'past_due', BASIC],
    ['paused', 'restricted', WITHOUT_PLAN],
    ['incomplete', 'pending', WITHOUT_PLAN],
  ] as const)('of a subscription that is %s is %s', async (status, state, permissions) => {
    const payer = await aSubscriber(app)
    await app.sandbox.simulate.changeSubscription(payer.subscriptionId, { status })
    await app.paymentsSettled()
    expect(await subscription(payer)).toMatchObject({ status, state })
    expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(permissions)
  })

  it('billing 6: is no more than was paid for while a payment is due, whatever plan is chosen meanwhile', async () => {
    const payer = await aSubscriber(app)
    await app.sandbox.simulate.failPayment(payer.subscriptionId)
    await app.paymentsSettled()
    const { graceUntil } = await subscription(payer)
    const { json } = await subscribe(app, payer.signedIn, { priceId: 'price_yearly' })
    await click(json.checkoutUrl, 'confirm')
    await app.paymentsSettled()
    // The provider takes the payment for the change, its latest invoice, for that of the renewal.
    expect(await subscription(payer)).toMatchObject({
      status: 'active',
      state: 'past_due',
      plan: 'price_yearly',
      renewsAt: null,
      graceUntil,
    })
    expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(BASIC)
    await inDays(14.1, async () => {
      await sweep()
      expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(WITHOUT_PLAN)
    })
    await app.sandbox.simulate.recoverPayment(payer.subscriptionId)
    await app.paymentsSettled()
    expect(await subscription(payer)).toMatchObject({ state: 'active', graceUntil: null })
    expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual([...BASIC, 'viewReports'])
  })

  slow(
    'billing 6: is the plan’s, also with an add-on in front of it, and its seats are the plan’s',
    async () => {
      const payer = await aSubscriber(app, undefined, { priceId: 'price_yearly' })
      await app.sandbox.simulate.addItem(payer.subscriptionId, 'price_of_an_add_on')
      await aMember(app, payer.owner)
      await app.paymentsSettled()
      expect(await subscription(payer)).toMatchObject({ plan: 'price_yearly', planName: 'Team', quantity: 2 })
      expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual([...BASIC, 'viewReports'])
      const { items } = app.sandbox.subscriptions().find(({ id }) => id === payer.subscriptionId)!
      expect(items.data.map(({ price, quantity }) => [price.id, quantity])).toEqual([
        ['price_of_an_add_on', 1],
        ['price_yearly', 2],
      ])
      const answer = await subscribe(app, payer.signedIn, { priceId: 'price_monthly' })
      expect(outcome(answer)).toBe('201')
      // The provider's page for a change of plan refuses what has several items; its other pages do not.
      expect(await (await fetch(answer.json.checkoutUrl)).text()).toContain('Your billing')
      const plan = items.data[1]!
      await app.sandbox.simulate.changeSubscription(payer.subscriptionId, {
        items: [{ id: plan.id, price: 'price_monthly' }],
      })
      await app.paymentsSettled()
      expect(await subscription(payer)).toMatchObject({ plan: 'price_monthly', planName: 'Basic' })
    },
  )

  slow('is the plan’s also where it is behind more items than the provider shows at once (B11)', async () => {
    const payer = await aSubscriber(app, undefined, { priceId: 'price_yearly' })
    for (let added = 0; added < 12; added++)
      await app.sandbox.simulate.addItem(payer.subscriptionId, 'price_of_an_add_on')
    await aMember(app, payer.owner)
    await app.paymentsSettled()
    expect(await subscription(payer)).toMatchObject({ plan: 'price_yearly', planName: 'Team', quantity: 2 })
    const same = await subscribe(app, payer.signedIn, { priceId: 'price_yearly' })
    expect(outcome(same)).toBe('409 ALREADY_SUBSCRIBED')
  })

  slow('billing 6: stays what it was when its price goes out of the plans file, and says so', async () => {
    const payer = await aSubscriber(app)
    const errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {})
    await withOtherPlans(PLANS.plans.slice(1), async () => {
      await sweep()
      expect(await subscription(payer)).toMatchObject({
        state: 'active',
        plan: 'price_monthly',
        planName: null,
      })
      expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(BASIC)
      // Not because nobody looked: what it may do is still taken when it is not paid for, and comes back.
      await app.sandbox.simulate.changeSubscription(payer.subscriptionId, { status: 'paused' })
      await app.paymentsSettled()
      expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(WITHOUT_PLAN)
      await app.sandbox.simulate.changeSubscription(payer.subscriptionId, { status: 'active' })
      await app.paymentsSettled()
      expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(BASIC)
    })
    // One line an hour, however many accounts and events there are.
    const lines = errors.mock.calls.filter(([line]) =>
      /^price_monthly is in no plan of PLANS_FILE/.test(`${line}`),
    )
    expect(lines).toHaveLength(1)
  })

  it('paused after a failed payment: it keeps its plan for the grace period, and has to pay (B2)', async () => {
    const payer = await aSubscriber(app)
    await app.sandbox.simulate.pauseAfterFailure(payer.subscriptionId)
    await app.paymentsSettled()
    const paused = await subscription(payer)
    expect(paused).toMatchObject({ status: 'paused', state: 'past_due', graceUntil: expect.any(String) })
    expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(BASIC)
    await app.sandbox.simulate.recoverPayment(payer.subscriptionId)
    await app.sandbox.simulate.resume(payer.subscriptionId)
    await app.paymentsSettled()
    expect(await subscription(payer)).toMatchObject({ status: 'active', state: 'active', graceUntil: null })

    // The last attempt does not start the period again.
    await app.sandbox.simulate.failPayment(payer.subscriptionId)
    await app.paymentsSettled()
    const { graceUntil } = await subscription(payer)
    await app.sandbox.simulate.pauseAfterFailure(payer.subscriptionId)
    await app.paymentsSettled()
    expect(await subscription(payer)).toMatchObject({ status: 'paused', state: 'past_due', graceUntil })
  })

  it('says who has paid for a price of no plan and never had anything (B7)', async () => {
    const errors = jest.spyOn(Logger.prototype, 'error').mockImplementation(() => {})
    await withOtherPlans(PLANS.plans.slice(1), async () => {
      const payer = await aSubscriber(app)
      expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual(WITHOUT_PLAN)
      expect(errors.mock.calls.map(([line]) => line)).toContain(
        `price_monthly is in no plan of PLANS_FILE: account ${payer.owner.accountId} has paid and has nothing (1 found)`,
      )
    })
  })

  /** As after a restart with another plans file. */
  async function withOtherPlans(others: unknown[], work: () => Promise<void>): Promise<void> {
    const plans = app.app.get(PlansFile)
    const before = { ...plans }
    const { path, remove } = await aPlansFile({ ...PLANS, plans: others })
    const settings = { ...app.settings, plansFile: path, stripe: { priceIds: ['price_yearly'] } }
    Object.assign(plans, PlansFile.read(settings))
    try {
      await work()
    } finally {
      Object.assign(plans, before)
      await remove()
      await sweep()
    }
  }

  slow('uses its plan once that has no seats any more, and seats again once it has', async () => {
    const owner = await anOwner(app)
    await aMember(app, owner)
    const { subscriptionId } = await aSubscriber(app, owner, { priceId: 'price_yearly' })
    const isBilled = async (quantity: number) => {
      await app.get(BillingReconciler).reconcile(1_000)
      const isSo = () => quantityOf(app, subscriptionId) === quantity
      await eventually(isSo, { what: `a quantity of ${quantity}` })
    }
    await isBilled(2)
    const [basic, team] = PLANS.plans
    await withOtherPlans([basic, { ...team, seats: false }], async () => {
      await isBilled(1)
      await aMember(app, owner)
      await app.paymentsSettled()
      await isBilled(1)
    })
    await isBilled(3)
  })

  it('follows another plans file, also for accounts that no event will ever concern', async () => {
    const owner = await anOwner(app)
    const signedIn = await signIn(app, owner, 'main')
    // As it was before there was a plans file.
    await app.database.run(db =>
      db.update(accounts).set({ entitled: null, entitledBy: null }).where(eq(accounts.id, owner.accountId)),
    )
    const before = await signIn(app, owner, 'main')
    expect(permissionsIn(before.accessToken)).toEqual([...PERMISSIONS])
    expect(await sweep()).toBe(1)
    expect(await permissionsAfterRefresh(app, signedIn)).toEqual(WITHOUT_PLAN)
    expect(await permissionsAfterRefresh(app, before)).toEqual(WITHOUT_PLAN)
  })

  it('is in the audit log when it changes', async () => {
    const payer = await aSubscriber(app)
    const { accountId } = claimsOf(payer.signedIn.accessToken)
    const changes = await app.auditRows({ accountId, action: 'entitlements.change' })
    expect(changes.map(({ detail }) => detail)).toEqual([
      { state: 'active', plan: 'price_monthly', entitled: BASIC },
    ])
  })
})

describe('without a plans file', () => {
  slow(
    'plans have the texts of the provider’s products, also in the languages of their metadata',
    async () => {
      const app = await TestApp.start()
      try {
        const { signedIn } = await aSubscriber(app)
        const { json } = await app.request({ path: '/api/plans', headers: bearer(signedIn.accessToken) })
        expect(json.plans).toMatchObject([
          {
            name: 'Monthly',
            names: { de: 'Monatlich' },
            features: ['Your whole team', 'Data entry and reports on every site'],
            translatedFeatures: { de: ['Ihr ganzes Team', 'Dateneingabe und Berichte auf jeder Website'] },
          },
          { name: 'Yearly', names: { de: 'Jährlich' } },
        ])
        expect((await readSubscription(app, signedIn.accessToken)).json).toMatchObject({
          planName: 'Monthly',
          planNames: { de: 'Monatlich' },
        })
      } finally {
        await app.stop()
      }
    },
  )

  slow('do not limit anything by payments', async () => {
    const app = await TestApp.start()
    try {
      const payer = await aSubscriber(app)
      await app.sandbox.simulate.cancel(payer.subscriptionId)
      await app.paymentsSettled()
      expect(await permissionsAfterRefresh(app, payer.signedIn)).toEqual([...PERMISSIONS])
    } finally {
      await app.stop()
    }
  })
})

describe('a database that writes values in its own way', () => {
  slowOnServers.each(['German, DMY'])(
    'counts payments and reads times, with DateStyle %s (W1)',
    async style => {
      const database = await createDatabase({
        isEmpty: true,
        settings: {
          ...{ DateStyle: style, TimeZone: 'America/New_York', IntervalStyle: 'sql_standard' },
          ...{ bytea_output: 'escape', extra_float_digits: '-15', standard_conforming_strings: 'off' },
          default_transaction_isolation: 'serializable',
        },
      })
      const app = await TestApp.start({ DATABASE_URL: database.url })
      try {
        const { signedIn } = await aSubscriber(app)
        expect((await readSubscription(app, signedIn.accessToken)).json).toMatchObject({ state: 'active' })
        const headers = { Origin: MAIN, ...bearer(signedIn.accessToken), ...cookie(signedIn.sessionId) }
        const { json: invitation } = await app.post('/api/team/invitations', { email: anEmail() }, headers)
        expect(daysFromNow(app, invitation.expiresAt)).toBeCloseTo(7, 1)
        const { json: history } = await app.request({ path: '/api/logins', headers })
        expect(daysFromNow(app, history.logins[0].at)).toBeCloseTo(0, 1)
        // Statements of other connections than those for requests.
        expect(await app.get(AuditRetention).partitions()).toContainEqual({
          name: expect.any(String),
          until: startOfNextMonth(),
        })
      } finally {
        await app.stop()
        await database.drop()
      }
    },
  )
})

function daysFromNow(app: TestApp, time: string): number {
  return (Date.parse(time) - app.clock.now().getTime()) / (DAY_SECONDS * 1000)
}

function startOfNextMonth(): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
}
