import { randomUUID } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import { SessionCleanup } from '../../sources.js'
import { passTime } from '../../support/passing-time.js'
import { anOwner, aSignedInOwner, signIn } from '../../support/people.js'
import { anApp, SHOP_TWO } from '../../support/test-app.js'
import { bearer, cookie, logOut, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { claimsOf } from '../support/token-claims.js'

const DAY = 24 * 60 * 60

describe('a refused refresh', () => {
  const app = anApp()

  const refused = (reason?: string) => ({
    status: 401,
    json: { code: 'SESSION_NOT_FOUND', ...(reason && { reason }) },
  })

  it('says that the session was revoked, until it would have expired', async () => {
    const owner = await aSignedInOwner(app)
    const satellite = await signIn(app, owner, 'satellite')
    const { sid } = claimsOf(satellite.accessToken)
    const headers = { ...bearer(owner.accessToken), ...cookie(owner.sessionId) }
    await app.request({ method: 'DELETE', path: `/api/sessions/${sid}`, headers })
    await logOut(app, owner.accessToken)
    await passTime(app, 29 * DAY)
    await app.get(SessionCleanup).run()
    expect(await refreshByHeader(app, satellite.sessionId)).toMatchObject(refused('revoked'))
    expect(await refreshByCookie(app, owner.sessionId)).toMatchObject(refused('revoked'))
  })

  it('says for a day that the session has expired, and then that there is none', async () => {
    const { sessionId } = await signIn(app, await anOwner(app), 'satellite')
    await passTime(app, app.settings.sessionTtlSeconds)
    await app.get(SessionCleanup).run()
    expect(await refreshByHeader(app, sessionId)).toMatchObject(refused('expired'))
    await passTime(app, DAY)
    await app.get(SessionCleanup).run()
    const { json } = await refreshByHeader(app, sessionId)
    expect(json).toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(json).not.toHaveProperty('reason')
  })

  it('gives no reason for an unknown identifier, nor for a session that is live elsewhere', async () => {
    const { sessionId } = await signIn(app, await anOwner(app), 'satellite')
    for (const answer of [
      await refreshByHeader(app, randomUUID()),
      await refreshByCookie(app, randomUUID()),
      await refreshByHeader(app, sessionId, { Origin: SHOP_TWO }),
      await refreshByCookie(app, sessionId),
    ]) {
      expect(answer).toMatchObject(refused())
      expect(answer.json).not.toHaveProperty('reason')
    }
  })
})
