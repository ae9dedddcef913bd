import { describe, expect, it, jest } from '@jest/globals'
import { aMember, anOwner, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { outcome, refreshByHeader } from '../support/api-calls.js'
import { aCode, aJourney, redeem } from '../support/handoff-calls.js'

const LOCAL = ['localhost', '127.0.0.1'].flatMap(host =>
  [3000, 3001, 4200, 5173, 8080].flatMap(port => [`https://${host}:${port}`, `http://${host}:${port}`]),
)
const STRANGER = 'http://localhost:9999'

describe('in development', () => {
  const app = anApp({
    NODE_ENV: 'development',
    PUBLIC_URL: 'https://api.main.test',
    MAIN_ORIGIN: MAIN,
    ALLOWED_ORIGINS: SHOP_ONE,
    LOG_LEVEL: 'warn',
  })

  function preflight(origin: string) {
    const headers = { Origin: origin, 'Access-Control-Request-Method': 'POST' }
    return app.request({ method: 'OPTIONS', path: '/api/refresh', headers })
  }

  it.each([...LOCAL, SHOP_ONE])('a page at %s is a satellite', async origin => {
    const { status, headers } = await preflight(origin)
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-headers': 'Content-Type, Authorization, X-Session-ID',
    })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })

  it('people are handed off to a new site that no setting names', async () => {
    const origin = 'http://localhost:5173'
    const main = await signIn(app, await aMember(app, await anOwner(app)), 'main')
    const journey = aJourney()
    const code = await aCode(app, main, origin, journey)
    const { status, json } = await redeem(app, { code, verifier: journey.verifier, deviceId: null }, origin)
    expect(status).toBe(200)
    expect(outcome(await refreshByHeader(app, json.sessionId, { Origin: origin }))).toBe('200')
  })

  it('any other origin is refused, and the log says once what to do', async () => {
    const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true)
    try {
      for (const answer of [await preflight(STRANGER), await preflight(STRANGER)]) {
        expect([answer.status, answer.json.title]).toEqual([403, 'Not allowed by CORS'])
        expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
      }
      const lines = written.mock.calls.map(([line]) => String(line)).filter(line => line.includes(STRANGER))
      expect(lines).toEqual([expect.stringContaining(`restart with ALLOWED_ORIGINS=${SHOP_ONE},${STRANGER}`)])
    } finally {
      written.mockRestore()
    }
  })
})
