import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import {
  keyFileText,
  newKeySet,
  PUBLISH_BEFORE_USE_SECONDS,
  readKeySet,
  rotateKeySet,
  type StoredKey,
  secondsAfter,
  verifiesUntil,
} from '../../sources.js'

const START = new Date('2026-01-01T00:00:00Z')
const TOKEN_SECONDS = 900

function rotate(keys: readonly StoredKey[], now: Date): StoredKey[] {
  return rotateKeySet(keys, now, TOKEN_SECONDS)
}

function kidOf(keys: readonly StoredKey[], state: StoredKey['state']): string | undefined {
  return keys.find(key => key.state === state)?.kid
}

function later(seconds: number): Date {
  return secondsAfter(START, seconds)
}

describe('a new key set', () => {
  it('has a current and a next key, written and read again', () => {
    const read = readKeySet(keyFileText(newKeySet(START)))
    expect(read.map(({ state }) => state)).toEqual(['current', 'next'])
    expect(read.map(({ ageCountsFrom }) => ageCountsFrom)).toEqual([START, START])
    for (const { privateKey } of read) expect(privateKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1')
  })
})

describe('rotation', () => {
  it('refuses a next key that has not been published for ten minutes', () => {
    const keys = newKeySet(START)
    expect(() => rotate(keys, later(PUBLISH_BEFORE_USE_SECONDS - 1))).toThrow('may be used from')
    expect(() => rotate(keys, later(PUBLISH_BEFORE_USE_SECONDS))).not.toThrow()
  })

  it('makes next current, current retired, and a new next', () => {
    const before = newKeySet(START)
    const after = rotate(before, later(3_600))
    expect(kidOf(after, 'current')).toBe(kidOf(before, 'next'))
    expect(kidOf(after, 'retired')).toBe(kidOf(before, 'current'))
    expect(before.map(({ kid }) => kid)).not.toContain(kidOf(after, 'next'))
    expect(after).toHaveLength(3)
  })

  it('says since when the new current key signs, however long it was the next one', () => {
    const halfAYear = 180 * 86_400
    const once = rotate(newKeySet(START), later(halfAYear))
    const [current, next] = readKeySet(keyFileText(once))
    expect(current).toMatchObject({ state: 'current', ageCountsFrom: later(halfAYear) })
    expect(next).toMatchObject({ state: 'next', ageCountsFrom: later(halfAYear) })
    const [again] = readKeySet(keyFileText(rotate(once, later(2 * halfAYear))))
    expect(again?.ageCountsFrom).toEqual(later(2 * halfAYear))
  })

  it('cannot be done twice within ten minutes', () => {
    const once = rotate(newKeySet(START), later(3_600))
    expect(() => rotate(once, later(3_600 + 599))).toThrow('may be used from')
  })

  it('keeps a retired key for as long as its last token lives, and drops it then', () => {
    const first = newKeySet(START)
    const second = rotate(first, later(3_600))
    const soon = rotate(second, later(3_600 + PUBLISH_BEFORE_USE_SECONDS))
    expect(soon.filter(({ state }) => state === 'retired')).toHaveLength(2)
    const much = rotate(second, later(3_600 + TOKEN_SECONDS + PUBLISH_BEFORE_USE_SECONDS))
    expect(much.map(({ kid }) => kid)).not.toContain(kidOf(first, 'current'))
    // Whoever reads the new file minutes late has signed with the old key until then.
    expect(verifiesUntil(later(0), TOKEN_SECONDS)).toEqual(later(TOKEN_SECONDS + 600))
  })

  it('always leaves exactly one current and one next key, readable', () => {
    let keys = newKeySet(START)
    for (let turn = 1; turn <= 10; turn++) {
      keys = rotate(keys, later(turn * PUBLISH_BEFORE_USE_SECONDS))
      const states = readKeySet(keyFileText(keys)).map(({ state }) => state)
      expect(states.filter(state => state === 'current')).toHaveLength(1)
      expect(states.filter(state => state === 'next')).toHaveLength(1)
      expect(keys.length).toBeLessThanOrEqual(5)
    }
  })
})

describe('reading a key file refuses', () => {
  const [current, next] = newKeySet(START) as [StoredKey, StoredKey]
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'jwk' })
  const { d: _, ...publicOnly } = current.jwk

  it.each([
    ['no current key', [next], 'exactly one key must be current'],
    [
      'two current keys',
      [current, { ...next, state: 'current' as const }],
      'exactly one key must be current',
    ],
    ['one kid for two keys', [current, { ...next, kid: current.kid }], 'two keys have the same kid'],
    ['another curve', [{ ...current, jwk: p384 }], 'is not an EC P-256 key'],
  ])('%s', (_, keys, message) => {
    expect(() => readKeySet(keyFileText(keys))).toThrow(message)
  })

  it('a public key, and what is no key file', () => {
    const withoutPrivateKey = { ...current, jwk: publicOnly }
    expect(() => readKeySet(keyFileText([withoutPrivateKey]))).toThrow()
    expect(() => readKeySet('{}')).toThrow()
    expect(() => readKeySet('')).toThrow()
  })
})
