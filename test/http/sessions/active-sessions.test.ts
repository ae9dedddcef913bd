import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { aStamp } from '../../contracts/a-session.js'
import { stampSession } from '../../contracts/kept-session.js'
import {
  asSessionId,
  handleOf,
  newSessionId,
  type SessionId,
  SessionStore,
  type User,
} from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { cityRecord, mmdbFile } from '../../support/mmdb-file.js'
import { aMember, anOwner, aSignedInOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { anApp, BACKENDS, MAIN, SHOP_ONE, SHOP_TWO, TestApp } from '../../support/test-app.js'
import {
  bearer,
  cookie,
  logOut,
  outcome,
  refreshByCookie,
  refreshByHeader,
  subscribe,
} from '../support/api-calls.js'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'

describe.each(BACKENDS)('the session centre on %s', backend => {
  const app = anApp({}, backend)

  const sidOf = ({ sessionId }: SignedIn) => handleOf(asSessionId(sessionId) as SessionId)

  function call(
    method: string,
    path: string,
    { accessToken }: Pick<SignedIn, 'accessToken'>,
    origin?: string,
  ) {
    return app.request({
      method,
      path,
      headers: { ...bearer(accessToken), ...(origin && { Origin: origin }) },
    })
  }
  const list = (signedIn: SignedIn, origin = MAIN) => call('GET', '/api/sessions', signedIn, origin)
  const end = (signedIn: SignedIn, sid: string, origin = MAIN) =>
    call('DELETE', `/api/sessions/${sid}`, signedIn, origin)
  const endOthers = (signedIn: SignedIn, origin = MAIN) => call('DELETE', '/api/sessions', signedIn, origin)

  /** An app sends no Origin. */
  async function signInByApp(user: User): Promise<SignedIn> {
    const device = { 'User-Agent': 'MainstayApp/2.1 (iPhone; iOS 18.6)' }
    const answer = await sendLogin(app, user, { source: 'satellite', Origin: [], ...device })
    return { ...answer.json, answer }
  }

  function sidsIn({ json }: TestResponse): string[] {
    return json.sites.flatMap((site: { sessions: { sid: string }[] }) => site.sessions.map(({ sid }) => sid))
  }

  async function stampReauthentication(signedIn: SignedIn): Promise<void> {
    const now = app.clock.now()
    expect(await stampSession(app.database, app.get(SessionStore), sidOf(signedIn), aStamp(now), now)).toBe(
      true,
    )
  }

  async function revocationsOf({ id }: User) {
    return app.auditRows({ userId: id, action: 'session.revoke' })
  }

  describe('GET /api/sessions', () => {
    it('shows own sessions by site, those used last first', async () => {
      const owner = await aSignedInOwner(app)
      app.clock.advance(10)
      const shop = await signIn(app, owner, 'satellite')
      app.clock.advance(10)
      const mobile = await signInByApp(owner)
      app.clock.advance(10)
      const otherMain = await signIn(app, owner, 'main')
      await signIn(app, await aMember(app, owner), 'main')
      const { status, json } = await list(owner)
      expect(status).toBe(200)
      expect(json).toMatchObject({
        complete: true,
        sites: [
          {
            site: MAIN,
            kind: 'main',
            sessions: [
              { sid: sidOf(otherMain), current: false },
              { sid: sidOf(owner), current: true },
            ],
          },
          { site: null, kind: 'app', sessions: [{ sid: sidOf(mobile), current: false }] },
          { site: SHOP_ONE, kind: 'satellite', sessions: [{ sid: sidOf(shop), current: false }] },
        ],
      })
      expect(json.sites).toHaveLength(3)
      app.clock.advance(10)
      await refreshByHeader(app, shop.sessionId)
      expect((await list(owner)).json.sites[0]).toMatchObject({ site: SHOP_ONE })
    })

    it('shows what people want to know of each session, and nothing secret', async () => {
      const owner = await anOwner(app)
      const before = app.clock.now().getTime()
      const answer = await sendLogin(app, owner, { 'User-Agent': FIREFOX })
      const sessionId = /sessionId=([^;]+)/.exec(answer.setCookies[0]!)![1]!
      const me: SignedIn = { accessToken: answer.json.accessToken, sessionId, answer }
      const listed = await list(me)
      const [session] = listed.json.sites[0].sessions
      expect(Object.keys(session).sort()).toEqual(
        ['sid', 'current', 'device', 'place', 'ip', 'createdAt', 'lastUsed', 'expiresAt', 'idleAt'].sort(),
      )
      expect(session).toMatchObject({ device: 'Firefox on Linux', place: null, ip: '127.0.0.1' })
      const [createdAt, lastUsed, expiresAt] = [session.createdAt, session.lastUsed, session.expiresAt].map(
        text => Date.parse(text),
      ) as [number, number, number]
      // Both are kept in whole seconds.
      const after = app.clock.now().getTime()
      for (const time of [createdAt, lastUsed]) {
        expect(time).toBeGreaterThan(before - 1_000)
        expect(time).toBeLessThanOrEqual(after)
      }
      expect(expiresAt - createdAt).toBe(30 * 24 * 3600 * 1000)
      expect(listed.text).not.toContain(me.sessionId)
    })

    it('names the device of an app', async () => {
      const owner = await anOwner(app)
      const mobile = await signInByApp(owner)
      const { json } = await call('GET', '/api/sessions', mobile)
      expect(json).toMatchObject({
        complete: true,
        sites: [{ site: null, kind: 'app', sessions: [{ current: true, device: 'MainstayApp on iPhone' }] }],
      })
    })

    it('needs a live session, not just a valid token', async () => {
      const me = await signIn(app, await anOwner(app), 'main')
      await logOut(app, me.accessToken)
      for (const answer of [await list(me), await end(me, sidOf(me)), await endOthers(me)])
        expect(outcome(answer)).toBe('401 SESSION_NOT_FOUND')
    })
  })

  describe('DELETE /api/sessions/:sid', () => {
    it('ends that session at once and says so in the audit log', async () => {
      const owner = await anOwner(app)
      const [me, lost] = [await signIn(app, owner, 'main'), await signIn(app, owner, 'satellite')]
      const answer = await end(me, sidOf(lost))
      expect({ ...answer, headers: null }).toMatchObject({ status: 204, text: '', setCookies: [] })
      expect(outcome(await refreshByHeader(app, lost.sessionId))).toBe('401 SESSION_NOT_FOUND')
      expect(outcome(await refreshByCookie(app, me.sessionId))).toBe('200')
      expect(await revocationsOf(owner)).toMatchObject([
        {
          outcome: 'ok',
          accountId: owner.accountId,
          sid: sidOf(lost),
          ip: '127.0.0.1',
          detail: { reason: 'ended by its user' },
        },
      ])
    })

    it('clears the cookie of the session that it ends', async () => {
      const me = await signIn(app, await anOwner(app), 'main')
      const { status, setCookies } = await end(me, sidOf(me))
      expect({ status, setCookies }).toMatchObject({
        status: 204,
        setCookies: [expect.stringMatching(/^sessionId=;/)],
      })
      const attributes = (setCookie = '') =>
        setCookie
          .split('; ')
          .slice(1)
          .filter(one => !/^(Max-Age|Expires)=/.test(one))
          .sort()
      expect(attributes(setCookies[0])).toEqual(attributes(me.answer.setCookies[0]))
      expect(outcome(await subscribe(app, me))).toBe('401 SESSION_NOT_FOUND')
    })

    it('keeps a cookie that has meanwhile been replaced by a later login', async () => {
      const owner = await anOwner(app)
      const [me, later] = [await signIn(app, owner, 'main'), await signIn(app, owner, 'main')]
      const headers = { Origin: MAIN, ...bearer(me.accessToken), ...cookie(later.sessionId) }
      const answer = await app.request({ method: 'DELETE', path: `/api/sessions/${sidOf(me)}`, headers })
      expect(answer).toMatchObject({ status: 204, setCookies: [] })
      expect(outcome(await subscribe(app, me))).toBe('401 SESSION_NOT_FOUND')
      expect(outcome(await refreshByCookie(app, later.sessionId))).toBe('200')
    })

    it('lets a satellite and an app end their own, without a cookie', async () => {
      const owner = await anOwner(app)
      for (const me of [await signIn(app, owner, 'satellite'), await signInByApp(owner)]) {
        expect(await end(me, sidOf(me), SHOP_ONE)).toMatchObject({ status: 204, setCookies: [] })
        expect(outcome(await refreshByHeader(app, me.sessionId))).toBe('401 SESSION_NOT_FOUND')
      }
    })

    it("answers 404 for a session that is ended, unknown, malformed or somebody else's", async () => {
      const owner = await anOwner(app)
      const [me, ended] = [await signIn(app, owner, 'main'), await signIn(app, owner, 'main')]
      const colleague = await signIn(app, await aMember(app, owner), 'main')
      const stranger = await signIn(app, await anOwner(app), 'main')
      expect(outcome(await end(me, sidOf(ended)))).toBe('204')
      const absent = [sidOf(ended), handleOf(newSessionId()), sidOf(colleague), sidOf(stranger)]
      const malformed = [
        'x',
        '%00',
        '..%2f..',
        me.sessionId,
        `${sidOf(me)}x`,
        '%27%20or%201=1',
        'a'.repeat(99),
      ]
      const bodies = new Set<string>()
      for (const sid of [...absent, ...malformed]) {
        const answer = await end(me, sid)
        expect(outcome(answer)).toBe('404 NOT_FOUND')
        bodies.add(JSON.stringify({ ...answer.json, requestId: '' }))
      }
      expect(bodies.size).toBe(1)
      for (const { sessionId } of [me, colleague, stranger])
        expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
      expect((await revocationsOf(owner)).map(({ outcome }) => outcome)).toEqual([
        'ok',
        ...Array(absent.length + malformed.length).fill('refused'),
      ])
    })

    it('tells only one of many simultaneous callers that the session was live', async () => {
      const owner = await anOwner(app)
      const [me, lost] = [await signIn(app, owner, 'main'), await signIn(app, owner, 'main')]
      const answers = await Promise.all(Array.from({ length: 8 }, () => end(me, sidOf(lost))))
      expect(answers.map(outcome).sort()).toEqual(['204', ...Array(7).fill('404 NOT_FOUND')])
    })
  })

  describe('DELETE /api/sessions', () => {
    it('ends all others everywhere, keeps its own, and says how many', async () => {
      const owner = await aSignedInOwner(app)
      const otherMain = await signIn(app, owner, 'main')
      const [shop, mobile] = [await signIn(app, owner, 'satellite'), await signInByApp(owner)]
      const colleague = await signIn(app, await aMember(app, owner), 'main')
      const answer = await endOthers(owner)
      expect(answer).toMatchObject({ status: 200, json: { ended: 3 }, setCookies: [] })
      expect(outcome(await refreshByCookie(app, otherMain.sessionId))).toBe('401 SESSION_NOT_FOUND')
      for (const { sessionId } of [shop, mobile])
        expect(outcome(await refreshByHeader(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
      for (const { sessionId } of [owner, colleague])
        expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
      expect(sidsIn(await list(owner))).toEqual([sidOf(owner)])
      expect(await revocationsOf(owner)).toMatchObject([
        {
          outcome: 'ok',
          accountId: owner.accountId,
          detail: { reason: 'all others ended', keep: sidOf(owner) },
        },
      ])
    })

    it('ends nothing where there is no other session, and writes no audit row', async () => {
      const owner = await aSignedInOwner(app)
      expect((await endOthers(owner)).json).toEqual({ ended: 0 })
      expect(await revocationsOf(owner)).toEqual([])
      expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe('200')
    })
  })

  describe('on a satellite, which is the page of a customer', () => {
    async function atTwoSites() {
      const owner = await aSignedInOwner(app)
      const mobile = await signInByApp(owner)
      const here = await signIn(app, owner, 'satellite')
      const alsoHere = await signIn(app, owner, 'satellite')
      const elsewhere = await signIn(app, owner, 'satellite', SHOP_TWO)
      return { owner, main: owner, mobile, here, alsoHere, elsewhere }
    }

    it('shows a session only those of its own site', async () => {
      const { here, alsoHere } = await atTwoSites()
      const answer = await list(here, SHOP_ONE)
      expect(answer.json).toMatchObject({ complete: false, sites: [{ site: SHOP_ONE, kind: 'satellite' }] })
      expect(sidsIn(answer).sort()).toEqual([sidOf(here), sidOf(alsoHere)].sort())
    })

    it('ends only sessions of its own site, and does not reveal the others', async () => {
      const { main, mobile, here, alsoHere, elsewhere } = await atTwoSites()
      expect(outcome(await end(here, sidOf(alsoHere), SHOP_ONE))).toBe('204')
      for (const other of [main, mobile, elsewhere])
        expect(outcome(await end(here, sidOf(other), SHOP_ONE))).toBe('404 NOT_FOUND')
      expect(outcome(await refreshByCookie(app, main.sessionId))).toBe('200')
    })

    it('requires re-authentication to end all others', async () => {
      const { owner, main, here, alsoHere } = await atTwoSites()
      const answer = await endOthers(here, SHOP_ONE)
      expect(outcome(answer)).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(answer.headers['www-authenticate']).toBe(
        'Bearer error="insufficient_user_authentication", max_age="600"',
      )
      expect(outcome(await refreshByCookie(app, main.sessionId))).toBe('200')
      expect(outcome(await refreshByHeader(app, alsoHere.sessionId))).toBe('200')
      expect(await revocationsOf(owner)).toMatchObject([
        { outcome: 'refused', sid: sidOf(here), detail: { reason: 'not re-authenticated' } },
      ])
    })

    it('shows and ends everything for ten minutes after re-authentication', async () => {
      const { main, here, elsewhere } = await atTwoSites()
      await stampReauthentication(here)
      const all = await list(here, SHOP_ONE)
      expect(all.json).toMatchObject({ complete: true })
      expect(sidsIn(all)).toHaveLength(5)
      expect(outcome(await end(here, sidOf(elsewhere), SHOP_ONE))).toBe('204')
      app.clock.advance(600)
      expect((await list(here, SHOP_ONE)).json).toMatchObject({ complete: false })
      expect(outcome(await endOthers(here, SHOP_ONE))).toBe('401 REAUTHENTICATION_REQUIRED')
      await stampReauthentication(here)
      expect((await endOthers(here, SHOP_ONE)).json).toEqual({ ended: 3 })
      expect(outcome(await refreshByCookie(app, main.sessionId))).toBe('401 SESSION_NOT_FOUND')
      expect(outcome(await refreshByHeader(app, here.sessionId))).toBe('200')
    })
  })
})

describe('with a database of places, the session centre and the audit log', () => {
  let app: TestApp
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'mainstay-places-'))
    const file = join(folder, 'places.mmdb')
    const geneva = cityRecord('Geneva', 'Switzerland', 46.2, 6.15)
    const names = { en: 'Geneva', de: 'Genf' }
    const country = { iso_code: 'CH', names: { en: 'Switzerland' } }
    await writeFile(file, mmdbFile({ '127.0.0.0/8': { ...geneva, city: { names }, country } }))
    app = await TestApp.start({ GEOIP_FILE: file })
  })
  afterAll(async () => {
    await app.stop()
    await rm(folder, { recursive: true })
  })

  it('say coarsely where everything was, in the language of whoever asks', async () => {
    const { accessToken, sessionId } = await signIn(app, await anOwner(app), 'main')
    const placeFor = async (headers: Record<string, string>) => {
      const { json } = await app.request({
        path: '/api/sessions',
        headers: { ...bearer(accessToken), ...headers },
      })
      expect(json.sites[0].sessions).toMatchObject([{ ip: '127.0.0.1' }])
      return json.sites[0].sessions[0].place
    }
    expect(await placeFor({})).toBe('Geneva, Switzerland')
    expect(await placeFor({ 'Accept-Language': 'de-CH,de;q=0.9,en;q=0.8' })).toBe('Genf, Schweiz')
    expect(await placeFor({ 'Accept-Language': 'xx' })).toBe('Geneva, Switzerland')
    const headers = { Origin: MAIN, ...bearer(accessToken), ...cookie(sessionId), 'Accept-Language': 'de' }
    const { json } = await app.request({ path: '/api/audit?action=login', headers })
    expect(json.entries).toMatchObject([{ ip: '127.0.0.1', place: 'Genf, Schweiz' }])
  })
})
