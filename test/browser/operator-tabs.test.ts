import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type User, Users } from '../sources.js'
import { anOwner } from '../support/people.js'
import { startBuiltPages } from './stage/built-pages.js'
import { OPERATORS } from './stage/hosts.js'
import { anOperator, CONSOLE, logInAsOperator, type Operator } from './stage/operator-login.js'
import { untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'

const REASON = 'asked for by phone, ticket 4711'
const LOGIN_SECONDS = 8 * 60 * 60

const stage = aStage(startBuiltPages, {
  ...CONSOLE,
  SITE_NAME: 'Harbour Supplies',
})
let owner: User
let operator: Operator
let page: Page
beforeEach(async () => {
  owner = await anOwner(stage.app)
  operator = await anOperator(stage.app)
  page = await stage.newTab({ locale: 'en-GB' })
  await visit(page, `${OPERATORS}/users/${owner.id}`)
  await logInAsOperator(page, operator)
  await page.getByRole('heading', { name: owner.email }).waitFor()
  await untilShown(page)
})

async function openAccountMenu(tab: Page): Promise<void> {
  await tab.getByRole('button', { name: 'Account menu' }).click()
}

async function typeReason(): Promise<void> {
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByLabel('Reason').fill(REASON)
}

function confirm(): Promise<void> {
  return page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
}

describe('a login that ends while somebody types a reason', () => {
  beforeEach(async () => {
    await typeReason()
    stage.app.clock.advance(LOGIN_SECONDS)
    await confirm()
    await page.getByText('You are logged out.').waitFor()
  })

  test('is followed by the same question, with what was typed', async () => {
    expect(await page.getByText(owner.email).count()).toBe(0)
    await logInAsOperator(page, operator)
    await page.getByRole('dialog').waitFor()
    expect(await page.getByLabel('Reason').inputValue()).toBe(REASON)
    expect((await stage.app.get(Users).find(owner.id))?.disabledAt).toBeNull()
    await confirm()
    await page.getByText('is disabled').waitFor()
    expect((await stage.app.get(Users).find(owner.id))?.disabledAt).not.toBeNull()
    // Once said, it is not kept.
    await page.getByRole('button', { name: 'Enable' }).click()
    expect(await page.getByLabel('Reason').inputValue()).toBe('')
  })

  test('leaves nothing to another operator', async () => {
    await logInAsOperator(page, await anOperator(stage.app))
    await page.getByRole('heading', { name: owner.email }).waitFor()
    await untilShown(page)
    expect(await page.getByRole('dialog').count()).toBe(0)
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
    expect(await page.getByLabel('Reason').inputValue()).toBe('')
  })
})

describe('two tabs', () => {
  let other: Page
  beforeEach(async () => {
    other = await page.context().newPage()
    await visit(other, `${OPERATORS}/health`)
  })

  test('a logout in one shows nobody any longer in the other', async () => {
    await openAccountMenu(other)
    await other.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByText('You are logged out.').waitFor()
    expect(await page.getByText(owner.email).count()).toBe(0)
  })

  test('an operator who takes over in one is named in the other', async () => {
    await openAccountMenu(other)
    await other.getByRole('button', { name: 'Log out', exact: true }).click()
    await page.getByText('You are logged out.').waitFor()
    const next = await anOperator(stage.app)
    await logInAsOperator(other, next)
    await openAccountMenu(page)
    await page.locator('.menu').getByText(next.email).waitFor()
  })
})

test('a button that is pressed twice changes things once', async () => {
  const sent: string[] = []
  page.on('request', request => request.method() === 'POST' && sent.push(new URL(request.url()).pathname))
  await typeReason()
  await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).dblclick()
  await page.getByText('is disabled').waitFor()
  expect(sent).toEqual([`/api/operator/users/${owner.id}/disable`])
})

test('a small screen cuts off neither the brand nor the page that is shown', async () => {
  for (const width of [320, 768, 1000]) {
    await page.setViewportSize({ width, height: 800 })
    await page.getByRole('link', { name: 'Health' }).click()
    await page.getByRole('heading', { name: 'Health' }).waitFor()
    const { x, width: shown } = (await page.locator('.top [aria-current]').boundingBox())!
    expect([x >= 0, x + shown <= width]).toEqual([true, true])
    const brand = '(({ scrollWidth, clientWidth }) => scrollWidth <= clientWidth)'
    expect(await page.evaluate(`${brand}(document.querySelector('.brand > span'))`)).toBe(true)
    await page.getByRole('link', { name: 'Overview' }).click()
  }
})
