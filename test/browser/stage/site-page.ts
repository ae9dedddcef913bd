import type { Page } from 'playwright-core'
import { eventually } from '../../support/eventually.js'
import { PASSWORD } from '../../support/people.js'

/** Goes there and waits until the page has what it shows. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await untilShown(page)
}

/** There is a heading, and nothing is on its way any more. */
export async function untilShown(page: Page): Promise<void> {
  await eventually(
    async () =>
      (await page.locator('h1:visible').count()) === 1 && (await page.locator('.waiting').count()) === 0,
    { what: `${page.url()} to be shown`, timeoutMs: 30_000, everyMs: 50 },
  )
}

/** What was sent by pressing a button has been answered, and the page shows what has come of it. */
export async function untilAnswered(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').waitFor({ state: 'detached' })
  await untilShown(page)
}

/** Fills in the login form that the page shows, and sends it. */
export async function sendLogin(
  page: Page,
  { email }: { readonly email: string },
  password = PASSWORD,
): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

/** As {@link sendLogin}, and waits until the page has an account menu and what it shows. */
export async function logInOn(
  page: Page,
  user: { readonly email: string },
  password = PASSWORD,
): Promise<void> {
  await sendLogin(page, user, password)
  await untilLoggedIn(page)
  await untilShown(page)
}

/** What people do on a page, by its words. */
export function handsOn(current: () => Page) {
  const press = (name: string | RegExp) => current().getByRole('button', { name, exact: true }).click()
  return {
    press,
    seeing: (text: string | RegExp) => current().getByText(text).first().waitFor(),
    confirmPassword: async () => {
      await current().getByLabel('Your password').fill(PASSWORD)
      await press('Confirm')
    },
  }
}

/** Resolves when a page has done what it does with an answer that it has got. */
export async function untilIdle(page: Page): Promise<void> {
  await page.evaluate('new Promise(done => requestIdleCallback(() => setTimeout(done)))')
}

/** Stands on every page of somebody who is logged in. */
export const ACCOUNT_MENU = 'Account menu'

export async function untilLoggedIn(page: Page): Promise<void> {
  await page.getByRole('button', { name: ACCOUNT_MENU }).waitFor()
}

/** By the account menu of the page. */
export async function logOutOn(page: Page): Promise<void> {
  await page.getByRole('button', { name: ACCOUNT_MENU }).click()
  await page.getByRole('button', { name: 'Log out', exact: true }).click()
}
