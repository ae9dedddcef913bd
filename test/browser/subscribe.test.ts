import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { anOwner, PASSWORD } from '../support/people.js'
import { startBuiltPages } from './built-pages.js'
import { MAIN, SHOP_ONE } from './hosts.js'
import { keepScreenshot } from './screenshot.js'
import { logInOn, openTab, untilShown, visit } from './site-page.js'
import { START_MS, Stage } from './stage.js'

let stage: Stage
beforeAll(async () => {
  stage = await Stage.start(startBuiltPages)
}, START_MS)
afterAll(() => stage?.stop())

test('from a satellite to the main site, to the payment, and back', async () => {
  const owner = await anOwner(stage.app)
  const { page, complaints } = await openTab(await stage.newPerson())
  await visit(page, `${SHOP_ONE}/`)
  await logInOn(page, owner)
  await page.getByRole('link', { name: 'Subscribe' }).click()

  await page.waitForURL(`${MAIN}/subscribe?**`)
  await untilShown(page)
  // The session of the satellite is none of the main site.
  await page.getByLabel('E-mail').fill(owner.email)
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByLabel('Yearly').check()
  await page.getByRole('button', { name: 'Go to the payment' }).click()

  await page.waitForURL(`${stage.app.sandbox.url}/**`)
  await keepScreenshot(page, 'payment-sandbox')
  await page.getByRole('button', { name: /^Pay \$/ }).click()

  // The page asks by the checkout that the way back names, whether or not the provider's event has come.
  await page.waitForURL(`${SHOP_ONE}/?checkout=**`)
  await untilShown(page)
  await page.getByText('Active').first().waitFor()
  expect(await page.getByText('Active').count()).toBeGreaterThan(0)
  expect(await page.getByRole('link', { name: 'Subscribe' }).count()).toBe(0)
  await keepScreenshot(page, 'satellite-home-subscribed')
  expect(stage.app.sandbox.subscriptions()).toHaveLength(1)
  expect(complaints).toEqual([])
})
