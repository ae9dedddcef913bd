import { expect } from '@jest/globals'
import { rotateKeys } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { request, type TestResponse } from '../../support/http-request.js'
import { MAIN, SHOP_ONE } from '../../support/test-app.js'
import type { Login } from '../cast.js'
import type { Check, Scene } from '../scene.js'
import type { Service } from '../service/service.js'
import { forgedTokens } from '../values/forge-jwt.js'
import { keyIn, retireEarlier } from '../values/keys.js'

const TOKEN_LIFE_SECONDS = 900
const RACES = 10

/** Sentences about sequences: each check takes the steps of its case itself. */
export const sequenceChecks: Readonly<Record<string, Check>> = {
  'refresh 401 at once on every node': steps(
    ['login sat', 'revoke session', 'refresh'],
    async ({ cast, service }) => {
      const session = await cast.session('U1', 'satellite')
      for (const url of await service.nodeUrls()) expect((await refresh(url, session)).status).toBe(200)
      await cast.logOut(session)
      for (const url of await service.nodeUrls())
        expect(await refresh(url, session)).toMatchObject({
          status: 401,
          json: { code: 'SESSION_NOT_FOUND' },
        })
    },
  ),

  '200 until exp, 401 after': steps(
    ['login sat', 'revoke session', 'GET /api/data with old token'],
    async ({ cast, service }) => {
      const session = await cast.session('U1', 'satellite')
      await cast.logOut(session)
      expect((await data(service, session.accessToken)).status).toBe(200)
      const later = await sameTokenLater(service, session)
      expect((await data(service, later)).status).toBe(401)
    },
  ),

  'other sessions 401, current kept or renewed': steps(
    ['login main x3', 'change password', 'refresh each'],
    async ({ cast, service }) => {
      const owner = await cast.owner('U1')
      const current = await cast.logIn(owner, 'main')
      const others = [await cast.logIn(owner, 'main'), await cast.logIn(owner, 'main')]
      await cast.changePassword(owner, current)
      expect((await refreshMain(service, current)).status).toBe(200)
      for (const other of others)
        expect(await refreshMain(service, other)).toMatchObject({
          status: 401,
          json: { code: 'SESSION_NOT_FOUND' },
        })
    },
  ),

  // Nothing can be paused inside a step of the store, so refreshes race a logout instead.
  'key does not come back (measured: HSET after DEL resurrects it with no TTL)': steps(
    ['refresh in flight (paused between read and lastUsed write)', 'revoke', 'resume'],
    async ({ cast, service }) => {
      const owner = await cast.owner('U1')
      for (let race = 0; race < RACES; race++) {
        const session = await cast.logIn(owner, 'satellite')
        const refreshes = () => Array.from({ length: 5 }, () => refresh(service.url, session))
        await Promise.all([...refreshes(), cast.logOut(session), ...refreshes()])
        expect(await service.hasSession(session.sessionId)).toBe(false)
      }
    },
  ),

  '401 even if the key has not been evicted': steps(
    ['login sat', 'advance clock 30 d + 1 s', 'refresh'],
    async ({ cast, service }) => {
      const session = await cast.session('U1', 'satellite')
      expect((await refresh(service.url, session)).status).toBe(200)
      await cast.expired('satellite')
      expect((await refresh(service.url, session)).status).toBe(401)
      expect(await service.hasSession(session.sessionId)).toBe(true)
    },
  ),

  '200 then 401': steps(
    ['rotate signing key', 'use token of old key', 'wait 15 min + tolerance', 'use it again'],
    async ({ cast, service }) => {
      const { accessToken } = await cast.session('U1', 'satellite')
      const { jwtKeysFile } = service.settings
      await rotateKeys(jwtKeysFile, new Date(), TOKEN_LIFE_SECONDS)
      await eventually(() => knowsNewestKey(service), { what: 'the service to see the rotation' })
      expect((await data(service, accessToken)).status).toBe(200)
      await retireEarlier(jwtKeysFile)
      await eventually(async () => (await data(service, accessToken)).status === 401, {
        what: 'the old key to verify no more',
      })
      const { accessToken: newer } = await cast.logIn(await cast.owner('U1'), 'satellite')
      expect((await data(service, newer)).status).toBe(200)
    },
  ),
}

/** The check of a case with these steps and no others. */
function steps(expected: readonly string[], take: (scene: Scene) => Promise<void>): Check {
  return async scene => {
    expect(scene.case.steps).toEqual(expected)
    return () => take(scene)
  }
}

/** The token as it looks when its life is over: issued so much earlier. */
async function sameTokenLater({ settings }: Service, { accessToken }: Login): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const payload = { iat: now - TOKEN_LIFE_SECONDS - 60, exp: now - 60 }
  const [token] = await forgedTokens({ payload, sign: 'server' }, accessToken, settings.jwtKeysFile)
  return token!
}

async function knowsNewestKey(service: Service): Promise<boolean> {
  const { kid } = await keyIn('next', service.settings.jwtKeysFile)
  const { json } = await service.request({ path: '/.well-known/jwks.json' })
  return json.keys.some((key: { kid: string }) => key.kid === kid)
}

function refresh(url: string, { sessionId }: Login): Promise<TestResponse> {
  const headers = { Origin: SHOP_ONE, 'X-Session-ID': sessionId }
  return request(url, { method: 'POST', path: '/api/refresh', headers })
}

function refreshMain(service: Service, { sessionId }: Login): Promise<TestResponse> {
  const headers = { Origin: MAIN, Cookie: `sessionId=${sessionId}` }
  return service.request({ method: 'POST', path: '/api/refresh', headers })
}

function data(service: Service, accessToken: string): Promise<TestResponse> {
  return service.request({ path: '/api/data', headers: { Authorization: `Bearer ${accessToken}` } })
}
