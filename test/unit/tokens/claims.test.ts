import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { permissionsOf, readClaims } from '../../sources.js'

const NOW = 1_800_000_000
const EXPECTED = { issuer: 'https://api.test', audience: 'https://api.test', maxLifetimeSeconds: 900 }
const VALID = {
  iss: EXPECTED.issuer,
  aud: EXPECTED.audience,
  sub: 'user-1',
  userId: 'user-1',
  accountId: 'account-1',
  sid: 'handle',
  source: 'main',
  permissions: permissionsOf(['payments']),
  iat: NOW,
  exp: NOW + 900,
  jti: 'token-1',
}

/** What a token of a service says that does not tell how its users log in. */
const UNSAID = { authTime: null, amr: [], acr: null }

function read(difference: Record<string, unknown>) {
  return readClaims({ ...VALID, ...difference }, EXPECTED, NOW)
}

describe('readClaims', () => {
  it('gives back a complete payload', () => {
    const acr = 'urn:mainstay:acr:2'
    const said = { client_id: 'shop', auth_time: NOW - 9, amr: ['pwd', 'otp'], acr }
    expect(read(said)).toEqual({ ...VALID, ...said, clientId: 'shop', authTime: NOW - 9 })
  })

  it.each([
    [{ auth_time: '1800000000' }, { authTime: null }],
    [{ auth_time: 1.5 }, { authTime: null }],
    [{ amr: 'pwd' }, { amr: [] }],
    [{ amr: ['otp', 'face', 'pwd', 7] }, { amr: ['pwd', 'otp'] }],
    [{ acr: 'urn:mainstay:acr:3' }, { acr: null }],
    [{ acr: ['urn:mainstay:acr:2'] }, { acr: null }],
    [{ acr: 2 }, { acr: null }],
  ])('what it does not understand of a login counts as not said: %j', (difference, read_) => {
    expect(read(difference)).toMatchObject(read_)
  })

  it('takes tokens of a service that names no client yet, but not where one is asked for', () => {
    expect(read({})).toEqual({ ...VALID, ...UNSAID, clientId: null })
    expect(readClaims(VALID, { ...EXPECTED, clientIds: ['shop'] }, NOW)).toBeNull()
  })

  it.each([
    ['shop', ['shop'], true],
    ['shop', ['main', 'shop'], true],
    ['shop', ['shop-two'], false],
    ['shop', ['Shop'], false],
    ['shop', [], false],
  ])('requires the right site: a token of %s where %j are asked for', (client_id, clientIds, isTaken) => {
    expect(readClaims({ ...VALID, client_id }, { ...EXPECTED, clientIds }, NOW) !== null).toBe(isTaken)
  })

  it('refuses a payload without one of its claims', () => {
    expect(Object.keys(VALID).filter(name => read({ [name]: undefined }) !== null)).toEqual([])
  })

  it.each([
    [{ iss: 'https://other.test' }],
    [{ iss: `${EXPECTED.issuer}/` }],
    [{ aud: [EXPECTED.audience] }],
    [{ aud: 'https://other.test' }],
    [{ sub: 'user-2' }],
    [{ userId: 'user-2' }],
    [{ sub: '', userId: '' }],
    [{ accountId: '' }],
    [{ client_id: '' }],
    [{ client_id: ['main'] }],
    [{ source: 'admin' }],
    [{ source: ['main'] }],
    [{ permissions: { payments: true } }],
    [{ permissions: { ...VALID.permissions, payments: 'true' } }],
    [{ iat: NOW + 0.5 }],
    [{ iat: NOW + 61, exp: NOW + 900 }],
    [{ iat: 0, exp: 900 }],
    [{ exp: NOW }],
    [{ exp: NOW + 901 }],
  ])('refuses %j', difference => {
    expect(read(difference)).toBeNull()
  })

  it('leaves out a permission that a newer service has added', () => {
    expect(read({ permissions: { ...VALID.permissions, refunds: true } })).toEqual({
      ...VALID,
      ...UNSAID,
      clientId: null,
    })
  })

  it('may live for a day, which is the most that the service can be set to, unless told otherwise (S13)', () => {
    const { maxLifetimeSeconds, ...expected } = EXPECTED
    const livingFor = (seconds: number) => readClaims({ ...VALID, exp: VALID.iat + seconds }, expected, NOW)
    expect(livingFor(86_400)).not.toBeNull()
    expect(livingFor(86_401)).toBeNull()
  })

  it('allows clocks to differ by a minute', () => {
    expect(read({ iat: NOW + 60, exp: NOW + 960 })).not.toBeNull()
  })

  it('never takes a payload in which one claim is anything else', () => {
    const otherValue = fc.anything().filter(value => typeof value !== 'number' && typeof value !== 'string')
    fc.assert(
      fc.property(fc.constantFrom(...Object.keys(VALID)), otherValue, (name, value) => {
        expect(read({ [name]: value })).toBeNull()
      }),
      { numRuns: 1_000 },
    )
  })
})
