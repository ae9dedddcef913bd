import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { corsPolicyFor } from '../../sources.js'

const MAIN = 'https://www.main.test'
const SHOP = 'https://shop.test:8443'
const CONSOLE = 'https://console.test'
const KNOWN = { mainOrigin: MAIN, operatorOrigin: CONSOLE, satellites: new Set([SHOP]) }

describe('corsPolicyFor', () => {
  it.each([
    [undefined, { kind: 'none' }],
    [MAIN, { kind: 'main', origin: MAIN }],
    [SHOP, { kind: 'satellite', origin: SHOP }],
    [CONSOLE, { kind: 'console' }],
    ['', { kind: 'refused' }],
    ['null', { kind: 'refused' }],
    ['*', { kind: 'refused' }],
    ['constructor', { kind: 'refused' }],
  ])('%s is %j', (origin, policy) => {
    expect(corsPolicyFor(origin, KNOWN)).toEqual(policy)
  })

  it('takes the console for a stranger where there is none', () => {
    expect(corsPolicyFor(CONSOLE, { ...KNOWN, operatorOrigin: null })).toEqual({ kind: 'refused' })
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
