import { describe, expect, it } from '@jest/globals'
import { mailPage } from '../../../dev/mail-outbox/outbox-pages.js'
import { SettingsError } from '../../../src/config/read-settings.js'
import { pagePolicy, pageWith } from '../../../src/pages/page.js'
import { startFailure } from '../../../src/start-failure.js'

const BUILT = ['api', 'main'].map(name => `<meta name="mainstay-${name}" content="">`).join('')
const PLACES = {
  apiUrl: 'https://api.main.test',
  mainUrl: 'https://www.main.test',
}

describe('pageWith', () => {
  it('tells the page its places', () => {
    expect(pageWith(BUILT, PLACES)).toBe(
      '<meta name="mainstay-api" content="https://api.main.test">' +
        '<meta name="mainstay-main" content="https://www.main.test">',
    )
  })

  it('keeps a value within its attribute', () => {
    const page = pageWith(BUILT, { ...PLACES, mainUrl: '"><script>$&' })
    expect(page).not.toContain('<script')
    expect(page.split('content="').length).toBe(3)
  })

  it('throws for a page that has no place for them', () => {
    expect(() => pageWith('<html></html>', PLACES)).toThrow('mainstay-api')
  })
})

it('the policy of the pages allows nothing inline, and calls to the site and the API alone', () => {
  const policy = pagePolicy(PLACES)
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("connect-src 'self' https://api.main.test;")
  expect(policy).not.toContain('unsafe')
  expect(pagePolicy({ ...PLACES, apiUrl: '' })).toContain("connect-src 'self';")
  const withPath = pagePolicy({ ...PLACES, apiUrl: 'https://www.main.test/auth' })
  expect(withPath).toContain("connect-src 'self' https://www.main.test;")
})

it('pages 4: links of a mail in the outbox open in the whole window, and the text has links too', () => {
  const mail = { to: 'a@b.test', from: '', subject: 'Hello', receivedAt: new Date(0) }
  const link = 'http://localhost:3000/reset-password#token=abc'
  const html = '<!doctype html><html><head lang="en"><title>x</title></head><header></header></html>'
  const { text } = mailPage({ ...mail, html, text: `Here:\n${link}\n<b>` })
  expect(text).toContain('&#60;head lang=&#34;en&#34;&#62;&#60;base target=&#34;_top&#34;&#62;')
  expect(text).toContain(`<a href="${link}">${link}</a>`)
  expect(text).toContain('&#60;b&#62;')
})

it('pages 20: a start that fails says in a line what an operator can mend', () => {
  const taken = Object.assign(new Error('listen'), { code: 'EADDRINUSE', address: '127.0.0.1', port: 3000 })
  expect(startFailure(taken)).toMatch(/^Port 3000 at 127\.0\.0\.1 is taken: [^\n]+$/)
  expect(startFailure(new SettingsError(['PORT must be a number']))).toContain('PORT must be a number')
  const bug = new Error('a bug')
  expect(startFailure(bug)).toBe(bug)
})
