import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { canonicalEmail } from '../../sources.js'
import { slow } from '../../support/tiers.js'

describe('canonicalEmail', () => {
  it.each([
    ['owner@example.com', 'owner@example.com'],
    ['  Owner@Example.COM ', 'owner@example.com'],
    ['o.w+n_e-r@sub.example.com', 'o.w+n_e-r@sub.example.com'],
    [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`],
  ])('%j becomes %j', (text, email) => {
    expect(canonicalEmail(text)).toBe(email)
  })

  it.each([
    '',
    'owner',
    'owner@',
    '@example.com',
    'owner@@example.com',
    'owner@example',
    'own er@example.com',
    'owner@example.com, other@example.com',
    'owner@example.com\nBcc: other@example.com',
    'owner\u0000@example.com',
    '<owner@example.com>',
    // Under Unicode's rules these equal ASCII letters in upper or lower case.
    'm\u0131ke@example.com',
    'mi\u212Ae@example.com',
    'u\u017Fer@example.com',
    'owner@ex\u0430mple.com',
    // security L6: other spellings of owner@example.com.
    '"owner"@example.com',
    '"o\\wner"@example.com',
    '""@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'b.'.repeat(130)}com`,
  ])('%j is no address', text => {
    expect(canonicalEmail(text)).toBeNull()
  })

  slow('is one form: what came out comes out again, in ASCII, lower case, at most 254 characters', () => {
    fc.assert(
      fc.property(fc.oneof(fc.emailAddress(), fc.string()), text => {
        const email = canonicalEmail(text)
        if (email === null) return
        expect(canonicalEmail(email)).toBe(email)
        expect(canonicalEmail(` ${text.toUpperCase()} `)).toBe(email)
        expect(email).toMatch(/^[\x21-\x40\x5b-\x7e]{3,254}$/)
      }),
      { numRuns: 2_000 },
    )
  })
})
