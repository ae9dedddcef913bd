import { expect, test } from '@jest/globals'
import { bearer, outcome } from '../../http/support/api-calls.js'
import { anOwner, signIn } from '../../support/people.js'
import { anApp, SHOP_ONE } from '../../support/test-app.js'

const HOUR = 60 * 60

const app = anApp()

test('nobody is logged out, what was ended stays ended, and people log in', async () => {
  const owner = await anOwner(app)
  const live = await signIn(app, owner, 'satellite')
  const ended = await signIn(app, owner, 'satellite')
  const logout = {
    method: 'POST',
    path: '/api/logout',
    headers: { Origin: SHOP_ONE, ...bearer(ended.accessToken) },
  }
  expect((await app.request(logout)).status).toBe(204)
  for (const seconds of [-HOUR, HOUR]) {
    app.clock.advance(seconds)
    expect(outcome(await refresh(live.sessionId))).toBe('200')
    expect(outcome(await refresh(ended.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(await data((await refresh(live.sessionId)).json.accessToken)).toBe('200')
    const later = await signIn(app, owner, 'satellite')
    expect(await data(later.accessToken)).toBe('200')
  }
  expect(await data(live.accessToken)).toBe('200')
})

function refresh(sessionId: string) {
  return app.post('/api/refresh', undefined, { Origin: SHOP_ONE, 'X-Session-ID': sessionId })
}

async function data(accessToken: string): Promise<string> {
  return outcome(
    await app.request({ path: '/api/data', headers: { Origin: SHOP_ONE, ...bearer(accessToken) } }),
  )
}
