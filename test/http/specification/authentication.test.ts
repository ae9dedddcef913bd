import { describe, expect, it } from '@jest/globals'
import { permissionsOf, SessionStore, type User, UserAdministration } from '../../sources.js'
import { anOwner, aSignedInOwner, sendLogin, signIn } from '../../support/people.js'
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

const ALL = permissionsOf(['payments', 'accountSettings', 'teamManagement', 'dataEntry', 'viewReports'])

describe.each(BACKENDS)('Authentication, on %s', backend => {
  const app = anApp({}, backend)

  describe('Credentials per client kind', () => {
    it('Access token stored in: memory (main), memory or local storage (satellite): both get it in the body', async () => {
      for (const source of ['main', 'satellite'] as const)
        expect((await signIn(app, await anOwner(app), source)).answer.json.accessToken).toBeTruthy()
    })

    it('Session identifier stored in: HttpOnly cookie (main), local storage (satellite)', async () => {
      const main = await signIn(app, await anOwner(app), 'main')
      expect(main.answer.setCookies[0]).toMatch(/^sessionId=.*HttpOnly/)
      expect(main.answer.json).not.toHaveProperty('sessionId')
      const satellite = await signIn(app, await anOwner(app), 'satellite')
      expect(satellite.answer.setCookies).toEqual([])
      expect(satellite.answer.json).toHaveProperty('sessionId')
    })

    it('Session identifier sent at refresh as: cookie (main), X-Session-ID header (satellite)', async () => {
      const main = await signIn(app, await anOwner(app), 'main')
      const satellite = await signIn(app, await anOwner(app), 'satellite')
      expect(outcome(await refreshByCookie(app, main.sessionId))).toBe('200')
      expect(outcome(await refreshByHeader(app, satellite.sessionId))).toBe('200')
      expect(outcome(await refreshByHeader(app, main.sessionId))).toBe('401 SESSION_NOT_FOUND')
      expect(outcome(await refreshByCookie(app, satellite.sessionId))).toBe('401 SESSION_NOT_FOUND')
    })

    it('Cross-origin credentials: required (main), not used (satellite)', async () => {
      const main = await signIn(app, await anOwner(app), 'main')
      expect(main.answer.headers['access-control-allow-credentials']).toBe('true')
      expect(outcome(await refreshByCookie(app, main.sessionId, { Origin: SHOP_ONE }))).toBe(
        '401 SESSION_NOT_FOUND',
      )
    })

    it('Permissions: full (main), data entry and reports only (satellite)', async () => {
      const owner = await aSignedInOwner(app)
      const satellite = await signIn(app, owner, 'satellite')
      expect(claimsOf(owner.accessToken).permissions).toEqual(ALL)
      expect(claimsOf(satellite.accessToken).permissions).toEqual(permissionsOf(['dataEntry', 'viewReports']))
    })

    it('Mobile apps behave exactly like satellite sites, without an Origin', async () => {
      const user = await anOwner(app)
      const login = await sendLogin(app, user, { source: 'satellite', Origin: [] })
      expect(login.setCookies).toEqual([])
      expect(outcome(await refreshByHeader(app, login.json.sessionId, {}))).toBe('200')
    })
  })

  describe('Rules', () => {
    it('1: an ordinary request carries a bearer token and is validated by signature only', async () => {
      const { accessToken, sessionId } = await signIn(app, await anOwner(app), 'main')
      expect(outcome(await readData(app, accessToken))).toBe('200')
      const withoutToken = { path: '/api/data', headers: { ...cookie(sessionId), 'X-Session-ID': sessionId } }
      expect(outcome(await app.request(withoutToken))).toBe('401 ACCESS_TOKEN_REQUIRED')
    })

    it('2: the session store is consulted only at refresh and for payment operations', async () => {
      const signedIn = await signIn(app, await anOwner(app), 'main')
      const asked = countQuestions(app.get(SessionStore))
      await readData(app, signedIn.accessToken)
      expect(asked()).toBe(0)
      await refreshByCookie(app, signedIn.sessionId)
      expect(asked()).toBe(1)
      await subscribe(app, signedIn)
      expect(asked()).toBe(2)
      // What is paid for is shown to live sessions alone.
      await app.request({ path: '/api/subscription', headers: bearer(signedIn.accessToken) })
      expect(asked()).toBe(3)
    })

    it('3: payment operations require the main-site cookie, so satellites cannot trigger them', async () => {
      const owner = await aSignedInOwner(app)
      const satellite = await signIn(app, owner, 'satellite')
      const onSatellite = (headers: Record<string, string>) =>
        app.post('/api/subscription/create', {}, { Origin: SHOP_ONE, ...headers })
      const before = app.sandbox.requests.length
      for (const headers of [
        { ...bearer(satellite.accessToken), 'X-Session-ID': satellite.sessionId },
        { ...bearer(owner.accessToken), 'X-Session-ID': satellite.sessionId },
        { ...bearer(owner.accessToken), ...cookie(owner.sessionId) },
      ])
        expect(outcome(await onSatellite(headers))).toBe('403 SESSION_COOKIE_REQUIRED')
      expect(app.sandbox.requests).toHaveLength(before)
    })

    // Rule 4, re-authentication for sensitive changes: there is no sensitive change to make yet.

    it('5: a revoked session gets no new tokens; an issued token stays valid until its expiry', async () => {
      const owner = await anOwner(app)
      app.clock.advance(-16 * 60)
      const { accessToken, sessionId } = await signIn(app, owner, 'main')
      await endSessions(owner)
      expect(outcome(await refreshByCookie(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
      expect(outcome(await readData(app, accessToken))).toBe('200')
      app.clock.advance(16 * 60)
      expect(outcome(await readData(app, accessToken))).toBe('401 INVALID_ACCESS_TOKEN')
    })

    it('6: X-Session-ID is used only on the refresh endpoint', async () => {
      const { accessToken, sessionId } = await signIn(app, await anOwner(app), 'main')
      const junk = { 'X-Session-ID': ['junk', 'more junk'] }
      const paths = [
        { method: 'GET', path: '/api/data', headers: { ...bearer(accessToken), ...junk } },
        {
          method: 'POST',
          path: '/api/subscription/create',
          headers: { Origin: MAIN, ...bearer(accessToken), ...cookie(sessionId), ...junk },
          body: {},
        },
      ]
      const answers = []
      for (const each of paths) answers.push(outcome(await app.request(each)))
      expect(answers).toEqual(['200', '201'])
      expect(outcome(await refreshByCookie(app, sessionId, junk))).toBe('401 SESSION_NOT_FOUND')
    })
  })

  describe('States and transitions', () => {
    it('changed permissions reach the access token at the next refresh, without a login', async () => {
      const owner = await anOwner(app)
      const { accessToken, sessionId } = await signIn(app, owner, 'main')
      await app.get(UserAdministration).grant(owner, permissionsOf(['viewReports']))
      expect((await readData(app, accessToken)).json.permissions).toEqual(ALL)
      const refreshed = await refreshByCookie(app, sessionId)
      expect((await readData(app, refreshed.json.accessToken)).json.permissions).toEqual(
        permissionsOf(['viewReports']),
      )
    })
  })

  function endSessions(user: User): Promise<number> {
    return app.get(UserAdministration).endSessions(user)
  }
})

/** Counts how often a session is looked up from here on. */
function countQuestions(store: SessionStore): () => number {
  let count = 0
  for (const method of ['find', 'touch', 'listByUser'] as const) {
    const original = store[method].bind(store) as (...args: unknown[]) => Promise<never>
    Object.assign(store, {
      [method]: (...args: unknown[]) => {
        count++
        return original(...args)
      },
    })
  }
  return () => count
}
