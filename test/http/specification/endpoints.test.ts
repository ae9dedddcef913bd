import { describe, expect, it } from '@jest/globals'
import { handleOf, permissionsOf, type SessionId, SessionStore, UserAdministration } from '../../sources.js'
import { aMember, anOwner, aSignedInMember, PASSWORD, type SignedIn, signIn } from '../../support/people.js'
import { anApp, BACKENDS, MAIN, SHOP_ONE } from '../../support/test-app.js'
import {
  bearer,
  cookie,
  outcome,
  readData,
  refreshByCookie,
  refreshByHeader,
  subscribe,
} from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'

describe.each(BACKENDS)('Endpoints, on %s', backend => {
  const app = anApp({}, backend)

  describe('POST /api/login', () => {
    const body = { email: 'somebody@example.com', password: PASSWORD, source: 'main' }

    it.each(['email', 'password', 'source'])('%s is required', async field => {
      const answer = await logIn({ ...body, [field]: undefined })
      expect(outcome(answer)).toBe('400 INVALID_BODY')
      expect(answer.json.errors).toEqual([expect.objectContaining({ field })])
    })

    it.each(['email', 'password', 'source'])('%s is a string', async field => {
      expect(outcome(await logIn({ ...body, [field]: 1 }))).toBe('400 INVALID_BODY')
    })

    it.each(['Main', 'mobile', '', 'main '])('source is main or satellite, not "%s"', async source => {
      expect(outcome(await logIn({ ...body, source }))).toBe('400 INVALID_BODY')
    })

    it('main: Set-Cookie sets the sessionId cookie; the body is { accessToken }', async () => {
      const { answer, sessionId } = await signIn(app, await anOwner(app), 'main')
      expect(answer.setCookies.filter(line => line.startsWith('sessionId='))).toHaveLength(1)
      expect(answer.json).toEqual({ accessToken: expect.any(String) })
      expect(answer.text).not.toContain(sessionId)
    })

    it('satellite: no cookie is set; the body is { accessToken, sessionId }', async () => {
      const { answer } = await signIn(app, await anOwner(app), 'satellite')
      expect(answer.setCookies).toEqual([])
      expect(answer.json).toEqual({
        accessToken: expect.any(String),
        sessionId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      })
    })

    it.each(['main', 'satellite'] as const)('the session has the requested source %s', async source => {
      const { accessToken, sessionId } = await signIn(app, await anOwner(app), source)
      const found = await app.get(SessionStore).find(handleOf(sessionId as SessionId), app.clock.now())
      expect(found).toMatchObject({ source, permissions: { payments: source === 'main' } })
      expect(claimsOf(accessToken)).toMatchObject({ source })
    })

    function logIn(sent: object) {
      return app.post('/api/login', sent)
    }
  })

  describe('POST /api/refresh', () => {
    it('Main site: the session identifier is the sessionId cookie', async () => {
      const { sessionId, accessToken } = await signIn(app, await anOwner(app), 'main')
      const answer = await refreshByCookie(app, sessionId)
      await expectNewToken(answer, accessToken)
    })

    it('Satellite: the session identifier is the header X-Session-ID', async () => {
      const { sessionId, accessToken } = await signIn(app, await anOwner(app), 'satellite')
      const answer = await refreshByHeader(app, sessionId)
      await expectNewToken(answer, accessToken)
    })

    it('the service validates the session in its store', async () => {
      const owner = await anOwner(app)
      const { sessionId } = await signIn(app, owner, 'main')
      await app.get(UserAdministration).endSessions(owner)
      expect(outcome(await refreshByCookie(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
    })

    async function expectNewToken(answer: SignedIn['answer'], old: string) {
      expect(outcome(answer)).toBe('200')
      expect(answer.json).toEqual({ accessToken: expect.any(String) })
      expect(answer.json.accessToken).not.toBe(old)
      expect(answer.setCookies).toEqual([])
      expect(outcome(await readData(app, answer.json.accessToken))).toBe('200')
    }
  })

  describe('GET /api/data', () => {
    it('reads userId and permissions from the claims', async () => {
      const owner = await anOwner(app)
      const { accessToken } = await signIn(app, owner, 'satellite')
      const { status, json } = await readData(app, accessToken)
      expect({ status, json }).toEqual({
        status: 200,
        json: {
          userId: owner.id,
          accountId: owner.accountId,
          permissions: permissionsOf(['dataEntry', 'viewReports']),
        },
      })
    })

    it('verifies the signature', async () => {
      expect(outcome(await app.request({ path: '/api/data' }))).toBe('401 ACCESS_TOKEN_REQUIRED')
      expect(outcome(await readData(app, 'not.a.token'))).toBe('401 INVALID_ACCESS_TOKEN')
    })
  })

  describe('POST /api/subscription/create', () => {
    it('check 1: the access token is valid (401), before the cookie is looked at', async () => {
      const answer = await app.post('/api/subscription/create', {}, {})
      expect(outcome(answer)).toBe('401 ACCESS_TOKEN_REQUIRED')
      expect(outcome(await subscribe(app, { accessToken: 'not.a.token', sessionId: 'x' }))).toBe(
        '401 INVALID_ACCESS_TOKEN',
      )
    })

    it('check 2: the sessionId cookie is present (403), before the source', async () => {
      const { accessToken, sessionId } = await signIn(app, await anOwner(app), 'satellite')
      const headers = { ...bearer(accessToken), 'X-Session-ID': sessionId, Origin: SHOP_ONE }
      const answer = await app.post('/api/subscription/create', {}, headers)
      expect(outcome(answer)).toBe('403 SESSION_COOKIE_REQUIRED')
    })

    it("check 3: the session's source is main (403), before payments", async () => {
      const satellite = await signIn(app, await anOwner(app), 'satellite')
      expect(outcome(await subscribe(app, satellite))).toBe('403 MAIN_SOURCE_REQUIRED')
    })

    it("check 4: the session's permissions.payments is true (403)", async () => {
      const member = await aMember(app, await anOwner(app))
      expect(outcome(await subscribe(app, await signIn(app, member, 'main')))).toBe(
        '403 PAYMENTS_PERMISSION_REQUIRED',
      )
    })

    it('check 4 reads the session, not the token', async () => {
      const member = await aSignedInMember(app, await anOwner(app))
      await app.get(UserAdministration).grant(member, permissionsOf(['payments']))
      expect(claimsOf(member.accessToken)).toMatchObject({ permissions: { payments: false } })
      expect(outcome(await subscribe(app, member))).toBe('201')
    })

    it('all pass: a hosted checkout is created with the payment provider', async () => {
      const owner = await anOwner(app)
      const answer = await subscribe(app, await signIn(app, owner, 'main'))
      expect(outcome(answer)).toBe('201')
      const made = app.sandbox.checkouts().filter(each => each.client_reference_id === owner.accountId)
      expect(made).toHaveLength(1)
      expect(answer.json).toEqual({ checkoutUrl: made[0]?.url })
    })

    it('a refused request reaches no provider', async () => {
      const before = app.sandbox.requests.length
      const { accessToken } = await signIn(app, await anOwner(app), 'main')
      const other = await signIn(app, await anOwner(app), 'main')
      expect(outcome(await subscribe(app, { accessToken, sessionId: other.sessionId }))).toBe(
        '403 SESSION_MISMATCH',
      )
      expect(app.sandbox.requests).toHaveLength(before)
    })
  })

  describe('Main-site page: subscribe', () => {
    it('return: a URL of a satellite, where the user is sent back to', async () => {
      const owner = await anOwner(app)
      const { accessToken, sessionId } = await signIn(app, owner, 'main')
      const answer = await app.post(
        '/api/subscription/create',
        { return: `${SHOP_ONE}/reports?from=main` },
        { Origin: MAIN, ...bearer(accessToken), ...cookie(sessionId) },
      )
      expect(outcome(answer)).toBe('201')
      const made = app.sandbox.checkouts().find(each => each.client_reference_id === owner.accountId)
      expect(made).toMatchObject({
        success_url: `${SHOP_ONE}/reports?from=main&checkout=${made?.metadata?.checkoutId}`,
        cancel_url: `${SHOP_ONE}/reports?from=main`,
      })
    })

    it('return: not a URL of anybody else', async () => {
      const signedIn = await signIn(app, await anOwner(app), 'main')
      const answer = await subscribe(app, signedIn, { return: 'https://evil.test/' })
      expect(outcome(answer)).toBe('400 INVALID_RETURN_URL')
    })
  })
})
