import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { permissionsOf, SessionStore, type User, UserAdministration } from '../../sources.js'
import { anOwner, PASSWORD, signIn } from '../../support/people.js'
import { MAIN, SHOP_ONE, SHOP_TWO, TestApp } from '../../support/test-app.js'
import { cookie, outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'

const NOT_FOUND = '401 SESSION_NOT_FOUND'

describe('POST /api/refresh', () => {
  let app: TestApp
  let main: string
  let satellite: string
  beforeAll(async () => {
    app = await TestApp.start()
  })
  afterAll(() => app.stop())

  // Nothing here ends a session, so one of each kind serves a test.
  async function signInTwice(): Promise<void> {
    const owner = await anOwner(app)
    main = (await signIn(app, owner, 'main')).sessionId
    satellite = (await signIn(app, owner, 'satellite')).sessionId
  }

  async function refresh(headers: Record<string, string | string[]>): Promise<string> {
    return outcome(await app.request({ method: 'POST', path: '/api/refresh', headers }))
  }

  describe('takes one identifier', () => {
    it.each([
      ['cookie and header, both valid', () => ({ ...cookie(main), 'X-Session-ID': satellite })],
      ['cookie and header of the same value', () => ({ ...cookie(main), 'X-Session-ID': main })],
      ['the header twice', () => ({ 'X-Session-ID': [satellite, satellite] })],
      ['two values in one header', () => ({ 'X-Session-ID': `${satellite}, ${satellite}` })],
      ['the cookie twice in one line', () => ({ Cookie: `sessionId=${main}; sessionId=${main}` })],
      ['the cookie in two lines', () => ({ Cookie: [`sessionId=${main}`, `sessionId=${main}`] })],
      ['an empty cookie beside it', () => ({ Cookie: `sessionId=; sessionId=${main}` })],
    ])('not %s', async (_, headers) => {
      await signInTwice()
      expect(await refresh(headers())).toBe(NOT_FOUND)
    })

    it('and is not confused by other cookies', async () => {
      await signInTwice()
      expect(await refresh({ Origin: MAIN, Cookie: `theme=dark; sessionId=${main}; xsessionId=1` })).toBe(
        '200',
      )
    })
  })

  describe('from elsewhere gives what the session has by then:', () => {
    /** A session whose client is changed, while somebody else does this. */
    async function refreshDuring(work: (owner: User) => Promise<unknown>) {
      const owner = await anOwner(app)
      const { sessionId } = await signIn(app, owner, 'main')
      const store = app.app.get(SessionStore)
      const updateClient = store.updateClient.bind(store)
      jest.spyOn(store, 'updateClient').mockImplementation(async (...change) => {
        await work(owner)
        return updateClient(...change)
      })
      const headers = { Origin: MAIN, ...cookie(sessionId), 'User-Agent': 'curl/8' }
      const answer = app.request({ method: 'POST', path: '/api/refresh', headers })
      return answer.finally(() => jest.restoreAllMocks())
    }

    it('nothing once it has ended', async () => {
      const answer = await refreshDuring(owner => app.app.get(UserAdministration).endSessions(owner))
      expect([outcome(answer), answer.json.reason]).toEqual([NOT_FOUND, 'revoked'])
    })

    it('its new permissions', async () => {
      const granted = permissionsOf(['viewReports'])
      const answer = await refreshDuring(owner => app.app.get(UserAdministration).grant(owner, granted))
      expect(claimsOf(answer.json.accessToken).permissions).toEqual(granted)
    })
  })

  it('pages 22: with optional=true answers a visitor 204, and whoever presents a session as ever', async () => {
    await signInTwice()
    const ask = async (headers: Record<string, string>, query = '?optional=true') =>
      outcome(await app.request({ method: 'POST', path: `/api/refresh${query}`, headers }))
    expect(await ask({ Origin: MAIN })).toBe('204')
    expect(await ask({ Origin: SHOP_ONE })).toBe('204')
    expect(await ask({ Origin: MAIN, ...cookie(main) })).toBe('200')
    expect(await ask({ Origin: MAIN, ...cookie(satellite) })).toBe(NOT_FOUND)
    expect(await ask({ Origin: MAIN }, '')).toBe(NOT_FOUND)
    expect(await ask({ Origin: MAIN }, '?optional=false')).toBe(NOT_FOUND)
  })

  describe('takes the identifier as it was handed out', () => {
    it.each([
      ['in upper case', (id: string) => id.toUpperCase()],
      ['in quotes', (id: string) => `"${id}"`],
      ['without dashes', (id: string) => id.replaceAll('-', '')],
      ['with more behind it', (id: string) => `${id}0`],
      ['percent-encoded', (id: string) => `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`],
      ['as a glob', () => '*'],
    ])('not %s', async (_, write) => {
      await signInTwice()
      const cookieAnswer = await refreshByCookie(app, write(main))
      const headerAnswer = await refreshByHeader(app, write(satellite))
      expect([cookieAnswer, headerAnswer].map(outcome)).toEqual([NOT_FOUND, NOT_FOUND])
    })
  })

  describe('takes a session where its source belongs', () => {
    it.each([
      ['of the main site in the header', () => ({ Origin: SHOP_ONE, 'X-Session-ID': main })],
      ['of the main site in the header, on the main site', () => ({ Origin: MAIN, 'X-Session-ID': main })],
      ['of a satellite in the cookie', () => ({ Origin: MAIN, ...cookie(satellite) })],
    ])('not one %s', async (_, headers) => {
      await signInTwice()
      expect(await refresh(headers())).toBe(NOT_FOUND)
    })
  })

  describe('a satellite session', () => {
    it.each([SHOP_TWO, MAIN])('made on shop one is refused on %s', async origin => {
      await signInTwice()
      expect(await refresh({ Origin: origin, 'X-Session-ID': satellite })).toBe(NOT_FOUND)
    })

    it.each<Record<string, string>>([{ Origin: SHOP_ONE }, {}])(
      'made on shop one is accepted with %j',
      async headers => {
        await signInTwice()
        expect(await refresh({ ...headers, 'X-Session-ID': satellite })).toBe('200')
      },
    )

    it('of a mobile app is accepted without Origin', async () => {
      const { email } = await anOwner(app)
      const login = await app.request({
        method: 'POST',
        path: '/api/login',
        body: { email, password: PASSWORD, source: 'satellite' },
      })
      expect(await refresh({ 'X-Session-ID': login.json.sessionId })).toBe('200')
    })
  })

  describe('the cookie', () => {
    it.each([
      [{ Origin: MAIN }, '200'],
      [{}, '200'],
      [{ 'Sec-Fetch-Site': 'same-site' }, '200'],
      [{ Origin: SHOP_ONE }, NOT_FOUND],
      [{ Origin: 'https://evil.test' }, '403 ORIGIN_NOT_ALLOWED'],
      [{ 'Sec-Fetch-Site': 'cross-site' }, '403 CROSS_SITE_REFUSED'],
      [{ Origin: MAIN, 'Sec-Fetch-Site': 'cross-site' }, '403 CROSS_SITE_REFUSED'],
    ])('with %j is answered %s', async (headers, answer) => {
      await signInTwice()
      expect(await refresh({ ...headers, ...cookie(main) })).toBe(answer)
    })

    it('of the main site does not disturb a satellite that sends its header', async () => {
      await signInTwice()
      expect(await refresh({ Origin: SHOP_ONE, ...cookie(main), 'X-Session-ID': satellite })).toBe('200')
    })
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
