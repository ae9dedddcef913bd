import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { aPlansFile } from '../../http/support/paying.js'
import {
  AuditLog,
  Database,
  type Db,
  Entitlements,
  HourlyLog,
  Logger,
  PERMISSIONS,
  type Permission,
  type Permissions,
  PlansFile,
  permissionsOf,
  rowsOf,
  SessionStore,
  Subscriptions,
  type User,
  UserEntitlements,
  WaitingEvents,
} from '../../sources.js'
import { anOwner, importMembers } from '../../support/people.js'
import { TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'

const NOTHING_PAID: Permission[] = ['payments', 'accountSettings', 'teamManagement']
const BASIC: Permission[] = [...NOTHING_PAID, 'dataEntry']
const TEAM: Permission[] = [...BASIC, 'viewReports']
const GRACE_SECONDS = 1_000
/** Of user-entitlements.ts. */
const USERS_A_PAGE = 500

let app: TestApp
let database: Database
let entitlements: Entitlements
let users: UserEntitlements
let plansFile: Awaited<ReturnType<typeof aPlansFile>>
let owner: User

beforeAll(async () => {
  plansFile = await aPlansFile()
  app = await TestApp.start({
    PLANS_FILE: plansFile.path,
    PAYMENT_GRACE_SECONDS: String(GRACE_SECONDS),
    LOG_LEVEL: 'silent',
  })
  database = app.get(Database)
  entitlements = app.get(Entitlements)
  users = app.get(UserEntitlements)
})
afterAll(async () => {
  await app?.stop()
  await plansFile.remove()
})
beforeEach(async () => {
  owner = await anOwner(app)
})
afterEach(() => void jest.restoreAllMocks())

async function run<Row>(statement: ReturnType<typeof sql>): Promise<Row[]> {
  return rowsOf<Row>(await database.run(db => db.execute(statement)))
}

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
  await run(sql`
    insert into subscriptions (account_id, provider_id, status, price_id, cancel_at_period_end, last_entitled, past_due_since, seen_at)
    values (${accountId}, ${`sub_${accountId}`}, ${status}, ${price}, false, ${last}::jsonb, ${dueSince?.toISOString() ?? null}::timestamptz, now())
    on conflict (account_id) do update set status = excluded.status, price_id = excluded.price_id,
      last_entitled = excluded.last_entitled, past_due_since = excluded.past_due_since`)
}

function decide(
  accounts: readonly Pick<User, 'accountId'>[],
  by = entitlements,
): Promise<ReadonlySet<string>> {
  const ids = accounts.map(({ accountId }) => accountId)
  return database.transaction((transaction: Db) => by.decideFor(transaction, ids))
}

interface AccountRow {
  readonly entitled: Permissions | null
  readonly by: string | null
  readonly until: string | null
  readonly behind: boolean
}

async function account({ accountId }: Pick<User, 'accountId'> = owner): Promise<AccountRow> {
  const [row] = await run<AccountRow>(sql`
    select entitled, entitled_by as by, entitled_until as until, users_behind as behind from accounts where id = ${accountId}`)
  return row as AccountRow
}

async function lastEntitled({ accountId }: Pick<User, 'accountId'> = owner): Promise<Permission[] | null> {
  const [row] = await run<{ last: Permissions | null }>(
    sql`select last_entitled as last from subscriptions where account_id = ${accountId}`,
  )
  return namesOf(row?.last ?? null)
}

/** In the order of PERMISSIONS; null means no limit. */
function namesOf(permissions: Permissions | null): Permission[] | null {
  return permissions && PERMISSIONS.filter(name => permissions[name])
}

async function changesOf({ accountId }: Pick<User, 'accountId'> = owner): Promise<unknown[]> {
  const rows = await app.auditRows()
  return rows
    .filter(row => row.action === 'entitlements.change' && row.accountId === accountId)
    .map(({ detail }) => detail)
}

describe('what accounts are entitled to', () => {
  it('is worked out for many at once, for each by its own subscription', async () => {
    const [basic, team, none] = [await anOwner(app), await anOwner(app), await anOwner(app)]
    await subscribe(basic)
    await subscribe(team, { price: 'price_yearly' })
    const marked = await decide([basic, team, none])
    expect([...marked].sort()).toEqual([basic.accountId, team.accountId].sort())
    expect(namesOf((await account(basic)).entitled)).toEqual(BASIC)
    expect(namesOf((await account(team)).entitled)).toEqual(TEAM)
    expect(namesOf((await account(none)).entitled)).toEqual(NOTHING_PAID)
    expect(await account(basic)).toMatchObject({
      by: app.app.get(PlansFile).version,
      until: null,
      behind: true,
    })
    expect((await account(none)).behind).toBe(false)
    expect(await changesOf(none)).toEqual([])
  })

  it('worked out again changes and records nothing, but says whose users still wait', async () => {
    await subscribe(owner)
    expect((await decide([owner])).has(owner.accountId)).toBe(true)
    const before = await account()
    expect((await decide([owner])).has(owner.accountId)).toBe(true)
    expect(await account()).toEqual(before)
    expect(await changesOf()).toHaveLength(1)
    await run(sql`update accounts set users_behind = false where id = ${owner.accountId}`)
    expect((await decide([owner])).size).toBe(0)
    expect((await account()).behind).toBe(false)
  })

  it('keeps an account marked whose users were not done, when something else changes', async () => {
    await subscribe(owner)
    await decide([owner])
    const dueSince = app.clock.now()
    await subscribe(owner, { status: 'past_due', dueSince, lastEntitled: BASIC })
    await decide([owner])
    const { behind, until } = await account()
    expect(behind).toBe(true)
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
      new Entitlements(none, app.get(Subscriptions), app.get(AuditLog), app.clock, app.get(HourlyLog))

    it('is everything again for an account that had a limit', async () => {
      await subscribe(owner)
      await decide([owner])
      await run(sql`update accounts set users_behind = false where id = ${owner.accountId}`)
      expect(await decide([owner], unruled())).toEqual(new Set([owner.accountId]))
      expect(await account()).toEqual({ entitled: null, by: null, until: null, behind: true })
      expect((await changesOf()).at(-1)).toEqual({ state: 'active', plan: 'price_monthly', entitled: null })
    })

    it('is not even looked at for an account that never had one, and no price is unknown', async () => {
      await run(sql`update accounts set entitled = null, entitled_by = null where id = ${owner.accountId}`)
      await subscribe(owner, { price: 'price_old' })
      const error = jest.spyOn(Logger.prototype, 'error')
      const rows = jest.spyOn(app.get(Subscriptions), 'rows')
      expect(await decide([owner], unruled())).toEqual(new Set())
      expect(rows).not.toHaveBeenCalled()
      expect(error).not.toHaveBeenCalled()
      await run(sql`update accounts set users_behind = true where id = ${owner.accountId}`)
      expect(await decide([owner], unruled())).toEqual(new Set([owner.accountId]))
    })
  })
})

describe('users of an account', () => {
  const behindOf = async ({ accountId }: Pick<User, 'accountId'>) => {
    const [row] = await run<{ count: number }>(sql`
      select count(*)::int as count from users u join accounts a on a.id = u.account_id
      where a.id = ${accountId} and u.entitled is distinct from a.entitled`)
    return row?.count
  }

  async function decided(members = 0): Promise<User> {
    const user = await anOwner(app)
    await importMembers(app, user, members)
    await subscribe(user)
    await decide([user])
    return user
  }

  slow('have it page by page, and the account is marked until the last has it', async () => {
    const large = await decided(USERS_A_PAGE)
    await users.applyToUsers(large.accountId, 1)
    expect([await behindOf(large), (await account(large)).behind]).toEqual([1, true])
    await users.applyToUsers(large.accountId, 1)
    expect([await behindOf(large), (await account(large)).behind]).toEqual([0, false])
  })

  it('of one account, and of no other', async () => {
    const [one, other] = [await decided(), await decided()]
    await users.applyToUsers(one.accountId)
    expect([await behindOf(one), await behindOf(other)]).toEqual([0, 1])
    await users.applyToAll()
    expect([await behindOf(other), (await account(other)).behind]).toEqual([0, false])
  })

  it('have it although the session store does not answer, which is only worth a warning', async () => {
    const user = await decided()
    const warnings: string[] = []
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(line => void warnings.push(line))
    jest.spyOn(app.get(SessionStore), 'apply').mockRejectedValue(new Error('not now'))
    await users.applyToUsers(user.accountId)
    expect([await behindOf(user), (await account(user)).behind]).toEqual([0, false])
    expect(warnings).toEqual([expect.stringContaining('not now')])
  })
})

describe('events that wait', () => {
  const events = () => app.get(WaitingEvents)

  async function store(id: string, customer: string, content: object | null = {}): Promise<void> {
    const event =
      content &&
      JSON.stringify({ id, type: 'invoice.paid', created: 1, data: { object: { id: 'in_1', ...content } } })
    await run(sql`
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
