import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import {
  AccessTokenVerifier,
  type Source,
  startTestMainstay,
  type TestMainstay,
  type VerifierOptions,
} from '../../sources.js'
import { request } from '../../support/http-request.js'
import { aSignedInOwner } from '../../support/people.js'
import { anApp, SHOP_ONE } from '../../support/test-app.js'
import { claimsOf, headerOf } from '../support/token-claims.js'

describe('testing: tokens without a service', () => {
  const app = anApp()
  let mainstay: TestMainstay
  beforeAll(async () => {
    mainstay = await startTestMainstay()
  })
  afterAll(() => mainstay.close())

  const verifier = (options: Partial<VerifierOptions> = {}) =>
    new AccessTokenVerifier({ issuer: mainstay.issuer, ...options })

  /** What kind of value each claim has, of those with several forms the form. */
  function kindsIn(token: string): Record<string, string> {
    const { iss, aud, client_id, ...claims } = claimsOf(token)
    const kinds = Object.entries(claims).map(([name, value]) => [name, JSON.stringify(value, kindOf)])
    return { ...headerOf(token), ...Object.fromEntries(kinds), iss: typeof iss, aud: typeof aud, kid: '' }
  }

  function kindOf(_: string, value: unknown): unknown {
    if (typeof value === 'string') return value.replace(/[\w-]{43}$|^[0-9a-f-]{36}$/, 'id')
    return typeof value === 'number' ? 'number' : value
  }

  it.each<Source>(['main', 'satellite'])(
    'are like those of a service for a session of kind %s',
    async source => {
      const { accessToken } = await aSignedInOwner(app, source)
      const token = await mainstay.token({ source, ...(source === 'satellite' && { clientId: SHOP_ONE }) })
      expect(kindsIn(token)).toEqual(kindsIn(accessToken))
      expect(Object.keys(claimsOf(token)).sort()).toEqual(Object.keys(claimsOf(accessToken)).sort())
      const { iat, exp } = claimsOf(token) as { iat: number; exp: number }
      expect(exp - iat).toBe(900)
    },
  )

  it('say what they are told to', async () => {
    const claims = {
      userId: 'u-1',
      accountId: 'a-1',
      clientId: 'shop',
      source: 'satellite',
      authTime: 5,
    } as const
    const token = await mainstay.token({ ...claims, permissions: ['viewReports'], amr: ['pwd', 'otp'] })
    const caller = await verifier({ clientIds: ['shop'] }).verify(token, 'viewReports')
    expect(caller).toMatchObject({ ...claims, amr: ['pwd', 'otp'], permissions: { dataEntry: false } })
    await expect(verifier().verify(token, 'dataEntry')).rejects.toMatchObject({ code: 'PERMISSION_REQUIRED' })
    const stepUp = verifier().verify(token, { maxAgeSeconds: 60 })
    await expect(stepUp).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' })
  })

  it('are refused where they have to be, each for one reason', async () => {
    const refused = await mainstay.refusedTokens()
    expect(Object.keys(refused)).toHaveLength(7)
    for (const token of Object.values(refused))
      await expect(verifier().verify(token)).rejects.toMatchObject({ code: 'INVALID_ACCESS_TOKEN' })
    const { expired, ofAnotherIssuer, forAnotherAudience } = refused
    const elsewhere = 'https://elsewhere.invalid'
    const { jwksUrl, issuer } = mainstay
    await verifier({ issuer: elsewhere, audience: issuer, jwksUrl }).verify(ofAnotherIssuer)
    await verifier({ audience: elsewhere }).verify(forAnotherAudience)
    const before = { now: () => new Date(Date.now() - 120_000), elapsed: () => performance.now() }
    await new AccessTokenVerifier({ issuer }, before).verify(expired)
  })

  it('have the issuer and the audience that they are given', async () => {
    const options = { issuer: 'https://auth.example.com', audience: 'reports' }
    const other = await startTestMainstay(options)
    const { jwksUrl } = other
    expect(await verifier({ ...options, jwksUrl }).verify(await other.token())).toMatchObject({
      source: 'main',
    })
    await other.close()
  })

  it('have no permissions that a session of that kind never has', async () => {
    const token = mainstay.token({ source: 'satellite', permissions: ['payments', 'viewReports'] })
    await expect(token).rejects.toThrow(new TypeError('A satellite session never has payments'))
  })

  it('come from a place that publishes what a service does', async () => {
    const path = '/.well-known/openid-configuration'
    const { json } = await request(mainstay.issuer, { path })
    const own = await app.request({ path })
    expect(Object.keys(json)).toEqual(Object.keys(own.json))
    const keys = await request(mainstay.issuer, { path: '/.well-known/jwks.json' })
    expect(keys.json).toEqual(mainstay.jwks)
    expect((await request(mainstay.issuer, { path: '/elsewhere' })).status).toBe(404)
  })
})
