import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { Database, type User, users } from '../sources.js'
import { aMember, anEmail, anOwner, PASSWORD } from '../support/people.js'
import { brokenParts, brokenWords } from './stage/broken-words.js'
import { startBuiltPages } from './stage/built-pages.js'
import { ALLOWED, isPreflight, YES } from './stage/false-answers.js'
import { expectGoodPage } from './stage/good-page.js'
import { API, CUSTOMER, MAIN } from './stage/hosts.js'
import { bearWithLinks } from './stage/previewed-link.js'
import { logInOn, openTab, untilShown, visit } from './stage/site-page.js'
import { START_MS, Stage } from './stage/stage.js'

/** The service cannot send mails. */
const NO_MAIL = {
  status: 503,
  headers: ALLOWED,
  contentType: 'application/problem+json',
  body: JSON.stringify({ status: 503, code: 'MAIL_UNAVAILABLE', detail: 'No mail.' }),
}

let stage: Stage
let owner: User
let page: Page
let complaints: string[]
beforeAll(async () => {
  stage = await Stage.start(startBuiltPages)
  owner = await anOwner(stage.app)
}, START_MS)
afterAll(() => stage?.stop())
beforeEach(async () => {
  ;({ page, complaints } = await openTab(await stage.newPerson()))
})
afterEach(async () => {
  expect(complaints).toEqual([])
  await page.context().close()
})

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

test.each(['light', 'dark'] as const)(
  'a satellite has the colour that was chosen, where people prefer a %s one too',
  async colorScheme => {
    await page.emulateMedia({ colorScheme })
    await visit(page, `${CUSTOMER}/`)
    const color = (name: string) => page.evaluate(`getComputedStyle(document.body)['${name}']`)
    expect([await color('backgroundColor'), await color('color')]).toEqual([
      'rgb(11, 18, 32)',
      'rgb(236, 238, 242)',
    ])
    await expectGoodPage(page, `satellite-background-${colorScheme}`)
  },
)

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
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.evaluate(`document.querySelector('dialog h2').after(document.createElement('p'))`)
  expect(await looks()).toEqual(ofSection)
  expect(ofSection[0]).toMatch(/ 0px 0px 16px$/)
})

test('an address that is too long for its line continues between its parts', async () => {
  const { id } = await anOwner(stage.app)
  const email = 'maximiliane.oppenheimer@accounting.headquarters.company.example.com'
  const database = stage.app.app.get(Database)
  await database.run(db => db.update(users).set({ email }).where(eq(users.id, id)))
  await visit(page, `${MAIN}/account`)
  await logInOn(page, { email })
  for (const path of ['', '/team', `/team/${id}`, '/profile', '/audit']) {
    await visit(page, `${MAIN}/account${path}`)
    for (const width of [320, 768]) {
      await page.setViewportSize({ width, height: 800 })
      expect([path, width, await brokenParts(page, email)]).toEqual([path, width, []])
    }
  }
})

test('an address whose line is too short for it is not torn at a hyphen, and is found in the page', async () => {
  const email = 'anna-oppenheimer@accounting-north.company-south.example.com'
  await visit(page, `${MAIN}/forgot-password`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByText(/^If there is an account/).waitFor()
  await expectWhole(page, email)
  expect(await page.evaluate(`window.find('${email}')`)).toBe(true)
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

test('on a phone, neither the word e-mail of a heading nor an address in a notice is torn', async () => {
  await page.setViewportSize({ width: 320, height: 740 })
  await bearWithLinks(page)
  await visit(page, `${MAIN}/verify-email#token=${'a'.repeat(43)}`)
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(/e-mail/)
  expect(await brokenWords(page)).toEqual([])
  const email = 'new.person@example.company.com'
  await visit(page, `${MAIN}/forgot-password`)
  await page.getByLabel('E-mail').fill(email)
  await page.getByRole('button', { name: 'Send me a link' }).click()
  await page.getByText(/^If there is an account/).waitFor()
  expect(await brokenParts(page, email)).toEqual([])
})

test.each([
  ['en-GB', 'e-mail'],
  ['de-DE', 'E-Mail-Adresse'],
])('running text in %s has the word %s in one line, however narrow the page is', async (locale, word) => {
  const { page: other } = await openTab(await stage.newPerson({ locale }))
  await bearWithLinks(other)
  await visit(other, `${MAIN}/undo-email#token=any`)
  await expectWhole(other, word)
  await visit(other, `${MAIN}/forgot-password`)
  await expectWhole(other, word)
  await other.context().close()
})

test.each([
  ['en-GB', 'e-mails'],
  ['de-DE', 'E-Mails'],
])('so does a hint at a field in %s', async (locale, word) => {
  const { page: other } = await openTab(await stage.newPerson({ locale }))
  await visit(other, `${MAIN}/account/satellites`)
  await other.locator('input[name=email]').fill(owner.email)
  await other.locator('input[name=password]').fill(PASSWORD)
  await other.locator('form button[type=submit]').click()
  await other.locator('small').filter({ hasText: word }).waitFor()
  await expectWhole(other, word)
  await other.context().close()
})

test.each([
  ['en-GB', 'e-mail'],
  ['de-DE', 'E-Mail-Adresse'],
])('so does what is wrong with a field in %s', async (locale, word) => {
  const { page: other } = await openTab(await stage.newPerson({ locale }))
  const email = 'anna.schmidt@versicherung-nord.de'
  await visit(other, `${MAIN}/signup`)
  await other.locator('input[name=password]').fill(email)
  await other.locator('.strength.good').waitFor()
  // The page does not call a password good that the service refuses, also when it learns afterwards whose it is.
  await other.locator('input[name=email]').fill(email)
  await other.locator('.strength.weak').waitFor()
  await other.locator('form button[type=submit]').click()
  await other.locator('.fault').waitFor()
  await expectWhole(other, word)
  await other.context().close()
})

test('what is not torn is found in the page, and is one word to who hears it', async () => {
  await bearWithLinks(page)
  await visit(page, `${MAIN}/confirm-email#token=any`)
  await page.getByRole('heading', { name: 'Confirm your new e-mail address' }).waitFor()
  expect(await page.evaluate("window.find('new e-mail address')")).toBe(true)
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

test('so does a notice about an error', async () => {
  const { page: other } = await openTab(await stage.newPerson({ locale: 'de-DE' }))
  await other.route(`${API}/api/password/forgot`, route =>
    isPreflight(route) ? route.fulfill(YES) : route.fulfill(NO_MAIL),
  )
  await visit(other, `${MAIN}/forgot-password`)
  await other.getByLabel('E-Mail').fill(anEmail())
  await other.getByRole('button', { name: 'Link anfordern' }).click()
  await other.locator('.notice.bad').waitFor()
  await expectWhole(other, 'E-Mails')
  await other.context().close()
})

async function expectWhole(other: Page, word: string): Promise<void> {
  for (let width = 480; width >= 280; width -= 4) {
    await other.setViewportSize({ width, height: 740 })
    expect([other.url(), width, await brokenParts(other, word)]).toEqual([other.url(), width, []])
  }
}

describe.each([
  ['en-GB', 'Try now'],
  ['de-DE', 'Jetzt versuchen'],
])('on a phone, an outage takes two lines in %s', (locale, tryNow) => {
  test.each([
    ['when the service is ill', 503],
    ['when nothing is reached', 0],
  ])('%s', async (_, status) => {
    const phone = await stage.newPerson({ locale, viewport: { width: 360, height: 667 } })
    const { page: other } = await openTab(phone)
    await other.route(`${API}/api/**`, route =>
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
    await phone.close()
  })
})

test('what can be done about an invitation stands side by side', async () => {
  await page.setViewportSize({ width: 768, height: 1024 })
  await visit(page, `${MAIN}/account/team`)
  await logInOn(page, owner)
  await page.getByRole('button', { name: 'Invite somebody' }).click()
  await page.getByLabel('E-mail of the new member').fill(anEmail())
  await page.getByRole('button', { name: 'Send invitation' }).click()
  const boxOf = async (name: RegExp) => (await page.getByRole('button', { name }).boundingBox())!
  const resend = () => boxOf(/^Send the invitation to .* again$/)
  expect((await resend()).y).toBe((await boxOf(/^Withdraw the invitation/)).y)
  // On a phone they have the whole width of the row.
  await page.setViewportSize({ width: 375, height: 740 })
  const row = (await page.locator('.rows > li').filter({ hasText: 'Withdraw' }).boundingBox())!
  const last = await boxOf(/^Withdraw the invitation/)
  expect([(await resend()).x, (await resend()).y]).toEqual([row.x, last.y])
  expect(last.x + last.width).toBeCloseTo(row.x + row.width)
})
