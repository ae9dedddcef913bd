import { describe, expect, it } from '@jest/globals'
import { afterSignup, isLogin } from '../../../web/main/between-pages.js'
import { hrefOf } from '../../../web/pieces/href.js'

const TO_SUBSCRIBE = [
  '/subscribe',
  '/subscribe?return=https://shop.test/',
  '/subscribe#plans',
  '/subscribe?a=1#b',
]
const TO_LOGINS = [
  '/account',
  '/account/',
  '/account/team',
  '/account/team/a-1_b',
  '/account?a=1',
  '/account#b',
]
const NOWHERE = [
  ...['', 'subscribe', 'account', '/', '/login', '/handoff', '/subscriber', '/accounts', '/subscribe/more'],
  ...['//evil.test', '//evil.test/account', '//account', '/\\evil.test/account', '\\\\evil.test'],
  ...[
    '/account//evil.test',
    '/account//evil',
    '/account/../..//evil.test',
    '/account/%2e%2e/%2e%2e//evil.test',
  ],
  ...['/subscribe/..//evil.test', '/subscribe%2f..%2f%2fevil.test', '/account/%2F%2Fevil.test'],
  ...['https://evil.test/subscribe', 'https:/account', 'javascript:alert(1)', '/account\n', ' /account'],
]

describe('a path that an address asks to go on to', () => {
  it.each(TO_SUBSCRIBE)('%s is followed after a login and after signing up', path => {
    expect(isLogin(path)).toBe(true)
    expect(afterSignup(path)).toBe(path)
  })

  it.each([...TO_LOGINS, '/handoff#satellite=x'])('%s is followed after a login alone', path => {
    expect(isLogin(path)).toBe(true)
    expect(afterSignup(path)).toBe('/account')
  })

  it.each(NOWHERE)('“%s” is not followed', path => {
    expect(isLogin(path)).toBe(false)
    expect(afterSignup(path)).toBe('/account')
  })

  it('need not be there', () => expect(afterSignup(null)).toBe('/account'))
})

describe('where a page is', () => {
  it.each([
    ['/account', '?a=1', '#b', '/account?a=1#b'],
    ['//evil.test/account', '', '', '/evil.test/account'],
    ['///evil.test', '?a=//b', '#//c', '/evil.test?a=//b#//c'],
  ])('at %s%s%s, a link that leads back stays within the site', (pathname, search, hash, href) => {
    expect(hrefOf({ pathname, search, hash })).toBe(href)
  })
})
