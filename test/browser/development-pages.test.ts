import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals'
import type { Page } from 'playwright-core'
import { en } from '../sources.js'
import { request } from '../support/http-request.js'
import { freePort } from '../support/processes/free-port.js'
import { Laptop } from '../support/processes/laptop.js'
import { findings } from './stage/accessibility.js'
import { sharedChromium } from './stage/chromium.js'
import { keepScreenshot } from './stage/screenshot.js'

const run = promisify(execFile)
const PATIENCE_MS = 60_000
const AXE_PATIENCE_MS = 180_000
const OWNER = 'owner@example.com'
/** Of 95 operations; the document itself has 700 kB, and Swagger UI 3.2 MB. */
const MAX_REFERENCE_BYTES = 450_000

/** With an operator console, whose operations are in no reference (P1). */
let laptop: Laptop
let sandbox: string
let page: Page
let complaints: string[]
beforeAll(async () => {
  const [port, payments] = await Promise.all([freePort(), freePort()])
  sandbox = `http://localhost:${payments}`
  laptop = await Laptop.start(undefined, [], {
    ...{ PORT: String(port), OPERATOR_ORIGIN: `http://operator.localhost:${port}`, STRIPE_API_URL: sandbox },
  })
}, PATIENCE_MS)
afterAll(() => laptop?.stop())
beforeEach(async () => {
  await page?.close()
  page = await (await sharedChromium()).newPage({ viewport: { width: 1280, height: 800 } })
  complaints = []
  page.on('pageerror', error => complaints.push(String(error)))
  page.on('console', message => {
    if (message.type() === 'error') complaints.push(message.text())
  })
})
afterAll(() => page?.close())

/** A mail with a link, to somebody who has forgotten their password. */
async function mailOwner(): Promise<void> {
  const { status } = await request(laptop.url, {
    method: 'POST',
    path: '/api/password/forgot',
    body: { email: OWNER },
    headers: { Origin: laptop.url },
  })
  expect(status).toBe(202)
}

/** An object that the sandbox's API makes of these parameters; without any, those that there are. */
async function ask<T>(path: string, parameters?: Record<string, string>): Promise<T> {
  const answer = await fetch(`${sandbox}/v1/${path}`, {
    headers: { Authorization: 'Bearer sk_test_payment_sandbox' },
    ...(parameters && { method: 'POST', body: new URLSearchParams(parameters) }),
  })
  return (await answer.json()) as T
}

type Look = readonly [width: number, colorScheme: 'light' | 'dark']
const WIDE: Look = [1280, 'light']
const PHONE: Look = [375, 'dark']

/** In both themes and widths: no fault that axe finds, nothing to scroll sideways. */
async function inspect(
  name: string,
  looks: readonly Look[] = [WIDE, PHONE, [320, 'light'], [1280, 'dark']],
): Promise<void> {
  for (const [width, colorScheme] of looks) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme })
    await keepScreenshot(page, `${name}-${width}-${colorScheme}`)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    expect(await findings(page)).toEqual([])
  }
  expect(complaints).toEqual([])
}

it(
  'the API reference has no faults (P1, A4), weighs little, and can be filtered',
  async () => {
    const answer = await page.goto(`${laptop.url}/api/docs`)
    expect((await answer?.body())?.length).toBeLessThan(MAX_REFERENCE_BYTES)
    expect(await page.getByText('/api/operator').count()).toBe(0)
    await page.locator('summary', { hasText: 'POST /api/login Log in' }).click()
    // It is so long that axe takes ten seconds.
    await inspect('api-docs', [WIDE, PHONE])
    await page.getByLabel('Method, path or summary').fill(' log in with e-mail ')
    await page.getByRole('status').getByText('1 of ').waitFor()
    expect(await page.getByRole('heading', { level: 2 }).allInnerTexts()).toEqual(['Auth'])
  },
  AXE_PATIENCE_MS,
)

it('the API reference unfolds what a link leads to, also from elsewhere, and what is filtered out', async () => {
  await page.goto(`${laptop.url}/api/docs#LoginController_login`)
  const login = page.locator('#LoginController_login')
  await page.getByLabel('Method, path or summary').fill('/api/login')
  await login.getByRole('link', { name: 'LoginAnswer' }).click()
  await page.locator('#type-LoginAnswer').getByText('accessToken').first().waitFor()
})

it('the API reference is in the theme that was chosen on the main site', async () => {
  await page.goto(`${laptop.url}/api/docs`)
  await page.evaluate(`localStorage.setItem('mainstay.theme', 'dark')`)
  await page.reload()
  expect(await page.evaluate('document.documentElement.style.colorScheme')).toBe('dark')
})

it('the API reference has examples that work (A4)', async () => {
  await page.goto(`${laptop.url}/api/docs#LoginController_login`)
  const example = await page.locator('#LoginController_login pre').first().innerText()
  const { stdout } = await run('bash', ['-euc', example])
  expect(JSON.parse(stdout)).toMatchObject({ accessToken: expect.any(String) })
})

it(
  'the outbox shows a mail as it comes, and a mail as a phone would, in dark',
  async () => {
    await page.goto(`${laptop.url}/dev/mails`)
    await mailOwner()
    const row = page.getByRole('listitem').filter({ hasText: OWNER })
    const link = row.getByRole('link', { name: 'Open the link' })
    expect(await link.getAttribute('href')).toMatch(/\/reset-password#token=/)
    const filter = page.getByLabel('Address or subject')
    await filter.fill('somebody-else@')
    await row.waitFor({ state: 'hidden' })
    await filter.fill(OWNER)
    await row.waitFor()
    await inspect('outbox')

    await row.getByRole('link').first().click()
    const mail = page.frameLocator('iframe')
    await mail.getByRole('heading').waitFor()
    // The frame cuts nothing off.
    const hidden = `document.querySelector('iframe').contentDocument.documentElement.scrollHeight - document.querySelector('iframe').clientHeight`
    await inspect('mail')
    expect(await page.evaluate(hidden)).toBeLessThanOrEqual(0)
    const isDark = () =>
      page.evaluate(
        `document.querySelector('iframe').contentWindow.matchMedia('(prefers-color-scheme: dark)').matches`,
      )
    // What is emulated would count for the frame too.
    await page.emulateMedia({ colorScheme: null })
    await page.getByLabel('Light').check()
    expect(await isDark()).toBe(false)
    await page.getByLabel('Dark').check()
    expect(await isDark()).toBe(true)
    await page.getByLabel('Phone').check()
    expect(await page.evaluate(hidden)).toBeLessThanOrEqual(0)
    expect((await page.locator('iframe').boundingBox())?.width).toBe(375)
  },
  AXE_PATIENCE_MS,
)

it(
  'the gallery shows every kind of mail, in the language that was chosen',
  async () => {
    await page.goto(`${laptop.url}/dev/mails/gallery`)
    const headings = await page.getByRole('heading', { level: 2 }).allInnerTexts()
    expect([...new Set(headings.map(text => text.split(':')[0]))]).toEqual(Object.keys(en.mails))
    expect(headings).toContain('notice: factors.passkeyAddedOpening')
    await page.setViewportSize({ width: 375, height: 800 })
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    await page.getByLabel('Kind or subject').fill('signUp')
    const mail = page.frameLocator('iframe >> visible=true')
    await mail.getByRole('paragraph').getByText('Thank you for signing up').waitFor()
    await inspect('gallery')
    await page.getByLabel('German').check()
    await mail.getByRole('paragraph').getByText('Danke für Ihre Registrierung').waitFor()
  },
  AXE_PATIENCE_MS,
)

it(
  'the payment sandbox has no faults, in a checkout, the portal and its overview',
  async () => {
    const checkout = await ask<{ url: string }>('checkout/sessions', {
      mode: 'subscription',
      'line_items[0][price]': 'price_monthly',
      'line_items[0][quantity]': '1',
      success_url: sandbox,
    })
    await page.goto(checkout.url)
    const pay = page.getByRole('button', { name: 'Pay $' })
    await pay.waitFor()
    await inspect('sandbox-checkout')
    await page.evaluate('document.fonts.ready')
    expect(await page.evaluate('[...document.fonts].map(({ status }) => status)')).toEqual(['loaded'])
    await pay.click()
    await page.getByText('Simulate').first().click()
    await inspect('sandbox')

    const [customer] = (await ask<{ data: { id: string }[] }>('customers')).data
    const terms = { customer: customer!.id, return_url: sandbox }
    await page.goto((await ask<{ url: string }>('billing_portal/sessions', terms)).url)
    await page.getByRole('button', { name: 'Cancel at period end' }).waitFor()
    await inspect('sandbox-portal')
    await page.getByRole('term').getByRole('link').click()
    await page.getByRole('heading', { name: 'Invoice' }).waitFor()
    await inspect('sandbox-invoice')
  },
  AXE_PATIENCE_MS,
)
