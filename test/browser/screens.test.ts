import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { User } from '../sources.js'
import { anOwner, PASSWORD } from '../support/people.js'
import { startBuiltPages } from './stage/built-pages.js'
import { MAIN, SHOP_ONE } from './stage/hosts.js'
import { keepScreenshot } from './stage/screenshot.js'
import { logInOn, openTab, untilShown, visit } from './stage/site-page.js'
import { START_MS, Stage } from './stage/stage.js'

/** Between a phone and a desktop, and as wide as most screens are. Other tests have the rest. */
const SCREENS = [
  { width: 768, height: 1024 },
  { width: 1920, height: 1080 },
]
const PUBLIC = ['/login', '/signup', '/forgot-password']
const OWN = ['', '/team', '/billing', '/satellites', '/audit', '/settings', '/profile', '/security'].map(
  path => `/account${path}`,
)
/** What a finger can hit (WCAG 2.2, 2.5.8); those within sentences may be smaller. */
const FINGER_PX = 24

let stage: Stage
let owner: User
let page: Page
let complaints: string[]
beforeAll(async () => {
  stage = await Stage.start(startBuiltPages)
}, START_MS)
afterAll(() => stage?.stop())
beforeEach(async () => {
  owner = await anOwner(stage.app)
})
afterEach(async () => {
  expect(complaints).toEqual([])
  await page.context().close()
})

async function open(options: BrowserContextOptions = {}): Promise<void> {
  ;({ page, complaints } = await openTab(await stage.newPerson(options)))
}

async function goTo(path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
  await untilShown(page)
}

describe.each(SCREENS)('a screen $width pixels wide', size => {
  test('shows every page whole, in lines that can be read', async () => {
    await open({ viewport: size })
    await visit(page, `${MAIN}/login`)
    for (const path of PUBLIC) await expectWhole(path)
    await visit(page, `${MAIN}/account`)
    await logInOn(page, owner)
    for (const path of OWN) await expectWhole(path)
  })

  async function expectWhole(path: string): Promise<void> {
    await goTo(path)
    await keepScreenshot(page, `screen-${size.width}${path.replaceAll('/', '-')}`)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    const widest = await page.evaluate(
      'Math.max(0, ...[...document.querySelectorAll("main p")].map(each => each.getBoundingClientRect().width))',
    )
    expect(widest).toBeLessThan(1_000)
  }
})

test('a finger can hit every button and every field', async () => {
  await open({ viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  await visit(page, `${MAIN}/account`)
  expect(await page.evaluate('matchMedia("(pointer: coarse)").matches')).toBe(true)
  await logInOn(page, owner)
  for (const path of OWN) {
    await goTo(path)
    const small = await page.evaluate(
      `[...document.querySelectorAll('button, input:not([type=checkbox], [type=radio], [type=hidden]), select, .nav a')]
        .filter(each => each.checkVisibility() && !each.closest('.unseen'))
        .map(each => ({ name: each.ariaLabel ?? (each.innerText || each.name), ...each.getBoundingClientRect().toJSON() }))
        .filter(({ width, height }) => width > 0 && Math.min(width, height) < ${FINGER_PX})
        .map(({ name, width, height }) => name + ' ' + width + ' x ' + height)`,
    )
    expect([path, small]).toEqual([path, []])
  }
})

test('the frame of a satellite cuts nothing off, and a session has its whole line on a phone', async () => {
  await open({ viewport: { width: 768, height: 1024 }, locale: 'de-DE' })
  await visit(page, `${SHOP_ONE}/security`)
  await page.getByLabel('E-Mail').fill(owner.email)
  await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
  await page.getByRole('heading', { name: 'Sicherheit', exact: true }).waitFor()
  await untilShown(page)
  const isWhole = (selector: string) =>
    page.evaluate(
      `[document.querySelector('${selector}')].every(each => each.scrollWidth <= each.clientWidth)`,
    )
  expect([await isWhole('.brand > span'), await isWhole('.row-nav')]).toEqual([true, true])

  await page.setViewportSize({ width: 375, height: 812 })
  const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox())!
  const [brand, menu] = [await boxOf('.brand'), await boxOf('.person-button')]
  expect(menu.y).toBeLessThan(brand.y + brand.height)
  const [words, button] = [await boxOf('.rows .with-badge'), await boxOf('.rows button')]
  expect(button.y).toBeGreaterThanOrEqual(words.y + words.height)
  expect(await isWhole('.row-nav')).toBe(true)
  // All in one line.
  expect((await boxOf('.row-nav')).height).toBe((await boxOf('.row-nav a')).height)
})

test.each(['reduce', 'no-preference'] as const)(
  'what moves by itself asks first (prefers-reduced-motion: %s)',
  async reducedMotion => {
    await open({ reducedMotion })
    await visit(page, `${MAIN}/account`)
    await logInOn(page, owner)
    await goTo('/account/profile')
    await page.getByLabel('Name').fill('Rosa Luna')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.toast').waitFor()
    const name = await page.evaluate('getComputedStyle(document.querySelector(".toast")).animationName')
    expect(name === 'none').toBe(reducedMotion === 'reduce')
  },
)

test('good news stays for six seconds, and as long as somebody points at it', async () => {
  await open()
  await page.clock.install()
  await visit(page, `${MAIN}/account`)
  await logInOn(page, owner)
  await goTo('/account/profile')
  const toast = page.locator('.toast')
  const save = async (name: string) => {
    await page.getByLabel('Name').fill(name)
    await page.getByRole('button', { name: 'Save' }).click()
    await toast.waitFor()
  }
  await save('Rosa Luna')
  await page.clock.runFor(5_000)
  expect(await toast.count()).toBe(1)
  await page.clock.runFor(1_500)
  expect(await toast.count()).toBe(0)
  await save('Rosa Luna the Second')
  await toast.hover()
  await page.clock.runFor(60_000)
  expect(await toast.count()).toBe(1)
  await page.mouse.move(0, 0)
  await page.clock.runFor(6_500)
  expect(await toast.count()).toBe(0)
})
