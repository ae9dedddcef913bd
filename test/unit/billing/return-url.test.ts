import { describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { acceptableReturn } from '../../../web/main/acceptable-return.js'
import { isSafeReturnUrl, withCheckout, withPortal } from '../../sources.js'
import { slow } from '../../support/tiers.js'

const MAIN = 'https://www.main.test'
const SHOP = 'https://shop.test:8443'
const LAPTOP = 'http://localhost:3000'

const LISTED = [MAIN, SHOP, LAPTOP]
const KNOWN = {
  mainOrigin: MAIN,
  satellites: new Set([SHOP, LAPTOP]),
}

describe('isSafeReturnUrl', () => {
  it.each([
    MAIN,
    `${MAIN}/`,
    `${MAIN}/a/b?c=d&e=%20#f`,
    `${MAIN}?paid=yes`,
    `${MAIN}#top`,
    `${SHOP}/thanks`,
    `${LAPTOP}/thanks`,
    `${MAIN}/?next=https://evil.test/`,
    `${MAIN}/${'a'.repeat(2_048 - MAIN.length - 1)}`,
  ])('takes %s', url => {
    expect(isSafeReturnUrl(url, KNOWN)).toBe(true)
  })

  it.each([
    '',
    '/thanks',
    '//www.main.test/',
    'www.main.test',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://evil.test/',
    'https://evil.test/https://www.main.test/',
    'https://www.main.test.evil.test/',
    'https://www.main.testevil.test/',
    'https://www.main.test@evil.test/',
    'https://user@www.main.test/',
    'https://user:secret@www.main.test/',
    'https://@www.main.test/',
    'https://www.main.test:443/',
    'https://www.main.test:8443/',
    'https://shop.test/',
    'http://www.main.test/',
    'HTTPS://www.main.test/',
    'https://WWW.MAIN.TEST/',
    'https:/www.main.test/',
    'https:www.main.test/',
    'https:\\\\www.main.test/',
    'https://www.main.test\\@evil.test/',
    'https://www.main.test/\\evil.test',
    ' https://www.main.test/',
    'https://www.main.test/ ',
    'https://www.main.test/\n',
    'https://www.main\t.test/',
    'https://www.main.test/\u0000',
    'https://www.ma\u0456n.test/',
    'https://www.main\u3002test/',
    `${MAIN}/${'a'.repeat(2_048 - MAIN.length)}`,
  ])('does not take %j', url => {
    expect(isSafeReturnUrl(url, KNOWN)).toBe(false)
  })

  const pieces = fc.constantFrom(
    ...['https:', 'http:', 'javascript:', '//', '/', '\\', '@', ':', '#', '?', '.', '%2f', '\t', '\n', ' '],
    ...['www.main.test', 'shop.test:8443', 'shop.test', 'localhost:3000', 'evil.test', 'user', '443', 'ａ'],
    ...LISTED,
  )
  const anyAddress = fc.oneof(
    { weight: 4, arbitrary: fc.array(pieces, { maxLength: 7 }).map(parts => parts.join('')) },
    { weight: 1, arbitrary: fc.webUrl({ withFragments: true, withQueryParameters: true }) },
    { weight: 1, arbitrary: fc.string() },
    {
      weight: 2,
      arbitrary: fc
        .tuple(fc.constantFrom(...LISTED), fc.string({ unit: 'grapheme' }))
        .map(([origin, rest]) => origin + rest),
    },
  )

  slow('is never true for an address that a browser takes to another origin, or with a user name', () => {
    let taken = 0
    fc.assert(
      fc.property(anyAddress, text => {
        if (!isSafeReturnUrl(text, KNOWN)) return
        taken++
        const { origin, username, password } = new URL(text)
        expect(LISTED).toContain(origin)
        expect(username + password).toBe('')
        // Who reads it without a parser sees the same origin at its start.
        expect(text.startsWith(origin)).toBe(true)
      }),
      { numRuns: 20_000 },
    )
    expect(taken).toBeGreaterThan(100)
  })

  it('is true for every address at a known origin that our page promises to return to (W8)', () => {
    let promised = 0
    fc.assert(
      fc.property(anyAddress, text => {
        const promise = acceptableReturn(text)
        if (promise === null || !LISTED.includes(new URL(promise).origin)) return
        promised++
        expect(isSafeReturnUrl(promise, KNOWN)).toBe(true)
        expect(new URL(promise).origin).toBe(new URL(text).origin)
        if (isSafeReturnUrl(text, KNOWN)) expect(promise).toBe(text)
      }),
      { numRuns: 20_000 },
    )
    expect(promised).toBeGreaterThan(100)
  })
})

it.each([
  [MAIN, `${MAIN}/?checkout=id-1`, `${MAIN}/?portal=closed`],
  [
    `${SHOP}/a?checkout=old&portal=old&b=c#f`,
    `${SHOP}/a?portal=old&b=c&checkout=id-1#f`,
    `${SHOP}/a?checkout=old&b=c&portal=closed#f`,
  ],
])('back at %s, the page learns where its user comes from', (url, fromCheckout, fromPortal) => {
  expect(withCheckout(url, 'id-1')).toBe(fromCheckout)
  expect(withPortal(url)).toBe(fromPortal)
})

it.each([
  ['?_inputs_&n=200', '?_inputs_&n=200&'],
  ['?q=a%20b+c', '?q=a%20b+c&'],
  ['?mark=~!()*', '?mark=~!()*&'],
  ['?a=1;b=2', '?a=1;b=2&'],
  ['?city=K%F6ln', '?city=K%F6ln&'],
  ['?url=https://a.test/?b=c', '?url=https://a.test/?b=c&'],
  ['?a=1&', '?a=1&'],
  ['?a&&b==', '?a&&b==&'],
  ['?', '?'],
  ['/a/../b//%7e', '/a/../b//%7e?'],
  ['?check%6fut=old&a=%zz&checkout', '?a=%zz&'],
  ['?checkout=old', '?'],
  ['?checkouts=old', '?checkouts=old&'],
])('the return address keeps the bytes of %s (W6)', (given, kept) => {
  const page = given.startsWith('/') ? SHOP : `${SHOP}/app`
  expect(withCheckout(`${page}${given}`, 'id-1')).toBe(`${page}${kept}checkout=id-1`)
  expect(withCheckout(`${page}${given}#a?checkout=b#c`, 'id-1')).toBe(
    `${page}${kept}checkout=id-1#a?checkout=b#c`,
  )
})

it.each([
  [`${SHOP}/übersicht`, `${SHOP}/%C3%BCbersicht`],
  [`${SHOP}/my reports`, `${SHOP}/my%20reports`],
  [`${SHOP}/a?q=ü b\\c#\\`, `${SHOP}/a?q=%C3%BC%20b%5Cc#%5C`],
  [`${SHOP}/a?q='b'&_inputs_`, `${SHOP}/a?q='b'&_inputs_`],
  ['HTTPS://WWW.main.test:443', `${MAIN}/`],
  ['https://user@www.main.test/', null],
  [`${MAIN}/${'ü'.repeat(400)}`, null],
  ['javascript:alert(1)', null],
  ['übersicht', null],
])('our page returns from %s to %s (W8)', (given, url) => {
  expect(acceptableReturn(given)).toBe(url)
})
