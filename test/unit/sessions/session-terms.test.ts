import { describe, expect, it } from '@jest/globals'
import { aSession } from '../../contracts/a-session.js'
import {
  type AccessTokens,
  authMethods,
  type Caller,
  permissionsOf,
  type Satellite,
  type Satellites,
  type Session,
  SessionTerms,
  type Settings,
  secondsAfter,
} from '../../sources.js'

const MAIN = 'https://www.main.test'
const SHOP = 'https://shop.test'
const START = new Date('2026-01-01T00:00:00Z')
const TTL = 3_600

/** Where this satellite is known; a token is what is in it. */
function termsWith(satellite: Partial<Satellite> | null, settings: Partial<Settings> = {}): SessionTerms {
  const known = satellite && {
    id: 'satellite-1',
    origin: SHOP,
    accountId: null,
    kind: 'production',
    ceiling: permissionsOf(['dataEntry', 'viewReports']),
    sessionSeconds: null,
    idleSeconds: null,
    activeSince: START.getTime(),
    ...satellite,
  }
  return new SessionTerms(
    { find: (origin: string) => (origin === SHOP ? known : null) } as unknown as Satellites,
    { issue: (caller: Caller) => caller } as unknown as AccessTokens,
    {
      mainOrigin: MAIN,
      sessionTtlSeconds: TTL,
      sessionIdleSeconds: null,
      accessTokenTtlSeconds: 900,
      ...settings,
    } as Settings,
  )
}

const atShop = (overrides: Partial<Session> = {}) =>
  aSession({
    source: 'satellite',
    origin: SHOP,
    createdAt: START,
    expiresAt: secondsAfter(START, TTL),
    permissions: permissionsOf(['dataEntry', 'viewReports']),
    ...overrides,
  })

describe('a session that begins lives', () => {
  it.each<[string, Partial<Satellite> | null, number]>([
    ['as long as all do', {}, TTL],
    ['as long as its satellite says', { sessionSeconds: 600 }, 600],
    ['never longer than all do', { sessionSeconds: TTL + 1 }, TTL],
  ])('%s', (_, satellite, seconds) => {
    expect(termsWith(satellite).lifetimeSeconds({ source: 'satellite', origin: SHOP })).toBe(seconds)
  })

  it.each([
    { source: 'main', origin: MAIN },
    { source: 'main', origin: SHOP },
    { source: 'satellite', origin: MAIN },
    { source: 'satellite', origin: null },
  ] as const)('without a satellite, at %j, as long as all do', site => {
    expect(termsWith({ sessionSeconds: 600 }).lifetimeSeconds(site)).toBe(TTL)
  })
})

describe('the idle timeout of a session', () => {
  const shop = { source: 'satellite', origin: SHOP } as const
  const main = { source: 'main', origin: MAIN } as const
  it.each<[string, number | null, number | null, number | null, typeof shop | typeof main, number | null]>([
    ['is none where nobody sets one', null, null, null, shop, null],
    ['is what the service sets for all', 7_200, null, null, main, 7_200],
    ['is what the account sets', null, null, 3_600, main, 3_600],
    ['is what the satellite sets', null, 2_700, null, shop, 2_700],
    ["is not a satellite's on the main site", null, 2_700, null, main, null],
    ['is the strictest: the service', 1_900, 2_000, 2_100, shop, 1_900],
    ['is the strictest: the satellite', 2_100, 1_900, 2_000, shop, 1_900],
    ['is the strictest: the account', 2_000, 2_100, 1_900, shop, 1_900],
    ['is never too short for a client in use', null, null, 600, shop, 1_800],
  ])('%s', (_, sessionIdleSeconds, ofSatellite, ofAccount, site, seconds) => {
    const terms = termsWith({ idleSeconds: ofSatellite }, { sessionIdleSeconds })
    expect(terms.idleSeconds(site, ofAccount)).toBe(seconds)
  })
})

describe('a session at a satellite may go on', () => {
  const preview = { kind: 'preview', sessionSeconds: 600 } as const
  it.each<[string, Partial<Satellite> | null, Partial<Session>, boolean]>([
    ['of everybody', {}, {}, true],
    ['of its account', { accountId: 'account-1' }, { accountId: 'account-1' }, true],
    ['of another account', { accountId: 'account-2' }, { accountId: 'account-1' }, false],
    ['that is not active', null, {}, false],
    ['that is active since it began', { activeSince: START.getTime() }, {}, true],
    ['that is active since a second later', { activeSince: START.getTime() + 1_000 }, {}, false],
    ['that has shortened its sessions since', { sessionSeconds: 600 }, {}, true],
    ['that is a preview', preview, { expiresAt: secondsAfter(START, 600) }, true],
    ['that is a preview, begun elsewhere', preview, { expiresAt: secondsAfter(START, 601) }, false],
  ])('%s', (_, satellite, session, mayContinue) => {
    const terms = termsWith(satellite)
    expect(terms.mayContinue(atShop(session))).toBe(mayContinue)
    const issue = () => terms.issueToken(atShop(session))
    if (mayContinue) expect(issue()).toMatchObject({ clientId: 'satellite-1' })
    else expect(issue).toThrow(expect.objectContaining({ code: 'SESSION_NOT_FOUND' }))
  })

  it('always, where it is none of a satellite', () => {
    const terms = termsWith(null)
    for (const source of ['main', 'satellite'] as const)
      for (const origin of [MAIN, null]) expect(terms.mayContinue(atShop({ source, origin }))).toBe(true)
    expect(terms.mayContinue(atShop({ source: 'main' }))).toBe(true)
  })
})

describe('a token', () => {
  const tokenOf = (session: Session, satellite: Partial<Satellite> | null = {}) =>
    termsWith(satellite).issueToken(session) as unknown as Caller

  it('says no more than the satellite allows now', () => {
    const permissions = permissionsOf(['dataEntry', 'viewReports'])
    expect(
      tokenOf(atShop({ permissions }), { ceiling: permissionsOf(['viewReports', 'payments']) }),
    ).toMatchObject({
      clientId: 'satellite-1',
      permissions: permissionsOf(['viewReports']),
    })
  })

  it.each([
    ['main', MAIN, 'main'],
    ['main', null, 'main'],
    ['satellite', null, 'mobile'],
    ['satellite', MAIN, 'mobile'],
  ] as const)('of a %s session at %s is for %s', (source, origin, clientId) => {
    const session = atShop({ source, origin })
    expect(tokenOf(session)).toMatchObject({ clientId, permissions: session.permissions })
  })

  it('says how the user has logged in, and when', () => {
    const authTime = secondsAfter(START, 7)
    expect(tokenOf(atShop({ authTime, amr: authMethods('pwd', 'otp') }))).toMatchObject({
      authTime: authTime.getTime() / 1000,
      amr: ['pwd', 'otp'],
      acr: 'urn:mainstay:acr:2',
    })
  })
})
