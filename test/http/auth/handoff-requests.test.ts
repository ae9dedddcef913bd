import { randomUUID } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import { OneTimeTokenCleanup, oneTimeTokens, Satellites, satellites } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { aMember, anOwner, signIn } from '../../support/people.js'
import { aSatellite, setSatelliteState } from '../../support/satellites.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { onServers } from '../../support/tiers.js'
import { cookie, logOut, outcome } from '../support/api-calls.js'
import { aCode, aJourney, describeHandoff, handOff, redeem, requestCode } from '../support/handoff-calls.js'
import { onMainSite } from '../support/reauthenticate.js'
import { closeTo } from '../support/team-calls.js'
import { untilWaiting } from '../support/waiting-statements.js'

const BRANDING = { name: 'Rosa’s shop', logoUrl: null, accent: '#1d4ed8', background: '#ffffff' }
const HANDOFFS = 20

const app = anApp({
  HANDOFFS_PER_USER: String(HANDOFFS),
  ATTEMPTS_PER_NETWORK: '30',
  TRUST_PROXY: '127.0.0.1',
})

const newOrigin = () => `https://shop-${randomUUID().slice(0, 8)}.test`

async function aMemberOnMain(change: Parameters<typeof aSatellite>[3] = {}) {
  const owner = await anOwner(app)
  const member = await aMember(app, owner)
  const origin = newOrigin()
  const satellite = await aSatellite(app, owner, origin, change)
  return { owner, member, origin, satellite, main: await signIn(app, member, 'main') }
}

describe('what the main site is told of a satellite', () => {
  it('gives its name and branding, who is logged in, and whether they have been there', async () => {
    const { member, main, origin } = await aMemberOnMain({ name: 'Rosa', branding: BRANDING })
    const told = {
      origin,
      name: 'Rosa',
      branding: BRANDING,
      access: 'allowed',
      isKnown: false,
      email: member.email,
      iss: app.settings.publicUrl,
    }
    expect((await describeHandoff(app, main, origin)).json).toEqual(told)
    await handOff(app, main, origin)
    expect((await describeHandoff(app, main, origin)).json).toEqual({ ...told, isKnown: true })
    expect((await describeHandoff(app, main, SHOP_ONE)).json).toMatchObject({
      origin: SHOP_ONE,
      name: new URL(SHOP_ONE).host,
      branding: null,
      access: 'allowed',
    })
  })

  it('gives no more than the host of a satellite that the user may not use', async () => {
    const { member, main, origin } = await aMemberOnMain({ name: 'Rosa', branding: BRANDING })
    const others = await aMemberOnMain({ name: 'Mine, trust me', branding: BRANDING })
    const nothing = (of: string) => ({
      origin: of,
      name: new URL(of).host,
      branding: null,
      access: 'not_invited',
      isKnown: false,
      email: member.email,
      iss: app.settings.publicUrl,
    })
    expect((await describeHandoff(app, main, others.origin)).json).toEqual(nothing(others.origin))
    expect(outcome(await requestCode(app, main, others.origin))).toBe('403 NOT_INVITED')
    await closeTo(app, member, [SHOP_ONE])
    expect((await describeHandoff(app, main, origin)).json).toEqual(nothing(origin))
    expect(outcome(await requestCode(app, main, origin))).toBe('403 NOT_INVITED')
    expect(outcome(await requestCode(app, main, SHOP_ONE))).toBe('201')
  })

  it('tells that the satellite is suspended, or takes passwords only', async () => {
    const suspended = await aMemberOnMain({ name: 'Rosa' })
    await setSatelliteState(app, suspended.satellite, 'suspended')
    await app.get(Satellites).refresh()
    const told = await describeHandoff(app, suspended.main, suspended.origin)
    expect(told.json).toMatchObject({ name: 'Rosa', access: 'suspended' })
    expect(outcome(await requestCode(app, suspended.main, suspended.origin))).toBe('403 SATELLITE_SUSPENDED')
    const stranger = await aMemberOnMain({ loginMode: 'password' })
    // Another account's, which an operator may have closed: the page would lead there.
    expect(outcome(await describeHandoff(app, stranger.main, suspended.origin))).toBe(
      '404 SATELLITE_NOT_FOUND',
    )
    const own = await describeHandoff(app, stranger.main, stranger.origin)
    expect(own.json).toMatchObject({ access: 'access_denied' })
    expect(outcome(await requestCode(app, stranger.main, stranger.origin))).toBe('403 HANDOFF_DISABLED')
  })

  it('shows the page of a suspended preview by its pattern, in its own account', async () => {
    const { owner, member } = await aMemberOnMain()
    const suffix = randomUUID().slice(0, 8)
    const pattern = `https://pr-*.${suffix}.test`
    const preview = await aSatellite(app, owner, pattern, { kind: 'preview' })
    await closeTo(app, member, [pattern])
    const main = await signIn(app, member, 'main')
    expect((await describeHandoff(app, main, `https://pr-7.${suffix}.test`)).json.access).toBe('allowed')
    await setSatelliteState(app, preview, 'suspended')
    await app.get(Satellites).refresh()
    const told = await describeHandoff(app, main, `https://pr-7.${suffix}.test`)
    expect(told.json).toMatchObject({ origin: `https://pr-7.${suffix}.test`, access: 'suspended' })
    for (const other of [pattern, `https://${suffix}.test`, `https://a.pr-7.${suffix}.test`])
      expect(outcome(await describeHandoff(app, main, other))).toBe('404 SATELLITE_NOT_FOUND')
  })

  it('tells nothing about an origin that is no satellite', async () => {
    const { main } = await aMemberOnMain()
    const spelt = [`${SHOP_ONE}/`, `${SHOP_ONE}:443`, `${SHOP_ONE}@nowhere.test`, SHOP_ONE.toUpperCase()]
    const others = ['null', '*', 'javascript:alert(1)', ' ', '%00', '\u0000', 'https://\u0000.test']
    for (const origin of [MAIN, 'https://nowhere.test', ...spelt, ...others]) {
      const path = `/api/handoff/satellite?origin=${encodeURIComponent(origin)}`
      const answers = [
        await describeHandoff(app, main, origin),
        await requestCode(app, main, origin),
        await app.request({ path, headers: {} }),
      ]
      expect([origin, ...answers.map(outcome)]).toEqual([origin, ...Array(3).fill('404 SATELLITE_NOT_FOUND')])
    }
  })

  it('tells nobody about a pending satellite', async () => {
    const { satellite, origin, main } = await aMemberOnMain()
    await app.query(`update satellites set state = 'pending' where id = '${satellite.id}'`)
    await app.get(Satellites).refresh()
    expect(outcome(await describeHandoff(app, main, origin))).toBe('404 SATELLITE_NOT_FOUND')
  })

  it('tells a visitor before login that the origin is a satellite', async () => {
    const ask = (origin: string) =>
      app.request({ path: `/api/handoff/satellite?origin=${origin}`, headers: {} })
    expect((await ask(SHOP_ONE)).json).toEqual({ origin: SHOP_ONE, iss: app.settings.publicUrl })
  })
})

describe('a code', () => {
  it('is given only to the token and cookie of one live main session, on the main site', async () => {
    const { member, main, origin } = await aMemberOnMain()
    const another = await signIn(app, member, 'main')
    const child = await handOff(app, main, origin)
    const ask = async (token: string, headers: Record<string, string>) =>
      outcome(await requestCode(app, { accessToken: token, sessionId: '' }, origin, aJourney(), headers))
    expect(await ask(main.accessToken, { Origin: MAIN })).toBe('403 SESSION_COOKIE_REQUIRED')
    expect(await ask('', { Origin: MAIN, ...cookie(main.sessionId) })).toMatch(/^401 /)
    expect(await ask(main.accessToken, { Origin: MAIN, ...cookie(another.sessionId) })).toBe(
      '403 SESSION_MISMATCH',
    )
    // A hostile satellite, with the browser's cookie and a token that it has stolen.
    expect(await ask(main.accessToken, { Origin: SHOP_TWO, ...cookie(main.sessionId) })).toBe(
      '403 SESSION_COOKIE_REQUIRED',
    )
    expect(await ask(main.accessToken, cookie(main.sessionId))).toBe('403 MAIN_ORIGIN_REQUIRED')
    expect(await ask(main.accessToken, { 'Sec-Fetch-Site': 'cross-site', ...cookie(main.sessionId) })).toBe(
      '403 CROSS_SITE_REFUSED',
    )
    // What came from the main site never leads back to it.
    expect(await ask(child.accessToken, { Origin: MAIN, ...cookie(child.sessionId) })).toBe(
      '403 MAIN_SOURCE_REQUIRED',
    )
    expect(await ask(child.accessToken, { Origin: origin })).toBe('403 SESSION_COOKIE_REQUIRED')
    await logOut(app, main.accessToken)
    expect(await ask(main.accessToken, { Origin: MAIN, ...cookie(main.sessionId) })).toBe(
      '401 SESSION_NOT_FOUND',
    )
  })

  it('is refused with a body that no satellite’s page sends', async () => {
    const { main, origin } = await aMemberOnMain()
    const { challenge, state } = aJourney()
    const good = { satellite: origin, challenge, state }
    const bad = [
      {},
      { ...good, satellite: undefined },
      { ...good, satellite: [origin] },
      { ...good, satellite: 'x'.repeat(301) },
      { ...good, challenge: `${challenge}=` },
      { ...good, challenge: challenge.slice(1) },
      { ...good, challenge: null },
      { ...good, challenge: `${challenge.slice(1)}\n` },
      { ...good, state: `${state.slice(1)}&` },
      { ...good, state: 7 },
      { ...good, challenge_method: 'plain' },
    ]
    const answers = []
    for (const body of bad) answers.push(await onMainSite(app, main, 'POST', '/api/handoff/codes', body))
    expect(answers.map(outcome)).toEqual(bad.map(() => '400 INVALID_BODY'))
    for (const query of ['', '?satellite=', '?satellite=a&satellite=b', `?satellite=${'x'.repeat(301)}`]) {
      const answer = outcome(await onMainSite(app, main, 'GET', `/api/handoff${query}`))
      expect([query, answer]).toEqual([
        query,
        query === '?satellite=' ? '404 SATELLITE_NOT_FOUND' : '400 INVALID_QUERY',
      ])
    }
  })

  it('cannot be redeemed with a body of another form', async () => {
    const { main, origin } = await aMemberOnMain()
    const { verifier, ...journey } = aJourney()
    const code = await aCode(app, main, origin, { verifier, ...journey })
    const bad = [
      { code: undefined, verifier },
      { code: [code], verifier },
      { code, verifier: null },
      { code, verifier: 'x'.repeat(129) },
      { code: 'x'.repeat(101), verifier },
      { code, verifier, deviceId: 'mine' },
    ]
    for (const body of bad) expect(outcome(await redeem(app, body, origin))).toBe('400 INVALID_BODY')
    for (const odd of ['\u0000', '😀'.repeat(20), "' or 1=1 --"])
      expect(outcome(await redeem(app, { code: odd, verifier: odd }, origin))).toBe(
        '401 HANDOFF_CODE_INVALID',
      )
    expect(outcome(await redeem(app, { code, verifier }, origin))).toBe('200')
  })
})

describe('limits', () => {
  it('limits codes by session and user, and cleans up unused codes', async () => {
    const { member, main, origin } = await aMemberOnMain()
    const ask = async (session: typeof main) => outcome(await requestCode(app, session, origin))
    const many = async (session: typeof main) => {
      const answers = []
      for (let i = 0; i < HANDOFFS / 2 + 1; i++) answers.push(await ask(session))
      return answers
    }
    const half = Array(HANDOFFS / 2).fill('201')
    const refused = '429 TOO_MANY_ATTEMPTS'
    expect(await many(main)).toEqual([...half, refused])
    // A thief of one session leaves its user the other half.
    expect(await many(await signIn(app, member, 'main'))).toEqual([...half, refused])
    expect(await ask(await signIn(app, member, 'main'))).toBe(refused)
    const stored = () => app.database.run(db => db.$count(oneTimeTokens, eq(oneTimeTokens.userId, member.id)))
    expect(await stored()).toBe(HANDOFFS)
    app.clock.advance(61)
    await app.get(OneTimeTokenCleanup).run()
    expect(await stored()).toBe(0)
  })

  it('limits wrong codes by network, and always lets a good code pass', async () => {
    const { main, origin } = await aMemberOnMain()
    const { verifier, ...journey } = aJourney()
    const code = await aCode(app, main, origin, { verifier, ...journey })
    const from = (ip: string, body: object) =>
      app.post('/api/handoff/redeem', body, { Origin: origin, 'X-Forwarded-For': ip })
    const answers = []
    for (let i = 0; i < 40; i++)
      answers.push(
        outcome(await from('198.51.100.7', i % 2 ? { code, verifier: 'wrong' } : { code: 'x', verifier })),
      )
    expect(answers.slice(0, 30)).toEqual(Array(30).fill('401 HANDOFF_CODE_INVALID'))
    expect(answers.slice(30)).toEqual(Array(10).fill('429 TOO_MANY_ATTEMPTS'))
    expect(outcome(await from('203.0.113.7', { code: 'x', verifier }))).toBe('401 HANDOFF_CODE_INVALID')
    expect(outcome(await from('198.51.100.7', { code, verifier }))).toBe('200')
  })
})

describe('an account that requires hand-offs', () => {
  onServers('waits for a change of one of its satellites without keeping others from theirs', async () => {
    const { owner, satellite } = await aMemberOnMain()
    const other = await aMemberOnMain()
    const session = await signIn(app, owner, 'main')
    const database = app.database
    let changing: Promise<TestResponse> | undefined
    await database.transaction(async transaction => {
      await transaction.execute(sql`select 1 from ${satellites} where id = ${satellite.id} for update`)
      changing = onMainSite(app, session, 'PATCH', '/api/account', { handoffRequired: 'everyone' })
      await untilWaiting(app)
      await transaction.execute(sql`update ${satellites} set name = 'Ours' where id = ${other.satellite.id}`)
    })
    expect(outcome((await changing) as TestResponse)).toBe('200')
  })
})
