import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from '@jest/globals'
import {
  initialGrant,
  PERMISSIONS,
  permissionsOf,
  type User,
  UserAdministration,
  Users,
} from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { aMember, anEmail, anOwner, PASSWORD, sendLogin, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO, TestApp } from '../../support/test-app.js'
import { bearer, outcome, refreshByCookie, refreshByHeader, subscribe } from '../support/api-calls.js'
import { reauthenticate } from '../support/reauthenticate.js'
import { team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'

const PRIVILEGES = ['payments', 'accountSettings', 'teamManagement']
const REFUSED = '401 INVALID_CREDENTIALS'
const BARRED = '403 OWNER_LOGIN_BARRED'

interface Place {
  origin?: string
  source?: 'main' | 'satellite'
}

function logIn(
  app: TestApp,
  { email }: Pick<User, 'email'>,
  { origin, source = 'satellite' }: Place,
  password = PASSWORD,
): Promise<TestResponse> {
  return sendLogin(app, { email }, { source, password, Origin: origin ?? [] })
}

describe('A member invited to some satellites', () => {
  const app = anApp()

  async function aMemberOf(...satellites: string[]): Promise<User> {
    const member = await aMember(app, await anOwner(app))
    await app.database.transaction(transaction =>
      app.get(Users).setSatellites(transaction, member.id, satellites),
    )
    return member
  }

  it.each<[string, Place, string]>([
    ['logs in under one of them', { origin: SHOP_ONE }, '200'],
    ['is refused under another', { origin: SHOP_TWO }, REFUSED],
    ['logs in on the main site as if it were a satellite', { origin: MAIN }, '200'],
    ['is refused without an Origin', {}, REFUSED],
    ['logs in on the main site, to be handed off', { origin: MAIN, source: 'main' }, '200'],
    ['is refused at the command line', { source: 'main' }, REFUSED],
  ])('%s', async (_, place, expected) => {
    expect(outcome(await logIn(app, await aMemberOf(SHOP_ONE), place))).toBe(expected)
  })

  it('may do no more on the main site than on a satellite, whatever they are granted', async () => {
    const member = await aMemberOf(SHOP_ONE)
    const before = await signIn(app, member, 'main')
    expect(claimsOf(before.accessToken).permissions).toEqual(initialGrant('member'))
    await app.get(UserAdministration).grant(member, permissionsOf(PERMISSIONS))
    const after = await signIn(app, member, 'main')
    expect(claimsOf(after.accessToken).permissions).toEqual(initialGrant('member'))
    const { json } = await refreshByCookie(app, before.sessionId)
    expect(claimsOf(json?.accessToken as string).permissions).toEqual(initialGrant('member'))
    expect(outcome(await subscribe(app, after))).toBe('403 PAYMENTS_PERMISSION_REQUIRED')
  })

  it('keeps the session of the main site when invited everywhere, but nothing that only it can do', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    await app.get(UserAdministration).grant(member, permissionsOf(PERMISSIONS))
    const manager = await signIn(app, owner, 'main')
    const [main, shop, elsewhere] = [
      await signIn(app, member, 'main'),
      await signIn(app, member, 'satellite', SHOP_ONE),
      await signIn(app, member, 'satellite', SHOP_TWO),
    ]
    const limitTo = (satellites: string[] | null) =>
      team(app, manager, 'PUT', `/${member.id}/satellites`, { satellites })
    const ofMain = async () => {
      const { json } = await refreshByCookie(app, main.sessionId)
      return claimsOf(json?.accessToken as string).permissions
    }
    expect(await ofMain()).toEqual(permissionsOf(PERMISSIONS))
    expect(outcome(await limitTo([SHOP_ONE]))).toBe('204')
    expect(await ofMain()).toEqual(initialGrant('member'))
    expect(outcome(await subscribe(app, main))).toBe('403 PAYMENTS_PERMISSION_REQUIRED')
    expect(outcome(await refreshByHeader(app, shop.sessionId, { Origin: SHOP_ONE }))).toBe('200')
    expect(outcome(await refreshByHeader(app, elsewhere.sessionId, { Origin: SHOP_TWO }))).toBe(
      '401 SESSION_NOT_FOUND',
    )
    app.clock.advance(app.settings.reauthenticationTtlSeconds)
    // It gives them everything that they were granted.
    expect(outcome(await limitTo(null))).toBe('401 REAUTHENTICATION_REQUIRED')
    expect(outcome(await reauthenticate(app, manager))).toBe('200')
    expect(outcome(await limitTo(null))).toBe('204')
    expect(await ofMain()).toEqual(permissionsOf(PERMISSIONS))
  })

  it('is refused with the same bytes as for a wrong password', async () => {
    const member = await aMemberOf(SHOP_ONE)
    const [outOfScope, wrong, unknown] = [
      await logIn(app, member, { origin: SHOP_TWO }),
      await logIn(app, member, { origin: SHOP_TWO }, 'wrong'),
      await logIn(app, { email: anEmail() }, { origin: SHOP_TWO }),
    ].map(bytesOf)
    expect(outOfScope).toEqual(wrong)
    expect(outOfScope).toEqual(unknown)
  })

  it('is refused with the reason in the audit log', async () => {
    const member = await aMemberOf(SHOP_ONE)
    await logIn(app, member, { origin: SHOP_TWO })
    await logIn(app, member, { origin: SHOP_TWO }, 'wrong')
    expect(await app.auditRows({ userId: member.id, action: 'login' })).toMatchObject([
      { outcome: 'failed', origin: SHOP_TWO, detail: { reason: 'not invited to this site' } },
      { outcome: 'failed', origin: SHOP_TWO, detail: { reason: 'wrong password' } },
    ])
  })

  it('counts as a wrong guess where the password was right', async () => {
    const member = await aMemberOf(SHOP_ONE)
    const most = app.settings.rateLimits.perAccountAndNetwork
    for (let count = 0; count < most; count++)
      expect(outcome(await logIn(app, member, { origin: SHOP_TWO }))).toBe(REFUSED)
    expect(outcome(await logIn(app, member, { origin: SHOP_TWO }))).toBe('429 TOO_MANY_ATTEMPTS')
  })
})

describe('What a session of a satellite can read', () => {
  const app = anApp()

  /** Every operation that reads and takes sessions of all sites. */
  const { paths } = JSON.parse(readFileSync(join(__dirname, '../../../docs/openapi.json'), 'utf8'))
  const readable = Object.keys(paths).filter(path => {
    const schemes = (paths[path].get?.security ?? []).flatMap(Object.keys)
    return schemes.includes('accessToken') && (!schemes.includes('sessionCookie') || path.endsWith('/export'))
  })

  async function aVisitor() {
    const member = await aMember(app, await anOwner(app))
    await app.database.transaction(transaction =>
      app.get(Users).setSatellites(transaction, member.id, [SHOP_ONE, SHOP_TWO]),
    )
    await app.get(UserAdministration).grant(member, permissionsOf(PERMISSIONS))
    await signIn(app, member, 'main')
    await signIn(app, member, 'satellite', SHOP_TWO)
    return signIn(app, member, 'satellite', SHOP_ONE)
  }

  const call = (accessToken: string, path: string, method = 'GET', body?: object) =>
    app.request({
      method,
      path,
      headers: { Origin: SHOP_ONE, ...bearer(accessToken) },
      ...(body && { body }),
    })

  it('names neither the other sites of its user nor what they may do there (S5)', async () => {
    expect(readable).toEqual(expect.arrayContaining(['/api/profile', '/api/sessions', '/api/logins']))
    const { accessToken } = await aVisitor()
    const answers = await Promise.all(
      readable.map(async path => [`GET ${path}`, await call(accessToken, path)] as const),
    )
    const change = await call(accessToken, '/api/profile', 'PATCH', { language: 'en' })
    expect(outcome(change)).toBe('200')
    for (const [name, { text }] of [...answers, ['PATCH /api/profile', change] as const]) {
      const others = [SHOP_TWO, `"${MAIN}"`, ...PRIVILEGES.map(power => `"${power}":true`)]
      expect([name, others.filter(other => text.includes(other))]).toEqual([name, []])
    }
    expect(change.json).toMatchObject({ satellites: [SHOP_ONE], granted: initialGrant('member') })
  })

  it('is everything once its user has given the password again (S5)', async () => {
    const session = await aVisitor()
    const proof = await reauthenticate(app, session, undefined, { Origin: SHOP_ONE })
    expect(outcome(proof)).toBe('200')
    const { json } = await call(session.accessToken, '/api/profile')
    expect(json).toMatchObject({
      satellites: [SHOP_ONE, SHOP_TWO],
      granted: permissionsOf(PERMISSIONS),
    })
  })
})

describe('Where owners are barred from satellites', () => {
  const app = anApp({ OWNERS_ON_SATELLITES: 'barred' })

  it.each<[string, Place, string]>([
    ['on a satellite', { origin: SHOP_ONE }, BARRED],
    ['without an Origin', {}, BARRED],
    ['on the main site', { origin: MAIN, source: 'main' }, '200'],
    ['on the main site, for a session of a satellite', { origin: MAIN }, '200'],
    ['at the command line', { source: 'main' }, '200'],
  ])('an owner %s', async (_, place, expected) => {
    expect(outcome(await logIn(app, await anOwner(app), place))).toBe(expected)
  })

  it('an owner is told so whatever the password', async () => {
    const owner = await anOwner(app)
    const [right, wrong] = [
      await logIn(app, owner, { origin: SHOP_ONE }),
      await logIn(app, owner, { origin: SHOP_ONE }, 'wrong'),
    ]
    expect(bytesOf(wrong)).toEqual(bytesOf(right))
    expect(right.json.detail).toBe('Owners log in on the main site only; never type your password here')
    const rows = await app.auditRows({ userId: owner.id, action: 'login' })
    expect(rows).toMatchObject(
      Array(2).fill({ outcome: 'refused', detail: { reason: 'owner on a satellite' } }),
    )
  })

  it('does not let a stranger ask without end who is an owner', async () => {
    const owner = await anOwner(app)
    const most = app.settings.rateLimits.perAccountAndNetwork
    for (let count = 0; count < most; count++) await logIn(app, owner, { origin: SHOP_ONE })
    expect(outcome(await logIn(app, owner, { origin: SHOP_ONE }))).toBe('429 TOO_MANY_ATTEMPTS')
  })

  it('affects neither a member nor a disabled member', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    expect(outcome(await logIn(app, member, { origin: SHOP_ONE }))).toBe('200')
    await app.get(UserAdministration).disable(member)
    expect(outcome(await logIn(app, member, { origin: SHOP_ONE }))).toBe(REFUSED)
  })
})

function bytesOf({ status, headers, text }: TestResponse) {
  const { date: _, 'x-request-id': requestId = '', ...others } = headers
  return { status, headers: others, text: text.replace(requestId, '') }
}
