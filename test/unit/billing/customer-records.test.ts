import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { sql } from 'drizzle-orm'
import type Stripe from 'stripe'
import { anAppWithPlans, PLANS } from '../../http/support/paying.js'
import {
  type Cause,
  type ClaimedWork,
  CustomerWriter,
  Database,
  type FirstPayment,
  PERMISSIONS,
  type Permission,
  type Permissions,
  Subscriptions,
  secondsAfter,
  type User,
  WaitingEvents,
} from '../../sources.js'
import { anOwner } from '../../support/people.js'

const ALWAYS: Permission[] = ['payments', 'accountSettings']
const NOTHING_PAID: Permission[] = [...ALWAYS, 'teamManagement']
const BASIC: Permission[] = [...NOTHING_PAID, 'dataEntry']
const GRACE_SECONDS = 1_000

const app = anAppWithPlans(PLANS, { PAYMENT_GRACE_SECONDS: String(GRACE_SECONDS) })
let database: Database
let writer: CustomerWriter
let owner: User
let customerId: string
/** The time of looks, which only has to grow. */
let seenAt = new Date('2026-01-01T00:00:00Z')
let count = 0

beforeAll(() => {
  database = app.database
  writer = app.get(CustomerWriter)
})
beforeEach(async () => {
  owner = await anOwner(app)
  customerId = `cus_${++count}`
  await app.query(
    sql`insert into billing_customers (account_id, customer_id) values (${owner.accountId}, ${customerId})`,
  )
})

interface Bought {
  readonly id?: string
  readonly status?: string
  readonly price?: string
  readonly quantity?: number
  readonly cancel_at_period_end?: boolean
  readonly cancel_at?: number
  readonly ended_at?: number
  readonly trial_start?: number
}

const PERIOD_END = 1_900_000_000

function bought({
  id = `sub_${count}`,
  status = 'active',
  price = 'price_monthly',
  quantity = 1,
  ...more
}: Bought = {}) {
  const item = { id: 'si_1', price: { id: price }, quantity, current_period_end: PERIOD_END }
  const none = {
    cancel_at: null,
    cancel_at_period_end: false,
    ended_at: null,
    trial_start: null,
    metadata: {},
  }
  return { id, status, items: { data: [item] }, ...none, ...more } as unknown as Stripe.Subscription
}

interface Look {
  readonly subscriptions?: readonly Stripe.Subscription[]
  readonly at?: Date
  readonly hasOverdueInvoice?: boolean
  readonly firstPayment?: FirstPayment | null
  readonly isDeleted?: boolean
  readonly cause?: Cause | null
  readonly claimed?: ClaimedWork
  readonly of?: string
}

/** As the worker does after it has asked the provider. */
async function look({
  subscriptions = [bought()],
  at = later(),
  hasOverdueInvoice = false,
  firstPayment = null,
  isDeleted = false,
  cause = null,
  claimed,
  of = customerId,
}: Look = {}) {
  const events = await database.run(db => app.get(WaitingEvents).of(db, of))
  return writer.write(
    { customerId: of, events, subscriptions, hasOverdueInvoice, firstPayment, isDeleted, seenAt: at },
    cause,
    claimed ?? null,
  )
}

function later(): Date {
  seenAt = secondsAfter(seenAt, 1)
  return seenAt
}

async function record() {
  return app.get(Subscriptions).row(owner.accountId)
}

async function anEvent(id: string, type: string, object: object = {}, { of = customerId, age = 0 } = {}) {
  const event = {
    id,
    type,
    created: 1,
    data: { object: { id: `object_of_${id}`, object: 'thing', ...object } },
  }
  await app.query(sql`
    insert into provider_events (id, type, customer_id, event, created_at, received_at)
    values (${id}, ${type}, ${of}, ${JSON.stringify(event)}::jsonb, clock_timestamp() - make_interval(secs => ${age}), clock_timestamp())`)
}

async function effects(of = customerId): Promise<Record<string, string | null>> {
  const rows = await app.query<{ id: string; effect: string | null; handled: boolean }>(
    sql`select id, effect, handled_at is not null as handled from provider_events where customer_id = ${of}`,
  )
  for (const { effect, handled } of rows) expect(handled).toBe(effect !== null)
  return Object.fromEntries(rows.map(({ id, effect }) => [id, effect]))
}

/** In the order of PERMISSIONS; null means no limit. */
async function entitledOf(what: 'account' | 'owner'): Promise<Permission[] | null> {
  const [row] = await (what === 'account'
    ? app.query<{ entitled: Permissions | null }>(
        sql`select entitled from accounts where id = ${owner.accountId}`,
      )
    : app.query<{ entitled: Permissions | null }>(sql`select entitled from users where id = ${owner.id}`))
  const { entitled } = row as { entitled: Permissions | null }
  return entitled && PERMISSIONS.filter(name => entitled[name])
}

async function auditOf(action: string): Promise<unknown[]> {
  return (await app.auditRows({ accountId: owner.accountId, action })).map(({ detail }) => detail)
}

describe('what is seen at the provider', () => {
  it('is on record, with what it entitles to', async () => {
    expect(await look()).toMatchObject({
      accountId: owner.accountId,
      changed: { sids: [], userIds: [], accountIds: [owner.accountId] },
      update: expect.anything(),
    })
    expect(await record()).toMatchObject({
      providerId: `sub_${count}`,
      status: 'active',
      priceId: 'price_monthly',
      quantity: 1,
      currentPeriodEnd: new Date(PERIOD_END * 1_000),
      cancelAtPeriodEnd: false,
      endsAt: null,
      surplus: [],
      seenAt,
    })
    expect(await app.get(Subscriptions).find(owner.accountId)).toMatchObject({
      status: 'active',
      plan: 'price_monthly',
    })
    expect(await entitledOf('account')).toEqual(BASIC)
    expect(await auditOf('entitlements.change')).toEqual([
      { state: 'active', plan: 'price_monthly', entitled: BASIC },
    ])
  })

  it('never goes back to an older look, and repeats one of the same time', async () => {
    const [first, second] = [later(), later()]
    await anEvent(`evt_new_${count}`, 'customer.subscription.deleted')
    await look({ subscriptions: [bought({ status: 'canceled', ended_at: 1_800_000_000 })], at: second })
    await anEvent(`evt_old_${count}`, 'customer.subscription.updated')
    await look({ at: first })
    expect(await record()).toMatchObject({ status: 'canceled', seenAt: second })
    expect(await entitledOf('account')).toEqual(NOTHING_PAID)
    expect(await effects()).toEqual({ [`evt_new_${count}`]: 'applied', [`evt_old_${count}`]: 'not newer' })
    await look({ at: second })
    expect(await record()).toMatchObject({ status: 'active' })
  })

  it('without any subscription leaves no record', async () => {
    await anEvent(`evt_${count}`, 'customer.subscription.created')
    await look({ subscriptions: [] })
    expect(await record()).toBeNull()
    expect(await effects()).toEqual({ [`evt_${count}`]: 'none' })
    expect(await entitledOf('account')).toEqual(NOTHING_PAID)
  })

  it('that ended before its customer went keeps the time of its end; one that billed twice bills no more', async () => {
    const ended = bought({ status: 'canceled', ended_at: 1_800_000_000 })
    await look({ subscriptions: [ended] })
    await look({ subscriptions: [], isDeleted: true })
    expect(await record()).toMatchObject({ status: 'canceled', endsAt: new Date(1_800_000_000_000) })
    owner = await anOwner(app)
    await app.query(
      sql`insert into billing_customers (account_id, customer_id) values (${owner.accountId}, ${`cus_twice_${count}`})`,
    )
    const both = [bought({ id: `sub_new_${count}` }), bought({ id: `sub_old_${count}` })]
    await look({ of: `cus_twice_${count}`, subscriptions: both })
    await look({ of: `cus_twice_${count}`, subscriptions: [], isDeleted: true })
    expect(await record()).toMatchObject({ status: 'canceled', surplus: [] })
  })

  it('is on record without a price where it has nothing in it', async () => {
    const empty = { ...bought(), items: { data: [] } } as unknown as Stripe.Subscription
    await look({ subscriptions: [empty] })
    expect(await record()).toMatchObject({ priceId: null, quantity: null, currentPeriodEnd: null })
    expect(await entitledOf('account')).toEqual(NOTHING_PAID)
  })

  it.each<[Cause | null, boolean]>([
    ['routine', true],
    [null, true],
    ['event', false],
    ['return', false],
  ])('is a repair when nothing has announced it: %s', async (cause, isRepair) => {
    await look({ cause: 'event' })
    await look({ cause, subscriptions: [bought()] })
    expect(await auditOf('billing.repair')).toEqual([])
    await look({ cause, subscriptions: [bought({ status: 'past_due' })] })
    const repair = { subscription: `sub_${count}`, status: 'past_due' }
    expect(await auditOf('billing.repair')).toEqual(isRepair ? [repair] : [])
  })
})

describe('events that wait', () => {
  it('announce what is seen, which is then no repair', async () => {
    await look({ cause: 'event' })
    await anEvent(`evt_${count}`, 'customer.subscription.updated')
    await look({ subscriptions: [bought({ status: 'past_due' })] })
    expect(await auditOf('billing.repair')).toEqual([])
  })

  it('have the effect of their kind, in the order in which they were made', async () => {
    const [late, early, other] = [`evt_late_${count}`, `evt_early_${count}`, `evt_other_${count}`]
    await anEvent(late, 'invoice.paid', {}, { age: 1 })
    await anEvent(early, 'charge.refunded', {}, { age: 2 })
    await anEvent(other, 'checkout.session.expired', {}, { age: 3 })
    const waiting = await database.run(db => app.get(WaitingEvents).of(db, customerId))
    expect(waiting.map(({ id }) => id)).toEqual([other, early, late])
    await look()
    expect(await effects()).toEqual({ [late]: 'applied', [early]: 'noted', [other]: 'none' })
    expect(await auditOf('webhook')).toEqual(
      expect.arrayContaining([
        { event: late, type: 'invoice.paid', effect: 'applied' },
        { event: early, type: 'charge.refunded', effect: 'noted', about: `object_of_${early}` },
        { event: other, type: 'checkout.session.expired', effect: 'none' },
      ]),
    )
  })

  it('close the checkout that they say is closed, and no other', async () => {
    const open = async () =>
      (
        await app.query<{ provider_id: string }>(
          sql`select provider_id from checkouts where account_id = ${owner.accountId} and is_open`,
        )
      ).map(({ provider_id }) => provider_id)
    const [ours, other] = [`cs_ours_${count}`, `cs_other_${count}`]
    await app.query(sql`
      insert into checkouts (id, account_id, price_id, return_url, provider_id, created_at, expires_at)
      values (gen_random_uuid(), ${owner.accountId}, 'price_monthly', 'https://www.main.test/', ${ours}, now(), now())`)
    await anEvent(`evt_other_${count}`, 'checkout.session.expired', { id: other })
    await anEvent(`evt_paid_${count}`, 'invoice.paid', { id: ours })
    await look()
    expect(await open()).toEqual([ours])
    await anEvent(`evt_ours_${count}`, 'checkout.session.expired', { id: ours })
    await look()
    expect(await open()).toEqual([])
  })

  it('of nobody are marked so, and lose their personal data', async () => {
    const of = `cus_unknown_${count}`
    await anEvent(`evt_${count}`, 'invoice.paid', { customer_email: 'somebody@example.com' }, { of })
    await anEvent(`evt_refund_${count}`, 'refund.created', {}, { of })
    expect(await look({ of })).toMatchObject({
      accountId: null,
      changed: { sids: [], userIds: [], accountIds: [] },
      update: null,
    })
    expect(await effects(of)).toEqual({
      [`evt_${count}`]: 'unknown customer',
      [`evt_refund_${count}`]: 'unknown customer',
    })
    expect(await app.query(sql`select event from provider_events where id = ${`evt_${count}`}`)).toEqual([
      {
        event: {
          id: `evt_${count}`,
          object: 'event',
          type: 'invoice.paid',
          created: 1,
          data: { object: { id: `object_of_evt_${count}`, object: 'thing' } },
        },
      },
    ])
  })

  it('of ours keep what they say, except those that only name a charge', async () => {
    await anEvent(`evt_${count}`, 'invoice.paid', { customer_email: 'a@example.com' })
    await look()
    const emails = () =>
      app.query(sql`
      select event #>> '{data,object,customer_email}' as email from provider_events where id like ${`evt%_${count}`} order by id`)
    expect(await emails()).toEqual([{ email: 'a@example.com' }])
    await anEvent(
      `evt_charge_${count}`,
      'refund.created',
      { customer_email: 'a@example.com' },
      { of: `charge:${count}` },
    )
    const events = await database.run(db => app.get(WaitingEvents).of(db, `charge:${count}`))
    await writer.write(
      {
        customerId,
        events,
        subscriptions: [bought()],
        hasOverdueInvoice: false,
        firstPayment: null,
        isDeleted: false,
        seenAt: later(),
      },
      null,
      null,
    )
    expect(await emails()).toEqual([{ email: 'a@example.com' }, { email: null }])
  })

  it('say how the first payment stands, until it has arrived', async () => {
    const subscriptions = [bought({ status: 'incomplete' })]
    const waits = { state: 'unconfirmed', confirmUrl: 'https://pay.example/1' } as const
    await look({ subscriptions, firstPayment: waits })
    expect(await record()).toMatchObject({ firstPayment: 'unconfirmed', confirmUrl: waits.confirmUrl })
    await look({ subscriptions, firstPayment: { state: 'failed', confirmUrl: null } })
    expect(await record()).toMatchObject({ firstPayment: 'failed', confirmUrl: null })
    await look({ subscriptions: [bought()] })
    expect(await record()).toMatchObject({ firstPayment: null, confirmUrl: null })
  })
})

describe('claimed work', () => {
  const waiting = () => app.query(sql`select claim from billing_work where customer_id = ${customerId}`)

  async function claimedWork(): Promise<ClaimedWork> {
    const [row] = await app.query<{ claim: string }>(sql`
      insert into billing_work (customer_id, due_at, claim, claimed_until)
      values (${customerId}, clock_timestamp(), gen_random_uuid(), clock_timestamp() + interval '1 hour') returning claim`)
    return { customerId, claim: row?.claim as string, version: 1, attempts: 0, isRoutine: false }
  }

  /** The provider knows name and address of the owner. */
  async function tellDetails(): Promise<void> {
    await app.query(sql`
      update billing_customers set told_name = '', told_email = ${owner.email} where account_id = ${owner.accountId}`)
  }

  it('is done with the records, if the provider has nothing to be told', async () => {
    const claimed = await claimedWork()
    expect((await look({ claimed })).update).not.toBeNull()
    expect(await waiting()).toHaveLength(1)
    await tellDetails()
    expect((await look({ claimed })).update).toBeNull()
    expect(await waiting()).toEqual([])
  })

  it('is done for a customer who is no longer ours', async () => {
    const claimed = await claimedWork()
    await app.query(
      sql`update billing_customers set customer_id = null where account_id = ${owner.accountId}`,
    )
    await look({ claimed })
    expect(await waiting()).toEqual([])
  })

  it.each([
    ['has a reason', false, []],
    ['is a comparison', true, [expect.anything()]],
  ])('without an event that %s: whether what it finds is a repair', async (_, isRoutine, repairs) => {
    await look({ cause: 'event' })
    const claimed = { ...(await claimedWork()), isRoutine }
    await look({ claimed, subscriptions: [bought({ status: 'past_due' })] })
    expect(await auditOf('billing.repair')).toEqual(repairs)
  })

  it('of nobody is dismissed with its events', async () => {
    const claimed = await claimedWork()
    await anEvent(`evt_${count}`, 'invoice.paid')
    const events = await database.run(db => app.get(WaitingEvents).of(db, customerId))
    await writer.dismiss(claimed, events, [])
    expect(await effects()).toEqual({ [`evt_${count}`]: 'unknown customer' })
    expect(await waiting()).toEqual([])
  })
})

it('an account is entitled to less at once when a smaller plan is chosen while a payment is due', async () => {
  await look({ subscriptions: [bought({ price: 'price_yearly' })] })
  await look({ subscriptions: [bought({ status: 'past_due', price: 'price_monthly' })] })
  expect(await entitledOf('account')).toEqual(BASIC)
})
