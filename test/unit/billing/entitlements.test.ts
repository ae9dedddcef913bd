import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { anAppWithPlans, PLANS } from '../../http/support/paying.js'
import {
  AuditLog,
  Database,
  type Db,
  Entitlements,
  HourlyLog,
  Logger,
  type NewSession,
  NOTHING_RECORDED,
  PERMISSIONS,
  type Permission,
  type Permissions,
  PlansFile,
  permissionsOf,
  type RecordedChanges,
  SessionChanges,
  SessionStore,
  Subscriptions,
  type User,
  WaitingEvents,
} from '../../sources.js'
import { openSession } from '../../support/open-session.js'
import { anOwner, importMembers } from '../../support/people.js'

const NOTHING_PAID: Permission[] = ['payments', 'accountSettings', 'teamManagement']
const BASIC: Permission[] = [...NOTHING_PAID, 'dataEntry']
const TEAM: Permission[] = [...BASIC, 'viewReports']
const GRACE_SECONDS = 1_000

const app = anAppWithPlans(PLANS, { PAYMENT_GRACE_SECONDS: String(GRACE_SECONDS), LOG_LEVEL: 'silent' })
let database: Database
let entitlements: Entitlements
let owner: User

beforeAll(() => {
  database = app.database
  entitlements = app.get(Entitlements)
})
beforeEach(async () => {
  owner = await anOwner(app)
})
afterEach(() => void jest.restoreAllMocks())

/** As if it had been seen at the provider. */
async function subscribe(
  { accountId }: Pick<User, 'accountId'>,
  {
    status = 'active',
    price = 'price_monthly',
    lastEntitled = null,
    dueSince = null,
  }: {
    readonly status?: string
    readonly price?: string
    readonly lastEntitled?: readonly Permission[] | null
    readonly dueSince?: Date | null
  } = {},
): Promise<void> {
  const last = lastEntitled && JSON.stringify(permissionsOf(lastEntitled))
  await app.query(sql`
    insert into subscriptions (account_id, provider_id, status, price_id, cancel_at_period_end, last_entitled, past_due_since, seen_at)
    values (${accountId}, ${`sub_${accountId}`}, ${status}, ${price}, false, ${last}::jsonb, ${dueSince?.toISOString() ?? null}::timestamptz, now())
    on conflict (account_id) do update set status = excluded.status, price_id = excluded.price_id,
      last_entitled = excluded.last_entitled, past_due_since = excluded.past_due_since`)
}

function decide(accounts: readonly Pick<User, 'accountId'>[], by = entitlements): Promise<RecordedChanges> {
  const ids = accounts.map(({ accountId }) => accountId)
  return database.transaction((transaction: Db) => by.decideFor(transaction, ids))
}

/** What a replica reads of a change of these accounts, in their order. */
const changed = (...accounts: readonly Pick<User, 'accountId'>[]) => ({
  changed: { sids: [], userIds: [], accountIds: accounts.map(({ accountId }) => accountId) },
  ended: 0,
})

interface AccountRow {
  readonly entitled: Permissions | null
  readonly by: string | null
  readonly until: string | null
}

async function account({ accountId }: Pick<User, 'accountId'> = owner): Promise<AccountRow> {
  const [row] = await app.query<AccountRow>(sql`
    select entitled, entitled_by as by, entitled_until as until from accounts where id = ${accountId}`)
  return row as AccountRow
}

async function lastEntitled({ accountId }: Pick<User, 'accountId'> = owner): Promise<Permission[] | null> {
  const [row] = await app.query<{ last: Permissions | null }>(
    sql`select last_entitled as last from subscriptions where account_id = ${accountId}`,
  )
  return namesOf(row?.last ?? null)
}

/** In the order of PERMISSIONS; null means no limit. */
function namesOf(permissions: Permissions | null): Permission[] | null {
  return permissions && PERMISSIONS.filter(name => permissions[name])
}

async function changesOf({ accountId }: Pick<User, 'accountId'> = owner): Promise<unknown[]> {
  return (await app.auditRows({ accountId, action: 'entitlements.change' })).map(({ detail }) => detail)
}

describe('what accounts are entitled to', () => {
  it('is worked out for many at once, for each by its own subscription', async () => {
    const [basic, team, none] = [await anOwner(app), await anOwner(app), await anOwner(app)]
    await subscribe(basic)
    await subscribe(team, { price: 'price_yearly' })
    const recorded = await decide([basic, team, none])
    expect(recorded.changed.accountIds.toSorted()).toEqual([basic.accountId, team.accountId].toSorted())
    expect(namesOf((await account(basic)).entitled)).toEqual(BASIC)
    expect(namesOf((await account(team)).entitled)).toEqual(TEAM)
    expect(namesOf((await account(none)).entitled)).toEqual(NOTHING_PAID)
    expect(await account(basic)).toMatchObject({ by: app.app.get(PlansFile).version, until: null })
    expect(await changesOf(none)).toEqual([])
  })

  it('worked out again changes and records nothing', async () => {
    await subscribe(owner)
    expect(await decide([owner])).toEqual(changed(owner))
    const before = await account()
    expect(await decide([owner])).toEqual(changed())
    expect(await account()).toEqual(before)
    expect(await changesOf()).toHaveLength(1)
  })

  it('is nothing new to sessions when something else changes', async () => {
    await subscribe(owner)
    await decide([owner])
    const dueSince = app.clock.now()
    await subscribe(owner, { status: 'past_due', dueSince, lastEntitled: BASIC })
    expect(await decide([owner])).toEqual(changed())
    const { until } = await account()
    expect(new Date(until as string).getTime()).toBe(dueSince.getTime() + GRACE_SECONDS * 1_000)
    expect(await changesOf()).toHaveLength(1)
  })

  it.each<[string, Parameters<typeof subscribe>[1] & object, Permission[] | null]>([
    ['paid', {}, BASIC],
    ['being tried', { status: 'trialing' }, BASIC],
    ['not paid yet', { status: 'incomplete' }, null],
    ['over', { status: 'canceled' }, null],
    ['of a price that is in no plan', { price: 'price_of_long_ago' }, null],
  ])('is remembered for later when the plan is %s', async (_, subscription, remembered) => {
    await subscribe(owner, subscription)
    await decide([owner])
    expect(await lastEntitled()).toEqual(remembered)
  })

  it('is what the plan gives when a payment is due and nothing is remembered', async () => {
    await subscribe(owner, { status: 'past_due', dueSince: app.clock.now() })
    await decide([owner])
    expect(namesOf((await account()).entitled)).toEqual(BASIC)
  })

  describe('by a price that is in no plan', () => {
    const noted: { kind: string; times: number }[] = []
    let hourlyLog: HourlyLog
    let logged: string[]
    beforeEach(() => {
      noted.length = 0
      logged = []
      hourlyLog = Object.assign(new HourlyLog(app.clock), {
        report: (kind: string, times: number, write: (count: number) => void) => {
          noted.push({ kind, times })
          write(times)
        },
      })
      jest.spyOn(Logger.prototype, 'error').mockImplementation(line => void logged.push(line))
    })
    const watched = () =>
      new Entitlements(
        app.app.get(PlansFile),
        app.get(Subscriptions),
        app.get(SessionChanges),
        app.get(AuditLog),
        app.clock,
        hourlyLog,
      )

    it('is kept, and reported once for each price, with how many accounts have it', async () => {
      const accounts: User[] = []
      for (let each = 0; each < 5; each++) accounts.push(await anOwner(app))
      const [first, second, third, other, known] = accounts as [User, User, User, User, User]
      await subscribe(first, { price: 'price_old', lastEntitled: TEAM })
      await subscribe(second, { price: 'price_old' })
      await subscribe(third, { price: 'price_old' })
      await subscribe(other, { price: 'price_older' })
      await subscribe(known)
      await decide(accounts, watched())
      expect(namesOf((await account(first)).entitled)).toEqual(TEAM)
      expect(namesOf((await account(second)).entitled)).toEqual(NOTHING_PAID)
      expect(noted.map(({ kind, times }) => [kind, times]).sort()).toEqual([
        ['price price_old has paid and has nothing', 2],
        ['price price_old keeps what they had', 1],
        ['price price_older has paid and has nothing', 1],
      ])
      expect(logged).toHaveLength(3)
      expect(logged.find(line => line.includes('price_older'))).toContain(
        `account ${other.accountId} has paid and has nothing`,
      )
      expect(logged.find(line => line.includes('keeps'))).toContain(`account ${first.accountId} keeps`)
      expect(logged.find(line => line.includes('others'))).toContain('have paid and have nothing')
    })
  })

  describe('without a plans file', () => {
    const none = PlansFile.read({
      plansFile: null,
      paymentGraceSeconds: 0,
      stripe: { priceIds: ['price_monthly'] },
    })
    const unruled = () =>
      new Entitlements(
        none,
        app.get(Subscriptions),
        app.get(SessionChanges),
        app.get(AuditLog),
        app.clock,
        app.get(HourlyLog),
      )

    it('is everything again for an account that had a limit', async () => {
      await subscribe(owner)
      await decide([owner])
      expect(await decide([owner], unruled())).toEqual(changed(owner))
      expect(await account()).toEqual({ entitled: null, by: null, until: null })
      expect((await changesOf()).at(-1)).toEqual({ state: 'active', plan: 'price_monthly', entitled: null })
    })

    it('is not even looked at for an account that never had one, and no price is unknown', async () => {
      await app.query(
        sql`update accounts set entitled = null, entitled_by = null where id = ${owner.accountId}`,
      )
      await subscribe(owner, { price: 'price_old' })
      const error = jest.spyOn(Logger.prototype, 'error')
      const rows = jest.spyOn(app.get(Subscriptions), 'rows')
      expect(await decide([owner], unruled())).toEqual(NOTHING_RECORDED)
      expect(rows).not.toHaveBeenCalled()
      expect(error).not.toHaveBeenCalled()
    })
  })
})

describe('sessions of an account', () => {
  async function mayOf(...some: readonly NewSession[]): Promise<(Permission[] | null)[]> {
    const found: (Permission[] | null)[] = []
    for (const { session } of some) {
      const touched = await app.get(SessionStore).touch(session.sid, app.clock.now())
      found.push(namesOf(touched?.permissions ?? null))
    }
    return found
  }

  it('have it at once, also those of its members, and no others have', async () => {
    const [one, other] = [await anOwner(app), await anOwner(app)]
    const [member] = await importMembers(app, one, 1, permissionsOf(PERMISSIONS))
    const client = { requestId: 'a', ip: '192.0.2.1', userAgent: null, origin: null }
    const opened: NewSession[] = []
    for (const user of [one, member as User, other]) opened.push(await openSession(app, user, 'main', client))
    expect(await mayOf(...opened)).toEqual([NOTHING_PAID, NOTHING_PAID, NOTHING_PAID])
    for (const user of [one, other]) await subscribe(user, { price: 'price_yearly' })
    await app.get(SessionChanges).commit(transaction => entitlements.decideFor(transaction, [one.accountId]))
    expect(await mayOf(...opened)).toEqual([TEAM, TEAM, NOTHING_PAID])
  })
})

describe('events that wait', () => {
  const events = () => app.get(WaitingEvents)

  async function store(id: string, customer: string, content: object | null = {}): Promise<void> {
    const event =
      content &&
      JSON.stringify({ id, type: 'invoice.paid', created: 1, data: { object: { id: 'in_1', ...content } } })
    await app.query(sql`
      insert into provider_events (id, type, customer_id, event, created_at, received_at)
      values (${id}, 'invoice.paid', ${customer}, ${event}::jsonb, clock_timestamp(), clock_timestamp())`)
  }

  it('of nobody are reported with how many there are', async () => {
    const warnings: string[] = []
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(line => void warnings.push(line))
    const hourlyLog = Object.assign(new HourlyLog(app.clock), {
      report: (_: string, times: number, write: (count: number) => void) => write(times),
    })
    const watched = Object.assign(Object.create(events()), { hourlyLog }) as WaitingEvents
    const customer = `cus_${owner.accountId}`
    const handle = async () => {
      const waiting = await database.run(db => events().of(db, customer))
      await database.transaction(transaction =>
        watched.handle(transaction, waiting, null, 'unknown customer'),
      )
    }
    await store(`evt_a_${owner.accountId}`, customer)
    await handle()
    await store(`evt_b_${owner.accountId}`, customer)
    await store(`evt_c_${owner.accountId}`, customer)
    await handle()
    await handle()
    expect(warnings).toEqual([
      expect.stringMatching(/^Event evt_a_\S+ is about a customer/),
      expect.stringMatching(/^2 events, such as evt_[bc]_\S+, are about a customer/),
    ])
  })
})
