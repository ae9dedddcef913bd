import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { subscriptions, type User } from '../sources.js'
import { aMember, anOwner } from '../support/people.js'
import { aSatellite } from '../support/satellites.js'
import { startBuiltPages } from './stage/built-pages.js'
import { API, CUSTOMER, MAIN, SHOP_ONE } from './stage/hosts.js'
import { keepScreenshot } from './stage/screenshot.js'
import { logInOn, sendLogin, untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'
import { openPage, type Payer, subscribed } from './stage/subscribed.js'

const BRANDING = { name: '', logoUrl: null, accent: '#b91c1c', background: '#ffffff' }

const stage = aStage(startBuiltPages)

test('billing 7: tells users who cannot see prices, and still lets them pay', async () => {
  // The first of this file: later there is a copy of the prices.
  const owner = await anOwner(stage.app)
  const page = await stage.newTab()
  stage.app.sandbox.fault = 'refuse'
  await visit(page, `${MAIN}/subscribe`)
  await sendLogin(page, owner)
  await page.getByText('We cannot show our prices at the moment').waitFor()
  await keepScreenshot(page, 'subscribe-without-prices')
  await page.getByRole('button', { name: 'Go to payment' }).click()
  await page.getByText('The payment provider').waitFor()
  stage.app.sandbox.fault = null
  await page.getByRole('button', { name: 'Go to payment' }).click()
  await page.waitForURL(`${stage.app.sandbox.url}/**`)
  await page.goBack()
  await page.getByLabel('Yearly').waitFor()
})

test('from a satellite to the main site, to the payment, and back', async () => {
  const owner = await anOwner(stage.app)
  const page = await stage.newTab()
  await visit(page, `${SHOP_ONE}/`)
  await logInOn(page, owner)
  await page.getByRole('link', { name: 'Subscribe' }).click()

  await page.waitForURL(`${MAIN}/subscribe?**`)
  await untilShown(page)
  // pages 12: the login says what it is for, and a sign-up keeps the way back.
  await page.getByText('You will return to shop-one.test afterwards.').waitFor()
  const signUp = await page.getByRole('link', { name: 'Create an account' }).getAttribute('href')
  expect(decodeURIComponent(signUp ?? '')).toContain('/signup?next=/subscribe?return=')
  // The session of the satellite is none of the main site.
  await sendLogin(page, owner)
  await page.getByLabel('Yearly').check()
  await page.getByRole('button', { name: 'Go to payment' }).click()

  await page.waitForURL(`${stage.app.sandbox.url}/**`)
  await keepScreenshot(page, 'payment-sandbox')
  await page.goBack()
  await page.getByRole('link', { name: 'Back to shop-one.test' }).click()
  await page.waitForURL(`${SHOP_ONE}/?payment=back`)
  await page.getByText('The payment was cancelled. Nothing has been charged.').waitFor()
  await page.goBack()
  await page.getByLabel('Yearly').check()
  await page.getByRole('button', { name: 'Go to payment' }).click()
  await page.getByRole('button', { name: /^Pay \$/ }).click()

  // The page asks by the checkout that the way back names, whether or not the provider's event has come.
  await page.waitForURL(`${SHOP_ONE}/?payment=back&checkout=**`)
  await untilShown(page)
  await page.getByText('Thank you. The subscription is active.').waitFor()
  expect(await page.getByText('Active').count()).toBeGreaterThan(0)
  expect(await page.getByRole('link', { name: 'Subscribe' }).count()).toBe(0)
  await keepScreenshot(page, 'satellite-home-subscribed')
  expect(stage.app.sandbox.subscriptions()).toHaveLength(1)
  // Nobody is thanked for an address that anybody can make up.
  await visit(page, `${SHOP_ONE}/?checkout=${randomUUID()}`)
  await page.getByText('Active').first().waitFor()
  expect(await page.getByText('Thank you').count()).toBe(0)
  await visit(page, `${MAIN}/account/billing?checkout=made-up`)
  expect(await page.getByText('Thank you').count()).toBe(0)
})

test('a satellite is called by its name where people are admitted, with its host beside', async () => {
  const owner = await anOwner(stage.app)
  await aSatellite(stage.app, owner, CUSTOMER, { branding: { ...BRANDING, name: 'Rose & Sons' } })
  const page = await stage.newTab()
  const back = encodeURIComponent(`${CUSTOMER}/`)
  await visit(page, `${MAIN}/subscribe?return=${back}`)
  const host = new URL(CUSTOMER).host
  // Anybody can register a name, so nobody is told one who has not logged in.
  await page.getByText(`You will return to ${host} afterwards.`).waitFor()
  await sendLogin(page, owner)
  await page.getByText(`You will return to Rose & Sons (${host}) afterwards.`).waitFor()
  await page.getByRole('link', { name: `Back to Rose & Sons (${host})` }).waitFor()
  await keepScreenshot(page, 'subscribe-for-a-satellite')
  const stranger = await anOwner(stage.app)
  const other = await stage.newTab()
  await visit(other, `${MAIN}/subscribe?return=${back}`)
  await sendLogin(other, stranger)
  await other.getByRole('link', { name: 'Subscribe without going back there' }).waitFor()
  expect(await other.getByText('Rose & Sons').count()).toBe(0)
})

test('pages 12: the main site tells users who may not pay, before they try', async () => {
  const owner = await anOwner(stage.app)
  const page = await stage.newTab()
  await visit(page, `${MAIN}/subscribe?return=${encodeURIComponent(`${SHOP_ONE}/`)}`)
  await sendLogin(page, await aMember(stage.app, owner))
  await page
    .getByText('You do not have permission to make payments for this account. Please ask its owner.')
    .waitFor()
  expect(await page.getByRole('button', { name: 'Subscribe' }).count()).toBe(0)
})

const PERIOD_DAYS = 40
const DAY_SECONDS = 24 * 60 * 60

test.each<[string, (payer: Payer) => Promise<unknown>, readonly string[], readonly string[]]>([
  [
    'active',
    async () => {},
    ['Active', 'Monthly', '$10.00 a month', 'Renews on', 'Current plan', 'Change to Yearly', 'Paid'],
    ['Ends on'],
  ],
  [
    'canceled',
    ({ subscriptionId }) =>
      stage.app.sandbox.simulate.changeSubscription(subscriptionId, {
        cancel_at: Math.floor(Date.now() / 1000) + PERIOD_DAYS * DAY_SECONDS,
      }),
    ['Ends on', 'Your subscription has been cancelled', 'Keep the subscription'],
    ['Renews on', 'Change to Yearly'],
  ],
  [
    'overdue',
    ({ subscriptionId }) => stage.app.sandbox.simulate.failPayment(subscriptionId),
    ['A payment is overdue', 'Pay by', 'Pay now'],
    ['Renews on'],
  ],
  [
    'restricted',
    async ({ subscriptionId }) => {
      await stage.app.sandbox.simulate.failPayment(subscriptionId)
      await stage.app.paymentsSettled()
      const longAgo = new Date(Date.now() - PERIOD_DAYS * DAY_SECONDS * 1000)
      await stage.app.database.run(db =>
        db
          .update(subscriptions)
          .set({ pastDueSince: longAgo })
          .where(eq(subscriptions.providerId, subscriptionId)),
      )
    },
    ['Suspended', 'has been suspended since', 'Suspended since', 'Pay now'],
    ['Renews on', 'Subscribe to Yearly'],
  ],
  [
    'trialing',
    ({ subscriptionId }) =>
      stage.app.sandbox.simulate.changeSubscription(subscriptionId, {
        trial_end: Math.floor(Date.now() / 1000) + PERIOD_DAYS * DAY_SECONDS,
      }),
    ['Free trial', 'Free until'],
    ['Renews on'],
  ],
  [
    'ended',
    ({ subscriptionId }) => stage.app.sandbox.simulate.cancel(subscriptionId),
    ['Ended', 'Ended on', 'Subscribe to Yearly', 'Invoices and cards'],
    ['Renews on', 'Ends on', 'Change to Yearly', 'Manage billing'],
  ],
])(
  'billing 7: the page of a subscription that is %s says so in the right words',
  async (name, change, shown, hidden) => {
    const owner = await anOwner(stage.app)
    await change(await subscribed(stage.app, owner))
    await stage.app.paymentsSettled()
    await expectCard(owner, name, shown, hidden)
  },
)

test('billing 7: shows an account that never paid, and a payment on its way', async () => {
  const owner = await anOwner(stage.app)
  await expectCard(
    owner,
    'none',
    ['No subscription', 'Subscribe to Yearly', '$100.00'],
    ['Renews on', 'Invoices', 'Manage billing'],
  )
  await stage.app.sandbox.simulate.payByBankDebit(await openPage(stage.app, owner))
  await stage.app.paymentsSettled()
  await expectCard(
    owner,
    'pending',
    ['Your payment is on its way', 'bank debit'],
    ['Subscribe to Yearly', 'Renews on'],
  )
})

test('billing 7: leads to the page for a payment that the bank wants confirmed', async () => {
  const owner = await anOwner(stage.app)
  await stage.app.sandbox.simulate.payUnconfirmed(await openPage(stage.app, owner))
  await stage.app.paymentsSettled()
  await expectCard(
    owner,
    'unconfirmed',
    [
      'Your bank asks you to confirm the payment',
      'Confirm the payment',
      'Payment to confirm',
      'Subscribe to Yearly',
    ],
    ['Your payment is on its way', 'Renews on'],
  )
})

test('billing 7: offers no second payment while it checks for one', async () => {
  const owner = await anOwner(stage.app)
  const page = await stage.newTab()
  await visit(page, `${MAIN}/account/billing`)
  await logInOn(page, owner)
  await page.getByRole('button', { name: 'Subscribe to Yearly' }).click()
  await page.waitForURL(`${stage.app.sandbox.url}/**`)
  const back = stage.app.sandbox.checkouts().at(-1)?.success_url as string
  const plans = page.waitForResponse(`${API}/api/plans`)
  await visit(page, back)
  await page.getByRole('status').filter({ hasText: 'Checking for your payment' }).waitFor()
  await plans
  await page.waitForResponse(/subscription\?checkout=/)
  expect(await page.getByRole('button', { name: 'Subscribe to' }).count()).toBe(0)
  await keepScreenshot(page, 'billing-checking')
  await page.getByText('We have not received a payment.').waitFor()
  await page.getByRole('button', { name: 'Subscribe to Yearly' }).waitFor()
})

test('billing 7: the plan is changed on the provider’s page, from the plans', async () => {
  const owner = await anOwner(stage.app)
  await subscribed(stage.app, owner)
  const page = await stage.newTab()
  await visit(page, `${MAIN}/account/billing`)
  await logInOn(page, owner)
  // The provider's news come long after the browser.
  const { webhookUrl } = stage.app.sandbox
  stage.app.sandbox.webhookUrl = null
  await page.getByRole('button', { name: 'Change to Yearly' }).click()
  await page.waitForURL(`${stage.app.sandbox.url}/portal/**`)
  await page.getByRole('button', { name: 'Confirm the change' }).click()
  await page.waitForURL(`${MAIN}/account/billing?portal=closed`)
  await page.getByRole('definition').filter({ hasText: '$100.00 a year' }).waitFor()
  // An address from an earlier payment says nothing about people who have paid.
  await visit(page, `${MAIN}/account/billing?payment=back`)
  expect(await page.getByText('Nothing has been charged').count()).toBe(0)
  stage.app.sandbox.webhookUrl = webhookUrl
})

/** What the billing page says to the account's owner, and keeps a picture of it. */
async function expectCard(
  owner: User,
  name: string,
  shown: readonly string[],
  hidden: readonly string[],
): Promise<void> {
  const page = await stage.newTab()
  await visit(page, `${MAIN}/account/billing`)
  await logInOn(page, owner)
  const card = page.locator('main')
  for (const text of shown) await card.getByText(text).first().waitFor()
  for (const text of hidden) expect(await card.getByText(text, { exact: true }).count()).toBe(0)
  expect(await card.innerText()).not.toMatch(/price_/)
  await keepScreenshot(page, `billing-${name}`)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.emulateMedia({ colorScheme: 'dark' })
  await keepScreenshot(page, `billing-${name}-narrow-dark`)
  const [wide, seen] = await page
    .locator('html')
    .evaluate(({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }) => [
      scrollWidth,
      clientWidth,
    ])
  expect(wide).toBeLessThanOrEqual(seen as number)
}
