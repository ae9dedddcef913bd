import { randomUUID } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  knownDevices,
  OneTimeTokens,
  type Permission,
  type Permissions,
  permissionsOf,
  type User,
  Users,
  users as usersTable,
} from '../../sources.js'
import { aMember, anOwner, importMembers, type SignedIn, signIn } from '../../support/people.js'
import { aSatellite, setSatelliteState } from '../../support/satellites.js'
import { anApp, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, cookie, outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { reauthenticate, STEP_UP_CHALLENGE, staleSession } from '../support/reauthenticate.js'
import { aManager, aMemberWith, closeTo, signInFreshly, team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'

type Row = { readonly userId: string; readonly lastLoginAt: string | null }

const NOT_FOUND = '404 NOT_FOUND'
const ENDED = '401 SESSION_NOT_FOUND'
const OWN_RIGHTS = '403 OWN_RIGHTS'
const LAST_OWNER = '409 LAST_OWNER'

describe('the team', () => {
  const app = anApp()

  async function anAccount() {
    const owner = await anOwner(app)
    return { owner, session: await signIn(app, owner, 'main') }
  }

  function grant(manager: SignedIn, userId: string, ...permissions: Permission[]) {
    return team(app, manager, 'PUT', `/${userId}/permissions`, permissionsOf(permissions))
  }

  function limit(manager: SignedIn, userId: string, satellites: string[] | null) {
    return team(app, manager, 'PUT', `/${userId}/satellites`, { satellites })
  }

  async function rowsOf(userId: string, action: string) {
    return app.auditRows({ userId, action })
  }

  describe('who may ask', () => {
    it('admits a manager on the main site, whose permission is read from the store', async () => {
      const { owner, session } = await anAccount()
      const manager = await aManager(app, owner)
      expect(outcome(await team(app, manager.session, 'GET'))).toBe('200')
      expect(outcome(await grant(session, manager.user.id, 'dataEntry'))).toBe('204')
      expect(outcome(await team(app, manager.session, 'GET'))).toBe('403 PERMISSION_REQUIRED')
    })

    it('refuses a member without teamManagement, a satellite and a request without the cookie', async () => {
      const { owner, session } = await anAccount()
      const plain = await signIn(app, await aMember(app, owner), 'main')
      const satellite = await signIn(app, owner, 'satellite')
      const asked = (headers: Record<string, string>) => app.request({ path: '/api/team', headers })
      expect(outcome(await team(app, plain, 'GET'))).toBe('403 PERMISSION_REQUIRED')
      expect(outcome(await asked({ Origin: SHOP_ONE, ...bearer(satellite.accessToken) }))).toBe(
        '403 SESSION_COOKIE_REQUIRED',
      )
      expect(outcome(await asked(bearer(session.accessToken)))).toBe('403 SESSION_COOKIE_REQUIRED')
      expect(outcome(await asked({ ...bearer(plain.accessToken), ...cookie(session.sessionId) }))).toBe(
        '403 SESSION_MISMATCH',
      )
    })
  })

  it('lists everybody in the account and nobody else', async () => {
    const { owner, session } = await anAccount()
    const member = await aMember(app, owner)
    await aMember(app, await anOwner(app))
    await limit(session, member.id, [SHOP_ONE])
    const { status, json } = await team(app, session, 'GET')
    expect([status, json.next, json.total]).toEqual([200, null, 2])
    expect(json.users).toEqual(
      expect.arrayContaining([
        {
          userId: owner.id,
          email: owner.email,
          name: null,
          role: 'owner',
          permissions: owner.granted,
          satellites: null,
          isDisabled: false,
          hasSecondFactor: false,
          mustEnrol: false,
          factorResetAt: null,
          lastLoginAt: expect.any(String),
          createdAt: owner.createdAt.toISOString(),
        },
        expect.objectContaining({ userId: member.id, role: 'member', satellites: [SHOP_ONE] }),
      ]),
    )
    expect(json.users).toHaveLength(2)
    for (const user of json.users)
      expect(await team(app, session, 'GET', `/${user.userId}`)).toMatchObject({ status: 200, json: user })
  })

  it('says when each user last logged in, and null for those who never have', async () => {
    const { owner, session } = await anAccount()
    const member = await aMember(app, owner)
    const lastLogins = async () => {
      const { users } = (await team(app, session, 'GET')).json
      return Object.fromEntries(users.map((user: Row) => [user.userId, user.lastLoginAt]))
    }
    expect((await lastLogins())[member.id]).toBeNull()
    app.clock.advance(60)
    await signIn(app, member, 'satellite')
    const { [owner.id]: ofOwner, [member.id]: ofMember } = await lastLogins()
    expect(Date.parse(ofMember)).toBeLessThanOrEqual(app.clock.now().getTime())
    expect(Date.parse(ofMember) - Date.parse(ofOwner)).toBeGreaterThanOrEqual(60_000)
  })

  describe('a search', () => {
    const emailsFound = async (session: SignedIn, q: string) => {
      const { status, json } = await team(app, session, 'GET', `?q=${encodeURIComponent(q)}`)
      expect(status).toBe(200)
      return json.users.map(({ email }: { email: string }) => email)
    }

    it('finds by a part of the name or address in any case, in the own account alone', async () => {
      const { owner, session } = await anAccount()
      const rosa = await aMember(app, owner)
      const other = await aMember(app, await anOwner(app))
      for (const { id } of [rosa, other])
        await app.database.transaction(transaction =>
          app.get(Users).setName(transaction, id, 'Rosa Ångström'),
        )
      for (const q of [
        'rosa',
        'SA ÅNG',
        ' ström ',
        rosa.email.toUpperCase(),
        rosa.email.split('@')[0] as string,
      ])
        expect([q, await emailsFound(session, q)]).toEqual([q, [rosa.email]])
      expect(await emailsFound(session, owner.email)).toEqual([owner.email])
      expect(await emailsFound(session, other.email)).toEqual([])
    })

    it('has no wildcards, and its pages go on', async () => {
      const { owner, session } = await anAccount()
      await importMembers(app, owner, 12)
      for (const q of ['%', '_', '%@%', '\\', "' or true --"])
        expect(await emailsFound(session, q)).toEqual([])
      const first = await team(app, session, 'GET', '?q=@&limit=10')
      const second = await team(app, session, 'GET', `?q=@&limit=10&after=${first.json.next}`)
      expect([first.json.users.length, second.json.users.length, second.json.next]).toEqual([10, 3, null])
    })

    it('takes one line of 1 to 100 characters', async () => {
      const { session } = await anAccount()
      for (const q of ['', '%20', '%00', 'a%0Ab', 'x'.repeat(101), 'a&q=b'])
        expect([q, outcome(await team(app, session, 'GET', `?q=${q}`))]).toEqual([q, '400 INVALID_QUERY'])
    })
  })

  describe('sorted', () => {
    /** In the order in which they joined. */
    async function aTeam() {
      const { owner, session } = await anAccount()
      const members: Record<string, string> = {}
      for (const name of ['émile', 'berta', 'Anna', 'Frida']) {
        app.clock.advance(60)
        const member = await aMember(app, owner)
        members[member.id] = name
        await app.database.transaction(transaction => app.get(Users).setName(transaction, member.id, name))
      }
      const nameOf = ({ userId }: Row) => (userId === owner.id ? 'owner' : members[userId])
      const idOf = (name: string) => Object.keys(members).find(id => members[id] === name) as string
      const logIn = async (name: string) => {
        app.clock.advance(60)
        await signIn(app, (await app.get(Users).find(idOf(name))) as User, 'satellite')
      }
      return { owner, session, nameOf, idOf, logIn }
    }

    it.each([
      ['', ['owner', 'émile', 'berta', 'Anna', 'Frida']],
      ['joined', ['owner', 'émile', 'berta', 'Anna', 'Frida']],
      ['-joined', ['owner', 'Frida', 'Anna', 'berta', 'émile']],
      ['name', ['owner', 'Anna', 'berta', 'émile', 'Frida']],
      ['-name', ['owner', 'Frida', 'émile', 'berta', 'Anna']],
      ['lastLogin', ['owner', 'never', 'never', 'Frida', 'berta']],
      ['-lastLogin', ['owner', 'berta', 'Frida', 'never', 'never']],
    ])('by "%s", the owner first: a page goes on where the one before it ended', async (sort, expected) => {
      const { session, nameOf, logIn } = await aTeam()
      await logIn('Frida')
      await logIn('berta')
      for (const limit of [1, 2, 5]) {
        const seen: Row[] = []
        for (let next: string | null = ''; next !== null; ) {
          const query = new URLSearchParams({ ...(sort && { sort }), ...(next && { after: next }) })
          const { json } = await team(app, session, 'GET', `?limit=${limit}&${query}`)
          expect(json.total).toBe(5)
          seen.push(...json.users)
          next = json.next
        }
        const isUnknown = (user: Row) => expected.includes('never') && user.lastLoginAt === null
        expect(seen.map(user => (isUnknown(user) ? 'never' : nameOf(user)))).toEqual(expected)
      }
    })

    it('by name, whoever has none is found by their address', async () => {
      const { owner, session } = await anAccount()
      const [one, other] = await importMembers(app, owner, 2)
      const named = await aMember(app, owner)
      await app.database.transaction(transaction => app.get(Users).setName(transaction, named.id, 'Zoe'))
      const { json } = await team(app, session, 'GET', '?sort=name')
      const addresses = [one, other].map(user => user?.email).sort()
      expect(json.users.map((user: { email: string }) => user.email)).toEqual([
        owner.email,
        ...addresses,
        named.email,
      ])
    })

    it('refuses an unknown order, and the cursor of another one', async () => {
      const { owner, session } = await anAccount()
      await importMembers(app, owner, 3)
      const orders = ['joined', '-joined', 'name', '-name', 'lastLogin', '-lastLogin']
      for (const sort of ['', 'Name', '--name', 'email', 'toString', 'name&sort=name'])
        expect([sort, outcome(await team(app, session, 'GET', `?sort=${sort}`))]).toEqual([
          sort,
          '400 INVALID_QUERY',
        ])
      for (const limit of [1, 2])
        for (const sort of orders) {
          const { json } = await team(app, session, 'GET', `?limit=${limit}&sort=${sort}`)
          const answers = await Promise.all(
            orders.map(other => team(app, session, 'GET', `?sort=${other}&after=${json.next}`)),
          )
          expect(answers.map(outcome)).toEqual(
            orders.map(other => (other === sort ? '200' : '400 INVALID_QUERY')),
          )
        }
    })
  })

  it.each([
    ['role=owner', ['owner']],
    ['role=member', ['manager', 'plain', 'disabled']],
    ['permission=teamManagement', ['owner', 'manager']],
    ['permission=teamManagement&role=member', ['manager']],
    ['hasSecondFactor=false', ['owner', 'manager', 'disabled']],
    ['hasSecondFactor=true', ['plain']],
    ['isDisabled=true', ['disabled']],
    ['isDisabled=false&hasSecondFactor=false&role=member', ['manager']],
  ])('shows of the team only those with %s, and counts all', async (query, expected) => {
    const { owner, session } = await anAccount()
    const { user: manager } = await aManager(app, owner)
    const plain = await aMember(app, owner)
    const disabled = await aMember(app, owner)
    expect(outcome(await team(app, session, 'POST', `/${disabled.id}/disable`))).toBe('204')
    await app.database.run(db =>
      db.update(usersTable).set({ hasSecondFactor: true }).where(eq(usersTable.id, plain.id)),
    )
    const names = new Map(
      Object.entries({ owner, manager, plain, disabled }).map(([name, { id }]) => [id, name]),
    )
    for (const limit of [1, 100]) {
      const seen: Row[] = []
      for (let next: string | null = ''; next !== null; ) {
        const answer = await team(app, session, 'GET', `?limit=${limit}&${query}${next && `&after=${next}`}`)
        expect(answer).toMatchObject({ status: 200, json: { total: 4 } })
        seen.push(...answer.json.users)
        next = answer.json.next
      }
      expect(seen.map(({ userId }) => names.get(userId)).sort()).toEqual(expected.toSorted())
    }
  })

  it.each(['role=admin', 'permission=all', 'hasSecondFactor=1', 'isDisabled=', 'isDisabled=yes'])(
    'refuses the filter %s',
    async filter => {
      const { session } = await anAccount()
      expect(outcome(await team(app, session, 'GET', `?${filter}`))).toBe('400 INVALID_QUERY')
    },
  )

  describe('pages', () => {
    const page = (session: SignedIn, query = '') => team(app, session, 'GET', query)

    async function idsFrom(session: SignedIn, limit: number, between = async () => {}): Promise<string[]> {
      const ids: string[] = []
      for (let next: string | null = ''; next !== null; await between()) {
        const answer = await page(session, `?limit=${limit}${next && `&after=${next}`}`)
        expect(outcome(answer)).toBe('200')
        ids.push(...answer.json.users.map(({ userId }: { userId: string }) => userId))
        next = answer.json.next
      }
      return ids
    }

    slow('have 100 users, or as many as asked for up to 200', async () => {
      const { owner, session } = await anAccount()
      await importMembers(app, owner, 210)
      const [usual, one, most] = [
        await page(session),
        await page(session, '?limit=1'),
        await page(session, '?limit=200'),
      ]
      expect([usual, one, most].map(({ json }) => json.users.length)).toEqual([100, 1, 200])
      expect(usual.json.next).toEqual(expect.any(String))
      const rest = await page(session, `?after=${most.json.next}`)
      expect([rest.json.users.length, rest.json.next]).toEqual([11, null])
    })

    it('show every user once, oldest first, while people come and go', async () => {
      const { owner, session } = await anAccount()
      expect((await reauthenticate(app, session)).status).toBe(200)
      await importMembers(app, owner, 25)
      const late = await aMember(app, owner)
      const whole = await idsFrom(session, 200)
      expect([whole.length, whole[0], whole.at(-1)]).toEqual([27, owner.id, late.id])
      const whoGo = whole.slice(1, 6)
      const seen = await idsFrom(session, 6, async () => {
        await importMembers(app, owner, 1)
        const gone = whoGo.pop()
        if (gone) expect(outcome(await team(app, session, 'DELETE', `/${gone}`))).toBe('204')
      })
      // Who goes is of the first page, its last user too, where the second begins.
      expect(seen.slice(0, 27)).toEqual(whole)
      expect(new Set(seen).size).toBe(seen.length)
    })

    it('end with null, also when the last one is full', async () => {
      const { owner, session } = await anAccount()
      await aMember(app, owner)
      expect((await page(session, '?limit=2')).json.next).toBeNull()
      expect((await page(session, '?limit=1')).json.next).toEqual(expect.any(String))
    })

    it('with a cursor of another account show only own users', async () => {
      const other = await anAccount()
      for (let count = 0; count < 2; count++) await aMember(app, other.owner)
      const { json } = await page(other.session, '?limit=2')
      const { owner, session } = await anAccount()
      const member = await aMember(app, owner)
      const answer = await page(session, `?after=${json.next}`)
      expect(answer.json.users.map(({ userId }: { userId: string }) => userId)).toEqual([member.id])
    })

    it('are refused with a wrong limit or cursor, which the refusal names', async () => {
      const { session } = await anAccount()
      const cursor = (place: string) => Buffer.from(place).toString('base64url')
      const id = '0b6f1c1e-8a55-4d1c-9c39-0d2b8f6a7e11'
      const cursors = [
        ...['', 'MQ', '%00', cursor(id), cursor(`joined.${id}`), cursor(`joined.${id}.`), cursor('toString')],
        ...[
          cursor(`joined.${id}.1'`),
          cursor(`joined.${id}.99999999999999`),
          `${cursor(`name.${id}.a\0`)}&sort=name`,
        ],
      ]
      const wrong = [
        ...['0', '201', '1.5', '1&limit=2'].map(limit => ['limit', limit]),
        ...cursors.map(after => ['after', after]),
        ['nothing', '1'],
      ]
      const refusals: unknown[] = []
      for (const [field, value] of wrong) {
        const answer = await page(session, `?${field}=${value}`)
        const fields = answer.json.errors?.map((error: { field: string }) => error.field)
        refusals.push([field, value, outcome(answer), fields])
      }
      expect(refusals).toEqual(wrong.map(([field, value]) => [field, value, '400 INVALID_QUERY', [field]]))
    })
  })

  describe('PUT permissions', () => {
    it('reaches every live session at its next refresh, in one call, and is in the audit log', async () => {
      const { owner, session } = await anAccount()
      const member = await aMember(app, owner)
      const onMain = [await signIn(app, member, 'main'), await signIn(app, member, 'main')]
      const onShops = [
        await signIn(app, member, 'satellite', SHOP_ONE),
        await signIn(app, member, 'satellite', SHOP_TWO),
      ]
      const granted: Permission[] = ['accountSettings', 'viewReports']
      expect((await reauthenticate(app, session)).status).toBe(200)
      expect(outcome(await grant(session, member.id, ...granted))).toBe('204')
      for (const { sessionId } of onMain)
        expect(permissionsIn(await refreshByCookie(app, sessionId))).toEqual(permissionsOf(granted))
      for (const [index, { sessionId }] of onShops.entries()) {
        const Origin = [SHOP_ONE, SHOP_TWO][index] as string
        expect(permissionsIn(await refreshByHeader(app, sessionId, { Origin }))).toEqual(
          permissionsOf(['viewReports']),
        )
      }
      const [row, ...others] = await rowsOf(member.id, 'permissions.change')
      expect(others).toEqual([])
      expect(row).toMatchObject({
        outcome: 'ok',
        accountId: owner.accountId,
        ip: '127.0.0.1',
        detail: { granted: permissionsOf(granted), by: owner.id },
      })
    })

    it.each<[string, object]>([
      ['one is null', { ...permissionsOf([]), payments: null }],
      ['one is unknown', { ...permissionsOf([]), everything: true }],
      ['one is no boolean', { ...permissionsOf([]), payments: 'false' }],
      ['it is a list', []],
    ])('answers 400 where %s', async (_, body) => {
      const { owner, session } = await anAccount()
      const { id } = await aMember(app, owner)
      const answer = await team(app, session, 'PUT', `/${id}/permissions`, body)
      expect(outcome(answer)).toBe('400 INVALID_BODY')
    })

    it('changes what is named and nothing that somebody else has changed meanwhile (38)', async () => {
      const { owner, session } = await anAccount()
      const member = await aMemberWith(app, owner, 'payments', 'dataEntry')
      const put = async (body: object) =>
        expect(outcome(await team(app, session, 'PUT', `/${member.id}/permissions`, body))).toBe('204')
      // Of the first, a page that was opened before knows nothing.
      await put({ payments: false })
      await put({ viewReports: true })
      await put({})
      const { json } = await team(app, session, 'GET', `/${member.id}`)
      expect(json.permissions).toEqual(permissionsOf(['dataEntry', 'viewReports']))
    })

    it('lets no user change their own permissions', async () => {
      const { owner, session } = await anAccount()
      const manager = await aManager(app, owner)
      expect(outcome(await grant(manager.session, manager.user.id, 'teamManagement', 'payments'))).toBe(
        OWN_RIGHTS,
      )
      expect(outcome(await grant(session, owner.id))).toBe(OWN_RIGHTS)
    })

    it('lets users keep or take, but never give, what they do not have themselves', async () => {
      const { owner } = await anAccount()
      const manager = await aManager(app, owner)
      const payer = await aMemberWith(app, owner, 'payments')
      expect(outcome(await grant(manager.session, payer.id, 'payments', 'accountSettings'))).toBe(OWN_RIGHTS)
      expect(outcome(await grant(manager.session, payer.id, 'payments', 'dataEntry'))).toBe('204')
      expect(outcome(await grant(manager.session, payer.id, 'dataEntry'))).toBe('204')
      expect(outcome(await grant(manager.session, payer.id, 'payments'))).toBe(OWN_RIGHTS)
      const refused = (await rowsOf(payer.id, 'permissions.change')).filter(row => row.outcome === 'refused')
      expect(refused).toHaveLength(2)
      expect(refused[0]?.detail).toEqual({ reason: 'OWN_RIGHTS', by: manager.user.id })
    })

    it("leaves the owner's alone", async () => {
      const { owner } = await anAccount()
      const manager = await aManager(app, owner)
      expect(outcome(await grant(manager.session, owner.id, 'dataEntry'))).toBe(LAST_OWNER)
    })

    it.each<Permission>(['payments', 'accountSettings', 'teamManagement'])(
      'asks for the password again before %s is given, not while it stays or is taken',
      async permission => {
        const { owner, session } = await anAccount()
        const member = await aMember(app, owner)
        app.clock.advance(601)
        const refused = await grant(session, member.id, permission)
        expect(outcome(refused)).toBe('401 REAUTHENTICATION_REQUIRED')
        expect(refused.headers['www-authenticate']).toBe(STEP_UP_CHALLENGE)
        const fresh = await signInFreshly(app, owner)
        expect(outcome(await grant(fresh, member.id, permission))).toBe('204')
        const stale = await staleSession(app, owner)
        expect(outcome(await grant(stale, member.id, permission, 'dataEntry'))).toBe('204')
        expect(outcome(await grant(stale, member.id))).toBe('204')
      },
    )
  })

  describe('PUT satellites', () => {
    it('ends the sessions elsewhere and no others, and closes those sites to logins', async () => {
      const { owner, session } = await anAccount()
      const member = await aMember(app, owner)
      const one = await signIn(app, member, 'satellite', SHOP_ONE)
      const two = await signIn(app, member, 'satellite', SHOP_TWO)
      expect(outcome(await limit(session, member.id, [SHOP_ONE]))).toBe('204')
      expect(outcome(await refreshByHeader(app, one.sessionId, { Origin: SHOP_ONE }))).toBe('200')
      expect(outcome(await refreshByHeader(app, two.sessionId, { Origin: SHOP_TWO }))).toBe(ENDED)
      await expect(signIn(app, member, 'satellite', SHOP_TWO)).rejects.toThrow('401')
      await signIn(app, member, 'satellite', SHOP_ONE)
      expect(await rowsOf(member.id, 'satellites.change')).toEqual([
        expect.objectContaining({ outcome: 'ok', detail: { satellites: [SHOP_ONE], by: owner.id } }),
      ])
      expect(await rowsOf(member.id, 'session.revoke')).toHaveLength(1)
    })

    it.each<[string, object, string]>([
      ['an empty list', { satellites: [] }, '400 INVALID_BODY'],
      ['the same twice', { satellites: [SHOP_ONE, SHOP_ONE] }, '400 INVALID_BODY'],
      [
        '51 of them',
        { satellites: Array.from({ length: 51 }, (_, i) => `https://s${i}.test`) },
        '400 INVALID_BODY',
      ],
      [
        '50 of them, unknown',
        { satellites: Array.from({ length: 50 }, (_, i) => `https://s${i}.test`) },
        '400 UNKNOWN_SATELLITE',
      ],
      ['the main site', { satellites: ['https://www.main.test'] }, '400 UNKNOWN_SATELLITE'],
      ['another spelling', { satellites: [`${SHOP_ONE}/`] }, '400 UNKNOWN_SATELLITE'],
    ])('answers 400 for %s', async (_, body, expected) => {
      const { owner, session } = await anAccount()
      const { id } = await aMember(app, owner)
      const answer = await team(app, session, 'PUT', `/${id}/satellites`, body)
      expect(outcome(answer)).toBe(expected)
      expect(answer.json.errors).toEqual([expect.objectContaining({ field: 'satellites' })])
    })

    it('changes what is named and gives back nothing that somebody else has taken away (38)', async () => {
      const { owner, session } = await anAccount()
      const member = await aMember(app, owner)
      const put = (body: object) => team(app, session, 'PUT', `/${member.id}/satellites`, body)
      const now = async () => (await team(app, session, 'GET', `/${member.id}`)).json.satellites
      await limit(session, member.id, [SHOP_ONE])
      const one = await signIn(app, member, 'satellite', SHOP_ONE)
      // Both pages were opened while there was one of them.
      expect(outcome(await put({ add: [SHOP_TWO] }))).toBe('204')
      expect(outcome(await put({ remove: [SHOP_ONE] }))).toBe('204')
      expect(outcome(await put({}))).toBe('204')
      expect(await now()).toEqual([SHOP_TWO])
      expect(outcome(await refreshByHeader(app, one.sessionId, { Origin: SHOP_ONE }))).toBe(ENDED)
      const nothingLeft = await put({ remove: [SHOP_TWO] })
      expect(nothingLeft.json.errors).toEqual([
        expect.objectContaining({ field: 'remove', code: 'TOO_FEW', values: { min: 1 } }),
      ])
      const unknown = await put({ add: ['https://www.main.test'] })
      expect(unknown.json.errors).toEqual([
        expect.objectContaining({ field: 'add', code: 'NOT_A_SATELLITE' }),
      ])
      expect(await now()).toEqual([SHOP_TWO])
      await limit(await signInFreshly(app, owner), member.id, null)
      expect(outcome(await put({ add: [SHOP_ONE] }))).toBe('204')
      const everywhere = await put({ remove: [SHOP_ONE] })
      expect([outcome(everywhere), everywhere.json.errors[0].code]).toEqual(['400 INVALID_BODY', 'NO_LIMIT'])
      expect(await now()).toBeNull()
    })

    it('refuses a manager who has been limited to satellites, and so manages nothing', async () => {
      const { owner } = await anAccount()
      const manager = await aManager(app, owner)
      const member = await aMember(app, owner)
      await closeTo(app, manager.user, [SHOP_ONE])
      const wishes: [string, string[] | null][] = [
        [member.id, [SHOP_ONE]],
        [member.id, null],
        [manager.user.id, null],
      ]
      for (const [id, satellites] of wishes)
        expect(outcome(await limit(manager.session, id, satellites))).toBe('403 PERMISSION_REQUIRED')
    })

    it('cannot be used on oneself or on the owner', async () => {
      const { owner } = await anAccount()
      const manager = await aManager(app, owner)
      expect(outcome(await limit(manager.session, manager.user.id, [SHOP_ONE]))).toBe(OWN_RIGHTS)
      expect(outcome(await limit(manager.session, owner.id, [SHOP_ONE]))).toBe(LAST_OWNER)
    })
  })

  describe('the satellites to choose among', () => {
    const LISTED = [SHOP_ONE, SHOP_TWO].map(origin => ({
      origin,
      name: new URL(origin).host,
      kind: 'production',
      state: 'active',
    }))

    it("are the account's own, whatever their state, and the listed ones", async () => {
      const { owner, session } = await anAccount()
      const origin = `https://${randomUUID()}.example`
      const suspended = await aSatellite(app, owner, origin)
      await setSatelliteState(app, suspended, 'suspended')
      const pattern = `https://*.${randomUUID()}.example`
      await aSatellite(app, owner, pattern, { kind: 'preview', name: 'Previews' })
      await aSatellite(app, await anOwner(app), `https://${randomUUID()}.example`)
      const { status, json } = await team(app, session, 'GET', '/satellites')
      expect(status).toBe(200)
      expect(json).toEqual({
        satellites: [
          { origin, name: 'A shop', kind: 'production', state: 'suspended' },
          { origin: pattern, name: 'Previews', kind: 'preview', state: 'active' },
          ...LISTED,
        ],
      })
      const member = await aMember(app, owner)
      for (const { origin } of json.satellites)
        expect(outcome(await limit(session, member.id, [origin]))).toBe('204')
    })

    it('are shown to managers of the team, also without accountSettings', async () => {
      const { owner } = await anAccount()
      const manager = await aManager(app, owner)
      expect((await team(app, manager.session, 'GET', '/satellites')).json).toEqual({ satellites: LISTED })
      const other = await aMemberWith(app, owner, 'accountSettings', 'dataEntry', 'viewReports')
      const answer = await team(app, await signIn(app, other, 'main'), 'GET', '/satellites')
      expect(outcome(answer)).toBe('403 PERMISSION_REQUIRED')
    })
  })

  describe('disabling and enabling', () => {
    it('ends every session and lets nobody in until enabled', async () => {
      const { owner, session } = await anAccount()
      const member = await aMember(app, owner)
      const main = await signIn(app, member, 'main')
      const shop = await signIn(app, member, 'satellite')
      expect(outcome(await team(app, session, 'POST', `/${member.id}/disable`))).toBe('204')
      expect(outcome(await refreshByCookie(app, main.sessionId))).toBe(ENDED)
      expect(outcome(await refreshByHeader(app, shop.sessionId))).toBe(ENDED)
      await expect(signIn(app, member, 'main')).rejects.toThrow('401')
      const { json } = await team(app, session, 'GET')
      expect(json.users).toContainEqual(expect.objectContaining({ userId: member.id, isDisabled: true }))
      expect(outcome(await team(app, session, 'POST', `/${member.id}/enable`))).toBe('204')
      expect(outcome(await refreshByCookie(app, main.sessionId))).toBe(ENDED)
      await signIn(app, member, 'main')
      for (const action of ['user.disable', 'user.enable'])
        expect(await rowsOf(member.id, action)).toEqual([
          expect.objectContaining({ outcome: 'ok', detail: { by: owner.id } }),
        ])
    })

    it('gives back neither what the manager lacks, nor payments without the password', async () => {
      const { owner } = await anAccount()
      const manager = await aManager(app, owner)
      const payer = await aMemberWith(app, owner, 'payments')
      const enable = (by: SignedIn) => team(app, by, 'POST', `/${payer.id}/enable`)
      expect(outcome(await enable(manager.session))).toBe('204')
      expect(outcome(await team(app, manager.session, 'POST', `/${payer.id}/disable`))).toBe('204')
      expect(outcome(await enable(manager.session))).toBe(OWN_RIGHTS)
      expect(outcome(await enable(await staleSession(app, owner)))).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(outcome(await enable(await signInFreshly(app, owner)))).toBe('204')
    })
  })

  describe('removing', () => {
    it('asks for the password again, because removing cannot be undone', async () => {
      const { owner, session } = await anAccount()
      const member = await aMember(app, owner)
      const remove = () => team(app, session, 'DELETE', `/${member.id}`)
      app.clock.advance(app.settings.reauthenticationTtlSeconds)
      const refused = await remove()
      expect(outcome(refused)).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(refused.headers['www-authenticate']).toBe(STEP_UP_CHALLENGE)
      expect(outcome(await team(app, session, 'GET', `/${member.id}`))).toBe('200')
      expect((await reauthenticate(app, session)).status).toBe(200)
      expect(outcome(await remove())).toBe('204')
    })

    it('ends every session and forgets the user; the audit log does not', async () => {
      const { owner, session } = await anAccount()
      expect((await reauthenticate(app, session)).status).toBe(200)
      const member = await aMember(app, owner)
      const { sessionId } = await signIn(app, member, 'satellite')
      const token = await app.database.transaction(transaction =>
        app.get(OneTimeTokens).issue(transaction, {
          purpose: 'password-reset',
          email: member.email,
          userId: member.id,
          lifetimeSeconds: 60,
        }),
      )
      expect(outcome(await team(app, session, 'DELETE', `/${member.id}`))).toBe('204')
      expect(outcome(await refreshByHeader(app, sessionId))).toBe(ENDED)
      await expect(signIn(app, member, 'satellite')).rejects.toThrow('401')
      expect((await team(app, session, 'GET')).json.users).toHaveLength(1)
      const client = { requestId: 'r', ip: '192.0.2.9', userAgent: null, origin: null }
      expect(await app.get(OneTimeTokens).find('password-reset', token, client)).toBeNull()
      const known = await app.database.run(db =>
        db.select().from(knownDevices).where(eq(knownDevices.userId, member.id)),
      )
      expect(known).toEqual([])
      expect(await rowsOf(member.id, 'login')).toHaveLength(1)
      expect(await rowsOf(member.id, 'user.remove')).toEqual([
        expect.objectContaining({ outcome: 'ok', detail: { by: owner.id, email: member.email } }),
      ])
      expect(outcome(await team(app, session, 'DELETE', `/${member.id}`))).toBe(NOT_FOUND)
    })
  })

  it.each([
    ['POST', '/disable'],
    ['POST', '/enable'],
    ['DELETE', ''],
  ])('refuses %s %s on the owner and on oneself', async (method, path) => {
    const { owner, session } = await anAccount()
    const manager = await aManager(app, owner)
    for (const by of [session, manager.session]) expect((await reauthenticate(app, by)).status).toBe(200)
    expect(outcome(await team(app, manager.session, method, `/${owner.id}${path}`))).toBe(LAST_OWNER)
    expect(outcome(await team(app, session, method, `/${owner.id}${path}`))).toBe(LAST_OWNER)
    expect(outcome(await team(app, manager.session, method, `/${manager.user.id}${path}`))).toBe(OWN_RIGHTS)
    expect((await team(app, session, 'GET')).json.users).toHaveLength(2)
  })

  slow(
    'answers the same 404 everywhere for users of other accounts, unknown ones and malformed ids',
    async () => {
      const { session } = await anAccount()
      expect((await reauthenticate(app, session)).status).toBe(200)
      const stranger = await aMember(app, await anOwner(app))
      const theirs = await signIn(app, stranger, 'satellite')
      const ids = [stranger.id, randomUUID(), stranger.id.toUpperCase(), 'nobody', '..%2f', "'", '%00']
      const calls: [string, string, object?][] = [
        ['GET', ''],
        ['PUT', '/permissions', permissionsOf(['payments'])],
        ['PUT', '/satellites', { satellites: [SHOP_TWO] }],
        ['POST', '/disable'],
        ['POST', '/enable'],
        ['DELETE', ''],
        ['GET', '/sessions'],
        ['DELETE', '/sessions'],
        ['DELETE', `/sessions/${'A'.repeat(43)}`],
      ]
      for (const [method, path, body] of calls) {
        const answers = []
        for (const id of ids) answers.push(await team(app, session, method, `/${id}${path}`, body))
        expect(answers.map(outcome)).toEqual(ids.map(() => NOT_FOUND))
        const bodies = answers.map(({ json }) => ({ ...json, requestId: '' }))
        expect(new Set(bodies.map(each => JSON.stringify(each))).size).toBe(1)
      }
      expect(outcome(await refreshByHeader(app, theirs.sessionId))).toBe('200')
      expect(await rowsOf(stranger.id, 'user.disable')).toEqual([])
    },
  )
})

function permissionsIn({ json }: { json: { accessToken: string } }): Permissions {
  return claimsOf(json.accessToken).permissions as Permissions
}
