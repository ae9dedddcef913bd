import { describe, expect, it } from '@jest/globals'
import { Satellites } from '../../sources.js'
import { passTime } from '../../support/passing-time.js'
import { anOwner, aSignedInOwner, type SignedIn, signIn } from '../../support/people.js'
import { aSatellite } from '../../support/satellites.js'
import { anApp, SHOP_ONE } from '../../support/test-app.js'
import { bearer, cookie, outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { handOff } from '../support/handoff-calls.js'
import { onMainSite, reauthenticate } from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'

const HOUR = 3_600
const MINUTE = 60
const IS_IDLE = { status: 401, json: { code: 'SESSION_NOT_FOUND', reason: 'idle' } }

describe('a session that was not refreshed for SESSION_IDLE_SECONDS', () => {
  const app = anApp({ SESSION_IDLE_SECONDS: '3600' })

  it('is over for good, and says why', async () => {
    const { sessionId } = await aSignedInOwner(app)
    for (let refreshes = 0; refreshes < 3; refreshes++) {
      await passTime(app, HOUR - MINUTE)
      expect(await refreshByCookie(app, sessionId)).toMatchObject({ status: 200 })
    }
    await passTime(app, HOUR)
    for (let tries = 0; tries < 3; tries++) {
      expect(await refreshByCookie(app, sessionId)).toMatchObject(IS_IDLE)
      await passTime(app, MINUTE)
    }
  })

  it('is not kept by requests with its access token', async () => {
    const owner = await aSignedInOwner(app)
    await passTime(app, 10 * MINUTE)
    const headers = { ...bearer(owner.accessToken), ...cookie(owner.sessionId) }
    expect(outcome(await app.request({ path: '/api/sessions', headers }))).toBe('200')
    await passTime(app, 50 * MINUTE)
    expect(await refreshByCookie(app, owner.sessionId)).toMatchObject(IS_IDLE)
  })

  it('leaves those alone that were opened from it and are used', async () => {
    const owner = await aSignedInOwner(app)
    const child = await handOff(app, owner, SHOP_ONE)
    await passTime(app, 40 * MINUTE)
    expect(await refreshByHeader(app, child.sessionId, { Origin: SHOP_ONE })).toMatchObject({ status: 200 })
    await passTime(app, 30 * MINUTE)
    expect(await refreshByCookie(app, owner.sessionId)).toMatchObject(IS_IDLE)
    expect(await refreshByHeader(app, child.sessionId, { Origin: SHOP_ONE })).toMatchObject({ status: 200 })
  })

  it('stands in the audit log, once', async () => {
    const owner = await aSignedInOwner(app)
    await passTime(app, HOUR)
    for (let tries = 0; tries < 3; tries++) await refreshByCookie(app, owner.sessionId)
    const main = await signIn(app, owner, 'main')
    const { json } = await onMainSite(app, main, 'GET', '/api/audit?action=session.revoke')
    const rows = json.entries.filter(
      (row: { detail?: { reason?: string } }) => row.detail?.reason === 'not used for too long',
    )
    expect(rows).toHaveLength(1)
  })

  it('is told to its client by the token, and to its user by the list', async () => {
    const owner = await aSignedInOwner(app)
    expect(claimsOf(owner.accessToken)).toMatchObject({ idle_timeout: HOUR })
    const usedAt = app.clock.now().getTime()
    const { json } = await onMainSite(app, owner, 'GET', '/api/sessions')
    const [session] = json.sites[0].sessions
    expect(Date.parse(session.idleAt) - usedAt).toBeCloseTo(HOUR * 1000, -4)
  })
})

describe('an idle timeout', () => {
  const app = anApp()

  const limit = (owner: SignedIn, idleSeconds: unknown) =>
    onMainSite(app, owner, 'PATCH', '/api/account', { idleSeconds })

  it('of an account counts everywhere, from the next refresh of sessions that there are', async () => {
    const owner = await aSignedInOwner(app)
    const shop = await handOff(app, owner, SHOP_ONE)
    const other = await aSignedInOwner(app)
    expect(await limit(owner, HOUR)).toMatchObject({ status: 200, json: { idleSeconds: HOUR } })
    const next = await signIn(app, owner, 'main')
    for (const { accessToken } of [next, await handOff(app, next, SHOP_ONE)])
      expect(claimsOf(accessToken)).toMatchObject({ idle_timeout: HOUR })
    await passTime(app, HOUR)
    expect(await refreshByCookie(app, owner.sessionId)).toMatchObject(IS_IDLE)
    expect(await refreshByHeader(app, shop.sessionId, { Origin: SHOP_ONE })).toMatchObject(IS_IDLE)
    expect(await refreshByCookie(app, other.sessionId)).toMatchObject({ status: 200 })
  })

  it('of an account can be made longer, or lifted, only after a re-authentication', async () => {
    const owner = await aSignedInOwner(app)
    expect(outcome(await limit(owner, 2 * HOUR))).toBe('200')
    expect(outcome(await limit(owner, HOUR))).toBe('200')
    await passTime(app, 11 * MINUTE)
    for (const longer of [2 * HOUR, null])
      expect(outcome(await limit(owner, longer))).toBe('401 REAUTHENTICATION_REQUIRED')
    await reauthenticate(app, owner)
    expect(await limit(owner, null)).toMatchObject({ status: 200, json: { idleSeconds: null } })
  })

  it('that is lifted does not bring back a session that was over', async () => {
    const owner = await aSignedInOwner(app)
    const phone = await signIn(app, owner, 'satellite')
    await limit(owner, HOUR)
    await passTime(app, 50 * MINUTE)
    const { json } = await refreshByCookie(app, owner.sessionId)
    await passTime(app, 10 * MINUTE)
    expect(await refreshByHeader(app, phone.sessionId)).toMatchObject(IS_IDLE)
    const here = { ...owner, accessToken: json.accessToken }
    await reauthenticate(app, here)
    expect(outcome(await limit(here, null))).toBe('200')
    expect(await refreshByHeader(app, phone.sessionId)).toMatchObject(IS_IDLE)
  })

  it.each([
    [1_799, 'IDLE_TOO_SHORT'],
    [0, 'TOO_SMALL'],
    [30 * 24 * HOUR + 1, 'TOO_LARGE'],
    [1_800.5, 'NOT_AN_INTEGER'],
  ])('of %j seconds is refused: %s', async (idleSeconds, code) => {
    const owner = await aSignedInOwner(app)
    const refused = { status: 400, json: { errors: [{ field: 'idleSeconds', code }] } }
    expect(await limit(owner, idleSeconds)).toMatchObject(refused)
  })

  it('of a satellite counts there', async () => {
    const owner = await anOwner(app)
    const origin = 'https://idle-shop.test'
    await aSatellite(app, owner, origin, { idleSeconds: HOUR })
    await app.get(Satellites).refresh()
    const main = await signIn(app, owner, 'main')
    const child = await handOff(app, main, origin)
    expect(claimsOf(child.accessToken)).toMatchObject({ idle_timeout: HOUR })
    expect(claimsOf(main.accessToken)).not.toHaveProperty('idle_timeout')
    await passTime(app, HOUR)
    expect(await refreshByHeader(app, child.sessionId, { Origin: origin })).toMatchObject(IS_IDLE)
    expect(await refreshByCookie(app, main.sessionId)).toMatchObject({ status: 200 })
  })
})
