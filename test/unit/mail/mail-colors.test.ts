import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import {
  accentsOf,
  type Branding,
  backgroundOf,
  colorsOf,
  htmlOf,
  inkOn,
  type Mail,
  type MailColors,
  type MailSender,
  safeName,
  textOf,
} from '../../sources.js'

const BRANDING: Branding = {
  name: 'Rose & Sons',
  logoUrl: 'https://cdn.example.net/rose.svg?a="b"&c=<d>',
  accent: '#ffe600',
  background: '#112233',
}
const MAIL: Mail = {
  language: 'en',
  subject: 'A subject',
  site: 'Rose & Sons (shop.example.net)',
  paragraphs: ['A paragraph.'],
  action: { label: 'Do it', url: 'https://www.main.test/' },
}

const SENDER: MailSender = {
  name: 'Acme',
  host: 'www.acme.test',
  logoUrl: 'https://cdn.acme.test/logo.png',
  accent: '#3b4fd8',
  supportUrl: 'mailto:help@acme.test?subject=Help',
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

/** The texts of web/styles/tokens.css. */
const TEXTS = { light: ['#16181d', '#5b6271'], dark: ['#eceef2', '#a0a7b5'] } as const

test('all text of a page can be read on any colour, with links in any accent', () => {
  const color = fc
    .integer({ min: 0, max: 0xffffff })
    .map(number => `#${number.toString(16).padStart(6, '0')}`)
  fc.assert(
    fc.property(color, color, (chosen, accent) => {
      const { color: page, scheme } = backgroundOf(chosen)
      const link = accentsOf(accent, page)[scheme].color
      for (const text of [...TEXTS[scheme], link]) expect(contrast(page, text)).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test.each([
  ['#fff1f2', '#fff1f2', 'light'],
  ['#0b1220', '#0b1220', 'dark'],
  // Between the two no text of ours can be read.
  ['#3b82f6', '#cee0fd', 'light'],
])('a page in %s is laid on %s, in the %s scheme', (chosen, color, scheme) => {
  expect(backgroundOf(chosen)).toEqual({ color, scheme })
})

test('text on a button can be read on any colour', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), number => {
      const color = `#${number.toString(16).padStart(6, '0')}`
      expect(contrast(color, inkOn(color))).toBeGreaterThanOrEqual(4.5)
    }),
  )
})

test('links and buttons of any accent can be read in both schemes, and one that can be read stays', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), number => {
      const { light, dark } = accentsOf(`#${number.toString(16).padStart(6, '0')}`)
      const pairs = [
        [light.color, '#ffffff'],
        [light.color, '#f0f1f4'],
        [light.color, light.ink],
        [dark.color, '#12141b'],
        [dark.color, '#262a36'],
        [dark.color, dark.ink],
      ] as const
      for (const [one, other] of pairs) expect(contrast(one, other)).toBeGreaterThanOrEqual(4.5)
    }),
  )
  expect(accentsOf('#3b4fd8').light.color).toBe('#3b4fd8')
  expect(accentsOf('#ffe600').dark.color).toBe('#ffe600')
})

test('text beside the card of a mail can be read on any background', () => {
  expect(contrast(...pageOf(colorsOf(undefined, '#3b4fd8')))).toBeGreaterThanOrEqual(4.5)
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0xffffff }), number => {
      const background = `#${number.toString(16).padStart(6, '0')}`
      expect(contrast(...pageOf(colorsOf({ ...BRANDING, background }, '#3b4fd8')))).toBeGreaterThanOrEqual(
        4.5,
      )
    }),
  )
})

test('replaces what is no colour with our own', () => {
  const odd = { ...BRANDING, accent: 'red;background:url(x)', background: '#fff' }
  expect(colorsOf(odd, '#3b4fd8')).toEqual(colorsOf(undefined, '#3b4fd8'))
})

test('a mail about a satellite has its logo and colours, and nothing of them as markup', () => {
  const html = htmlOf({ ...MAIL, branding: BRANDING }, SENDER)
  expect(html).toContain('src="https://cdn.example.net/rose.svg?a=&#34;b&#34;&#38;c=&#60;d&#62;"')
  expect(html).toContain('background:#ffe600;border:1px solid #000000')
  expect(html).toContain(';color:#000000">Do it</a>')
  expect(html).toContain('background:#112233')
  expect(html).toContain('Rose &#38; Sons (shop.example.net)')
  expect(html).not.toContain('.button {')
})

test('in the dark, the logo keeps the background that it was made for', () => {
  const html = htmlOf({ ...MAIL, branding: BRANDING }, SENDER)
  expect(html).toMatch(
    /<td class="plate" style="[^"]*background:#112233"><img src="https:\/\/cdn\.example\.net/,
  )
  expect(html).toContain('.plate { padding: 6px 8px !important; }')
})

test('details stand apart, each on its line', () => {
  const mail = { ...MAIL, paragraphs: ['A paragraph.', 'Device: <b>\nTime: 14:05'] }
  expect(htmlOf(mail, SENDER)).toMatch(
    /<p class="details" style="[^"]+">Device: &#60;b&#62;<br>Time: 14:05<\/p>/,
  )
  expect(textOf(mail, SENDER)).toContain('\n\nDevice: <b>\nTime: 14:05\n\n')
})

test('a button can be seen where links have no background, and all of it is the link', () => {
  expect(htmlOf(MAIL, SENDER)).toMatch(
    /<td class="button" bgcolor="#3b4fd8" style="[^"]*mso-padding-alt:12px 22px;[^"]*"><a href="https:\/\/www\.main\.test\/" style="[^"]*padding:12px 22px;[^"]*">Do it<\/a><\/td>/,
  )
})

test('the address under a button says what it is for, and is a link on one line', () => {
  expect(htmlOf(MAIL, SENDER)).toMatch(
    /If the button does not work, copy this address:<br><a class="quiet" href="https:\/\/www\.main\.test\/" style="[^"]*white-space:nowrap[^"]*">https:\/\/www\.main\.test\/<\/a>/,
  )
  expect(htmlOf({ ...MAIL, language: 'de' }, SENDER)).toContain('Falls die Schaltfläche nicht funktioniert')
  expect(textOf(MAIL, SENDER)).toContain('\n\nDo it:\nhttps://www.main.test/\n')
})

test('mail lists show as much of the text as they have room for', () => {
  const mail = { ...MAIL, paragraphs: ['One.', 'Two.'] }
  expect(htmlOf(mail, SENDER)).toContain('<div style="display:none">One. Two.</div>')
  const long = { ...MAIL, paragraphs: Array.from({ length: 500 }, () => 'Line 😀') }
  expect(htmlOf(long, SENDER)).toMatch(/<div style="display:none">(Line 😀 ){28}Line<\/div>/u)
})

test('a number stays beside its word, and a text to copy as it is', () => {
  const mail = { ...MAIL, paragraphs: ['On 26 November', 'Record: x\nText: token=ab4 expiry=never'] }
  expect(htmlOf(mail, SENDER)).toContain('On 26\u00a0November</p>')
  expect(htmlOf(mail, SENDER)).toContain('<br>Text: token=ab4 expiry=never</p>')
})

test('other mails have the logo and accent of the main site', () => {
  const html = htmlOf(MAIL, SENDER)
  expect(html).toContain('background:#3b4fd8;border:1px solid #ffffff')
  expect(html).toContain(';color:#ffffff">Do it</a>')
  expect(html).toContain(`.button { background: ${accentsOf('#3b4fd8').dark.color} !important`)
  expect(html).toContain('src="https://cdn.acme.test/logo.png"')
  expect(htmlOf(MAIL, { ...SENDER, logoUrl: null })).not.toContain('<img')
  expect(htmlOf({ ...MAIL, branding: { ...BRANDING, logoUrl: null } }, SENDER)).not.toContain('<img')
})

test('every mail says who sends it and where to get help, if anywhere', () => {
  expect(textOf(MAIL, SENDER)).toContain(
    'Sent by Acme, www.acme.test\nQuestions? We are glad to help: help@acme.test\n',
  )
  expect(htmlOf(MAIL, SENDER)).toContain('href="mailto:help@acme.test?subject=Help"')
  expect(textOf(MAIL, SENDER)).toContain(
    '\n-- \nRose & Sons (shop.example.net)\nSent by Acme, www.acme.test\n',
  )
  expect(textOf({ ...MAIL, site: 'Acme' }, SENDER)).toContain('\n-- \nSent by Acme, www.acme.test\n')
  const page = { ...SENDER, supportUrl: 'https://www.acme.test/help' }
  expect(textOf(MAIL, page)).toContain('help: https://www.acme.test/help\n')
  for (const mail of [
    textOf(MAIL, { ...SENDER, supportUrl: null }),
    htmlOf(MAIL, { ...SENDER, supportUrl: null }),
  ])
    expect(mail).not.toContain('Questions?')
})

test.each([
  ['Rose & Sons', 'Rose & Sons'],
  ['Dr. Rose', 'Dr. Rose'],
  ['evil.example', null],
  ['Win: click', null],
  ['me@evil', null],
  ['www。evil。example', null],
  ['Dispute? Call +1 888 555 0123', null],
  ['Support 0800 1234', null],
  ['Route 66, since 1926', 'Route 66, since 1926'],
  ['x'.repeat(61), null],
])('the name %j becomes %j in a mail', (name, shown) => {
  expect(safeName(name)).toBe(shown)
})

function pageOf({ page, onPage }: MailColors): [string, string] {
  return [page, onPage]
}
