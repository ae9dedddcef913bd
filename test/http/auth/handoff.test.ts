import { randomBytes, randomUUID } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  handleOf,
  PERMISSIONS,
  permissionsOf,
  Satellites,
  type SessionId,
  satellites,
  UserAdministration,
  users,
} from '../../sources.js'
import { aMember, anOwner, type SignedIn, signIn } from '../../support/people.js'
import { aSatellite, setSatelliteState } from '../../support/satellites.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { bearer, logOut, outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import {
  aCode,
  aJourney,
  answerIn,
  fragmentOf,
  handOff,
  redeem,
  requestCode,
} from '../support/handoff-calls.js'
import { reauthenticate } from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'

const INVALID = '401 HANDOFF_CODE_INVALID'
const ENDED = '401 SESSION_NOT_FOUND'

const app = anApp()

const newOrigin = () => `https://shop-${randomUUID().slice(0, 8)}.test`
const administration = () => app.get(UserAdministration)

/** A member of an account with a satellite, logged in on the main site. */
async function aVisitor(change: Parameters<typeof aSatellite>[3] = {}) {
  const owner = await anOwner(app)
  const member = await aMember(app, owner)
  const origin = newOrigin()
  const satellite = await aSatellite(app, owner, origin, change)
  return { owner, member, origin, satellite, main: await signIn(app, member, 'main') }
}

/** The same with a code that has not been used. */
async function aVisitorOnTheWay(change?: Parameters<typeof aSatellite>[3]) {
  const visitor = await aVisitor(change)
  const { verifier, ...journey } = aJourney()
  const code = await aCode(app, visitor.main, visitor.origin, { verifier, ...journey })
  return { ...visitor, verifier, code }
}

async function auditOf(userId: string) {
  return app.auditRows({ userId })
}

describe('a hand-off', () => {
  it('logs in on the satellite without a password', async () => {
    const { member, origin, satellite, main } = await aVisitor()
    const journey = aJourney()
    const asked = await requestCode(app, main, origin, journey)
    expect(asked.status).toBe(201)
    const redirect = asked.json.redirect as string
    expect(redirect.startsWith(`${origin}/handoff-callback#`)).toBe(true)
    expect(Object.fromEntries(fragmentOf(redirect))).toEqual({
      code: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
      state: journey.state,
      iss: app.settings.publicUrl,
    })
    expect(asked.headers['cache-control']).toBe('no-store')
    const code = fragmentOf(redirect).get('code')
    const answer = await redeem(app, { code, verifier: journey.verifier, deviceId: null }, origin)
    expect(answer).toMatchObject({ status: 200, setCookies: [] })
    expect(answer.json).toEqual({
      accessToken: expect.any(String),
      sessionId: expect.any(String),
      deviceId: expect.any(String),
    })
    expect(claimsOf(answer.json.accessToken)).toMatchObject({ sub: member.id, client_id: satellite.id })
    const sessionId = answer.json.sessionId as string
    expect(outcome(await refreshByHeader(app, sessionId, { Origin: origin }))).toBe('200')
    expect(outcome(await refreshByHeader(app, sessionId, { Origin: SHOP_ONE }))).toBe(ENDED)
    expect(outcome(await refreshByCookie(app, sessionId))).toBe(ENDED)
  })

  it.each([
    ['/', '/'],
    ['/reports?year=2026&mainstay=x', '/reports?year=2026&mainstay=x'],
    ['/%C3%BC//a?https://evil.test/?', '/%C3%BC//a?https://evil.test/?'],
    ['//evil.test/', '//evil.test/'],
  ])('comes back to the page %s, with half of the code in its query', async (path, page) => {
    const { origin, main } = await aVisitor()
    const { verifier, ...journey } = aJourney()
    const { redirect } = (await requestCode(app, main, origin, { ...journey, path })).json
    expect(answerIn(redirect)).toEqual({ page: origin + page, code: expect.stringMatching(/^[\w-]{43}$/) })
    // A page that redirects passes on the fragment; its query goes into logs, and to what it loads.
    const { code } = answerIn(redirect)
    const halves = [fragmentOf(redirect).get('code') as string, code.slice(0, 21)]
    expect(halves.map(half => half.length)).toEqual([22, 21])
    for (const half of halves)
      expect(outcome(await redeem(app, { code: half, verifier }, origin))).toBe('401 HANDOFF_CODE_INVALID')
    expect(outcome(await redeem(app, { code, verifier }, origin))).toBe('200')
  })

  it.each([
    ...['', 'reports', '.evil.test', ':8443', '@evil.test', '?a', '/a#b', '/a b', '/\\evil.test', '/ü'],
    ...['/a\n', '\n/a', '/\u0000', `/${'x'.repeat(2_000)}`, null, ['/'], 7],
  ])('does not come back to %j, which is no path of the satellite', async path => {
    const { origin, main } = await aVisitor()
    expect(outcome(await requestCode(app, main, origin, { ...aJourney(), path }))).toBe('400 INVALID_BODY')
  })

  it('is in the audit log from both ends, without the code', async () => {
    const { member, origin, main } = await aVisitor()
    const parent = handleOf(main.sessionId as SessionId)
    const child = await handOff(app, main, origin)
    const rows = await auditOf(member.id)
    expect(rows.map(({ action, outcome: result }) => `${action} ${result}`)).toEqual([
      'user.create ok',
      'login ok',
      'handoff.code ok',
      'login ok',
    ])
    expect(rows[2]).toMatchObject({ sid: parent, origin: MAIN, detail: { satellite: origin } })
    expect(rows[3]).toMatchObject({
      sid: handleOf(child.sessionId as SessionId),
      origin,
      detail: { source: 'satellite', handoffFrom: parent },
    })
  })

  it('gives no more than the satellite and its kind of session allow, and nothing of the re-authentication', async () => {
    const owner = await anOwner(app)
    const origin = newOrigin()
    await aSatellite(app, owner, origin, { ceiling: permissionsOf(['viewReports']) })
    const main = await signIn(app, owner, 'main')
    expect(outcome(await reauthenticate(app, main))).toBe('200')
    const child = await handOff(app, main, origin)
    expect(claimsOf(child.accessToken).permissions).toEqual(permissionsOf(['viewReports']))
    const all = await app.request({
      method: 'DELETE',
      path: '/api/sessions',
      headers: { Origin: origin, ...bearer(child.accessToken) },
    })
    expect(outcome(all)).toBe('401 REAUTHENTICATION_REQUIRED')
    expect(PERMISSIONS).toHaveLength(5)
  })

  it('ends with the session of the main site, however long sessions of the satellite last', async () => {
    const { origin, main } = await aVisitor()
    const lifetime = app.settings.sessionTtlSeconds
    app.clock.advance(lifetime - 1000)
    const { accessToken } = (await refreshByCookie(app, main.sessionId)).json as SignedIn
    const child = await handOff(app, { ...main, accessToken }, origin)
    app.clock.advance(900)
    expect(outcome(await refreshByHeader(app, child.sessionId, { Origin: origin }))).toBe('200')
    app.clock.advance(100)
    expect(outcome(await refreshByHeader(app, child.sessionId, { Origin: origin }))).toBe(ENDED)
  })

  it('ends earlier where the satellite says so', async () => {
    const { origin, main } = await aVisitor({ sessionSeconds: 600 })
    const child = await handOff(app, main, origin)
    app.clock.advance(600)
    expect(outcome(await refreshByHeader(app, child.sessionId, { Origin: origin }))).toBe(ENDED)
  })

  it('goes to a satellite of ALLOWED_ORIGINS too, and to a preview for those who are named', async () => {
    const { member, owner, main } = await aVisitor()
    await handOff(app, main, SHOP_ONE)
    const suffix = randomUUID().slice(0, 8)
    const pattern = `https://*.preview-${suffix}.test`
    const preview = `https://pr-7.preview-${suffix}.test`
    await aSatellite(app, owner, pattern, { kind: 'preview' })
    expect(outcome(await requestCode(app, main, preview))).toBe('403 NOT_INVITED')
    await app.database.run(db =>
      db
        .update(users)
        .set({ satellites: [pattern] })
        .where(eq(users.id, member.id)),
    )
    expect((await requestCode(app, main, preview)).json.redirect).toMatch(`${preview}/handoff-callback#`)
    expect(outcome(await requestCode(app, main, pattern))).toBe('404 SATELLITE_NOT_FOUND')
  })
})

describe('a code', () => {
  it('is worth nothing without its verifier, from another origin or from none, and stays usable', async () => {
    const { origin, code, verifier, main } = await aVisitorOnTheWay()
    const other = randomBytes(32).toString('base64url')
    const tries = [
      await redeem(app, { code, verifier: other }, origin),
      await redeem(app, { code, verifier: '' }, origin),
      await redeem(app, { code, verifier: `${verifier}=` }, origin),
      await redeem(app, { code, verifier }, SHOP_ONE),
      await redeem(app, { code, verifier }, MAIN),
      await redeem(app, { code, verifier }, null),
      await redeem(app, { code: other, verifier }, origin),
      await redeem(app, { code: '', verifier }, origin),
    ]
    expect(tries.map(outcome)).toEqual(tries.map(() => INVALID))
    expect(outcome(await redeem(app, { code, verifier }, origin))).toBe('200')
    expect(outcome(await refreshByCookie(app, main.sessionId))).toBe('200')
  })

  it('is valid for 60 seconds', async () => {
    const { origin, code, verifier, main } = await aVisitorOnTheWay()
    const late = aJourney()
    const lateCode = await aCode(app, main, origin, late)
    app.clock.advance(50)
    expect(outcome(await redeem(app, { code, verifier }, origin))).toBe('200')
    app.clock.advance(10)
    expect(outcome(await redeem(app, { code: lateCode, verifier: late.verifier }, origin))).toBe(INVALID)
  })

  it('that is used again, by whomever, ends the session that it opened', async () => {
    const { member, origin, code, verifier, main } = await aVisitorOnTheWay()
    const { json } = await redeem(app, { code, verifier }, origin)
    const sessionId = json.sessionId as string
    expect(outcome(await redeem(app, { code, verifier: 'stolen without it' }, null))).toBe(INVALID)
    expect(outcome(await refreshByHeader(app, sessionId, { Origin: origin }))).toBe(ENDED)
    expect(outcome(await refreshByCookie(app, main.sessionId))).toBe('200')
    expect(outcome(await redeem(app, { code, verifier }, origin))).toBe(INVALID)
    const replays = (await auditOf(member.id)).filter(({ action }) => action === 'handoff.replay')
    expect(replays).toMatchObject([{ outcome: 'ok', sid: handleOf(sessionId as SessionId), origin: null }])
  })

  it('opens one session, however many redeem it at once', async () => {
    const { member, origin, code, verifier } = await aVisitorOnTheWay()
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => redeem(app, { code, verifier }, origin)),
    )
    const right = answers.filter(({ status }) => status === 200)
    expect(right).toHaveLength(1)
    expect(new Set(answers.filter(({ status }) => status !== 200).map(outcome))).toEqual(new Set([INVALID]))
    const logins = (await auditOf(member.id)).filter(row => 'handoffFrom' in row.detail)
    expect(logins).toHaveLength(1)
  })

  it('is worth nothing once its user is disabled, no longer invited or logged out', async () => {
    const disabled = await aVisitorOnTheWay()
    await administration().disable(disabled.member)
    const uninvited = await aVisitorOnTheWay()
    await app.database.run(db =>
      db
        .update(users)
        .set({ satellites: [SHOP_TWO] })
        .where(eq(users.id, uninvited.member.id)),
    )
    const loggedOut = await aVisitorOnTheWay()
    await logOut(app, loggedOut.main.accessToken)
    for (const { code, verifier, origin } of [disabled, uninvited, loggedOut])
      expect(outcome(await redeem(app, { code, verifier }, origin))).toBe(INVALID)
  })

  it('is worth nothing once its satellite is suspended, another account’s or takes passwords only', async () => {
    const refresh = () => app.get(Satellites).refresh()
    const suspended = await aVisitorOnTheWay()
    await setSatelliteState(app, suspended.satellite, 'suspended')
    await refresh()
    const { code, verifier, origin } = suspended
    expect(outcome(await redeem(app, { code, verifier }, origin))).toBe('403 ORIGIN_NOT_ALLOWED')
    await app.database.run(db => db.delete(satellites).where(eq(satellites.id, suspended.satellite.id)))
    await aSatellite(app, await anOwner(app), origin)
    expect(outcome(await redeem(app, { code, verifier }, origin))).toBe(INVALID)

    const changed = await aVisitorOnTheWay()
    await app.database.run(db =>
      db.update(satellites).set({ loginMode: 'password' }).where(eq(satellites.id, changed.satellite.id)),
    )
    await refresh()
    expect(
      outcome(await redeem(app, { code: changed.code, verifier: changed.verifier }, changed.origin)),
    ).toBe(INVALID)
  })
})
