import { describe, expect, it } from '@jest/globals'
import { readRequest } from '../../../web/main/pages/handoff-request.js'

const SHOP = 'https://shop.example'
const TEXT = 'Ab-_0'.repeat(9).slice(0, 43)

function read(changed: Record<string, string>) {
  const asked = { satellite: SHOP, challenge: TEXT, state: TEXT, ...changed }
  return readRequest(`#${new URLSearchParams(asked)}`)
}

describe('the request of a satellite', () => {
  it('is read', () => {
    expect(read({ login_hint: 'rosa+a@example.com' })).toEqual({
      satellite: SHOP,
      challenge: TEXT,
      state: TEXT,
      loginHint: 'rosa+a@example.com',
    })
    expect(read({ satellite: 'http://localhost:3001' })).toMatchObject({ satellite: 'http://localhost:3001' })
    expect(read({ login_hint: 'x'.repeat(255) })).toMatchObject({ loginHint: '' })
  })

  it.each([
    ...['', 'null', 'shop.example', '//shop.example', '*', ' '],
    ...[
      'javascript:alert(1)',
      'data:text/html,x',
      'blob:https://shop.example',
      'file:///etc',
      'ftp://shop.example',
    ],
    ...[
      `${SHOP}/`,
      `${SHOP}/x`,
      `${SHOP}?a`,
      `${SHOP}#a`,
      `${SHOP}:443`,
      `${SHOP} `,
      ` ${SHOP}`,
      `\n${SHOP}`,
    ],
    ...['HTTPS://shop.example', 'https://Shop.example', 'https:\\\\shop.example', 'https:shop.example'],
    ...[`${SHOP}@evil.test`, 'https://a:b@shop.example', 'https://shöp.example', 'https://%73hop.example'],
  ])('is none for %j, which is not what a browser calls an origin', satellite => {
    expect(read({ satellite })).toBeNull()
  })

  it.each(['', 'short', `${TEXT}A`, `${TEXT.slice(1)}=`, `${TEXT.slice(1)}+`])(
    'is none with the challenge or state %j',
    text => {
      expect([read({ challenge: text }), read({ state: text })]).toEqual([null, null])
    },
  )

  it.each(['/', '/reports?year=2026&a=b', '//shop', '/%2f%2fevil.test', '/a?b=https://evil.test/'])(
    'may name the page %s of the satellite',
    path => {
      expect(read({ path })).toMatchObject({ path })
      expect(new URL(SHOP + path).origin).toBe(SHOP)
    },
  )

  it.each([
    ...['', 'reports', '.evil.test', ':8443', '@evil.test', '?a', '#a', '/a#b', '/a b', '/\\evil.test'],
    ...['/ü', '/a\n', '\n/a', '/\u0000', `/${'x'.repeat(2_000)}`],
  ])('is none with %j, which is not what a browser calls a path', path => {
    expect(read({ path })).toBeNull()
  })

  it('is none without a fragment', () => {
    expect(readRequest('')).toBeNull()
  })
})
