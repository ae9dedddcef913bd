import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { corsPolicyFor } from '../../sources.js'

const MAIN = 'https://www.main.test'
const SHOP = 'https://shop.test:8443'
const KNOWN = { mainOrigin: MAIN, satellites: new Set([SHOP]) }

describe('corsPolicyFor', () => {
  it.each([
    [undefined, { kind: 'none' }],
    [MAIN, { kind: 'main', origin: MAIN }],
    [SHOP, { kind: 'satellite', origin: SHOP }],
    ['', { kind: 'refused' }],
    ['null', { kind: 'refused' }],
    ['*', { kind: 'refused' }],
    ['https://www.main.test:443', { kind: 'refused' }],
    ['https://WWW.main.test', { kind: 'refused' }],
    ['https://www.main.test/', { kind: 'refused' }],
    ['https://www.main.test.', { kind: 'refused' }],
    ['http://www.main.test', { kind: 'refused' }],
    ['https://main.test', { kind: 'refused' }],
    ['https://shop.test', { kind: 'refused' }],
    ['https://shop.test:8443.evil.test', { kind: 'refused' }],
    ['constructor', { kind: 'refused' }],
  ])('%s is %j', (origin, policy) => {
    expect(corsPolicyFor(origin, KNOWN)).toEqual(policy)
  })

  it('refuses every text but the listed ones', () => {
    const nearMisses = fc
      .tuple(fc.constantFrom(MAIN, SHOP), fc.nat(30), fc.string({ maxLength: 3 }))
      .map(([origin, index, text]) => origin.slice(0, index) + text + origin.slice(index))
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), nearMisses), origin => {
        fc.pre(origin !== MAIN && origin !== SHOP)
        expect(corsPolicyFor(origin, KNOWN)).toEqual({ kind: 'refused' })
      }),
      { numRuns: 2_000 },
    )
  })
})
