import { createHash } from 'node:crypto'
import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { asSessionHandle, asSessionId, handleOf, newSessionId } from '../../sources.js'

const ID = '0b1e2f3a-4c5d-4e6f-8a9b-0c1d2e3f4a5b'

describe('asSessionId', () => {
  it('takes every id that we hand out, and no id twice', () => {
    const ids = Array.from({ length: 1_000 }, newSessionId)
    for (const id of ids) expect(asSessionId(id)).toBe(id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it.each([
    ['upper case', ID.toUpperCase()],
    ['version 1', ID.replace('-4e6f', '-1e6f')],
    ['version 7', ID.replace('-4e6f', '-7e6f')],
    ['another variant', ID.replace('-8a9b', '-ca9b')],
    ['the nil UUID', '00000000-0000-0000-0000-000000000000'],
    ['braces', `{${ID}}`],
    ['a URN', `urn:uuid:${ID}`],
    ['no dashes', ID.replaceAll('-', '')],
    ['a line end', `${ID}\n`],
    ['a blank', ` ${ID}`],
    ['a null character', `${ID}\u0000`],
    ['two', `${ID}${ID}`],
    ['nothing', ''],
    ['a Redis pattern', '*'],
  ])('does not take %s', (_, text) => {
    expect(asSessionId(text)).toBeNull()
  })

  it('takes nothing but lower-case version 4', () => {
    const versionFour = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    fc.assert(
      fc.property(fc.oneof(fc.uuid(), fc.uuid({ version: 4 }), fc.string()), text => {
        expect(asSessionId(text) !== null).toBe(versionFour.test(text))
      }),
    )
  })
})

describe('handleOf', () => {
  it('is the base64url SHA-256, which is a handle in form and does not hold the id', () => {
    const id = newSessionId()
    const handle = handleOf(id)
    expect(handle).toBe(createHash('sha256').update(id).digest('base64url'))
    expect(asSessionHandle(handle)).toBe(handle)
    expect(handle).not.toContain(id.slice(0, 8))
  })

  it.each(['', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`, `${'a'.repeat(42)}*`])(
    '%j is no handle',
    text => {
      expect(asSessionHandle(text)).toBeNull()
    },
  )
})
