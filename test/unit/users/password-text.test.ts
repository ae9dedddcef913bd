import { describe, expect, it } from '@jest/globals'
import { validateSync } from 'class-validator'
import fc from 'fast-check'
import { MAX_PASSWORD_LENGTH, normalizedPassword, Password, passwordLength } from '../../sources.js'

class Body {
  @Password()
  password: unknown
}

function isAccepted(password: unknown): boolean {
  return validateSync(Object.assign(new Body(), { password })).length === 0
}

describe('a password', () => {
  it.each([
    ['a', 'of one character, which may have been set before the minimum was raised'],
    [' ', 'of a blank'],
    ['\u0000', 'of a null character'],
    ['🔑'.repeat(MAX_PASSWORD_LENGTH), 'of 1,024 characters that are two code units each'],
    ['a'.repeat(MAX_PASSWORD_LENGTH), 'of 1,024 letters'],
  ])('%#: is accepted: %s', password => {
    expect(isAccepted(password)).toBe(true)
  })

  it.each<[unknown, string]>([
    ['', 'empty'],
    ['a'.repeat(MAX_PASSWORD_LENGTH + 1), 'of 1,025 letters'],
    ['🔑'.repeat(MAX_PASSWORD_LENGTH + 1), 'of 1,025 keys'],
    ['\ud800', 'half a surrogate pair'],
    ['abc\udc00def', 'the other half within'],
    [12345678, 'a number'],
    [null, 'null'],
    [['password'], 'a list'],
  ])('%#: is refused: %s', password => {
    expect(isAccepted(password)).toBe(false)
  })
})

describe('normalizedPassword', () => {
  it.each([
    ['e\u0301', '\u00e9'],
    ['ﬁ', 'fi'],
    ['①', '1'],
    ['ｐａｓｓ', 'pass'],
  ])('%s is the same as %s', (typed, stored) => {
    expect(normalizedPassword(typed)).toBe(normalizedPassword(stored))
  })

  it.each([
    ['password', 'Password'],
    ['password', 'password '],
    ['password', ' password'],
    ['a  b', 'a b'],
    ['straße', 'strasse'],
  ])('%j is not the same as %j', (one, other) => {
    expect(normalizedPassword(one)).not.toBe(normalizedPassword(other))
  })

  it('changes nothing the second time, and nothing in ASCII', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), text => {
        const once = normalizedPassword(text)
        expect(normalizedPassword(once)).toBe(once)
      }),
    )
    fc.assert(fc.property(fc.string({ unit: 'binary-ascii' }), text => normalizedPassword(text) === text))
  })
})

it('passwordLength counts code points', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: 1 })), parts => {
      const text = parts.join('')
      expect(passwordLength(text)).toBe(Array.from(text).length)
    }),
  )
})
