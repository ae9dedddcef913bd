import { describe, expect, it, jest } from '@jest/globals'
import { newSessionId, permissionsOf, SessionStore, type User, UserAdministration } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { anOwner, sendLogin, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { bearer, cookie, outcome } from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'

const NOT_FOUND = '401 SESSION_NOT_FOUND'

describe('POST /api/refresh', () => {
  const app = anApp()
  let main: string
  let satellite: string

  // Nothing here ends a session, so one of each kind serves a test.
  async function signInTwice(): Promise<void> {
    const owner = await anOwner(app)
    main = (await signIn(app, owner, 'main')).sessionId
    satellite = (await signIn(app, owner, 'satellite')).sessionId
  }

  async function refresh(headers: Record<string, string | string[]>): Promise<string> {
    return outcome(await app.post('/api/refresh', undefined, headers))
  }

  it('takes one identifier, as it was handed out, where it belongs', async () => {
    await signInTwice()
    const { email } = await anOwner(app)
    const login = await sendLogin(app, { email }, { source: 'satellite', Origin: [] })
    const ofApp = login.json.sessionId
    const rows: Record<string, [headers: Record<string, string | string[]>, answer: string]> = {
      'cookie and header, both valid': [{ ...cookie(main), 'X-Session-ID': satellite }, NOT_FOUND],
      'cookie and header of the same value': [{ ...cookie(main), 'X-Session-ID': main }, NOT_FOUND],
      'the header twice': [{ 'X-Session-ID': [satellite, satellite] }, NOT_FOUND],
      'two values in one header': [{ 'X-Session-ID': `${satellite}, ${satellite}` }, NOT_FOUND],
      'the cookie twice in one line': [{ Cookie: `sessionId=${main}; sessionId=${main}` }, NOT_FOUND],
      'the cookie in two lines': [{ Cookie: [`sessionId=${main}`, `sessionId=${main}`] }, NOT_FOUND],
      'an empty cookie beside it': [{ Cookie: `sessionId=; sessionId=${main}` }, NOT_FOUND],
      'other cookies beside it': [{ Origin: MAIN, Cookie: `a=b; sessionId=${main}; xsessionId=1` }, '200'],
      'upper case': [cookie(main.toUpperCase()), NOT_FOUND],
      quotes: [cookie(`"${main}"`), NOT_FOUND],
      'no dashes': [cookie(main.replaceAll('-', '')), NOT_FOUND],
      'more behind it': [{ 'X-Session-ID': `${satellite}0` }, NOT_FOUND],
      'percent-encoded': [cookie(`%${main.charCodeAt(0).toString(16)}${main.slice(1)}`), NOT_FOUND],
      'a glob': [cookie('*'), NOT_FOUND],
      'of the main site in the header there': [{ Origin: MAIN, 'X-Session-ID': main }, NOT_FOUND],
      'of a satellite in the cookie': [{ Origin: MAIN, ...cookie(satellite) }, NOT_FOUND],
      'of a satellite on another': [{ Origin: SHOP_TWO, 'X-Session-ID': satellite }, NOT_FOUND],
      'of a satellite on the main site': [{ Origin: MAIN, 'X-Session-ID': satellite }, NOT_FOUND],
      'of a satellite on its own': [{ Origin: SHOP_ONE, 'X-Session-ID': satellite }, '200'],
      'of a satellite, beside the cookie': [
        { Origin: SHOP_ONE, ...cookie(main), 'X-Session-ID': satellite },
        '200',
      ],
      'of a satellite without Origin': [{ 'X-Session-ID': satellite }, '200'],
      'of an app without Origin': [{ 'X-Session-ID': ofApp }, '200'],
      'the cookie on the main site': [{ Origin: MAIN, ...cookie(main) }, '200'],
      'the cookie without Origin': [cookie(main), '200'],
      'the cookie from the same site': [{ 'Sec-Fetch-Site': 'same-site', ...cookie(main) }, '200'],
      'the cookie on a satellite': [{ Origin: SHOP_ONE, ...cookie(main) }, NOT_FOUND],
      'the cookie on an unlisted site': [
        { Origin: 'https://evil.test', ...cookie(main) },
        '403 ORIGIN_NOT_ALLOWED',
      ],
      'the cookie from another site': [
        { 'Sec-Fetch-Site': 'cross-site', ...cookie(main) },
        '403 CROSS_SITE_REFUSED',
      ],
      'the cookie from another site that says it is ours': [
        { Origin: MAIN, 'Sec-Fetch-Site': 'cross-site', ...cookie(main) },
        '403 CROSS_SITE_REFUSED',
      ],
    }
    const answers: Record<string, string> = {}
    for (const [name, [headers]] of Object.entries(rows)) answers[name] = await refresh(headers)
    expect(answers).toEqual(
      Object.fromEntries(Object.entries(rows).map(([name, [, answer]]) => [name, answer])),
    )
  })

  describe('after a change of COOKIE_DOMAIN', () => {
    const dead = newSessionId()
    const both = (...sessionIds: string[]) => ({
      Origin: MAIN,
      Cookie: sessionIds.map(sessionId => `sessionId=${sessionId}`).join('; '),
    })
    /** The session cookies that an answer sets, each as its value and its domain. */
    function cookiesOf({ setCookies }: TestResponse): string[] {
      return setCookies
        .filter(line => line.startsWith('sessionId='))
        .map(line => `${/^sessionId=([^;]*)/.exec(line)?.[1]} ${/Domain=([^;]+)/.exec(line)?.[1] ?? 'host'}`)
        .sort()
    }

    it('takes the cookie that lives, and clears the others (W5)', async () => {
      await signInTwice()
      for (const sessionIds of [
        [dead, main],
        [main, dead],
      ]) {
        const answer = await app.post('/api/refresh', undefined, both(...sessionIds))
        expect(outcome(answer)).toBe('200')
        expect(cookiesOf(answer)).toEqual([' api.main.test', ' host', `${main} main.test`])
        const [, maxAge] = /Max-Age=(\d{2,})/.exec(answer.setCookies.join()) ?? []
        expect(Number(maxAge)).toBeLessThanOrEqual(app.settings.sessionTtlSeconds)
      }
    })

    it('takes none of several that live, or of none (W5)', async () => {
      await signInTwice()
      const first = main
      await signInTwice()
      for (const sessionIds of [
        [first, main],
        [dead, satellite],
        [dead, newSessionId()],
      ]) {
        const answer = await app.post('/api/refresh', undefined, both(...sessionIds))
        expect([outcome(answer), cookiesOf(answer)]).toEqual([NOT_FOUND, []])
      }
    })

    it('lets people pay with the session of their access token (W5)', async () => {
      const { accessToken, sessionId } = await signIn(app, await anOwner(app), 'main')
      const subscribe = (...sessionIds: string[]) =>
        app.post('/api/subscription/create', {}, { ...bearer(accessToken), ...both(...sessionIds) })
      expect(outcome(await subscribe(dead, sessionId))).toBe('201')
      expect(outcome(await subscribe(dead, newSessionId()))).toBe(NOT_FOUND)
    })

    it('clears the other cookie at the login and at the logout (W5)', async () => {
      const { email } = await anOwner(app)
      const login = await sendLogin(app, { email }, cookie(dead))
      expect(cookiesOf(login)).toEqual([' api.main.test', ' host', expect.stringMatching(/^\S+ main\.test$/)])
      const [sessionId = ''] = /(?<=sessionId=)[0-9a-f-]+/.exec(login.setCookies.join()) ?? []
      const headers = { Origin: MAIN, ...bearer(login.json.accessToken), ...cookie(sessionId) }
      const logout = await app.post('/api/logout', undefined, headers)
      expect(outcome(logout)).toBe('204')
      expect(cookiesOf(logout)).toEqual([' api.main.test', ' host', ' main.test'])
    })
  })

  describe('from elsewhere gives what the session has by then:', () => {
    /** A session whose client is changed, while somebody else does this. */
    async function refreshDuring(work: (owner: User) => Promise<unknown>) {
      const owner = await anOwner(app)
      const { sessionId } = await signIn(app, owner, 'main')
      const store = app.get(SessionStore)
      const updateClient = store.updateClient.bind(store)
      jest.spyOn(store, 'updateClient').mockImplementation(async (...change) => {
        await work(owner)
        return updateClient(...change)
      })
      const headers = { Origin: MAIN, ...cookie(sessionId), 'User-Agent': 'curl/8' }
      const answer = app.post('/api/refresh', undefined, headers)
      return answer.finally(() => jest.restoreAllMocks())
    }

    it('nothing once it has ended', async () => {
      const answer = await refreshDuring(owner => app.get(UserAdministration).endSessions(owner))
      expect([outcome(answer), answer.json.reason]).toEqual([NOT_FOUND, 'revoked'])
    })

    it('its new permissions', async () => {
      const granted = permissionsOf(['viewReports'])
      const answer = await refreshDuring(owner => app.get(UserAdministration).grant(owner, granted))
      expect(claimsOf(answer.json.accessToken).permissions).toEqual(granted)
    })
  })

  it('pages 22: with optional=true answers a visitor 204, and whoever presents a session as ever', async () => {
    await signInTwice()
    const ask = async (headers: Record<string, string>, query = '?optional=true') =>
      outcome(await app.post(`/api/refresh${query}`, undefined, headers))
    expect(await ask({ Origin: MAIN })).toBe('204')
    expect(await ask({ Origin: SHOP_ONE })).toBe('204')
    expect(await ask({ Origin: MAIN, ...cookie(main) })).toBe('200')
    expect(await ask({ Origin: MAIN, ...cookie(satellite) })).toBe(NOT_FOUND)
    expect(await ask({ Origin: MAIN }, '')).toBe(NOT_FOUND)
    expect(await ask({ Origin: MAIN }, '?optional=false')).toBe(NOT_FOUND)
  })

  it.each([
    ['no body', {}],
    ['an empty JSON body', { headers: { 'Content-Type': 'application/json' }, body: '' }],
    ['an empty object', { body: {} }],
  ])('takes %s', async (_, sent: { headers?: Record<string, string>; body?: object | string }) => {
    await signInTwice()
    const headers = { 'X-Session-ID': satellite, ...sent.headers }
    const answer = await app.request({ method: 'POST', path: '/api/refresh', ...sent, headers })
    expect(outcome(answer)).toBe('200')
  })
})
