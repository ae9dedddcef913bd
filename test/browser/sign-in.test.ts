import { readFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { BrowserContext, Page } from 'playwright-core'
import type { User } from '../sources.js'
import { giveAuthenticator, giveRecoveryCodes } from '../support/authenticator.js'
import { documentedBlocks } from '../support/client/documented-code.js'
import { aMember, anOwner, PASSWORD } from '../support/people.js'
import { aSatellite } from '../support/satellites.js'
import { startBuiltPages } from './stage/built-pages.js'
import type { Certificate } from './stage/certificate.js'
import { bundleReact, codeUnder } from './stage/docs-code.js'
import { expectGoodPage } from './stage/good-page.js'
import { API, SHOP_THREE, SHOP_TWO } from './stage/hosts.js'
import { type Pages, together } from './stage/pages.js'
import { type ServedFile, serveFiles } from './stage/served-files.js'
import { handsOn, sendLogin } from './stage/site-page.js'
import { aStage } from './stage/stage.js'

const LOGO = 'https://logos.test/logo.svg'
const BRANDING = { name: 'Rosa’s Roses', logoUrl: LOGO, accent: '#9d174d', background: '#fff1f2' }
const ROSE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><circle cx="32" cy="32" r="30" fill="#e11d48"/></svg>'
/** Nothing inline, no style at all: the strictest that docs/integrate/html.md says the element works with. */
const STRICT = `default-src 'none'; script-src 'self' ${API}; connect-src ${API}; img-src https://logos.test data:; require-trusted-types-for 'script'; base-uri 'none'; form-action 'none'`
const REACT_PAGE = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
  <title>A site</title><link rel="stylesheet" href="/styles.css"><link rel="icon" href="data:,"><body><main><h1>A site</h1><div></div></main>
  <script type="module" src="/app.js"></script>`

async function startShops(certificate: Certificate): Promise<Pages> {
  const react = (await codeUnder('React')).replace("import '@mainstay-auth/react/styles.css'\n", '')
  const [html = '', script = ''] = await documentedBlocks('HTML', 'docs/integrate/html.md')
  const placed = html.replaceAll('https://auth.example.com', API).replace('<head>', `<head>${SCHEME}`)
  const page: ServedFile = {
    type: 'text/html',
    body: placed,
    headers: { 'Content-Security-Policy': STRICT },
  }
  const files: Readonly<Record<string, Readonly<Record<string, ServedFile>>>> = {
    [SHOP_TWO]: {
      '/': page,
      '/cart': page,
      '/page.js': { type: 'text/javascript', body: script },
    },
    [SHOP_THREE]: {
      '/': { type: 'text/html', body: REACT_PAGE },
      '/cart': { type: 'text/html', body: REACT_PAGE },
      '/app.js': { type: 'text/javascript', body: await bundleReact(react) },
      '/styles.css': { type: 'text/css', body: readFileSync('packages/react/styles.css', 'utf8') },
    },
  }
  return together(
    startBuiltPages(certificate),
    serveFiles(certificate, Object.keys(files), (origin, path) => files[origin]?.[path] ?? null),
  )
}

const SCHEME = '<meta name="color-scheme" content="light dark" />'

const stage = aStage(startShops, { SITE_NAME: 'Example' })
let owner: User
let person: BrowserContext
let page: Page
beforeAll(async () => {
  owner = await anOwner(stage.app)
  const secondFactor = 'allowed'
  await aSatellite(stage.app, owner, SHOP_THREE, { name: BRANDING.name, branding: BRANDING, secondFactor })
  await aSatellite(stage.app, owner, SHOP_TWO, { name: 'Corner Shop', secondFactor })
})
beforeEach(async () => {
  stage.received.forget()
  person = await stage.newPerson()
  await person.route(LOGO, route => route.fulfill({ contentType: 'image/svg+xml', body: ROSE }))
  page = await stage.openTab(person)
})

const { press, seeing } = handsOn(() => page)

describe.each([
  { what: 'React', origin: SHOP_THREE, site: 'Rosa’s Roses', inside: 'You may see reports.' },
  { what: 'HTML', origin: SHOP_TWO, site: 'Corner Shop', inside: 'see this: the reports' },
])('the page in $what of docs/integrate', ({ what, origin, site, inside }) => {
  const picture = `sign-in-${what.toLowerCase()}`

  test('logs in through the main site, and comes back to the page that was left, with nothing in its address', async () => {
    await page.goto(`${origin}/cart?size=m#top`)
    await page.getByRole('region', { name: `Log in to ${site}` }).waitFor()
    await page.getByRole('heading', { name: `Log in to ${site}`, level: 2 }).waitFor()
    await expectGoodPage(page, picture)
    await press('Continue with Example')
    await seeing('Afterwards you can go on')
    await sendLogin(page, owner)
    await press(/^Continue to /)
    await seeing(inside)
    expect(page.url()).toBe(`${origin}/cart?size=m#top`)
    expect(await page.evaluate('document.referrer')).toBe('')
    await page.reload()
    await seeing(inside)
    expect(page.url()).toBe(`${origin}/cart?size=m#top`)
  })

  test('says why nobody is logged in who has cancelled', async () => {
    await page.goto(`${origin}/cart`)
    await press('Continue with Example')
    await seeing('Afterwards you can go on')
    await press('Cancel')
    await seeing('You have not logged in there.')
    expect(page.url()).toBe(`${origin}/cart`)
    await expectGoodPage(page, `${picture}-cancelled`)
  })

  test('is not logged in by a link of somebody else, and the link leaves nothing behind', async () => {
    const answer = { code: 'c'.repeat(22), state: 's'.repeat(43), iss: API }
    await page.goto(`${origin}/cart?mainstay=${'c'.repeat(21)}&size=m#${new URLSearchParams(answer)}`)
    await seeing('This login was interrupted.')
    expect(page.url()).toBe(`${origin}/cart?size=m`)
    expect(stage.received.to('/api/handoff/redeem')).toEqual([])
  })

  test('takes a password, which can be shown', async () => {
    await page.goto(origin)
    const password = page.getByLabel('Password')
    await password.fill('wrong')
    await press('Show Password')
    expect(await password.getAttribute('type')).toBe('text')
    await press('Hide Password')
    expect(await password.getAttribute('type')).toBe('password')
    await page.getByLabel('E-mail').fill(owner.email)
    await press('Log in')
    await seeing('The e-mail address or the password is wrong.')
    await expectGoodPage(page, `${picture}-refused`)
    await password.fill(PASSWORD)
    await press('Log in')
    await seeing(inside)
    await expectGoodPage(page, `${picture}-logged-in`)
  })

  test('asks for the second step under a heading of its own, with the focus in its field', async () => {
    const member = await aMember(stage.app, owner)
    const phone = await giveAuthenticator(stage.app, member)
    await giveRecoveryCodes(stage.app, member)
    await page.goto(origin)
    await sendLogin(page, member)
    await page.getByRole('heading', { name: 'Enter your code' }).waitFor()
    expect(await page.getByRole('button', { name: /^Continue with/ }).count()).toBe(0)
    const focused = '(document.activeElement.shadowRoot ?? document).activeElement.name'
    await page.waitForFunction(`${focused} === 'code'`)
    const code = page.getByLabel('Code from your authenticator app')
    await code.fill(phone.wrongCode())
    await press('Continue')
    await seeing('This code is wrong, or has been used already.')
    await expectGoodPage(page, `${picture}-second-step`)
    await press('Use a recovery code')
    await page.getByLabel('Recovery code').waitFor()
    await page.waitForFunction(`${focused} === 'code'`)
    await press('Use a code from the app')
    await code.fill(phone.code())
    await press('Continue')
    await seeing(inside)
  })

  test('says so where the browser stores nothing, and logs in all the same', async () => {
    await page.addInitScript(`if (location.origin === '${origin}')
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(globalThis, name, { get() { throw new DOMException('Denied', 'SecurityError') } })`)
    await page.goto(origin)
    await seeing('you will have to log in again after a reload')
    await press('Continue with Example')
    await seeing('Please allow cookies and site data for it')
    await expectGoodPage(page, `${picture}-storage`)
    await sendLogin(page, owner)
    await seeing(inside)
  })

  test('offers every way where the service does not say how the site looks', async () => {
    await page.route('**/api/site', route => route.fulfill({ status: 503 }))
    await page.goto(origin)
    await page.getByRole('heading', { name: 'Log in', exact: true }).waitFor()
    await press('Continue on the main site')
    await seeing('The service cannot answer now.')
  })
})
