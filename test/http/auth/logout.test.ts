import { describe, expect, it } from '@jest/globals'
import { anOwner, aSignedInOwner, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import {
  bearer,
  cookie,
  logOut,
  outcome,
  readData,
  refreshByCookie,
  refreshByHeader,
  subscribe,
} from '../support/api-calls.js'

describe('POST /api/logout', () => {
  const app = anApp()

  it('ends the session; the access token lives out its minutes', async () => {
    const signedIn = await signIn(app, await anOwner(app), 'main')
    const answer = await logOut(app, signedIn.accessToken)
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 204, text: '' })
    expect(outcome(await refreshByCookie(app, signedIn.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await subscribe(app, signedIn))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await readData(app, signedIn.accessToken))).toBe('200')
  })

  it('clears the cookie with the attributes that it was set with', async () => {
    const { accessToken, answer } = await signIn(app, await anOwner(app), 'main')
    const { setCookies } = await logOut(app, accessToken)
    expect(setCookies).toHaveLength(1)
    expect(setCookies[0]).toMatch(/^sessionId=;/)
    expect(setCookies[0]).toMatch(/Max-Age=0|Expires=Thu, 01 Jan 1970/)
    expect(attributesOf(setCookies[0])).toEqual(attributesOf(answer.setCookies[0]))
  })

  it.each([
    ['its own session', true],
    ['a session that a later login began', false],
    ['both', true],
    ['nothing that could be a session', true],
  ])('clears the cookie, or not, when it is repeated with one that names %s', async (what, clears) => {
    const owner = await aSignedInOwner(app)
    const later = await signIn(app, owner, 'main')
    const named = {
      'its own session': owner.sessionId,
      'a session that a later login began': later.sessionId,
      both: `${later.sessionId}; sessionId=${owner.sessionId}`,
    }
    const answer = await app.post('/api/logout', undefined, {
      Origin: MAIN,
      ...bearer(owner.accessToken),
      ...cookie(named[what as keyof typeof named] ?? 'no-session'),
    })
    expect(answer.status).toBe(204)
    // Also those of another COOKIE_DOMAIN.
    const cleared = new Set(answer.setCookies.map(text => text.split(';')[0]))
    expect([...cleared]).toEqual(clears ? ['sessionId='] : [])
    expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await refreshByCookie(app, later.sessionId))).toBe('200')
  })

  it('sets no cookie for a satellite', async () => {
    const { accessToken, sessionId } = await signIn(app, await anOwner(app), 'satellite')
    const answer = await app.post('/api/logout', undefined, { Origin: SHOP_ONE, ...bearer(accessToken) })
    expect(answer).toMatchObject({ status: 204, setCookies: [] })
    expect(outcome(await refreshByHeader(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
  })

  it('requires the access token: a cookie alone ends nothing', async () => {
    const { sessionId } = await signIn(app, await anOwner(app), 'main')
    const answer = await app.post('/api/logout', undefined, { Origin: MAIN, ...cookie(sessionId) })
    expect(outcome(answer)).toBe('401 ACCESS_TOKEN_REQUIRED')
    expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
  })
})

/** Those by which a browser tells cookies of one name apart, and the flags. */
function attributesOf(setCookie = ''): string[] {
  return setCookie
    .split('; ')
    .slice(1)
    .filter(attribute => !/^(Max-Age|Expires)=/.test(attribute))
    .sort()
}
