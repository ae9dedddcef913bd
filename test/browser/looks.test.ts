import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { type User } from '../sources.js'
import { aMember, anEmail, anOwner, PASSWORD } from '../support/people.js'
import { startBuiltPages } from './stage/built-pages.js'
import { ALLOWED, isPreflight, YES } from './stage/false-answers.js'
import { API, CUSTOMER, MAIN, SHOP_ONE } from './stage/hosts.js'
import { bearWithLinks } from './stage/previewed-link.js'
import { logInOn, untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'

const stage = aStage(startBuiltPages)
let owner: User
let page: Page
beforeAll(async () => {
  owner = await anOwner(stage.app)
})
beforeEach(() => open())

async function open(options: BrowserContextOptions = {}): Promise<void> {
  page = await stage.newTab(options)
}

async function goTo(path: string): Promise<void> {
  await page.evaluate(`history.pushState(null, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`)
  await untilShown(page)
}

test('the typeface is there, of it what the text needs, and nothing moves when it comes', async () => {
  await page.addInitScript(`
    globalThis.shifts = 0
    new PerformanceObserver(list => list.getEntries().forEach(({ value }) => (globalThis.shifts += value)))
      .observe({ type: 'layout-shift', buffered: true })`)
  const asked: string[] = []
  page.on('request', request => request.url().endsWith('.woff2') && asked.push(request.url()))
  await visit(page, `${MAIN}/login`)
  await page.evaluate('document.fonts.ready')
  expect(await page.evaluate('document.fonts.check("16px Inter Variable")')).toBe(true)
  expect(asked).toEqual([expect.stringMatching(/\/assets\/inter-latin-wght-normal-[\w-]+\.woff2$/)])
  expect(await page.evaluate('shifts')).toBeLessThan(0.02)
})

test('a satellite has the colour that was chosen, whichever theme people prefer', async () => {
  await visit(page, `${CUSTOMER}/`)
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    const color = (name: string) => page.evaluate(`getComputedStyle(document.body)['${name}']`)
    expect([await color('backgroundColor'), await color('color')]).toEqual([
      'rgb(11, 18, 32)',
      'rgb(236, 238, 242)',
    ])
  }
})

test('from the e-mail address the keyboard goes to the password, then to the way for who has forgotten it', async () => {
  await visit(page, `${MAIN}/login`)
  await page.getByLabel('E-mail').press('Tab')
  const focused = () => page.evaluate('document.activeElement.name || document.activeElement.innerText')
  expect(await focused()).toBe('password')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await focused()).toBe('Forgot your password?')
})

test('the whole row of somebody in the team leads to them', async () => {
  const member = await aMember(stage.app, owner)
  await visit(page, `${MAIN}/account/team`)
  await logInOn(page, owner)
  await page.getByRole('row').filter({ hasText: member.email }).getByText('Data entry').click({ force: true })
  await page.getByRole('heading', { name: member.email, level: 1 }).waitFor()
  await untilShown(page)
})

test('a dialog looks the same wherever it is opened: no part of the page has a say in it', async () => {
  await visit(page, `${MAIN}/account/settings`)
  await logInOn(page, owner)
  const looks = (): Promise<string[]> =>
    page.evaluate(
      `['h2', 'p'].map(name => getComputedStyle(document.querySelector('dialog ' + name))).map(({ color, margin }) => color + ' ' + margin)`,
    )
  await page.getByRole('button', { name: 'Delete the account' }).click()
  const ofSection = await looks()
  // Some dialogs have no text of their own, so this one gets it.
  await visit(page, `${MAIN}/account/team`)
  await page.getByRole('button', { name: 'Invite someone' }).click()
  await page.evaluate(`document.querySelector('dialog h2').after(document.createElement('p'))`)
  expect(await looks()).toEqual(ofSection)
  expect(ofSection[0]).toMatch(/ 0px 0px 16px$/)
})

test('of what can be done about a member, only what is final is red', async () => {
  const member = await aMember(stage.app, owner)
  await visit(page, `${MAIN}/account/team/${member.id}`)
  await logInOn(page, owner)
  await page.getByRole('button', { name: 'Transfer ownership' }).waitFor()
  expect(await page.locator('button.danger').allInnerTexts()).toEqual(['Remove'])
  await page.getByRole('button', { name: 'Disable' }).click()
  expect(await page.getByRole('dialog').locator('button.danger').count()).toBe(0)
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByRole('dialog').locator('button.danger').waitFor()
})

test('on a phone, what can be done about a member stands in one column', async () => {
  await page.setViewportSize({ width: 320, height: 740 })
  const member = await aMember(stage.app, owner)
  await visit(page, `${MAIN}/account/team/${member.id}`)
  await logInOn(page, owner)
  await page.getByRole('button', { name: 'Transfer ownership' }).waitFor()
  const boxes = await Promise.all(
    ['Transfer ownership', 'Disable', 'Remove'].map(name =>
      page.getByRole('button', { name, exact: true }).boundingBox(),
    ),
  )
  expect(new Set(boxes.map(box => `${box!.x} ${box!.width}`)).size).toBe(1)
  expect(new Set(boxes.map(box => box!.y)).size).toBe(3)
})

test('what is not torn is found in the page, and is one word to who hears it', async () => {
  await bearWithLinks(page)
  await visit(page, `${MAIN}/confirm-email#token=any`)
  await page.getByRole('heading', { name: 'Confirm your new e-mail address' }).waitFor()
  expect(await page.evaluate("window.find('new e-mail address')")).toBe(true)
  // Also where a line ends at its hyphens.
  const email = 'anna-oppenheimer@accounting-north.company-south.example.com'
  await page.setViewportSize({ width: 320, height: 740 })
  await visit(page, `${MAIN}/forgot-password`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByText(/^If there is an account/).waitFor()
  expect(await page.evaluate(`window.find('${email}')`)).toBe(true)
  const member = await aMember(stage.app, owner)
  await visit(page, `${MAIN}/account/team`)
  await logInOn(page, owner)
  await page.getByRole('link', { name: member.email }).waitFor()
  expect(await page.evaluate(`window.find('${member.email}')`)).toBe(true)
  const devtools = await page.context().newCDPSession(page)
  const { nodes } = await devtools.send('Accessibility.getFullAXTree')
  const names = nodes.filter(({ role }) => role?.value === 'link').map(({ name }) => name?.value)
  expect(names).toContain(member.email)
})

describe.each([
  ['en-GB', 'Try now'],
  ['de-DE', 'Jetzt versuchen'],
])('on a phone, an outage takes two lines in %s', (locale, tryNow) => {
  test.each([
    ['when the service is ill', 503],
    ['when nothing is reached', 0],
  ])('%s', async (_, status) => {
    const other = await stage.newTab({ locale, viewport: { width: 360, height: 667 } })
    await other.route(`${API}/**`, route =>
      status ? route.fulfill(isPreflight(route) ? YES : { status, headers: ALLOWED }) : route.abort(),
    )
    await other.goto(`${MAIN}/account`)
    await other.getByRole('button', { name: tryNow }).waitFor()
    await other.evaluate('document.fonts.ready')
    for (const width of [320, 344, 360, 375]) {
      await other.setViewportSize({ width, height: 667 })
      const banner = other.locator('.outage')
      const { height } = (await banner.boundingBox())!
      const text = await banner.innerText()
      expect({ width, text, height }).toEqual({ width, text, height: Math.min(height, 60) })
    }
  })
})

test('what can be done about an invitation stands side by side', async () => {
  await page.setViewportSize({ width: 768, height: 1024 })
  await visit(page, `${MAIN}/account/team`)
  await logInOn(page, owner)
  await page.getByRole('button', { name: 'Invite someone' }).click()
  await page.getByLabel('E-mail of the new member').fill(anEmail())
  await page.getByRole('button', { name: 'Send invitation' }).click()
  await page.getByRole('link', { name: 'Open invitations (1)' }).click()
  const boxOf = async (name: RegExp) => (await page.getByRole('button', { name }).boundingBox())!
  const resend = () => boxOf(/^Send again: the invitation to /)
  expect((await resend()).y).toBe((await boxOf(/^Withdraw the invitation/)).y)
  // On a phone they have the whole width of the row.
  await page.setViewportSize({ width: 375, height: 740 })
  const row = (await page.locator('.rows > li').filter({ hasText: 'Withdraw' }).boundingBox())!
  const last = await boxOf(/^Withdraw the invitation/)
  expect([(await resend()).x, (await resend()).y]).toEqual([row.x, last.y])
  expect(last.x + last.width).toBeCloseTo(row.x + row.width)
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
    await page.getByLabel('Name').fill(`Rosa Luna ${reducedMotion}`)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator('.toast').waitFor()
    const name = await page.evaluate('getComputedStyle(document.querySelector(".toast")).animationName')
    expect(name === 'none').toBe(reducedMotion === 'reduce')
  },
)

test('good news stays for six seconds, and as long as somebody points at it', async () => {
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
  await save('Rosa Luna the First')
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
