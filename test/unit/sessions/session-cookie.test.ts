import cookie from '@fastify/cookie'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import {
  acceptedCookies,
  clearSessionCookie,
  handleOf,
  newSessionId,
  presentedCookies,
  presentedSession,
  presentedSessionIds,
  requireMainOrigin,
  type Settings,
  setSessionCookie,
} from '../../sources.js'

const MAIN = 'https://www.main.test'
const SHOP = 'https://shop.test'
const SETTINGS = {
  mainOrigin: MAIN,
  publicUrl: 'https://auth.main.test',
  cookieDomain: 'main.test',
  sessionTtlSeconds: 2_592_000,
} as Settings
const HOST_ONLY = { ...SETTINGS, cookieDomain: null } as unknown as Settings
const [ONE, TWO] = [newSessionId(), newSessionId()]

const server = fastify()
let handle: (request: FastifyRequest, reply: FastifyReply) => unknown

beforeAll(async () => {
  await server.register(cookie)
  server.get('/', (request, reply) => {
    try {
      return { answer: handle(request, reply) ?? null }
    } catch (error) {
      return { answer: (error as { code: string }).code }
    }
  })
})
afterAll(() => server.close())
beforeEach(() => {
  handle = () => null
})

async function ask(headers: Record<string, string | string[]> = {}): Promise<unknown> {
  const { body } = await server.inject({ path: '/', headers })
  return JSON.parse(body).answer
}

const cookies = (...values: string[]) => values.map(value => `sessionId=${value}`).join('; ')

describe('the session cookie', () => {
  it.each([
    [SETTINGS, '; Domain=main.test'],
    [HOST_ONLY, ''],
  ])('is set and cleared with the same attributes (%#)', async (settings, domain) => {
    handle = (_, reply) => {
      setSessionCookie(reply, ONE, settings)
    }
    const [set] = [(await server.inject('/')).headers['set-cookie']].flat()
    expect(set).toBe(`sessionId=${ONE}; Max-Age=2592000${domain}; Path=/; HttpOnly; Secure; SameSite=Lax`)
    handle = (_, reply) => {
      clearSessionCookie(reply, { source: 'main', sid: handleOf(ONE) }, settings)
    }
    const [cleared] = [(await server.inject('/')).headers['set-cookie']].flat()
    expect(cleared).toMatch(
      new RegExp(
        `^sessionId=; Max-Age=0${domain}; Path=/; Expires=Thu, 01 Jan 1970 [^;]+; HttpOnly; Secure; SameSite=Lax$`,
      ),
    )
  })

  it.each([
    ['the session that was ended', 'main', [ONE], true],
    ['another', 'main', [TWO], false],
    ['both', 'main', [TWO, ONE], true],
    ['no session', 'main', ['x'], true],
    ['it, but a satellite ended its own', 'satellite', [ONE], false],
  ] as const)('that names %s is cleared or not', async (_what, source, values, isCleared) => {
    handle = (_, reply) => {
      clearSessionCookie(reply, { source, sid: handleOf(ONE) }, SETTINGS)
    }
    const answer = await server.inject({ path: '/', headers: { cookie: cookies(...values) } })
    expect(answer.headers['set-cookie'] !== undefined).toBe(isCleared)
  })

  it.each<[string | null, string, (string | undefined)[]]>([
    ['main.test', 'https://auth.main.test', [undefined, 'auth.main.test']],
    [null, 'https://auth.main.test', ['auth.main.test', 'main.test']],
    ['auth.main.test', 'https://auth.main.test/path', [undefined, 'main.test']],
    [null, 'https://auth.main.co.uk', ['auth.main.co.uk', 'main.co.uk']],
    [null, 'http://localhost:3000', []],
    [null, 'http://127.0.0.1:3000', []],
  ])(
    'with COOKIE_DOMAIN %s at %s loses what another COOKIE_DOMAIN has left',
    async (cookieDomain, publicUrl, left) => {
      handle = (_, reply) => {
        setSessionCookie(reply, TWO, { ...SETTINGS, cookieDomain, publicUrl } as Settings)
      }
      const { headers } = await server.inject({ path: '/', headers: { cookie: cookies(ONE) } })
      const lines = [headers['set-cookie'] ?? []].flat().filter(line => !line.includes(TWO))
      expect(lines.map(line => /; Domain=([^;]+)/.exec(line)?.[1])).toEqual(left)
      for (const line of lines)
        expect(line.replace(/ Domain=[^;]+;/, '')).toMatch(
          /^sessionId=; Max-Age=0; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
        )
    },
  )

  it('is read by its exact name, as often as it was sent', async () => {
    handle = request => [presentedCookies(request), presentedSessionIds(request)]
    const Cookie = `${cookies(ONE)}; other=1; asessionId=x; sessionIds=y; ${cookies('text', TWO)}`
    expect(await ask({ Cookie })).toEqual([
      [ONE, 'text', TWO],
      [ONE, TWO],
    ])
    expect(await ask()).toEqual([[], []])
  })
})

describe('the one session of a request', () => {
  const ofMain = { kind: 'session', sessionId: ONE, source: 'main' }
  const ofSatellite = { kind: 'session', sessionId: ONE, source: 'satellite' }
  const nothing = { kind: 'nothing' }
  const unusable = { kind: 'unusable' }
  it.each<[string, Record<string, string | string[]>, unknown]>([
    ['a cookie', { Cookie: cookies(ONE) }, ofMain],
    ['a cookie from a page of the main site', { Cookie: cookies(ONE), Origin: MAIN }, ofMain],
    ['a header', { 'X-Session-ID': ONE }, ofSatellite],
    ['a header from a satellite', { 'X-Session-ID': ONE, Origin: SHOP }, ofSatellite],
    [
      'a header from a satellite, beside a cookie',
      { 'X-Session-ID': ONE, Cookie: cookies(TWO), Origin: SHOP },
      ofSatellite,
    ],
    ['nothing', {}, nothing],
    ['a cookie from a satellite', { Cookie: cookies(ONE), Origin: SHOP }, nothing],
    ['a cookie from an opaque origin', { Cookie: cookies(ONE), Origin: 'null' }, nothing],
    ['two cookies', { Cookie: cookies(ONE, TWO) }, { kind: 'several', sessionIds: [ONE, TWO] }],
    ['two cookies and a header', { Cookie: cookies(ONE, TWO), 'X-Session-ID': ONE }, unusable],
    ['a cookie beside one that cannot be ours', { Cookie: cookies(ONE, 'text') }, unusable],
    ['very many cookies', { Cookie: cookies(...Array.from({ length: 9 }, newSessionId)) }, unusable],
    ['the same cookie twice', { Cookie: cookies(ONE, ONE) }, unusable],
    ['both', { Cookie: cookies(ONE), 'X-Session-ID': ONE }, unusable],
    ['what is no identifier', { Cookie: cookies('text') }, unusable],
    ['a header that is no identifier', { 'X-Session-ID': 'text' }, unusable],
    ['an empty header beside a cookie', { 'X-Session-ID': '', Cookie: cookies(ONE) }, unusable],
    ['an empty header', { 'X-Session-ID': '' }, unusable],
    [
      'a cookie that another site made the browser send',
      { Cookie: cookies(ONE), 'Sec-Fetch-Site': 'cross-site' },
      { kind: 'cross-site' },
    ],
    ['a cookie of the same site', { Cookie: cookies(ONE), 'Sec-Fetch-Site': 'same-site' }, ofMain],
    ['a header across sites', { 'X-Session-ID': ONE, 'Sec-Fetch-Site': 'cross-site' }, ofSatellite],
  ])('%s', async (_, headers, expected) => {
    handle = request => presentedSession(request, SETTINGS)
    expect(await ask(headers)).toEqual(expected)
  })

  it('is unusable where a header is repeated', async () => {
    handle = request => presentedSession(request, SETTINGS)
    const url = await server.listen({ port: 0, host: '127.0.0.1' })
    const { request } = await import('../../support/http-request.js')
    const headers = { 'X-Session-ID': [ONE, ONE] }
    expect((await request(url, { headers })).json.answer).toEqual(unusable)
    const besideCookie = { ...headers, Cookie: cookies(ONE) }
    expect((await request(url, { headers: besideCookie })).json.answer).toEqual(unusable)
  })

  it.each<[Record<string, string>, unknown]>([
    [{}, []],
    [{ Cookie: cookies('text') }, ['text']],
    [{ Cookie: cookies(ONE), Origin: SHOP }, []],
    [{ Cookie: cookies(ONE), Origin: MAIN }, [ONE]],
    [{ 'X-Session-ID': ONE }, []],
    [{ Cookie: cookies(ONE), 'Sec-Fetch-Site': 'cross-site' }, 'CROSS_SITE_REFUSED'],
    [{ 'Sec-Fetch-Site': 'cross-site' }, []],
  ])('%j: the cookies that count are %j', async (headers, accepted) => {
    handle = request => acceptedCookies(request, SETTINGS)
    expect(await ask(headers)).toEqual(accepted)
  })
})

describe('a main session may be requested', () => {
  it.each<[Record<string, string>, string | null]>([
    [{ Origin: MAIN }, null],
    [{ Origin: MAIN, 'Sec-Fetch-Site': 'cross-site' }, null],
    [{}, null],
    [{ 'Sec-Fetch-Site': 'same-origin' }, null],
    [{ Origin: SHOP }, 'MAIN_ORIGIN_REQUIRED'],
    [{ Origin: 'null' }, 'MAIN_ORIGIN_REQUIRED'],
    [{ 'Sec-Fetch-Site': 'cross-site' }, 'CROSS_SITE_REFUSED'],
  ])('by %j: %s', async (headers, refusal) => {
    handle = request => requireMainOrigin(request, SETTINGS)
    expect(await ask(headers)).toBe(refusal)
  })
})
