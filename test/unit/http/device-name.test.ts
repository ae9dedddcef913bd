import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { deviceName, shortUserAgent } from '../../sources.js'
import { slow } from '../../support/tiers.js'

const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64)'
const MAC = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)'
const ANDROID = 'Mozilla/5.0 (Linux; Android 10; K)'
const IPHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X)'
const IPAD = 'Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X)'
const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const WEBKIT = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const CHROME = 'Chrome/140.0.0.0'

const NAMES: [string, string][] = [
  ['Chrome on Windows', `${WINDOWS} ${BLINK} ${CHROME} Safari/537.36`],
  ['Chrome on macOS', `${MAC} ${BLINK} ${CHROME} Safari/537.36`],
  ['Chrome on Linux', `Mozilla/5.0 (X11; Linux x86_64) ${BLINK} ${CHROME} Safari/537.36`],
  ['Chrome on Chrome OS', `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${BLINK} ${CHROME} Safari/537.36`],
  ['Chrome on Android', `${ANDROID} ${BLINK} ${CHROME} Mobile Safari/537.36`],
  ['Chrome on iPhone', `${IPHONE} ${WEBKIT} CriOS/140.0.7339.101 Mobile/15E148 Safari/604.1`],
  ['Edge on Windows', `${WINDOWS} ${BLINK} ${CHROME} Safari/537.36 Edg/140.0.0.0`],
  ['Edge on Android', `${ANDROID} ${BLINK} ${CHROME} Mobile Safari/537.36 EdgA/140.0.0.0`],
  ['Edge on iPhone', `${IPHONE} ${WEBKIT} Version/18.0 EdgiOS/140.0.3485.54 Mobile/15E148 Safari/605.1.15`],
  ['Firefox on Windows', `${WINDOWS.slice(0, -1)}; rv:143.0) Gecko/20100101 Firefox/143.0`],
  [
    'Firefox on macOS',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:143.0) Gecko/20100101 Firefox/143.0',
  ],
  ['Firefox on Linux', 'Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'],
  ['Firefox on Android', 'Mozilla/5.0 (Android 15; Mobile; rv:143.0) Gecko/143.0 Firefox/143.0'],
  ['Firefox on iPhone', `${IPHONE} ${WEBKIT} FxiOS/143.0 Mobile/15E148 Safari/605.1.15`],
  ['Safari on macOS', `${MAC} ${WEBKIT} Version/26.0 Safari/605.1.15`],
  ['Safari on iPhone', `${IPHONE} ${WEBKIT} Version/26.0 Mobile/15E148 Safari/604.1`],
  ['Safari on iPad', `${IPAD} ${WEBKIT} Version/17.7 Mobile/15E148 Safari/604.1`],
  [
    'Samsung Internet on Android',
    `${ANDROID} ${BLINK} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`,
  ],
  ['Opera on Windows', `${WINDOWS} ${BLINK} ${CHROME} Safari/537.36 OPR/124.0.0.0`],
  ['Opera on Android', `${ANDROID} ${BLINK} ${CHROME} Mobile Safari/537.36 OPR/92.0.0.0`],
  [
    'Vivaldi on Linux',
    `Mozilla/5.0 (X11; Linux x86_64) ${BLINK} ${CHROME} Safari/537.36 Vivaldi/7.6.3797.58`,
  ],
  // Apps: web views, their own networking, and what React Native, Flutter and Expo send of themselves.
  ['App on iPhone', `${IPHONE} ${WEBKIT} Mobile/15E148`],
  [
    'App on Android',
    `Mozilla/5.0 (Linux; Android 15; Pixel 9 Build/AP4A.250205.002; wv) ${BLINK} Version/4.0 ${CHROME} Mobile Safari/537.36`,
  ],
  ['App on Android', 'Dalvik/2.1.0 (Linux; U; Android 14; SM-S918B Build/UP1A.231005.007)'],
  ['App (okhttp)', 'okhttp/4.12.0'],
  ['MainstayApp on an Apple device', 'MainstayApp/42 CFNetwork/1568.100.1 Darwin/24.0.0'],
  ['Our Reports on an Apple device', 'Our%20Reports/42 CFNetwork/1568.100.1 Darwin/24.0.0'],
  ['App on an Apple device', '%E5%A0%B1%E5%91%8A/42 CFNetwork/1568.100.1 Darwin/24.0.0'],
  ['MainstayApp on iOS', 'MainstayApp/2.1 (com.mainstay.app; build:42; iOS 18.6.0) Alamofire/5.9.1'],
  ['MainstayApp on iPhone', 'MainstayApp/2.1 (iPhone; iOS 18.6)'],
  ['MainstayApp on Android', 'MainstayApp/2.1 (Android 15; Pixel 9) okhttp/4.12.0'],
  ['Expo on an Apple device', 'Expo/1017756 CFNetwork/1568.100.1 Darwin/24.0.0'],
  ['Dart', 'Dart/3.5 (dart:io)'],
  ['curl', 'curl/8.5.0'],
  ['PostmanRuntime', 'PostmanRuntime/7.42.0'],
  ['Googlebot', 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'],
  ['constructor', 'constructor/1.0'],
  // Security L7: what mail programs would make a link of.
  ['evil example com', 'evil.example.com/1.0'],
  ['www evil example on Android', 'www.evil.example/2 (Android 15; Pixel 9)'],
  ['call', 'call 0900123456/1'],
  ['Unknown device', 'https://evil.example/1.0'],
  ['Unknown device', 'Mozilla/5.0'],
  ['Unknown device', 'x'],
  ['Unknown device', ''],
  ['Unknown device', '((((('],
  ['Unknown device', '<b>MainstayApp</b>/1.0'],
  ['Unknown device', 'a'.repeat(10_000)],
]

describe('deviceName', () => {
  it('says the same of what is sent and of what a session keeps of it', () => {
    const said = NAMES.flatMap(([, userAgent]) => [
      [deviceName(userAgent), userAgent],
      [deviceName(shortUserAgent(userAgent)), userAgent],
    ])
    expect(said).toEqual(NAMES.flatMap(row => [row, row]))
  })

  it('says that nothing was sent', () => {
    expect(deviceName(null)).toBe('Unknown device')
  })

  slow('is short and harmless whatever a client calls itself', () => {
    const word = fc.constantFrom(
      'Mozilla/5.0 ',
      '(compatible; ',
      'App/1 ',
      'Darwin/1',
      '(iPhone)',
      ' Android 9 ',
      '<b>',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(word, fc.string({ unit: 'binary' })), { maxLength: 20 }), words =>
        expect(deviceName(words.join(''))).toMatch(/^[\w.() -]{1,60}$/),
      ),
    )
  })
})
