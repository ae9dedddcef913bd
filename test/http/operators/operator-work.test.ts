import { beforeAll, describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  accounts,
  canonicalEmail,
  type Email,
  handlersOf,
  type LimitedKind,
  RateLimiter,
  searchFrom,
  type User,
  UserAdministration,
  Users,
  users,
} from '../../sources.js'
import { giveAuthenticator } from '../../support/authenticator.js'
import { aMember, anOwner, importMembers, PASSWORD, signIn } from '../../support/people.js'
import { createDatabase } from '../../support/postgres/postgres-server.js'
import { runInProcess } from '../../support/processes/run-in-process.js'
import { aSatellite } from '../../support/satellites.js'
import { anApp, MAIN, type TestApp } from '../../support/test-app.js'
import { slow, slowOnServers } from '../../support/tiers.js'
import { bearer, outcome, refreshByCookie } from '../support/api-calls.js'
import { readBy } from '../support/read-by.js'
import { provenSession } from '../support/reauthenticate.js'
import { anOrigin, satellitesOf } from '../support/satellite-calls.js'
import { aSubscriber } from '../support/subscriber.js'
import { team } from '../support/team-calls.js'
import { ConsoleUser, startWithConsole, withConsole } from './console-calls.js'

const REASON = 'asked for by phone, ticket 4711'

describe('operator console: people', () => {
  const app = anApp(withConsole())
  let operator: ConsoleUser

  /** Tests let hours pass. */
  const fresh = async () => {
    app.clock.advance(60)
    operator = await ConsoleUser.loggedIn(app)
  }

  it('takes no reason that would read as another one, or as none (S13)', async () => {
    await fresh()
    const owner = await anOwner(app)
    const misread = ['\u202e', '\u2066', '\u200f', '\u061c'].map(mark => `${REASON}${mark}txt`)
    for (const reason of [...misread, '\u200b'.repeat(20)]) {
      const answer = await operator.post(`users/${owner.id}/disable`, { reason })
      expect(outcome(answer)).toBe('400 INVALID_BODY')
    }
  })

  it('disables a user, ends their sessions and lets them in again, each with its reason in their account’s log', async () => {
    await fresh()
    const owner = await anOwner(app)
    const { sessionId } = await signIn(app, owner, 'main')
    const disabled = await operator.post(`users/${owner.id}/disable`, { reason: REASON })
    expect([disabled.status, disabled.json]).toEqual([200, { ended: 1 }])
    expect((await refreshByCookie(app, sessionId)).status).toBe(401)
    const enabled = await operator.post(`users/${owner.id}/enable`, { reason: `  ${REASON}\n` })
    expect(enabled.status).toBe(204)
    const { accessToken, ...session } = await signIn(app, owner, 'main')
    const log = await app.request({
      path: '/api/audit',
      headers: { Origin: MAIN, Cookie: `sessionId=${session.sessionId}`, ...bearer(accessToken) },
    })
    const rows = log.json.entries.filter(({ action }: { action: string }) => action.startsWith('user.'))
    expect(rows).toMatchObject([
      { action: 'user.enable', ip: null, detail: { operator: operator.id, reason: REASON } },
      { action: 'user.disable', ip: null, detail: { operator: operator.id, reason: REASON } },
    ])
    expect(JSON.stringify(log.json)).not.toContain(operator.email)
  })

  it('whom an operator has disabled, only an operator can enable', async () => {
    await fresh()
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const { accessToken, sessionId } = await provenSession(app, owner)
    const byManager = (what: string) =>
      app.post(`/api/team/${member.id}/${what}`, undefined, {
        Origin: MAIN,
        Cookie: `sessionId=${sessionId}`,
        ...bearer(accessToken),
      })
    expect((await byManager('disable')).status).toBe(204)
    expect((await operator.post(`users/${member.id}/disable`)).status).toBe(200)
    expect((await byManager('disable')).status).toBe(204)
    const refused = await byManager('enable')
    expect([refused.status, refused.json.code]).toEqual([403, 'DISABLED_BY_OPERATOR'])
    // Or they would be invited again.
    const headers = { Origin: MAIN, Cookie: `sessionId=${sessionId}`, ...bearer(accessToken) }
    const removal = await app.request({ method: 'DELETE', path: `/api/team/${member.id}`, headers })
    expect([removal.status, removal.json.code]).toEqual([403, 'DISABLED_BY_OPERATOR'])
    expect((await operator.post(`users/${member.id}/enable`)).status).toBe(204)
    await signIn(app, member, 'main')
    for (const what of ['disable', 'enable']) expect((await byManager(what)).status).toBe(204)
  })

  it.each<[string, string, number]>([
    ['read', 'GET', 600],
    ['change', 'POST', 120],
  ])('is limited by the hour, so that a stolen login does less harm: a %s', async (what, method, max) => {
    await fresh()
    const stolen = await ConsoleUser.loggedIn(app)
    const member = await aMember(app, await anOwner(app))
    const path = `users/${member.id}`
    const take = async (by: ConsoleUser) =>
      outcome(await (method === 'GET' ? by.get(path) : by.post(`${path}/sessions/end`)))
    const kind = `operator ${what}` as LimitedKind
    const client = { requestId: 'r', ip: '127.0.0.1', userAgent: null, origin: null }
    const actor = { operator: { id: stolen.id, reason: null } }
    for (let count = 1; count < max; count++)
      await app.get(RateLimiter).count({ kind, subject: stolen.id, client, actor })
    expect(await take(stolen)).toBe('200')
    expect(await take(stolen)).toBe('429 TOO_MANY_ATTEMPTS')
    // Neither what others do, nor the state of the service, nor the way out.
    expect(await take(operator)).toBe('200')
    expect(outcome(await stolen.get('health'))).toBe('200')
    expect(outcome(await stolen.post('logout', {}))).toBe('204')
  })

  it('ends one session, and not one that is somebody else’s', async () => {
    await fresh()
    const owner = await anOwner(app)
    const one = await signIn(app, owner, 'main')
    const other = await signIn(app, owner, 'satellite')
    const { json } = await operator.get(`users/${owner.id}`)
    const main = json.sites.find(({ kind }: { kind: string }) => kind === 'main')
    const [{ sid }] = main.sessions
    const elsewhere = await operator.post(`users/${(await anOwner(app)).id}/sessions/${sid}/end`)
    expect(elsewhere.status).toBe(404)
    expect((await operator.post(`users/${owner.id}/sessions/${sid}/end`)).status).toBe(204)
    expect((await refreshByCookie(app, one.sessionId)).status).toBe(401)
    const all = await operator.post(`users/${owner.id}/sessions/end`)
    expect(all.json).toEqual({ ended: 1 })
    expect((await refreshByCookie(app, other.sessionId)).status).toBe(401)
    const ends = await app.auditRows({ userId: owner.id, action: 'session.revoke' })
    const byOperator = { operator: operator.id, reason: 'asked for by phone' }
    expect(ends.map(({ detail }) => detail)).toMatchObject([byOperator, byOperator])
  })
})

describe('operator console: reasons', () => {
  const app = anApp(withConsole())
  let operator: ConsoleUser
  let owner: User
  beforeAll(async () => {
    operator = await ConsoleUser.loggedIn(app)
    owner = await anOwner(app)
  })

  it.each([[{}], [{ reason: '' }], [{ reason: '  a ' }], [{ reason: 'x'.repeat(301) }], [{ reason: 7 }]])(
    'no change is made for %j',
    async body => {
      const changes = handlersOf(app.app).filter(
        ({ name, method }) =>
          method === 'POST' &&
          /^(Person|OperatorSatellites|OperatorEvents|OperatorMails)Controller/.test(name),
      )
      expect(changes).toHaveLength(10)
      for (const { path } of changes) {
        const answer = await operator.post(path.replace('/api/operator/', '').replace(':id', owner.id), body)
        expect([path, answer.json?.code]).toEqual([path, 'INVALID_BODY'])
      }
      expect(await app.get(Users).find(owner.id)).toMatchObject({ disabledAt: null })
    },
  )
})

describe('operator console: looks', () => {
  const app = anApp(withConsole())
  let operator: ConsoleUser
  beforeAll(async () => {
    operator = await ConsoleUser.loggedIn(app)
  })

  it('finds by the beginning of an address or a name, by a satellite, a customer or an id', async () => {
    const { owner, customerId } = await aSubscriber(app)
    const member = await aMember(app, owner)
    const name = `Rosa % & Co ${owner.id}`
    await app.database.run(db => db.update(accounts).set({ name }).where(eq(accounts.id, owner.accountId)))
    const { origin } = await aSatellite(app, owner, anOrigin())
    for (const text of [name.toUpperCase().slice(0, 30), origin, customerId, owner.accountId])
      expect([text, (await search(text)).accounts]).toEqual([
        text,
        [expect.objectContaining({ id: owner.accountId, owner: owner.email })],
      ])
    for (const text of [member.email.slice(0, 20).toUpperCase(), member.id])
      expect((await search(text)).users).toMatchObject([{ id: member.id, accountId: owner.accountId }])
  })

  it('finds any part of an address or a name, beginnings first, and takes every character as it is', async () => {
    const owner = await anOwner(app)
    const [one, other] = [await aMember(app, owner), await aMember(app, owner)]
    const database = app.database
    const name = 'Yuki 100%_\\ Tanaka'
    await database.run(db => db.update(accounts).set({ name }).where(eq(accounts.id, owner.accountId)))
    await database.run(db => db.update(users).set({ name }).where(eq(users.id, one.id)))
    const email = `tanaka-${other.email}` as Email
    await database.run(db => db.update(users).set({ email }).where(eq(users.id, other.id)))
    expect(await search('TANAKA')).toMatchObject({
      accounts: [{ id: owner.accountId }],
      users: [{ id: other.id }, { id: one.id }],
      next: null,
    })
    expect((await search(one.email.slice(8, 30))).users).toMatchObject([{ id: one.id }])
    for (const text of ['100%_\\', '%_', '_\\'])
      expect(await search(text)).toMatchObject({
        accounts: [{ id: owner.accountId }],
        users: [{ id: one.id }],
      })
    for (const text of ['%%', 'Yuki _00', 'Yuki%', '\\%'])
      expect(await search(text)).toEqual({ accounts: [], users: [], next: null })
  })

  it('reads a part of the tables in each step of a search, and everything in all of them', async () => {
    const owner = await anOwner(app)
    const members = await importMembers(app, owner, 100)
    const sought = members.at(-1) as User
    const database = app.database
    const found: string[] = []
    let steps = 0
    for (let from: number | null = 0; from !== null; steps++) {
      const block: number = from
      let next: number | null = null
      const read = await readBy(
        database,
        async db => {
          const step = await searchFrom(db, sought.email.slice(3), block, 1)
          found.push(...step.users.map(({ id }) => id))
          next = step.next
        },
        'users',
      )
      expect(read.rows).toBeLessThan(100)
      from = next
    }
    expect(steps).toBeGreaterThan(2)
    expect(found).toEqual([sought.id])
    const answers = await Promise.all(
      ['0', 'x', 'MA'].map(after => operator.get(`search?q=ab&after=${after}`)),
    )
    expect(answers.map(outcome)).toEqual(Array(3).fill('400 INVALID_QUERY'))
  })

  it('refuses text that no database accepts', async () => {
    const owner = await anOwner(app)
    const reason = 'because\u0000'
    const answers = [
      await operator.get('search?q=ab%00'),
      await operator.post(`users/${owner.id}/disable`, { reason }),
      await operator.post('passkeys/remove', { credentialId: 'a\u0000' }),
    ]
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
  })

  it('records every search and every look with who looked', async () => {
    const owner = await anOwner(app)
    await search(owner.email)
    await operator.get(`users/${owner.id}`)
    await operator.get(`accounts/${owner.accountId}`)
    const rows = (await app.auditRows()).slice(-4)
    expect(rows).toMatchObject([
      { action: 'operator.search', accountId: null, detail: { text: owner.email, operator: operator.id } },
      { action: 'operator.list', accountId: null, detail: { users: [owner.id], operator: operator.id } },
      {
        action: 'operator.view',
        userId: owner.id,
        accountId: owner.accountId,
        detail: { operator: operator.id },
      },
      {
        action: 'operator.view',
        userId: null,
        accountId: owner.accountId,
        detail: { operator: operator.id },
      },
    ])
  })

  it('shows no secret of a person', async () => {
    const owner = await anOwner(app)
    const { secret } = await giveAuthenticator(app, owner)
    await signIn(app, await anOwner(app), 'main')
    const { text, json } = await operator.get(`users/${owner.id}`)
    expect(json).toMatchObject({ email: owner.email, hasSecondFactor: true, hasPassword: true })
    const { passwordHash } = (await app.get(Users).find(owner.id)) as User
    for (const hidden of [secret, passwordHash as string]) expect(text).not.toContain(hidden)
  })

  slow('an account has its members page by page', async () => {
    const owner = await anOwner(app)
    for (let count = 0; count < 60; count++) await aMember(app, owner)
    const first = (await operator.get(`accounts/${owner.accountId}`)).json
    expect([first.members.length, first.hasMore]).toEqual([50, true])
    const after = first.members.at(-1).id
    const second = (await operator.get(`accounts/${owner.accountId}?after=${after}`)).json
    expect([second.members.length, second.hasMore]).toEqual([11, false])
  })

  it('an account says who owns it, and its log who did what, wherever they are among its members (P8)', async () => {
    const founder = await anOwner(app)
    const members = await importMembers(app, founder, 60)
    // Of one moment, so they are listed by their ids.
    const owner = members.toSorted((one, other) => (one.id < other.id ? -1 : 1)).at(-1) as User
    await app.database.transaction(async transaction => {
      await app.get(Users).setRole(transaction, founder.id, 'member')
      await app.get(Users).setRole(transaction, owner.id, 'owner')
    })
    await signIn(app, founder, 'main')
    expect((await operator.post(`users/${owner.id}/disable`, { reason: REASON })).status).toBe(200)
    const member = await aMember(app, founder)
    const { json } = await operator.get(`accounts/${founder.accountId}`)
    expect(json.owner).toEqual({ id: owner.id, email: owner.email })
    expect(json.members.map(({ id }: User) => id)).not.toContain(owner.id)
    expect(json.people).toMatchObject({
      [founder.id]: founder.email,
      [owner.id]: owner.email,
      [member.id]: member.email,
    })
    expect((await operator.get(`users/${owner.id}`)).json.people).toEqual({ [owner.id]: owner.email })
  })

  it.each(['users', 'accounts'])('answers 404 for %s that do not exist', async kind => {
    const id = '11111111-1111-4111-8111-111111111111'
    expect((await operator.get(`${kind}/${id}`)).json).toMatchObject({ code: 'NOT_FOUND' })
    expect((await operator.get(`${kind}/nobody`)).json).toMatchObject({ code: 'NOT_FOUND' })
  })

  async function search(text: string) {
    const answer = await operator.get(`search?${new URLSearchParams({ q: text })}`)
    expect(answer.status).toBe(200)
    return answer.json
  }
})

describe('operator console: satellites, payments, health', () => {
  const app = anApp(withConsole())
  let operator: ConsoleUser
  beforeAll(async () => {
    operator = await ConsoleUser.loggedIn(app)
  })

  it('what an operator suspends, its account cannot resume; the operator can', async () => {
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'main')
    const { id } = await aSatellite(app, owner, anOrigin())
    expect((await operator.post(`satellites/${id}/suspend`, { reason: REASON })).status).toBe(204)
    const { json } = await operator.get('satellites?state=suspended')
    expect(json.satellites).toMatchObject([{ id, suspendedBy: 'operator' }])
    const tried = await satellitesOf(app, session, 'POST', `/${id}/verify`)
    expect(tried.status).toBeGreaterThanOrEqual(400)
    expect((await operator.post(`satellites/${id}/resume`, { reason: REASON })).status).toBe(204)
    expect((await operator.get('satellites?state=active')).json.satellites).toMatchObject([{ id }])
    expect((await app.auditRows()).slice(-1)).toMatchObject([
      {
        action: 'satellite.resume',
        accountId: owner.accountId,
        detail: { operator: operator.id, reason: REASON },
      },
    ])
  })

  it('an event is handled again, and says in the account’s log why', async () => {
    const { owner } = await aSubscriber(app)
    const { events } = (await operator.get('events?state=handled')).json
    const event = events.find(({ accountId }: { accountId: string }) => accountId === owner.accountId)
    expect((await operator.post(`events/${event.id}/replay`, { reason: REASON })).status).toBe(202)
    await app.paymentsSettled()
    expect((await operator.get('events')).json.events).toEqual([])
    expect(await app.auditRows({ action: 'billing.replay' })).toMatchObject([
      { accountId: owner.accountId, detail: { event: event.id, operator: operator.id, reason: REASON } },
    ])
    for (const id of ['evt_unknown', 'evt%00'])
      expect((await operator.post(`events/${id}/replay`, { reason: REASON })).status).toBe(404)
  })

  it('shows which parts are up, and what waits', async () => {
    expect((await operator.get('health')).json).toMatchObject({
      status: 'ok',
      parts: { database: { state: 'up' }, sessionStore: { state: 'up' } },
      billing: { waitingEvents: 0, customersParked: 0 },
    })
  })
})

describe('the command line', () => {
  const app = anApp(withConsole())

  const mainstay = (...args: string[]) =>
    runInProcess(args, { NODE_ENV: 'test', DATA_DIR: app.settings.dataDir, ...app.stores })

  slow('adds an operator with all they need, lists and disables them', async () => {
    const added = await mainstay('operator:add', 'Op@Example.com')
    expect(added.output).toMatch(/Password: \S{24}/)
    expect(added.output).toMatch(/otpauth:\/\/totp\/.*secret=[A-Z2-7]{32}/)
    expect((await mainstay('operator:add', 'op@example.com')).code).toBe(1)
    expect((await mainstay('operator:list')).output).toMatch(/op@example\.com\n1 operator\n/)
    expect((await mainstay('operator:disable', 'op@example.com')).code).toBe(0)
    expect((await mainstay('operator:disable', 'op@example.com')).code).toBe(1)
    expect((await mainstay('operator:list')).output).toMatch(/op@example\.com {2}disabled/)
  })

  slowOnServers('keeps the reason of a change', async () => {
    const owner = await anOwner(app)
    await mainstay('user:disable', owner.email, '--reason', REASON)
    expect((await app.auditRows()).slice(-1)).toMatchObject([
      { action: 'user.disable', userId: owner.id, detail: { operator: 'command line', reason: REASON } },
    ])
  })

  slowOnServers('seals the secrets of operators anew', async () => {
    const operator = await ConsoleUser.loggedIn(app)
    const { output } = await mainstay('secrets:reseal')
    expect(output).toMatch(/encrypted anew: 0/)
    expect((await operator.get('me')).status).toBe(200)
  })
})

describe('names of accounts and users', () => {
  it('are found in any case, and have the same order here as anywhere (W11)', async () => {
    const app = await startWithConsole()
    try {
      await expectToIgnoreCase(app)
      await expectToSort(app)
    } finally {
      await app.stop()
    }
  })

  slowOnServers('are so in a Turkish database too (W11)', async () => {
    const database = await createDatabase({ isEmpty: true, icuLocale: 'tr-TR' })
    const app = await startWithConsole({ DATABASE_URL: database.url })
    try {
      await expectToIgnoreCase(app)
      await expectToSort(app)
    } finally {
      await app.stop()
      await database.drop()
    }
  })

  /** A customer's search of their team, and the operators' of accounts. */
  async function expectToIgnoreCase(app: TestApp): Promise<void> {
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'main')
    const operator = await ConsoleUser.loggedIn(app)
    const database = app.database
    const { id } = await aMember(app, owner)
    for (const [name, ...texts] of NAMES_SEARCHED_FOR) {
      await database.run(db => db.update(users).set({ name }).where(eq(users.id, id)))
      await database.run(db => db.update(accounts).set({ name }).where(eq(accounts.id, owner.accountId)))
      for (const text of texts) {
        const q = new URLSearchParams({ q: text })
        const { json: found } = await team(app, session, 'GET', `?${q}`)
        expect([name, text, found.users]).toMatchObject([name, text, [{ userId: id }]])
        const { json: byOperator } = await operator.get(`search?${q}`)
        expect([name, text, byOperator.accounts]).toMatchObject([name, text, [{ id: owner.accountId }]])
        expect([name, text, byOperator.users]).toMatchObject([name, text, [{ id }]])
      }
      const { json: others } = await team(app, session, 'GET', `?${new URLSearchParams({ q: `${name}x` })}`)
      expect([name, others.users]).toEqual([name, []])
    }
    const { json: byEmail } = await team(app, session, 'GET', `?q=${owner.email.toUpperCase()}`)
    expect(byEmail.users).toMatchObject([{ userId: owner.id }])
  }

  /** An order by bytes alone would begin with capitals, and a Turkish one has "ı" and "ö" in the middle. */
  async function expectToSort(app: TestApp): Promise<void> {
    const operator = await ConsoleUser.loggedIn(app)
    const sorted = ['Shop A', 'shop b', 'Shop I', 'shop p', 'Shop Z', 'shop ö', 'shop ı']
    for (const name of sorted.toReversed()) {
      const { accountId } = await anOwner(app)
      await app.database.run(db => db.update(accounts).set({ name }).where(eq(accounts.id, accountId)))
    }
    const { json } = await operator.get('search?q=shop')
    expect(json.accounts.map(({ name }: { name: string }) => name)).toEqual(sorted)

    const emails = ['order1@example.com', 'order_a@example.com', 'orderb@example.com'].map(
      email => canonicalEmail(email) as Email,
    )
    for (const email of emails.toReversed()) await app.get(UserAdministration).createAccount(email, PASSWORD)
    const { json: found } = await operator.get('search?q=order')
    expect(found.users.map(({ email }: { email: string }) => email)).toEqual(emails)
  }
})

/** Each with texts that find it. */
const NAMES_SEARCHED_FOR = [
  ['Ümit', 'ümit', 'ÜMIT', 'Üm', 'MIT'],
  ['ÉLODIE', 'élodie', 'Élodie', 'lodi'],
  ['mikael', 'MIKAEL', 'mi'],
  ['MIKAEL', 'mikael', 'Mik'],
  ['Straße 5', 'straße', 'STRAßE', 'AßE'],
  ['ΝΙΚΟΣ', 'Νικος', 'νικοσ'],
  ['A.B* (C) [D]^{2}|$\\', 'a.b* (c) [d]^{2}|$\\', 'A.B*'],
] as const
