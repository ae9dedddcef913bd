import { describe, expect, it } from '@jest/globals'
import { type Brand, mailPage, pagePolicy, pageWith } from '../../sources.js'

const NAMES = ['api', 'main', 'main-name', 'payments', 'name', 'logo', 'accent', 'background', 'support']
const BUILT = `<html lang="en">${NAMES.map(name => `<meta name="mainstay-${name}" content="">`).join('')}<title>Mainstay</title>`
const BRAND: Brand = {
  name: 'Rose & Sons',
  logoUrl: null,
  accent: '#b91c1c',
  supportUrl: 'mailto:help@rose.test',
}
const PLACES = {
  apiUrl: 'https://api.main.test',
  mainUrl: 'https://www.main.test',
  mainName: 'Rose & Friends',
  language: 'de',
  takesPayments: false,
}

describe('pageWith', () => {
  it('tells the page its places and how the site looks', () => {
    expect(pageWith(BUILT, PLACES, BRAND)).toBe(
      '<html lang="de"><meta name="mainstay-api" content="https://api.main.test">' +
        '<meta name="mainstay-main" content="https://www.main.test">' +
        '<meta name="mainstay-main-name" content="Rose &#38; Friends"><meta name="mainstay-payments" content="off">' +
        '<meta name="mainstay-name" content="Rose &#38; Sons"><meta name="mainstay-logo" content="">' +
        '<meta name="mainstay-accent" content="#b91c1c"><meta name="mainstay-background" content="">' +
        '<meta name="mainstay-support" content="mailto:help@rose.test"><title>Rose &#38; Sons</title>',
    )
  })

  it('keeps a value within its attribute', () => {
    const page = pageWith(BUILT, PLACES, { ...BRAND, name: '</title>"><script>$&' })
    expect(page).not.toContain('<script')
    expect(page.split('content="').length).toBe(NAMES.length + 1)
    expect(page.split('</title>').length).toBe(2)
  })

  it('throws for a page that has no place for them', () => {
    expect(() => pageWith('<html></html>', PLACES, BRAND)).toThrow('mainstay-api')
  })
})

it('the policy of the pages allows nothing inline, and calls to the site and the API alone', () => {
  const policy = pagePolicy(PLACES)
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("connect-src 'self' https://api.main.test;")
  expect(policy).not.toContain('unsafe')
  expect(policy).toContain("img-src 'self';")
  expect(pagePolicy(PLACES, ['https://cdn.test'])).toContain("img-src 'self' https://cdn.test;")
  expect(pagePolicy({ ...PLACES, apiUrl: '' })).toContain("connect-src 'self';")
  const withPath = pagePolicy({ ...PLACES, apiUrl: 'https://www.main.test/auth' })
  expect(withPath).toContain("connect-src 'self' https://www.main.test;")
})

const mail = { to: 'a@b.test', from: '', subject: 'Hello', receivedAt: new Date(0) }

it('pages 4: links of a mail in the outbox open in the whole window, and the text has links too', () => {
  const link = 'http://localhost:3000/reset-password#token=abc'
  const html = '<!doctype html><html><head lang="en"><title>x</title></head><header></header></html>'
  const { content, action } = mailPage({ ...mail, html, text: `Here:\n${link}\n<b>` })
  const { text } = content
  expect(action?.text).toContain(`href="${link}"`)
  expect(text).toContain('&#60;head lang=&#34;en&#34;&#62;&#60;base target=&#34;_top&#34;&#62;')
  expect(text).toContain(`<a href="${link}">${link}</a>`)
  expect(text).toContain('&#60;b&#62;')
})
