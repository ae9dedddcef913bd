import { readFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { Browser, Page } from 'playwright-core'
import { request } from '../support/http-request.js'
import { freePort } from '../support/processes/free-port.js'
import { Laptop } from '../support/processes/laptop.js'
import { sharedChromium } from './stage/chromium.js'
import { expectGoodPage } from './stage/good-page.js'

const PATIENCE_MS = 120_000
const { version: VERSION } = JSON.parse(readFileSync('package.json', 'utf8'))
/** Of `npm start`. */
const MEMBER = 'member@example.com'
const PASSWORD = 'correct horse battery staple'

let browser: Browser
beforeAll(async () => {
  browser = await sharedChromium()
}, PATIENCE_MS)

describe('npm run example -- react-satellite', () => {
  let laptop: Laptop
  let workshop: string
  let page: Page
  beforeAll(async () => {
    const port = await freePort()
    workshop = `http://127.0.0.1:${port}`
    const settings = { EXAMPLE_PORT: String(port) }
    laptop = await Laptop.start('examples/run.mjs', ['react-satellite'], settings)
  }, PATIENCE_MS)
  afterAll(() => laptop?.stop())
  beforeEach(async () => {
    page = await (await browser.newContext()).newPage()
    await page.goto(workshop)
  })
  afterEach(() => page.context().close())

  it('lets staff in by their password, shows what they may do, and who they are', async () => {
    await page.getByRole('heading', { name: 'Staff login' }).waitFor()
    await expectGoodPage(page, 'example-react-login')
    await enter(page, 'wrong')
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await enter(page, PASSWORD)
    await page.getByLabel('Another repair').fill('Racing bike: gears')
    await page.getByRole('button', { name: 'Take it in' }).click()
    await page.getByText('3 repairs').waitFor()
    await expectGoodPage(page, 'example-react-staff')

    const button = page.getByRole('button', { name: `Account menu: ${MEMBER}` })
    await button.press('Enter')
    await page.getByText(MEMBER, { exact: true }).waitFor()
    await expectGoodPage(page, 'example-react-menu')
    const out = page.getByRole('button', { name: 'Log out' })
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Log out')
    await out.press('Escape')
    expect(await out.isVisible()).toBe(false)
    expect(await page.evaluate('document.activeElement.ariaExpanded')).toBe('false')
    await button.click()
    await page.getByRole('heading', { name: 'Repairs' }).click()
    expect(await out.isVisible()).toBe(false)
    await button.click()
    await out.click()
    await page.getByRole('heading', { name: 'Staff login' }).waitFor()
    expect(await button.count()).toBe(0)
  })

  it('lets staff in through the main site, and keeps them logged in over a reload', async () => {
    await page.getByRole('button', { name: 'Continue with Mainstay' }).click()
    await page.waitForURL(`${laptop.url}/**`)
    await enter(page, PASSWORD)
    await page.getByRole('button', { name: /^Continue to / }).click()
    await page.waitForURL(`${workshop}/`)
    await page.getByRole('heading', { name: 'Repairs' }).waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Repairs' }).waitFor()
  })
})

describe('npm run example -- shop', () => {
  let laptop: Laptop
  let shop: string
  beforeAll(async () => {
    const port = await freePort()
    shop = `http://127.0.0.1:${port}`
    laptop = await Laptop.start('examples/run.mjs', ['shop'], { EXAMPLE_PORT: String(port) })
  }, PATIENCE_MS)
  afterAll(() => laptop?.stop())

  it('lets staff in by their password, and shows what they may do', async () => {
    const page = await openShop()
    expect(await stockOf(page, 'Town bike')).toBe('4')
    expect(await page.getByRole('button', { name: 'Sell one Town bike' }).count()).toBe(0)
    await expectGoodPage(page, 'example-shop-visitor')

    await page.getByRole('button', { name: 'Staff login' }).click()
    // Nothing of the page shows through.
    expect(await page.evaluate('getComputedStyle(document.querySelector("dialog")).backgroundColor')).toMatch(
      /^rgb\(/,
    )
    await enter(page, 'wrong')
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await expectGoodPage(page, 'example-shop-login')
    await enter(page, PASSWORD)
    await page.getByRole('button', { name: 'Sell one Town bike' }).click()
    expect(await stockOf(page, 'Town bike')).toBe('3')
    expect(await page.locator('#takings').textContent()).toBe('£540')
    await expectGoodPage(page, 'example-shop-staff')

    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByRole('button', { name: 'Staff login' }).waitFor()
    expect(await page.getByRole('button', { name: 'Sell one Town bike' }).count()).toBe(0)
    expect(await page.getByRole('heading', { name: 'Sold today' }).isVisible()).toBe(false)
    await page.context().close()
  })

  it('lets staff in through the main site, and keeps them logged in over a reload', async () => {
    const page = await openShop()
    await page.getByRole('button', { name: 'Staff login' }).click()
    await page.getByRole('button', { name: 'Continue on the main site' }).click()
    await page.waitForURL(`${laptop.url}/**`)
    await enter(page, PASSWORD)
    await page.getByRole('button', { name: /^Continue to / }).click()
    await page.waitForURL(`${shop}/`)
    await page.getByRole('button', { name: 'Sell one Touring bike' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Sell one Touring bike' }).waitFor()
    await page.context().close()
  })

  it('can take the client from the service, and the browser refuses it when its hash is another', async () => {
    // The shop's own policy lets in its own scripts alone.
    const page = await (await browser.newContext({ bypassCSP: true })).newPage()
    await page.goto(shop)
    const src = `${laptop.url}/client/${VERSION}/mainstay.js`
    const { json: hashes } = await request(laptop.url, { path: `/client/${VERSION}/integrity.json` })
    const loadWith = (integrity: string) => page.evaluate(load, { src, integrity })
    expect(await loadWith(hashes['mainstay-handoff.js'])).toBe('refused')
    expect(await loadWith(hashes['mainstay.js'])).toBe('loaded')
    await page.context().close()
  })

  async function openShop(): Promise<Page> {
    const page = await (await browser.newContext()).newPage()
    await page.goto(shop)
    await page.getByRole('button', { name: 'Staff login' }).waitFor()
    return page
  }
})

async function enter(page: Page, password: string): Promise<void> {
  await page.getByLabel('E-mail', { exact: true }).fill(MEMBER)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

function stockOf(page: Page, bicycle: string): Promise<string | null> {
  return page.getByRole('row', { name: bicycle }).getByRole('cell').nth(2).textContent()
}

/** Runs in the page. */
function load(script: { src: string; integrity: string }): Promise<string> {
  const { document } = globalThis as unknown as {
    document: { createElement(name: string): object; head: { append(element: object): void } }
  }
  return new Promise(resolve => {
    const made = Object.assign(document.createElement('script'), {
      ...script,
      type: 'module',
      onload: () => resolve('loaded'),
      onerror: () => resolve('refused'),
    })
    document.head.append(made)
  })
}
