import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { MAX_USER_AGENT_BYTES, shortUserAgent } from '../../sources.js'
import { slow } from '../../support/tiers.js'

describe('shortUserAgent', () => {
  it.each([
    [undefined, null],
    ['', null],
    ['   ', null],
    ['ReportsApp/2.1 (iPhone)', 'ReportsApp/2.1 (iPhone)'],
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      '(Windows NT 10.0; Win64; x64) Chrome/140.0.0.0',
    ],
    ['evil\r\n\u0000\u001b[31magent 🙂', 'evil[31magent'],
  ])('%j becomes %j', (userAgent, short) => {
    expect(shortUserAgent(userAgent)).toBe(short)
  })

  slow('is null or printable ASCII of 1 to 64 bytes, whatever was sent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3_000, size: 'max' }), userAgent => {
        const short = shortUserAgent(userAgent)
        if (short === null) return
        expect(Buffer.byteLength(short)).toBeLessThanOrEqual(MAX_USER_AGENT_BYTES)
        expect(short).toMatch(/^[\x20-\x7e]+$/)
      }),
    )
  })
})
