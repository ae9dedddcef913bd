import { describe, expect, it } from '@jest/globals'
import { decodeUserAgent, encodeUserAgent, shortUserAgent } from '../../sources.js'

const MOZILLA = 'Mozilla/5.0'
const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0'

describe('a coded user agent', () => {
  it.each([
    [`${MOZILLA} (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 6],
    [`${MOZILLA} (X11; Linux x86_64) ${CHROME} Safari/537.36`, 6],
    [`${MOZILLA} (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 7],
    [`${MOZILLA} (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/131.0.0.0`, 11],
    [`${MOZILLA} (Windows NT 10.0; Win64; x64; rv:133.0) Gecko/20100101 Firefox/133.0`, 12],
    [`${MOZILLA} (Macintosh; Intel Mac OS X 10.15; rv:133.0) Gecko/20100101 Firefox/133.0`, 12],
    [
      `${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Safari/605.1.15`,
      7,
    ],
    [
      `${MOZILLA} (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1`,
      12,
    ],
    ['MainstayApp/2.1 (iOS 18.1)', 26],
    ['curl/8.5.0', 10],
  ])('of %s is %i bytes, and comes back as it was', (sent, bytes) => {
    const userAgent = shortUserAgent(sent) as string
    const coded = encodeUserAgent(userAgent)
    expect(coded).toHaveLength(bytes)
    expect(decodeUserAgent(coded)).toBe(userAgent)
  })

  it('leaves a text without codes as it is', () => {
    expect(decodeUserAgent('(Windows NT 10.0; Win64; x64) Chrome/131.0.0.0')).toBe(
      '(Windows NT 10.0; Win64; x64) Chrome/131.0.0.0',
    )
  })

  it('keeps what lies between, before and after codes, and repeats them', () => {
    const text = `a Chrome/1 Chrome/.0.0.0${'Chrome/'.repeat(3)}z`
    expect(decodeUserAgent(encodeUserAgent(text))).toBe(text)
  })
})
