import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { permissionsOf, type User, UserAdministration, Users } from '../sources.js'
import { eventually } from '../support/eventually.js'
import { aMember, anOwner, PASSWORD } from '../support/people.js'
import { startBuiltPages } from './stage/built-pages.js'
import { ALLOWED, isPreflight, YES } from './stage/false-answers.js'
import { expectGoodPage } from './stage/good-page.js'
import { API, EVIL, MAIN, SHOP_ONE } from './stage/hosts.js'
import { bearWithLinks } from './stage/previewed-link.js'
import { keepScreenshot } from './stage/screenshot.js'
import { logInOn, logOutOn, untilIdle, untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'

const stage = aStage(startBuiltPages)
let owner: User
let member: User
beforeAll(async () => {
  owner = await anOwner(stage.app)
  member = await aMember(stage.app, owner)
})

test('a satellite sends people who cannot change their password there to the main site', async () => {
  const page = await stage.newTab()
  const rosa = await aMember(stage.app, owner)
  await visit(page, `${SHOP_ONE}/`)
  await logInOn(page, rosa)
  const { app } = stage
  await app.database.transaction(transaction => app.get(Users).setPassword(transaction, rosa.id, null))
  await visit(page, `${SHOP_ONE}/security`)
  const link = page.getByRole('main').getByRole('link', { name: 'Mainstay' })
  expect(await link.getAttribute('href')).toBe(`${MAIN}/account/security`)
  expect(await page.getByLabel('Current password').count()).toBe(0)
  await expectGoodPage(page, 'satellite-security-on-main')
})

test('a satellite says what is needed for a page, and leads back', async () => {
  const page = await stage.newTab()
  const rosa = await aMember(stage.app, owner)
  const { app } = stage
  await app.database.transaction(transaction =>
    app.get(Users).setGranted(transaction, rosa.id, permissionsOf([])),
  )
  await visit(page, `${SHOP_ONE}/data`)
  await logInOn(page, rosa)
  await page.getByText('You need the permission “Data entry” to see this.').waitFor()
  await expectGoodPage(page, 'satellite-not-permitted')
  await page.getByRole('link', { name: 'Go to the start page' }).click()
  await page.getByRole('heading', { name: 'My account' }).waitFor()
})

describe('what goes wrong', () => {
  let page: Page
  beforeAll(async () => {
    page = await stage.newTab()
    await visit(page, `${MAIN}/`)
    await logInOn(page, owner)
  })

  test('a page that is opened in an outage has one heading (A2)', async () => {
    const refused = { status: 503, headers: ALLOWED, contentType: 'text/html', body: '' }
    await page.route(`${API}/api/**`, route => route.fulfill(isPreflight(route) ? YES : refused))
    await page.goto(`${MAIN}/account`)
    await page.locator('.outage').waitFor()
    await expectGoodPage(page, 'main-opened-in-an-outage')
    expect(await page.locator('h1').count()).toBe(1)
    await page.unroute(`${API}/api/**`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor({ timeout: 30_000 })
  })

  test('pages 15: an outage is one banner, and over as soon as somebody asks', async () => {
    // As a balancer answers that knows no more than our headers.
    const sick = { status: 503, headers: ALLOWED, contentType: 'text/html', body: '<h1>Unavailable</h1>' }
    let isBack: boolean | Promise<boolean> = false
    await page.route(`${API}/api/**`, async route => {
      if (isPreflight(route)) return route.fulfill(YES)
      await ((await isBack) ? route.continue() : route.fulfill(sick))
    })
    await page.getByRole('link', { name: 'Team' }).click()
    await page.getByText('This is temporarily unavailable.').waitFor()
    expect(await page.locator('.outage').count()).toBe(1)
    expect(await page.locator('.notice.bad').count()).toBe(0)
    await expectGoodPage(page, 'main-outage')
    const accountMenu = await page.getByRole('button', { name: 'Account menu' }).boundingBox()
    const bottom = (accountMenu?.y ?? Number.NaN) + (accountMenu?.height ?? Number.NaN)
    expect(bottom).toBeLessThanOrEqual(Number(await page.evaluate('innerHeight')))
    let comeBack = (_: boolean) => {}
    isBack = new Promise(resolve => {
      comeBack = resolve
    })
    await page.getByRole('button', { name: 'Try now' }).click()
    // The page asks by itself too, and must not be served before the press.
    comeBack(true)
    await page.getByText(member.email).first().waitFor()
    await page.locator('.outage').waitFor({ state: 'detached' })
    // The button that had the focus is gone.
    await page.waitForFunction("document.activeElement.localName === 'h1'")
    await page.unroute(`${API}/api/**`)
  })

  test('the overview waits for all that it shows, and says when the first steps cannot be told', async () => {
    const problem = JSON.stringify({ status: 500, code: 'INTERNAL_ERROR', detail: 'Something went wrong.' })
    const broken = {
      status: 500,
      headers: ALLOWED,
      contentType: 'application/problem+json',
      body: problem,
    }
    let answer = () => {}
    const isAnswered = new Promise<void>(resolve => {
      answer = resolve
    })
    await page.route(`${API}/api/second-factor`, async route => {
      if (isPreflight(route)) return route.fulfill(YES)
      await isAnswered
      await route.fulfill(broken)
    })
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.locator('.page-head ~ .skeleton').waitFor()
    answer()
    await page.getByRole('heading', { name: 'Recent activity' }).waitFor()
    await page.locator('.page-head ~ .notice.bad').waitFor()
    await page.unroute(`${API}/api/second-factor`)
    await page.getByRole('button', { name: 'Try again' }).press('Enter')
    await page.getByRole('heading', { name: 'Get started' }).waitFor()
    // The button that was pressed is gone.
    await page.locator('h1:focus').waitFor()
  })

  test('pages 21: what was typed is still there after a session was revoked', async () => {
    await visit(page, `${MAIN}/account/profile`)
    await page.getByLabel('Name').fill('Rosa of the Roses')
    await stage.app.get(UserAdministration).endSessions(owner)
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByRole('status').filter({ hasText: 'Your session was ended from elsewhere' }).waitFor()
    expect(await page.getByLabel('Name').isVisible()).toBe(false)
    await logInOn(page, owner)
    expect(await page.getByLabel('Name').inputValue()).toBe('Rosa of the Roses')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('Name saved.').waitFor()
    await page.getByRole('main').getByText('Rosa of the Roses').waitFor()
    await page.getByRole('button', { name: 'Account menu Rosa of the Roses' }).waitFor()
  })

  test('what one person was told is not told the next', async () => {
    await visit(page, `${MAIN}/account/profile`)
    await page.getByLabel('Name').fill('Rosa Rot')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('Name saved.').waitFor()
    await logOutOn(page)
    expect(await page.getByLabel('E-mail').inputValue()).toBe('')
    await logInOn(page, member)
    expect(await page.getByText('Name saved.').count()).toBe(0)
    await logOutOn(page)
    await logInOn(page, owner)
  })

  describe('a question for proof', () => {
    const asked = JSON.stringify({
      code: 'REAUTHENTICATION_REQUIRED',
      status: 401,
      detail: 'Who is it?',
      methods: ['password'],
    })
    const refusal = { status: 401, headers: ALLOWED, contentType: 'application/problem+json', body: asked }
    let names: string[]
    /** Until when a refusal is on its way. */
    let onItsWay: Promise<void> | null
    beforeEach(async () => {
      names = []
      onItsWay = null
      await page.route(`${API}/api/profile`, async route => {
        if (isPreflight(route)) return route.fulfill(YES)
        if (route.request().method() !== 'PATCH') return route.continue()
        names.push(route.request().postData() ?? '')
        await onItsWay
        await route.fulfill(refusal)
      })
      await visit(page, `${MAIN}/account`)
      await page.getByRole('link', { name: 'Profile' }).first().click()
      await page.getByLabel('Name').fill('Rosa')
    })
    afterEach(() => page.unroute(`${API}/api/profile`))

    test('goes with the page that it was for', async () => {
      await page.getByRole('button', { name: 'Save name' }).click()
      await page.getByRole('dialog').waitFor()
      // What was typed is not saved.
      page.once('dialog', question => question.accept())
      await page.goBack()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      expect(await page.getByRole('dialog').count()).toBe(0)
      expect(names).toHaveLength(1)
    })

    test('is not put where that page has been left before', async () => {
      let refuse = () => {}
      onItsWay = new Promise(resolve => {
        refuse = resolve
      })
      await page.getByRole('button', { name: 'Save name' }).click()
      await eventually(() => names.length === 1)
      // What was typed is not saved.
      page.once('dialog', question => question.accept())
      await page.goBack()
      await page.getByRole('heading', { name: 'Overview' }).waitFor()
      const isRefused = page.waitForResponse(answer => answer.status() === 401)
      refuse()
      await (await isRefused).finished()
      await untilIdle(page)
      expect(await page.getByRole('dialog').count()).toBe(0)
    })
  })

  test('pages 21: so is what was typed in a dialog', async () => {
    await visit(page, `${MAIN}/account/team`)
    await page.getByRole('button', { name: 'Invite someone' }).click()
    await page.getByRole('dialog').getByLabel('E-mail').fill('rosa@example.com')
    await stage.app.get(UserAdministration).endSessions(owner)
    await page.getByRole('button', { name: 'Send invitation' }).click()
    await page.getByText('Your session was ended from elsewhere').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.locator('form:visible').getByLabel('E-mail').fill(owner.email)
    await page.locator('form:visible').getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Log in', exact: true }).click()
    await page.getByRole('dialog').waitFor()
    expect(await page.getByRole('dialog').getByLabel('E-mail').inputValue()).toBe('rosa@example.com')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  test('a question that one person did not answer is not put to the next', async () => {
    const asked = {
      code: 'REAUTHENTICATION_REQUIRED',
      status: 401,
      detail: 'Who is it?',
      methods: ['password'],
    }
    const names: string[] = []
    await page.route(`${API}/api/profile`, async route => {
      if (isPreflight(route)) return route.fulfill(YES)
      if (route.request().method() !== 'PATCH') return route.continue()
      names.push(route.request().postData() ?? '')
      await route.fulfill({
        status: 401,
        headers: ALLOWED,
        contentType: 'application/problem+json',
        body: JSON.stringify(asked),
      })
    })
    await visit(page, `${MAIN}/account/profile`)
    await page.getByLabel('Name').fill('Rosa')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByRole('dialog').waitFor()
    const other = await page.context().newPage()
    await visit(other, `${MAIN}/account`)
    await logOutOn(other)
    await other.close()
    await page.getByText('You have logged out in another tab').waitFor()
    await logInOn(page, member)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(names).toHaveLength(1)
    await page.unroute(`${API}/api/profile`)
    await logOutOn(page)
    await logInOn(page, owner)
  })

  test('pages 16: an address that is not ours is refused before anybody chooses', async () => {
    await visit(page, `${MAIN}/subscribe?return=${EVIL}/`)
    await page.getByText('The address you came from is not one of our sites').waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
    const onward = page.getByRole('link', { name: 'Subscribe without going back there' })
    expect(await onward.getAttribute('class')).toBe('button primary')
    await onward.click()
    await page.getByRole('button', { name: 'Go to payment' }).waitFor()
  })

  test('an outage when a page is opened has the brand, and says what is the matter', async () => {
    const tab = await stage.newTab()
    await tab.route(`${API}/**`, route => route.abort())
    await tab.goto(`${MAIN}/account`)
    await tab.getByRole('status').filter({ hasText: 'We cannot be reached right now.' }).waitFor()
    await tab.getByRole('main').getByRole('link', { name: 'Mainstay' }).waitFor()
    await keepScreenshot(tab, 'main-outage-at-the-start')
    await tab.unroute(`${API}/**`)
    await tab.getByRole('button', { name: 'Try now' }).click()
    await tab.getByRole('button', { name: 'Log in', exact: true }).waitFor()
  })

  test('a link that no longer works says so before anybody fills in a form', async () => {
    await page.unroute('**/api/mailed-links/preview')
    for (const token of ['', 'any', 'a'.repeat(43)]) {
      await page.goto('about:blank')
      await visit(page, `${MAIN}/accept-invitation#token=${token}`)
      await page.getByRole('heading', { name: 'This link does not work' }).waitFor()
      expect(await page.locator('form').count()).toBe(0)
    }
    await expectGoodPage(page, 'main-invalid-link')
  })

  test('while the service cannot say what a link is about, it can be used all the same', async () => {
    await page.goto('about:blank')
    await page.route('**/api/mailed-links/preview', route => route.abort())
    await visit(page, `${MAIN}/accept-invitation#token=any`)
    await page.getByText('You have been invited.').waitFor()
    await page.getByRole('button', { name: 'Join' }).waitFor()
    await page.unroute('**/api/mailed-links/preview')
  })

  test('pages 6: a logout that the service does not hear of says so', async () => {
    await visit(page, `${MAIN}/account`)
    await page.route(`${API}/**`, route => route.abort())
    await logOutOn(page)
    await page.getByText('You are logged out in this browser. We cannot be reached right now.').waitFor()
    await expectGoodPage(page, 'main-logout-in-an-outage')
    await page.reload()
    await page.getByText('You are logged out in this browser.').waitFor()
    await page.unroute(`${API}/**`)
    await page.evaluate('dispatchEvent(new Event("online"))')
    await page.getByText('You are logged out in this browser.').waitFor({ state: 'detached' })
    await page.reload()
    await untilShown(page)
    await page.getByRole('button', { name: 'Log in' }).waitFor()
  })

  test('says once that a session has ended, and from then on is just a page to log in on', async () => {
    const tab = await stage.newTab()
    await visit(tab, `${MAIN}/login`)
    await logInOn(tab, member)
    await visit(tab, `${SHOP_ONE}/`)
    await stage.app.get(UserAdministration).endSessions(member)
    const news = tab.getByText('Your session was ended from elsewhere')
    await visit(tab, `${MAIN}/account`)
    await news.waitFor()
    for (const path of ['/account', '/login']) {
      await visit(tab, MAIN + path)
      await tab.getByRole('button', { name: 'Log in', exact: true }).waitFor()
      expect(await news.count()).toBe(0)
    }
  })

  test('who confirms an address in an outage is told of it after a while', async () => {
    await page.addInitScript(`
      const timeout = AbortSignal.timeout.bind(AbortSignal)
      AbortSignal.timeout = ms => timeout(ms / 20)`)
    const asked = JSON.stringify({ code: 'REAUTHENTICATION_REQUIRED', status: 401, methods: ['password'] })
    await page.route(`${API}/api/email/confirm`, route =>
      isPreflight(route) ? route.fulfill(YES) : route.fulfill({ status: 401, headers: ALLOWED, body: asked }),
    )
    await page.route(`${API}/api/refresh*`, route => route.fulfill({ status: 503, headers: ALLOWED }))
    await bearWithLinks(page)
    await visit(page, `${MAIN}/confirm-email#token=any`)
    await page.getByRole('button', { name: 'Use this address' }).click()
    await page.getByRole('alert').getByText('This took too long.').waitFor()
    expect(await page.getByLabel('Password of the account').count()).toBe(0)
    await page.unrouteAll()
  })

  test('pages 22: nothing is red on the console of a visitor', async () => {
    const tab = await (await stage.newPerson()).newPage()
    const red: string[] = []
    tab.on('console', message => message.type() === 'error' && red.push(message.text()))
    await visit(tab, `${MAIN}/login`)
    await visit(tab, `${SHOP_ONE}/`)
    expect(red).toEqual([])
  })
})
