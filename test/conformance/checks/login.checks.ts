import { expect } from '@jest/globals'
import { afterwards, type Check, type Scene } from '../scene.js'
import { decode } from '../values/forge-jwt.js'
import { sessionOf } from '../values/stored-session.js'

const LIFE_MS = 30 * 24 * 60 * 60 * 1000
const SATELLITE_PERMISSIONS = {
  payments: false,
  accountSettings: false,
  teamManagement: false,
  dataEntry: true,
  viewReports: true,
}

/** Sentences about what a login may be told and what its token tells. */
export const loginChecks: Readonly<Record<string, Check>> = {
  ...Object.fromEntries(
    ['permissions', 'accountId', 'userId', 'sessionId', 'expiresAt'].map(field => [
      `stored session.${field} unaffected; satellite permissions payments/accountSettings/teamManagement == false`,
      unaffected,
    ]),
  ),

  '({}).payments === undefined in the server process afterwards': afterwards(isUnpolluted),
  '({}).payments === undefined': afterwards(isUnpolluted),

  'decoded payload has userId, permissions, exp (exp-iat == 900), no sessionId, no email, no password hash':
    afterwards(async ({ cast }, [answer]) => {
      const { accessToken, sessionId } = answer!.json
      const parts = accessToken.split('.').slice(0, 2).map(decode)
      const payload = parts[1] as { exp: number; iat: number }
      const { id, email, password, passwordHash } = await cast.owner('U1')
      expect(payload).toMatchObject({ userId: id, permissions: SATELLITE_PERMISSIONS })
      expect(payload.exp - payload.iat).toBe(900)
      for (const secret of [sessionId, email, password, passwordHash])
        expect(JSON.stringify(parts)).not.toContain(secret)
    }),
}

/** A field that a login does not have: refused without a session, or a session as if it were not there. */
async function unaffected({ case: theCase, cast, service }: Scene) {
  const before = await service.sessions()
  return async ([answer]: Parameters<Awaited<ReturnType<Check>>>[0]) => {
    if (answer!.status === 400) return expect(await service.sessions()).toEqual(before)
    const { id: userId, accountId } = await cast.owner('U1')
    const session = await sessionOf(service, answer!)
    expect(session).toMatchObject({ userId, accountId, permissions: SATELLITE_PERMISSIONS })
    expect(session!.expiresAt.getTime() - session!.createdAt.getTime()).toBe(LIFE_MS)
    expect(answer!.json.sessionId).not.toBe((theCase.body as { sessionId?: string }).sessionId)
  }
}

/** Seen from outside: everybody afterwards has the permissions that they had, and no fields came out of nowhere. */
async function isUnpolluted({ cast }: Scene): Promise<void> {
  const { accessToken } = await cast.logIn(await cast.owner('U2'), 'satellite')
  const { id: userId, accountId } = await cast.owner('U2')
  const headers = { Authorization: `Bearer ${accessToken}` }
  const { status, json } = await cast.service.request({ path: '/api/data', headers })
  expect({ status, json }).toEqual({
    status: 200,
    json: { userId, accountId, permissions: SATELLITE_PERMISSIONS },
  })
}
