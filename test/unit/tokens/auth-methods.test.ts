import { describe, expect, it } from '@jest/globals'
import {
  ACRS,
  AUTH_METHODS,
  type VerifiedAuthMethod as AuthMethod,
  acrOf,
  authMethods,
  hasSecondFactor,
  includesPassword,
  isEnough,
  namesOf,
  stepUpChallenge,
  withMethods,
} from '../../sources.js'

const [ONE, TWO] = ACRS
const NOW = 1_800_000_000

describe('acrOf', () => {
  it.each<[AuthMethod[], string, boolean]>([
    [[], ONE, false],
    [['pwd'], ONE, false],
    [['otp'], ONE, true],
    [['hwk'], ONE, true],
    [['pwd', 'user'], ONE, true],
    [['pwd', 'otp'], TWO, true],
    [['hwk', 'user'], TWO, true],
    [['swk', 'user'], TWO, true],
    [['pwd', 'otp', 'swk', 'user'], TWO, true],
  ])('of %j is %s', (names, acr, isMoreThanAPassword) => {
    const methods = authMethods(...names)
    expect(acrOf(methods)).toBe(acr)
    expect(hasSecondFactor(methods)).toBe(isMoreThanAPassword)
    expect(namesOf(methods)).toEqual(names)
    expect(includesPassword(methods)).toBe(names.includes('pwd'))
  })

  it('every set of methods has its names', () => {
    for (let bits = 0; bits < 1 << AUTH_METHODS.length; bits++)
      expect(authMethods(...namesOf(bits as never))).toBe(bits)
  })
})

it('methods of two steps of a login count together, each once', () => {
  expect(withMethods(authMethods('pwd'), authMethods('otp'))).toBe(authMethods('pwd', 'otp'))
  expect(withMethods(authMethods('pwd'), authMethods('pwd', 'user'))).toBe(authMethods('pwd', 'user'))
})

it('methods that only a newer release knows have no names', () => {
  expect(namesOf((1 << AUTH_METHODS.length) as never)).toEqual([])
})

describe('isEnough', () => {
  const login = (authTime: number | null, acr: (typeof ACRS)[number] | null) => ({ authTime, amr: [], acr })

  it.each([
    [login(null, null), {}, true],
    [login(NOW, ONE), { acr: ONE }, true],
    [login(NOW, TWO), { acr: ONE }, true],
    [login(NOW, ONE), { acr: TWO }, false],
    [login(NOW, null), { acr: ONE }, false],
    [login(NOW - 300, TWO), { acr: TWO, maxAgeSeconds: 300 }, true],
    [login(NOW - 301, TWO), { acr: TWO, maxAgeSeconds: 300 }, false],
    [login(NOW - 300, ONE), { maxAgeSeconds: 300 }, true],
    [login(NOW - 300, ONE), { acr: TWO, maxAgeSeconds: 300 }, false],
    [login(NOW - 1, ONE), { maxAgeSeconds: 0 }, false],
    [login(0, TWO), { maxAgeSeconds: 86_400 }, false],
    [login(null, TWO), { maxAgeSeconds: 86_400 }, false],
    [login(NOW, TWO), { acr: 'urn:mainstay:acr:3' as never }, false],
    [login(NOW, TWO), { acr: null as never }, false],
    [login(NOW, TWO), { maxAgeSeconds: Number.NaN }, false],
  ])('%j for %j: %s', (authentication, required, isIt) => {
    expect(isEnough(authentication, required, NOW)).toBe(isIt)
  })
})

it('names in the challenge what is required, and nothing else (RFC 9470)', () => {
  const start = 'Bearer error="insufficient_user_authentication"'
  expect(stepUpChallenge({ acr: TWO, maxAgeSeconds: 300 })).toBe(
    `${start}, acr_values="${TWO}", max_age="300"`,
  )
  expect(stepUpChallenge({ maxAgeSeconds: 0 })).toBe(`${start}, max_age="0"`)
  expect(stepUpChallenge({ acr: TWO })).toBe(`${start}, acr_values="${TWO}"`)
})
