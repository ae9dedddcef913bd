import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Branding } from '../../../src/database/branding.js'
import { htmlOf, type Mail } from '../../../src/mail/mail.js'
import { colorsOf, inkOn } from '../../../src/mail/mail-colors.js'
import { safeName } from '../../../src/mail/safe-name.js'

const BRANDING: Branding = {
  name: 'Rose & Sons',
  logoUrl: 'https://cdn.example.net/rose.svg?a="b"&c=<d>',
  accent: '#ffe600',
  background: '#112233',
}
const MAIL: Mail = {
  subject: 'A subject',
  site: 'Rose & Sons (shop.example.net)',
  paragraphs: ['A paragraph.'],
  action: { label: 'Do it', url: 'https://www.main.test/' },
}

test.each([
  ['#ffffff', '#000000'],
  ['#ffe600', '#000000'],
  ['#777777', '#000000'],
  ['#3b4fd8', '#ffffff'],
  ['#000000', '#ffffff'],
  ['#b91c1c', '#ffffff'],
])('on %s the text is %s', (color, ink) => {
  expect(inkOn(color)).toBe(ink)
})

/** As WCAG defines it, from the other side. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) =>
    [0.2126, 0.7152, 0.0722].reduce((sum, weight, index) => {
      const part = Number.parseInt(color.slice(1 + 2 * index, 3 + 2 * index), 16) / 255
      return sum + weight * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    }, 0)
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

test('text on a button can be read on any colour', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), number => {
      const color = `#${number.toString(16).padStart(6, '0')}`
      expect(contrast(color, inkOn(color))).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('what is no colour is ours', () => {
  const odd = { ...BRANDING, accent: 'red;background:url(x)', background: '#fff' }
  expect(colorsOf(odd)).toEqual(colorsOf(undefined))
})

test('a mail about a satellite has its logo and colours, and nothing of them as markup', () => {
  const html = htmlOf({ ...MAIL, branding: BRANDING })
  expect(html).toContain('src="https://cdn.example.net/rose.svg?a=&#34;b&#34;&#38;c=&#60;d&#62;"')
  expect(html).toContain('background:#ffe600;color:#000000')
  expect(html).toContain('background:#112233')
  expect(html).toContain('Rose &#38; Sons (shop.example.net)')
  expect(html).not.toContain('.button {')
})

test('other mails have ours, with neither a picture nor an address that is asked', () => {
  const html = htmlOf(MAIL)
  expect(html).toContain('background:#3b4fd8;color:#ffffff')
  expect(html).not.toContain('<img')
  expect(htmlOf({ ...MAIL, branding: { ...BRANDING, logoUrl: null } })).not.toContain('<img')
})

test.each([
  ['Rose & Sons', 'Rose & Sons'],
  ['Dr. Rose', 'Dr. Rose'],
  ['evil.example', null],
  ['Win: click', null],
  ['me@evil', null],
  ['x'.repeat(61), null],
])('the name %j becomes %j in a mail', (name, shown) => {
  expect(safeName(name)).toBe(shown)
})
