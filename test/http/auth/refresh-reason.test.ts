import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { SessionCleanup } from '../../sources.js'
import { passTime } from '../../support/passing-time.js'
import { anOwner, signIn } from '../../support/people.js'
import { SHOP_TWO, TestApp } from '../../support/test-app.js'
import { bearer, cookie, logOut, refreshByCookie, refreshByHeader } from '../support/api-calls.js'

const DAY = 24 * 60 * 60

describe('a refused refresh', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.start()
  })
  afterAll(() => app.stop())

  const refused = (reason?: string) => ({
    status: 401,
    json: { code: 'SESSION_NOT_FOUND', ...(reason && { reason }) },
  })

  it('says that the session was revoked, until it would have expired', async () => {
    const owner = await anOwner(app)
    const main = await signIn(app, owner, 'main')
    const satellite = await signIn(app, owner, 'satellite')
    const { sid } = claimsOf(satellite.accessToken)
    const headers = { ...bearer(main.accessToken), ...cookie(main.sessionId) }
    await app.request({ method: 'DELETE', path: `/api/sessions/${sid}`, headers })
    await logOut(app, main.accessToken)
    await passTime(app, 29 * DAY)
    await app.app.get(SessionCleanup).run()
    expect(await refreshByHeader(app, satellite.sessionId)).toMatchObject(refused('revoked'))
    expect(await refreshByCookie(app, main.sessionId)).toMatchObject(refused('revoked'))
  })

  it('says for a day that the session has expired, and then that there is none', async () => {
    const { sessionId } = await signIn(app, await anOwner(app), 'satellite')
    await passTime(app, app.settings.sessionTtlSeconds)
    await app.app.get(SessionCleanup).run()
    expect(await refreshByHeader(app, sessionId)).toMatchObject(refused('expired'))
    await passTime(app, DAY)
    await app.app.get(SessionCleanup).run()
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

function claimsOf(token: string): { sid: string } {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
}
