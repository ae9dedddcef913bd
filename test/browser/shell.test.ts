import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { PATIENCE_MS } from '../../web/pieces/body.js'
import type { User } from '../sources.js'
import { aMember, anOwner, importMembers, PASSWORD } from '../support/people.js'
import { startBuiltPages } from './stage/built-pages.js'
import { expectGoodPage } from './stage/good-page.js'
import { MAIN } from './stage/hosts.js'
import { keepScreenshot } from './stage/screenshot.js'
import { logInOn, logOutOn, sendLogin, untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'

const NARROW = { width: 320, height: 740 }

const stage = aStage(startBuiltPages)
let owner: User
let page: Page
beforeAll(async () => {
  owner = await anOwner(stage.app)
})
beforeEach(async () => {
  page = await stage.newTab()
})

function focused(): Promise<unknown> {
  return page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.innerText')
}

describe('the shell', () => {
  test('has its navigation in a drawer where the window is narrow', async () => {
    await visit(page, `${MAIN}/account`)
    await logInOn(page, owner)
    await page.setViewportSize(NARROW)
    expect(await page.getByRole('link', { name: 'Team' }).count()).toBe(0)
    const opener = page.getByRole('button', { name: 'Menu', exact: true })
    await opener.click()
    await page.getByRole('dialog', { name: 'Navigation' }).waitFor()
    await keepScreenshot(page, 'main-drawer')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    expect(await focused()).toBe('Menu')
    await opener.click()
    await page.getByRole('link', { name: 'Login history' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await untilShown(page)
    expect(await focused()).toBe('Login history')
    await opener.click()
    await page.getByRole('dialog', { name: 'Navigation' }).waitFor()
    await page.goBack()
    await untilShown(page)
    expect(await page.getByRole('dialog').count()).toBe(0)
    expect(await focused()).toBe('Overview')
  })

  test('draws an account page as soon as session and script are there, behind one spinner alone (P4)', async () => {
    await visit(page, `${MAIN}/account`)
    await logInOn(page, owner)
    let scriptIsThere = () => {}
    const script = new Promise<void>(resolve => {
      scriptIsThere = resolve
    })
    page.on('requestfinished', request => /account-pages-.*\.js$/.test(request.url()) && scriptIsThere())
    // The session is known last.
    await page.route(/\/api\/refresh/, async route => {
      await script
      await page.waitForTimeout(200)
      await route.continue()
    })
    await page.addInitScript(`
      globalThis.spinners = new Set()
      new MutationObserver(() => document.querySelectorAll('main.small').forEach(main => spinners.add(main)))
        .observe(document, { childList: true, subtree: true })`)
    await visit(page, `${MAIN}/account`)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    expect(await page.evaluate('spinners.size')).toBe(1)
  })

  test.each([
    ['/account', 1280],
    ['/account', 375],
    ['/account/team', 1280],
    ['/account/team', 375],
    ['/account/satellites', 1280],
    ['/account/satellites', 375],
    ['/account/settings', 1280],
    ['/account/settings', 375],
  ])('draws %s at %i pixels without moving what is there already (P5)', async (path, width) => {
    const ofMany = await anOwner(stage.app)
    await importMembers(stage.app, ofMany, 100)
    await visit(page, `${MAIN}/account`)
    await logInOn(page, ofMany)
    await page.setViewportSize({ width, height: 800 })
    let requests = 0
    await page.route('**/api/**', async route => {
      // They never come at once.
      if (!route.request().url().includes('/api/refresh')) await page.waitForTimeout(60 * ++requests)
      await route.continue()
    })
    await page.addInitScript(`
      globalThis.shifts = []
      new PerformanceObserver(list => shifts.push(...list.getEntries().map(({ value }) => value)))
        .observe({ type: 'layout-shift', buffered: true })`)
    await visit(page, `${MAIN}${path}`)
    await page.waitForTimeout(200)
    const shifts = (await page.evaluate('shifts')) as number[]
    expect(shifts.reduce((sum, shift) => sum + shift, 0)).toBeLessThanOrEqual(0.001)
    await page.unrouteAll({ behavior: 'ignoreErrors' })
  })

  test('says who is logged in, and leads to what is theirs and out', async () => {
    await visit(page, `${MAIN}/account`)
    await logInOn(page, owner)
    const opener = page.getByRole('button', { name: `Account menu ${owner.email}` })
    await opener.press('Enter')
    await page.keyboard.press('Tab')
    expect(await focused()).toBe('Profile')
    await keepScreenshot(page, 'main-account-menu')
    await page.keyboard.press('Escape')
    expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(0)
    await opener.click()
    await page.locator('.menu').getByRole('link', { name: 'Security' }).click()
    await page.getByRole('heading', { name: 'Security', level: 1 }).waitFor()
    expect(await page.getByRole('button', { name: 'Log out' }).count()).toBe(0)
    await logOutOn(page)
    await page.getByRole('button', { name: 'Log in', exact: true }).waitFor()
  })

  test('fits from right to left, too', async () => {
    await visit(page, `${MAIN}/account`)
    await logInOn(page, owner)
    await page.evaluate('document.documentElement.dir = "rtl"')
    await expectGoodPage(page, 'main-account-rtl')
    expect(await page.evaluate('document.querySelector(".side").getBoundingClientRect().right')).toBe(1280)
  })
})

describe('somebody who lacks the permission for a page', () => {
  const ONE = '00000000-0000-4000-8000-000000000000'
  const pages = [
    ['/account/team', 'Team management'],
    [`/account/team/${ONE}`, 'Team management'],
    ['/account/billing', 'Payments'],
    ['/account/satellites', 'Account settings'],
    [`/account/satellites/${ONE}`, 'Account settings'],
    ['/account/audit', 'Account settings'],
    ['/account/settings', 'Account settings'],
  ]

  test('is told who sees it, and has a way back', async () => {
    await visit(page, `${MAIN}/account`)
    await logInOn(page, await aMember(stage.app, owner))
    for (const [path, permission] of pages) {
      await visit(page, `${MAIN}${path}`)
      const told = `Only people with the permission “${permission}” see this page.`
      await page.getByText(told).waitFor({ timeout: 5_000 })
      const main = page.getByRole('main')
      expect([path, await main.getByRole('button').count()]).toEqual([path, 0])
      expect(await main.getByRole('alert').count()).toBe(0)
    }
    await page.getByRole('link', { name: 'Go to your account' }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
  })
})

describe('a form', () => {
  test('says at its fields what is wrong, and asks nobody for that', async () => {
    await visit(page, `${MAIN}/signup`)
    stage.received.forget()
    await page.getByLabel('E-mail').fill('rosa')
    await page.getByLabel('Password').fill('short')
    await page.getByRole('button', { name: 'Sign up' }).click()
    await page.getByText('Enter a full e-mail address, such as name@example.com.').waitFor()
    await page.getByText('Enter at least 8 characters.').waitFor()
    expect(await page.evaluate('document.activeElement.name')).toBe('email')
    await page.getByLabel('E-mail').fill('rosa@example.com')
    expect(await page.getByText('Enter a full e-mail address').count()).toBe(0)
    expect(stage.received.to('/api/signup')).toEqual([])
  })

  test('shows a password on demand, and how hard a new one is to guess', async () => {
    await visit(page, `${MAIN}/signup`)
    const field = page.getByLabel('Password')
    await field.fill('password1')
    await page.getByText('Too easy to guess').waitFor()
    await field.fill(PASSWORD)
    await page.getByText('Very good').waitFor()
    expect(await field.getAttribute('type')).toBe('password')
    await page.getByRole('button', { name: 'Show password' }).click()
    expect(await field.getAttribute('type')).toBe('text')
    // Some browsers check spelling on a server.
    expect(await field.getAttribute('spellcheck')).toBe('false')
    expect(await field.inputValue()).toBe(PASSWORD)
  })

  test('knows the address that was typed on the page before', async () => {
    await visit(page, `${MAIN}/login`)
    await page.getByLabel('E-mail').fill('rosa@example.com')
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    expect(await page.getByLabel('E-mail').inputValue()).toBe('rosa@example.com')
    await page.getByRole('link', { name: 'Back to login' }).click()
    expect(await page.getByLabel('E-mail').inputValue()).toBe('rosa@example.com')
    await page.getByRole('link', { name: 'Create an account' }).click()
    expect(await page.getByLabel('E-mail').inputValue()).toBe('rosa@example.com')
  })

  test('leads back to the login that somebody came from, and nowhere else', async () => {
    const secret = 'a'.repeat(43)
    for (const place of [
      '/subscribe?return=https%3A%2F%2Fmain.test%2F',
      `/handoff#satellite=https%3A%2F%2Fshop-one.test&challenge=${secret}&state=${secret}`,
    ]) {
      await visit(page, `${MAIN}${place}`)
      await page.getByRole('link', { name: 'Forgot your password?' }).click()
      await page.getByRole('link', { name: 'Back to login' }).click()
      expect(page.url()).toBe(`${MAIN}${place}`)
      await page.getByLabel('Password').waitFor()
    }
    await visit(page, `${MAIN}/forgot-password#next=https%3A%2F%2Fevil.test%2Fsubscribe%3F`)
    await page.getByRole('link', { name: 'Back to login' }).click()
    expect(page.url()).toBe(`${MAIN}/login`)
  })
})

test('a page whose script is gone says so', async () => {
  await page.route(/\/assets\/account-pages-.*\.js$/, route => route.fulfill({ status: 404 }))
  await visit(page, `${MAIN}/account`)
  await sendLogin(page, owner)
  await page.getByRole('heading', { name: 'This page could not be loaded' }).waitFor()
  await page.unroute(/\/assets\/account-pages-.*\.js$/)
  await page.getByRole('button', { name: 'Load it again' }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  stage.complaints.splice(0)
})

test('a response that stalls half-way is an outage after a while', async () => {
  await page.addInitScript(`
    const [later, fetched] = [setTimeout, fetch]
    globalThis.setTimeout = (run, ms, ...given) => later(run, ms === ${PATIENCE_MS} ? ms / 20 : ms, ...given)
    // Its headers are here, and its body never ends.
    globalThis.fetch = async (url, init) => {
      const answer = await fetched(url, init)
      return String(url).includes('/api/audit') ? new Response(new ReadableStream(), answer) : answer
    }`)
  await visit(page, `${MAIN}/account`)
  await sendLogin(page, owner)
  await page.getByText('This is temporarily unavailable.').waitFor({ timeout: 10_000 })
})
