import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { and, eq, isNull, sql } from 'drizzle-orm'
import {
  handleOf,
  OneTimeTokens,
  type Session,
  SessionChanges,
  SessionCleanup,
  type SessionHandle,
  type SessionId,
  SessionStore,
  secondsAfter,
  sessionLinks,
  sessions,
  type User,
  UserAdministration,
  Users,
} from '../../sources.js'
import { listRow } from '../../support/open-session.js'
import {
  aMember,
  anOwner,
  aSignedInMember,
  PASSWORD,
  type SignedIn,
  sendLogin,
  signIn,
} from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { MAIN, SHOP_ONE, SHOP_TWO, TestApp } from '../../support/test-app.js'
import { onServers, slow } from '../../support/tiers.js'
import { bearer, cookie, logOut, outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { aCode, aJourney, describeHandoff, handOff, redeem } from '../support/handoff-calls.js'
import { heldCall } from '../support/held-call.js'
import { onMainSite, reauthenticate } from '../support/reauthenticate.js'
import { aManager, team } from '../support/team-calls.js'
import { untilWaiting } from '../support/waiting-statements.js'

const ENDED = '401 SESSION_NOT_FOUND'
/** So long a refresh can still say that a session has expired. */
const KEPT_AFTER_EXPIRY_SECONDS = 24 * 3_600
const NEW_PASSWORD = 'quite another password indeed'
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1'

let app: TestApp
const sidOf = ({ sessionId }: Pick<SignedIn, 'sessionId'>) => handleOf(sessionId as SessionId)

/** A member on the main site and, from there, on a satellite. */
interface Browser {
  readonly owner: User
  readonly member: User
  readonly main: SignedIn
  readonly child: SignedIn
}

async function aBrowser(): Promise<Browser> {
  const owner = await anOwner(app)
  const member = await aSignedInMember(app, owner)
  return { owner, member, main: member, child: await handOff(app, member, SHOP_ONE) }
}

async function statesOf({ main, child }: Pick<Browser, 'main' | 'child'>) {
  return {
    main: outcome(await refreshByCookie(app, main.sessionId)),
    child: outcome(await refreshByHeader(app, child.sessionId)),
  }
}

const endSession = (by: SignedIn, { sessionId }: SignedIn) =>
  onMainSite(app, by, 'DELETE', `/api/sessions/${handleOf(sessionId as SessionId)}`)

const logOutHere = ({ accessToken }: SignedIn, scope: string) =>
  app.post(`/api/logout?scope=${scope}`, undefined, { Origin: MAIN, ...bearer(accessToken) })

/** What ends the session of the main site, by name. */
const ENDINGS: Readonly<Record<string, (browser: Browser) => Promise<unknown>>> = {
  logout: ({ main }) => logOut(app, main.accessToken),
  'logout of the browser': ({ main }) => logOutHere(main, 'browser'),
  'its own page of sessions': ({ main }) => endSession(main, main),
  'another session of its user': async ({ main, member }) =>
    endSession(await signIn(app, member, 'main'), main),
  'another session, with all others': async ({ member }) =>
    onMainSite(app, await signIn(app, member, 'main'), 'DELETE', '/api/sessions'),
  'a manager of the team': async ({ owner, member, main }) => {
    const manager = await aManager(app, owner)
    return team(app, manager.session, 'DELETE', `/${member.id}/sessions/${sidOf(main)}`)
  },
  'an operator': async ({ main }) => {
    const session = await app.get(SessionStore).find(sidOf(main), app.clock.now())
    return app.get(SessionChanges).end(session as Session, null, 'an operator')
  },
  'an operator, with all of the user’s': ({ member }) => app.get(UserAdministration).endSessions(member),
  'the user being disabled': ({ member }) => app.get(UserAdministration).disable(member),
  'another login in the same browser': ({ main, member }) => sendLogin(app, member, cookie(main.sessionId)),
  'a refresh from an unusual place': ({ main }) =>
    refreshByCookie(app, main.sessionId, { Origin: MAIN, 'User-Agent': PHONE }),
  'a new password by a mailed link': async ({ member }) => {
    await mailResetLink(app, member)
    const token = await app.mailedToken(member.email)
    return app.post('/api/password/reset', { token, password: NEW_PASSWORD })
  },
}

describe('Sessions on satellites that a hand-off opened', () => {
  beforeAll(async () => {
    app = await TestApp.start({ ANOMALY_POLICY: 'revoke:50' })
  })
  afterAll(() => app.stop())
  afterEach(() => {
    jest.restoreAllMocks()
  })

  slow.each(Object.entries(ENDINGS))(
    'a session that was handed off to ends with the one of the main site: %s',
    async (_, end) => {
      const browser = await aBrowser()
      const bystander = await aBrowser()
      await end(browser)
      expect(await statesOf(browser)).toEqual({ main: ENDED, child: ENDED })
      expect(await statesOf(bystander)).toEqual({ main: '200', child: '200' })
      expect(await linksOf(browser.member)).toEqual([])
    },
  )

  it('a logout "here" leaves the satellites logged in, and they still end with all the others', async () => {
    const { main, child, member } = await aBrowser()
    expect(outcome(await logOutHere(main, 'here'))).toBe('204')
    expect(await statesOf({ main, child })).toEqual({ main: ENDED, child: '200' })
    await onMainSite(app, await signIn(app, member, 'main'), 'DELETE', '/api/sessions')
    expect(await statesOf({ main, child })).toEqual({ main: ENDED, child: ENDED })
    const rows = await app.auditRows({ userId: member.id, action: 'logout' })
    expect(rows).toMatchObject([{ sid: sidOf(main), detail: { scope: 'here' } }])
  })

  it('lets somebody who logged out "here" by mistake log out everywhere with the same token', async () => {
    const { main, child } = await aBrowser()
    await logOutHere(main, 'here')
    await logOut(app, main.accessToken)
    expect(await statesOf({ main, child })).toEqual({ main: ENDED, child: ENDED })
  })

  it('ends nothing with any other scope', async () => {
    const { main, child } = await aBrowser()
    for (const scope of ['everywhere', '', 'here&scope=here'])
      expect(outcome(await logOutHere(main, scope))).toBe('400 INVALID_QUERY')
    expect(await statesOf({ main, child })).toEqual({ main: '200', child: '200' })
  })

  it('a new password in the session of the main site ends the satellites’ alone', async () => {
    const { main, child } = await aBrowser()
    const body = { currentPassword: PASSWORD, password: NEW_PASSWORD }
    expect(outcome(await onMainSite(app, main, 'POST', '/api/password/change', body))).toMatch(/^20/)
    expect(await statesOf({ main, child })).toEqual({ main: '200', child: ENDED })
  })

  it('a member who is limited to other satellites stays on the main site alone, and can go on to those', async () => {
    const { owner, member, main, child } = await aBrowser()
    const manager = await aManager(app, owner)
    await team(app, manager.session, 'PUT', `/${member.id}/satellites`, { satellites: [SHOP_TWO] })
    expect(await statesOf({ main, child })).toEqual({ main: '200', child: ENDED })
    expect(await handOffOrRefusal(main, SHOP_ONE)).toMatch(/403 .*NOT_INVITED/)
    expect(await handOffOrRefusal(main, SHOP_TWO)).toBe('handed off')
  })

  it('a satellite that logs out ends nothing else', async () => {
    const { main, child } = await aBrowser()
    const other = await handOff(app, main, SHOP_TWO)
    await app.post('/api/logout', undefined, { Origin: SHOP_ONE, ...bearer(child.accessToken) })
    expect(await statesOf({ main, child })).toEqual({ main: '200', child: ENDED })
    expect(outcome(await refreshByHeader(app, other.sessionId, { Origin: SHOP_TWO }))).toBe('200')
  })

  it('a satellite that ends all others ends its own parent, and goes on', async () => {
    const { main, child } = await aBrowser()
    expect(outcome(await reauthenticate(app, child, PASSWORD, { Origin: SHOP_ONE }))).toBe('200')
    const ended = await app.request({
      method: 'DELETE',
      path: '/api/sessions',
      headers: { Origin: SHOP_ONE, ...bearer(child.accessToken) },
    })
    expect(ended.json).toEqual({ ended: 1 })
    expect(await statesOf({ main, child })).toEqual({ main: ENDED, child: '200' })
  })

  it('a satellite is known until somebody has logged out there', async () => {
    const { main, child } = await aBrowser()
    const known = async (origin: string) => (await describeHandoff(app, main, origin)).json.isKnown
    expect([await known(SHOP_ONE), await known(SHOP_TWO)]).toEqual([true, false])
    await app.post('/api/logout', undefined, { Origin: SHOP_ONE, ...bearer(child.accessToken) })
    expect(await known(SHOP_ONE)).toBe(false)
  })

  it('a parent that ends while the code is being redeemed leaves no child, whoever comes first', async () => {
    const { member, main } = await aBrowser()
    const journey = aJourney()
    const code = await aCode(app, main, SHOP_TWO, journey)
    // The permit has been given; the parent ends before the child is recorded.
    const held = heldCall(app.get(Users), 'lockUnchanged')
    const redeeming = redeem(app, { code, verifier: journey.verifier }, SHOP_TWO)
    await held.begun
    await logOut(app, main.accessToken)
    held.release()
    expect(outcome(await redeeming)).toBe('401 HANDOFF_CODE_INVALID')
    expect(await liveSidsOf(member)).toEqual([])
  })

  it('cleans up what has expired: codes, links and sessions', async () => {
    const { member, main } = await aBrowser()
    await aCode(app, main, SHOP_TWO, aJourney())
    app.clock.advance(app.settings.sessionTtlSeconds + KEPT_AFTER_EXPIRY_SECONDS)
    await app.get(SessionCleanup).run()
    await app.get(OneTimeTokens).removeExpired(app.clock.now())
    expect(await linksOf(member)).toEqual([])
    expect(await liveSidsOf(member)).toEqual([])
  })
})

describe('with several connections to the database', () => {
  beforeAll(async () => {
    app = await TestApp.start()
  })
  afterAll(() => app.stop())

  onServers('a logout that waits for a child being recorded ends the child too', async () => {
    const { member, main } = await aBrowser()
    const journey = aJourney()
    const code = await aCode(app, main, SHOP_TWO, journey)
    // The parent is locked, the code used up, the link not yet written.
    const held = heldCall(app.get(OneTimeTokens), 'turnInto')
    const redeeming = redeem(app, { code, verifier: journey.verifier }, SHOP_TWO)
    await held.begun
    const loggingOut = logOut(app, main.accessToken)
    await untilWaiting(app)
    held.release()
    const child = await redeeming
    expect([outcome(child), outcome(await loggingOut)]).toEqual(['200', '204'])
    const sessionId = child.json.sessionId as string
    expect(outcome(await refreshByHeader(app, sessionId, { Origin: SHOP_TWO }))).toBe(ENDED)
    expect(await liveSidsOf(member)).toEqual([])
  })

  onServers('locks the parent before its children when everything is ended', async () => {
    const member = await aMember(app, await anOwner(app))
    // Of which the handle of the child comes first.
    const [parent, child] = await listParentAndChild(member, 'z'.repeat(43), 'a'.repeat(43))
    let ending: Promise<number> | undefined
    await app.database.transaction(async transaction => {
      await transaction.execute(lock(parent))
      ending = app.get(UserAdministration).endSessions(member)
      await untilWaiting(app)
      // What a logout does next. It would throw if the other held it.
      await transaction.execute(lock(child))
    })
    expect(await ending).toBe(2)
  })

  onServers('a login that replaces several sessions takes them in the order of login, too', async () => {
    const owner = await anOwner(app)
    // Of which the handle of the second comes first.
    let first = await signIn(app, owner, 'main')
    let second = await signIn(app, owner, 'main')
    while (sidOf(second) > sidOf(first)) {
      first = second
      second = await signIn(app, owner, 'main')
    }
    const replaced = [first, second].map(({ sessionId }) => sessionId as SessionId)
    const client = { requestId: 'a-request', ip: '203.0.113.7', userAgent: PHONE, origin: MAIN }
    let ending: Promise<void> | undefined
    await app.database.transaction(async transaction => {
      await transaction.execute(lock(sidOf(first)))
      ending = app.get(SessionChanges).endReplaced(replaced, client)
      await untilWaiting(app)
      await transaction.execute(lock(sidOf(second)))
    })
    await ending
    const isReplaced = { action: 'session.revoke', detail: { reason: 'replaced by a new login' } }
    const rows = await app.auditRows({ userId: owner.id })
    expect(rows.slice(-2)).toMatchObject([
      { ...isReplaced, sid: sidOf(first) },
      { ...isReplaced, sid: sidOf(second) },
    ])
  })

  slow(
    'hand-offs, logouts and the end of everything at once neither deadlock nor leave a session',
    async () => {
      const owner = await anOwner(app)
      for (let round = 0; round < 5; round++) {
        const mains = await Promise.all([1, 2, 3].map(() => signIn(app, owner, 'main')))
        const answers = await Promise.all(
          mains.flatMap(main => [
            handOffOrRefusal(main, SHOP_ONE),
            handOffOrRefusal(main, SHOP_TWO),
            logOut(app, main.accessToken).then(outcome),
            app
              .get(UserAdministration)
              .endSessions(owner)
              .then(() => 'ended'),
          ]),
        )
        expect(answers.filter(answer => / 5\d\d |^5\d\d/.test(answer))).toEqual([])
        expect(await liveSidsOf(owner)).toEqual([])
      }
    },
  )
})

/** Locks a session; throws when somebody else has. */
const lock = (sid: string) => sql`select 1 from ${sessions} where ${sessions.sid} = ${sid} for update nowait`

/** Rows of a session and of one that was handed off from it, under these handles. */
async function listParentAndChild({ id: userId, accountId }: User, ...handles: readonly [string, string]) {
  const [parentSid, childSid] = handles as readonly string[] as [SessionHandle, SessionHandle]
  const expiresAt = secondsAfter(app.clock.now(), 60 * 60)
  for (const sid of [parentSid, childSid]) await listRow(app, { sid, userId, accountId, expiresAt })
  const link = { childSid, parentSid, userId, origin: SHOP_ONE, expiresAt }
  await app.database.run(db => db.insert(sessionLinks).values(link))
  return [parentSid, childSid] as const
}

function handOffOrRefusal(main: SignedIn, satellite: string): Promise<string> {
  return handOff(app, main, satellite).then(
    () => 'handed off',
    (refusal: Error) => refusal.message,
  )
}

async function linksOf({ id }: User) {
  return app.database.run(db => db.select().from(sessionLinks).where(eq(sessionLinks.userId, id)))
}

async function liveSidsOf({ id }: User) {
  const isLive = and(eq(sessions.userId, id), isNull(sessions.endedAt))
  const rows = await app.database.run(db => db.select({ sid: sessions.sid }).from(sessions).where(isLive))
  return rows.map(({ sid }) => sid)
}
