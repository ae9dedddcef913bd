import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import {
  handleOf,
  type Permission,
  type Role,
  type Session,
  type SessionId,
  SessionStore,
  type Source,
  type User,
  UserAdministration,
} from '../../sources.js'
import { aMember, anOwner, sendLogin, signIn } from '../../support/people.js'
import { anApp, BACKENDS } from '../../support/test-app.js'
import { outcome, readData, refreshByCookie } from '../support/api-calls.js'
import { claimsOf, headerOf, withBadSignature } from '../support/token-claims.js'

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const MINUTE = 60
const DAY = 24 * 60 * MINUTE

describe.each(BACKENDS)('Resources and their fields, on %s', backend => {
  const app = anApp({}, backend)

  async function aUser(role: Role): Promise<User> {
    const owner = await anOwner(app)
    return role === 'owner' ? owner : aMember(app, owner)
  }

  async function storedSession(sessionId: string): Promise<Session> {
    const found = await app.get(SessionStore).find(handleOf(sessionId as SessionId), app.clock.now())
    return found as Session
  }

  describe('Access token (JWT)', () => {
    it('Lifetime: 15 minutes', async () => {
      const { iat, exp } = claimsOf((await signIn(app, await anOwner(app), 'main')).accessToken)
      expect((exp as number) - (iat as number)).toBe(15 * MINUTE)
    })

    it('Lifetime: a token is taken until then and not after', async () => {
      const { accessToken } = await signIn(app, await anOwner(app), 'main')
      app.clock.advance(15 * MINUTE - 5)
      expect(outcome(await readData(app, accessToken))).toBe('200')
      // And five seconds for clocks that differ.
      app.clock.advance(12)
      expect(outcome(await readData(app, accessToken))).toBe('401 INVALID_ACCESS_TOKEN')
    })

    it('Transport: request header Authorization: Bearer', async () => {
      const { accessToken } = await signIn(app, await anOwner(app), 'satellite')
      expect(outcome(await readData(app, accessToken))).toBe('200')
    })

    it.each([
      ['the query', (token: string) => ({ path: `/api/data?access_token=${token}` })],
      ['a cookie', (token: string) => ({ path: '/api/data', headers: { Cookie: `accessToken=${token}` } })],
      [
        'another scheme',
        (token: string) => ({ path: '/api/data', headers: { Authorization: `Basic ${token}` } }),
      ],
      ['another header', (token: string) => ({ path: '/api/data', headers: { 'X-Access-Token': token } })],
    ])('Transport: not in %s', async (_, place) => {
      const { accessToken } = await signIn(app, await anOwner(app), 'satellite')
      expect(await app.request(place(accessToken))).toMatchObject({ status: 401 })
    })

    it('Validation: signature verification', async () => {
      const { accessToken } = await signIn(app, await anOwner(app), 'main')
      expect(outcome(await readData(app, withBadSignature(accessToken)))).toBe('401 INVALID_ACCESS_TOKEN')
      const { keys } = (await app.request({ path: '/.well-known/jwks.json' })).json
      const jwk = keys.find((key: { kid: string }) => key.kid === headerOf(accessToken).kid)
      const [head, payload, signature] = accessToken.split('.')
      const key = { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' as const }
      const signed = Buffer.from(`${head}.${payload}`)
      expect(verify('sha256', signed, key, Buffer.from(signature ?? '', 'base64url'))).toBe(true)
    })

    it.each(['oauth-authorization-server', 'openid-configuration'])(
      'Validation: by a library that is given the issuer alone and asks for %s (integration 7)',
      async name => {
        const { accessToken } = await signIn(app, await anOwner(app), 'main')
        const { json } = await app.request({ path: `/.well-known/${name}` })
        expect(json.response_types_supported).toEqual([])
        const keys = createRemoteJWKSet(new URL(new URL(json.jwks_uri).pathname, app.url))
        const { payload } = await jwtVerify(accessToken, keys, {
          algorithms: json.id_token_signing_alg_values_supported,
          issuer: json.issuer,
          typ: 'at+jwt',
        })
        expect(payload.iss).toBe(json.issuer)
      },
    )

    it('Validation: no store lookup', async () => {
      const owner = await anOwner(app)
      const { accessToken } = await signIn(app, owner, 'main')
      await app.get(UserAdministration).endSessions(owner)
      expect(outcome(await readData(app, accessToken))).toBe('200')
    })

    it('Claims: userId, permissions, expiry', async () => {
      const owner = await anOwner(app)
      const { accessToken } = await signIn(app, owner, 'satellite')
      expect(claimsOf(accessToken)).toMatchObject({
        userId: owner.id,
        permissions: { payments: false, dataEntry: true },
        exp: expect.any(Number),
      })
    })
  })

  describe('Session', () => {
    it('sessionId: UUID (v4), the value presented at refresh', async () => {
      const { sessionId } = await signIn(app, await anOwner(app), 'main')
      expect(sessionId).toMatch(UUID_V4)
      expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
    })

    it('userId: the user the session belongs to', async () => {
      const user = await aUser('member')
      expect(await storedSession((await signIn(app, user, 'satellite')).sessionId)).toMatchObject({
        userId: user.id,
      })
    })

    it('accountId: the paying main account, which links team members to it', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const sessions = [await signIn(app, owner, 'main'), await signIn(app, member, 'satellite')]
      for (const { sessionId } of sessions)
        expect(await storedSession(sessionId)).toMatchObject({ accountId: owner.accountId })
    })

    it.each(['main', 'satellite'] as const)(
      'source: %s, the kind of site it was created from',
      async source => {
        const { sessionId } = await signIn(app, await anOwner(app), source)
        expect(await storedSession(sessionId)).toMatchObject({ source })
      },
    )

    it('createdAt: the time of the login', async () => {
      const before = Math.floor(app.clock.now().getTime() / 1000) * 1000
      const { createdAt } = await storedSession((await signIn(app, await anOwner(app), 'main')).sessionId)
      expect(createdAt.getTime()).toBeGreaterThanOrEqual(before)
      expect(createdAt.getTime()).toBeLessThanOrEqual(app.clock.now().getTime())
    })

    it('lastUsed: the time of the last refresh', async () => {
      const { sessionId } = await signIn(app, await anOwner(app), 'main')
      app.clock.advance(10 * MINUTE)
      await refreshByCookie(app, sessionId)
      const { createdAt, lastUsed } = await storedSession(sessionId)
      expect(lastUsed.getTime() - createdAt.getTime()).toBeGreaterThanOrEqual(10 * MINUTE * 1000)
    })

    it('expiresAt: lifetime 30 days, which use does not extend', async () => {
      const { sessionId } = await signIn(app, await anOwner(app), 'main')
      const { createdAt, expiresAt } = await storedSession(sessionId)
      expect(expiresAt.getTime() - createdAt.getTime()).toBe(30 * DAY * 1000)
      app.clock.advance(30 * DAY - MINUTE)
      expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
      app.clock.advance(MINUTE)
      expect(outcome(await refreshByCookie(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
    })

    it('Session metadata: client IP and user agent', async () => {
      const user = await anOwner(app)
      const { json } = await sendLogin(app, user, {
        source: 'satellite',
        Origin: [],
        'User-Agent': 'ReportsApp/2.1 (iPhone)',
      })
      expect(await storedSession(json.sessionId)).toMatchObject({
        ip: '127.0.0.1',
        userAgent: 'ReportsApp/2.1 (iPhone)',
      })
    })
  })

  describe('Permissions object', () => {
    const rows: [Permission, Record<Role, Record<Source, boolean>>][] = [
      ['payments', { owner: { main: true, satellite: false }, member: { main: false, satellite: false } }],
      [
        'accountSettings',
        { owner: { main: true, satellite: false }, member: { main: false, satellite: false } },
      ],
      [
        'teamManagement',
        { owner: { main: true, satellite: false }, member: { main: false, satellite: false } },
      ],
      ['dataEntry', { owner: { main: true, satellite: true }, member: { main: true, satellite: true } }],
      ['viewReports', { owner: { main: true, satellite: true }, member: { main: true, satellite: true } }],
    ]
    const sites = (['owner', 'member'] as const).flatMap(role =>
      (['main', 'satellite'] as const).map(source => ({ role, source })),
    )

    describe.each(sites)('of $role on $source site', ({ role, source }) => {
      it.each(rows)('%s', async (permission, granted) => {
        const { accessToken, sessionId } = await signIn(app, await aUser(role), source)
        const wanted = { permissions: { [permission]: granted[role][source] } }
        expect(claimsOf(accessToken)).toMatchObject(wanted)
        expect(await storedSession(sessionId)).toMatchObject(wanted)
      })
    })

    it('has these five keys, all booleans', async () => {
      const { accessToken } = await signIn(app, await anOwner(app), 'main')
      expect(claimsOf(accessToken).permissions).toEqual(
        Object.fromEntries(rows.map(([permission, { owner }]) => [permission, owner.main])),
      )
    })
  })
})
