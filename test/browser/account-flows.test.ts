import { readFileSync } from 'node:fs'
import { beforeEach, expect, test } from '@jest/globals'
import { eq } from 'drizzle-orm'
import type { Page } from 'playwright-core'
import { RegisteredSatellites, sessions, type User, Users } from '../sources.js'
import { eventually } from '../support/eventually.js'
import { aMember, anEmail, anOwner, importMembers, PASSWORD } from '../support/people.js'
import { aSatellite } from '../support/satellites.js'
import { startBuiltPages } from './stage/built-pages.js'
import { ALLOWED, isPreflight, YES } from './stage/false-answers.js'
import { expectGoodPage } from './stage/good-page.js'
import { MAIN, SHOP_ONE, SHOP_TWO } from './stage/hosts.js'
import { keepScreenshot } from './stage/screenshot.js'
import { handsOn, logInOn, logOutOn, untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'
import { subscribed } from './stage/subscribed.js'

const NEW_PASSWORD = 'another password nobody else has'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1'

const stage = aStage(startBuiltPages)

let page: Page
beforeEach(async () => {
  page = await stage.newTab()
})

/** Somebody else's browser on another device, logged in on a satellite. */
async function elsewhere(user: Pick<User, 'email'>): Promise<Page> {
  const other = await stage.newTab({ userAgent: IPHONE })
  await visit(other, `${SHOP_ONE}/`)
  await logInOn(other, user)
  return other
}

async function logInAtHome(user: Pick<User, 'email'>): Promise<void> {
  await visit(page, `${MAIN}/`)
  await logInOn(page, user)
}

/** Follows the link of the newest mail with this subject, as people do: in the browser they are in. */
async function followMail(email: string, subject: RegExp): Promise<void> {
  const mails = (await stage.app.mailsTo(email)).filter(mail => subject.test(mail.subject))
  const link = /https:\/\/\S+#token=\S+/.exec(mails.at(-1)?.text ?? '')?.[0]
  if (!link) throw new Error(`no mail to ${email} has a link: ${mails.map(mail => mail.subject)}`)
  await visit(page, link)
}

const { press, seeing, confirmPassword } = handsOn(() => page)

/** With a wrong current password first. */
async function changePassword(): Promise<void> {
  await page.getByLabel('Current password').fill('not the password')
  await page.getByLabel('New password').fill(NEW_PASSWORD)
  await press('Change password')
  await seeing('The current password is wrong.')
  await page.getByLabel('Current password').fill(PASSWORD)
  await press('Change password')
  await seeing('Your password has been changed')
}

test('pages 12, 17, 18: signs up, proves the address, and is at home', async () => {
  const email = anEmail()
  await visit(page, `${MAIN}/signup`)
  await page.getByLabel('Name (optional)').fill('Rosa')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(PASSWORD)
  await press('Sign up')
  await seeing(`We have sent an e-mail to ${email}`)
  await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()
  await expectGoodPage(page, 'main-signup-sent')
  // Where the address is wrong, the form is as it was.
  await press('Change the address')
  await page.locator('input[type=email]:focus').waitFor()
  const typed = ['Name (optional)', 'E-mail', 'Password'].map(name => page.getByLabel(name, { exact: true }))
  expect(await Promise.all(typed.map(field => field.inputValue()))).toEqual(['Rosa', email, PASSWORD])
  await press('Sign up')
  await seeing(`We have sent an e-mail to ${email}`)

  await followMail(email, /./)
  await seeing(email)
  await page.getByLabel('Password').fill(NEW_PASSWORD)
  await press('Confirm')
  await seeing('Wrong password. Enter the one that you chose when you signed up.')
  await page.getByLabel('Password').fill(PASSWORD)
  await press('Confirm')
  // pages 12: nobody types the password a third time, nor for what comes next.
  await seeing('Your account is ready.')
  await seeing('Owner of the account')
  await page.getByRole('link', { name: 'Set up a second factor' }).click()
  await press('Set up an authenticator app')
  await page.locator('.secret code').waitFor()
  // pages 18: who is logged in stands on every page.
  await page.getByRole('button', { name: `Account menu Rosa ${email}` }).waitFor()

  // pages 17: the link was used; there is a way to another.
  await followMail(email, /./)
  const used = page.getByText('This link has already been used, has expired or is incomplete.', {
    exact: true,
  })
  await used.waitFor()
  await page.getByRole('link', { name: 'Sign up again' }).waitFor()
})

test('pages 14, 19: what is wrong with a field stands at it, in words for people', async () => {
  await logInAtHome(await anOwner(stage.app))
  await page.getByRole('link', { name: 'Team' }).click()
  await press('Invite someone')
  const field = page.getByLabel('E-mail of the new member')
  // Browsers take this for an address, and the service does not.
  await field.fill('somebody@nowhere')
  await press('Send invitation')
  await seeing(
    'We cannot use this e-mail address; it should look like name@example.com, without letters such as ü or é',
  )
  const told = await page.evaluate(
    "document.getElementById(document.querySelector('dialog [type=email]').getAttribute('aria-describedby')).textContent",
  )
  expect(told).toContain('it should look like name@example.com')
  expect(await page.getByRole('dialog').innerText()).not.toMatch(/must|should not/)
})

test('forgets the password and chooses another one', async () => {
  const owner = await anOwner(stage.app)
  await visit(page, `${MAIN}/login`)
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('E-mail').fill(owner.email)
  await press('Send me a link')
  await seeing(`If there is an account for ${owner.email}, a link is on its way.`)

  await followMail(owner.email, /password/i)
  await page.getByLabel('New password').fill('password1')
  await press('Set the new password')
  await seeing('This password is too easy to guess.')
  await page.getByLabel('New password').fill(NEW_PASSWORD)
  await press('Set the new password')
  await seeing('Your new password has been set, and you have been logged out everywhere else.')
  await page.waitForURL(`${MAIN}/account`)
  await seeing('Owner of the account')
  await logOutOn(page)
  await logInOn(page, owner, NEW_PASSWORD)
})

test('a mail is sent again after a while, and not more often than the service allows', async () => {
  const owner = await anOwner(stage.app)
  await page.clock.install()
  await visit(page, `${MAIN}/forgot-password`)
  await page.getByLabel('E-mail').fill(owner.email)
  await press('Send me a link')
  await seeing(`If there is an account for ${owner.email}, a link is on its way.`)
  await page.locator('.notice.good:focus').waitFor()
  const again = page.getByRole('button', { name: /^Send again/ })
  expect(await again.getAttribute('aria-disabled')).toBe('true')
  await expectGoodPage(page, 'main-forgot-sent')
  let answer: { status: number; headers?: Record<string, string> } | null = null
  let asked = 0
  await page.route('**/api/password/forgot', route => {
    if (isPreflight(route)) return route.fulfill(YES)
    asked += 1
    const body = JSON.stringify({ status: 429, code: 'TOO_MANY_ATTEMPTS' })
    return answer
      ? route.fulfill({ ...answer, body, contentType: 'application/problem+json' })
      : route.continue()
  })
  await again.click({ force: true })
  expect(asked).toBe(0)
  await pass(30)
  await page.getByRole('button', { name: 'Send again', exact: true }).click()
  await seeing('look in your spam folder')
  await eventually(async () => (await stage.app.mailsTo(owner.email)).length === 2, { what: 'another mail' })
  await pass(30)
  const headers = { ...ALLOWED, 'Retry-After': '90', 'Access-Control-Expose-Headers': 'Retry-After' }
  answer = { status: 429, headers }
  await again.click()
  await seeing('Please try again in 2 minutes.')
  expect(asked).toBe(2)
  await pass(60)
  expect(await again.getAttribute('aria-disabled')).toBe('true')
  await pass(30)
  expect(await again.getAttribute('aria-disabled')).toBe('false')
  await press('Change the address')
  expect(await page.getByLabel('E-mail').inputValue()).toBe(owner.email)
})

/** So many seconds, each with what the page does in it. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) await page.clock.runFor(1_000)
}

test('pages 13, 14, 18: invites somebody to one site, who works there and nowhere else', async () => {
  const owner = await anOwner(stage.app)
  const email = anEmail()
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Team' }).click()
  await press('Invite someone')
  await page.getByLabel('E-mail of the new member').fill(email)
  await page.getByLabel('Everywhere: this site and all satellites, including new ones').uncheck()
  await page.getByLabel(new URL(SHOP_ONE).host).check()
  await press('Send invitation')
  await seeing(`An invitation to ${email} is on its way.`)
  // pages 14: the form is as new, and whoever is invited next is so with it.
  const other = anEmail()
  await press('Invite someone')
  await page.getByLabel('E-mail of the new member').fill(other)
  await press('Send invitation')
  await seeing(`An invitation to ${other} is on its way.`)
  await page.getByRole('link', { name: 'Open invitations (2)' }).click()
  // pages 18: rights and sites of who is invited, and another mail.
  const invited = page.getByRole('listitem').filter({ hasText: email })
  for (const text of ['Data entry', 'View reports', new URL(SHOP_ONE).host])
    await invited.getByText(text, { exact: true }).waitFor()
  await press(`Send again: the invitation to ${email}`)
  await seeing(`Sent again to ${email}. The previous link no longer works.`)
  await keepScreenshot(page, 'main-team-invitations')

  // A mail may be about somebody else than who is logged in.
  await followMail(other, /./)
  await seeing(`${owner.email} has invited you.`)
  await seeing(other)
  await page.getByLabel('Password').fill(PASSWORD)
  await press('Join')
  await seeing('Welcome to the team. You are logged in.')
  await page.getByRole('button', { name: `Account menu ${other}` }).waitFor()
  await logOutOn(page)

  await followMail(email, /./)
  await seeing(`You will have access to ${new URL(SHOP_ONE).host}.`)
  await page.getByLabel('Password').fill(PASSWORD)
  await press('Join')
  await page.getByRole('heading', { name: 'Welcome to the team' }).waitFor()
  await seeing('Welcome to the team. You are logged in.')
  await expectGoodPage(page, 'main-accept-invitation-done')
  const toShop = page.getByRole('link', { name: `Go to ${new URL(SHOP_ONE).host}` })
  expect(await page.getByRole('link', { name: `Go to ${new URL(SHOP_TWO).host}` }).count()).toBe(0)

  const elsewhere = await page.context().newPage()
  await visit(elsewhere, `${MAIN}/account`)
  await elsewhere.getByRole('link', { name: `Go to ${new URL(SHOP_ONE).host}` }).waitFor()
  expect(await elsewhere.getByRole('link', { name: 'Team' }).count()).toBe(0)
  await logOutOn(elsewhere)
  await elsewhere.getByRole('button', { name: 'Log in', exact: true }).waitFor()

  await toShop.click()
  await page.waitForURL(`${SHOP_ONE}/`)
  await logInOn(page, { email })

  // pages 13: they change their password where they work, and a forgotten one leads back there.
  await page.getByRole('link', { name: 'Security', exact: true }).click()
  await changePassword()
  await visit(page, `${MAIN}/forgot-password`)
  await page.getByLabel('E-mail').fill(email)
  await press('Send me a link')
  await seeing(`If there is an account for ${email}, a link is on its way.`)
  await followMail(email, /new password/i)
  await page.getByLabel('New password').fill(`${NEW_PASSWORD} indeed`)
  await press('Set the new password')
  await page.getByRole('link', { name: `Go to ${new URL(SHOP_ONE).host}` }).click()
  await page.waitForURL(`${SHOP_ONE}/`)
})

/** As if the login were long ago. Not by the clock: the payment provider has another one. */
async function forgetProof({ id }: User): Promise<void> {
  await stage.app.database.run(db =>
    db.update(sessions).set({ reauthenticatedAt: null }).where(eq(sessions.userId, id)),
  )
}

test('changes the address after the password was asked for, and the old mailbox takes it back', async () => {
  const owner = await anOwner(stage.app)
  const email = anEmail()
  await logInAtHome(owner)
  await forgetProof(owner)
  await page.getByRole('link', { name: 'Security', exact: true }).click()
  await page.getByLabel('New e-mail address').fill(email)
  await press('Change e-mail address')
  await page.getByRole('dialog').waitFor()
  await keepScreenshot(page, 'main-reauthentication')
  await confirmPassword()
  await seeing(`We have sent an e-mail to ${email}.`)

  await followMail(email, /./)
  await press('Use this address')
  await seeing('From now on you log in with your new address.')
  await followMail(owner.email, /e-mail/i)
  await press('Undo the change')
  await seeing('The old address is back')
  await followMail(owner.email, /password/i)
  await page.getByLabel('New password').fill(NEW_PASSWORD)
  await press('Set the new password')
  await seeing('Your new password has been set')
})

test('tells password managers whose password is asked for (W15)', async () => {
  const owner = await anOwner(stage.app)
  const usernames = () => page.locator('form:has([type=password]) [autocomplete=username]')
  const isOwners = async () => {
    await usernames().first().waitFor({ state: 'attached' })
    const values = await Promise.all((await usernames().all()).map(field => field.inputValue()))
    expect(values).toEqual(values.map(() => owner.email))
    return values.length
  }
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Security', exact: true }).click()
  expect(await isOwners()).toBe(1)
  await forgetProof(owner)
  await page.getByLabel('New e-mail address').fill(anEmail())
  await press('Change e-mail address')
  await page.locator('dialog [autocomplete=username]').waitFor({ state: 'attached' })
  expect(await isOwners()).toBe(2)
  await visit(page, `${SHOP_ONE}/security`)
  await logInOn(page, owner)
  expect(await isOwners()).toBe(1)
})

test('says before the deletion of an account that its subscription comes first (P6)', async () => {
  const owner = await anOwner(stage.app)
  await subscribed(stage.app, owner)
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await seeing('There is still a subscription.')
  expect(await page.getByRole('button', { name: 'Delete the account' }).count()).toBe(0)
  await page.getByRole('main').getByRole('link', { name: 'Billing' }).click()
  await page.waitForURL(`${MAIN}/account/billing`)
})

test('says of a satellite that is not proved yet that this comes next (P7)', async () => {
  const owner = await anOwner(stage.app)
  const { accountId } = owner
  const satellite = {
    accountId,
    origin: 'https://unproved.test',
    name: 'A shop',
    kind: 'production',
  } as const
  const { app } = stage
  const added = await app.database.transaction(transaction =>
    app.get(RegisteredSatellites).add(transaction, satellite),
  )
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Prove unproved.test' }).click()
  await page.waitForURL(`${MAIN}/account/satellites/${added.satellite.id}`)
})

test('says that a login on another device was not theirs', async () => {
  const owner = await anOwner(stage.app)
  await logInAtHome(owner)
  const thief = await elsewhere(owner)
  await followMail(owner.email, /^New login/)
  await press('Log me out everywhere')
  await seeing('You have been logged out everywhere.')
  await page.getByRole('link', { name: 'Go to login' }).click()
  await untilShown(page)
  await seeing('Log in')
  await thief.reload()
  await thief.getByRole('button', { name: 'Log in', exact: true }).waitFor()
  await followMail(owner.email, /password/i)
  await page.getByLabel('New password').waitFor()
})

test('pages 11: ends a session elsewhere', async () => {
  const owner = await anOwner(stage.app)
  const other = await elsewhere(owner)
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Sessions' }).click()
  await seeing(new URL(SHOP_ONE).host)
  const opener = page.getByRole('button', { name: /^Log out .* at shop-one/ }).last()
  // pages 11: the focus goes back to what opened the question, or to the news where that is gone.
  await opener.click()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await page.evaluate('document.activeElement.ariaLabel')).toMatch(/^Log out .* at shop-one/)
  await opener.click()
  await press('Log out')
  await seeing('The session has ended.')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await eventually(() => page.evaluate('document.activeElement.tagName === "H1"'), {
    what: 'the focus on the heading',
  })
  expect(await page.getByText(new URL(SHOP_ONE).host).count()).toBe(0)
  await other.reload()
  await other.getByRole('button', { name: 'Log in', exact: true }).waitFor()
})

test('asks for the deletion of the account, and keeps it', async () => {
  const owner = await anOwner(stage.app)
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Settings', exact: true }).click()
  await press('Delete the account')
  await seeing('You can no longer log in, here or on any site')
  const typed = page.getByLabel(`Type “${owner.email}” to confirm`)
  await typed.fill('something else')
  await press('Yes, delete it')
  await seeing('This is not what has to be typed')
  await typed.fill(owner.email)
  await press('Yes, delete it')
  await page.locator('.notice.bad').getByText('The account and all its users will be deleted on').waitFor()
  await keepScreenshot(page, 'main-account-to-be-deleted')
  await page.getByRole('link', { name: 'Overview' }).click()
  await page.getByRole('link', { name: 'Cancel the deletion' }).click()
  await press('Cancel the deletion')
  await seeing('after some days in which you can change your mind.')
})

test('security H2: asks a member to be the owner, who accepts, and stops it by mail', async () => {
  const owner = await anOwner(stage.app)
  const member = await aMember(stage.app, owner)
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Team' }).click()
  await page.getByRole('link', { name: member.email }).click()
  await press('Transfer ownership')
  await page.getByLabel(`Type “${member.email}” to confirm`).fill(member.email)
  await press('Yes, transfer the account')
  await seeing(/ to accept\.$/)
  await press('Cancel the transfer')
  await seeing('To transfer the account')

  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await page.getByRole('link', { name: member.email }).click()
  await press('Transfer ownership')
  await page.getByLabel(`Type “${member.email}” to confirm`).fill(member.email)
  await press('Yes, transfer the account')
  await seeing(/ to accept\.$/)
  await followMail(member.email, /take over your team/)
  await press('Accept ownership')
  await seeing(/^You have accepted, and become the owner on .+ at the earliest\. Until then /)
  // Below that is where to go next, as on every page that a mail leads to, and no more.
  await page
    .locator('.actions > .primary')
    .filter({ hasText: `Continue as ${owner.email}` })
    .waitFor()
  expect(await page.locator('.links > :not(a, button)').count()).toBe(0)
  await visit(page, `${MAIN}/account/settings`)
  await seeing('has accepted and becomes the owner on')
  await page.getByRole('link', { name: member.email }).waitFor()
  await keepScreenshot(page, 'main-account-transfer')
  await followMail(owner.email, /will soon have a new owner/)
  await press('Stop the transfer')
  await seeing('The transfer has been stopped')
})

test('security M5: confirms another address in a browser that is not logged in with the password', async () => {
  const owner = await anOwner(stage.app)
  const email = anEmail()
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Security', exact: true }).click()
  await page.getByLabel('New e-mail address').fill(email)
  await press('Change e-mail address')
  await seeing(`We have sent an e-mail to ${email}.`)
  await page.context().clearCookies()
  await followMail(email, /./)
  await press('Use this address')
  await seeing('Please enter the password of the account too.')
  await page.getByLabel('Password of the account').fill('not the password')
  await press('Use this address')
  await seeing('Wrong password.')
  await page.getByLabel('Password of the account').fill(PASSWORD)
  await press('Use this address')
  await seeing('From now on you log in with your new address.')
})

test('security M2: changes the password with the current one', async () => {
  const owner = await anOwner(stage.app)
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Security', exact: true }).click()
  await changePassword()
})

test('pages 17: a new password calls off another address that was not confirmed, and the mail says so', async () => {
  const owner = await anOwner(stage.app)
  const email = anEmail()
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Security', exact: true }).click()
  await page.getByLabel('New e-mail address').fill(email)
  await press('Change e-mail address')
  await seeing(`We have sent an e-mail to ${email}.`)
  await changePassword()
  const told = (await stage.app.mailsTo(owner.email)).find(({ subject }) => /password/.test(subject))
  expect(told?.text).toContain('If your e-mail address was about to change')
  await followMail(email, /./)
  await seeing('This link has already been used, has expired or is incomplete.')
})

test('pages 8, 18: removes somebody, and the audit log says who did what to whom', async () => {
  const owner = await anOwner(stage.app)
  const member = await aMember(stage.app, owner)
  await logInAtHome(owner)
  await visit(page, `${MAIN}/account/team/${member.id}`)
  // pages 18: one question at a time.
  await page.getByLabel('Payments').check()
  await forgetProof(owner)
  await press('Save permissions')
  await confirmPassword()
  await seeing('Permissions saved.')
  await press('Remove')
  await press('Remove this member')
  // pages 18: something is said then.
  await seeing(`${member.email} is no longer in the team`)

  // Refusals are written a moment later.
  await stage.app.auditRows()
  await page.getByRole('link', { name: 'Audit log' }).click()
  // pages 8
  await seeing(`${owner.email} removed ${member.email} from the team`)
  await seeing(`${owner.email} changed the permissions of ${member.email}`)
  await seeing(`${owner.email} was asked to confirm their identity before they could change the permissions`)
  expect(await page.locator('.tag.bad').count()).toBe(0)
  await keepScreenshot(page, 'main-audit')

  const login = page.getByRole('listitem').filter({ hasText: `${owner.email} logged in` })
  await login.getByText(`127.0.0.1 · ${new URL(MAIN).host}`).waitFor()
  await page.getByLabel('Search by name or e-mail').fill(member.email)
  await login.waitFor({ state: 'detached' })
  await seeing(`${owner.email} removed ${member.email} from the team`)
  await page.reload()
  await seeing(`${owner.email} removed ${member.email} from the team`)
  expect(await page.getByLabel('Search by name or e-mail').inputValue()).toBe(member.email)

  // What is saved is what was searched for.
  await press('Download')
  const saved = page.waitForEvent('download')
  await press('As OCSF events')
  expect((await saved).suggestedFilename()).toBe('audit-log.ocsf.jsonl')
  const events = readFileSync(await (await saved).path(), 'utf8')
    .trim()
    .split('\n')
  expect(events.map(event => JSON.parse(event).metadata.event_code)).toEqual(['user.remove'])

  await page.getByLabel('From').fill('2040-01-01')
  await seeing('No entries match.')
  await page.getByLabel('Search by name or e-mail').fill('')
  await page.getByLabel('From').fill('2020-01-01')
  await login.waitFor()
  await page.getByLabel('To').fill('2020-12-31')
  await seeing('No entries match.')
})

test('saves the sites that were ticked and unticked, and gives back none that somebody else has taken away (38)', async () => {
  const owner = await anOwner(stage.app)
  const member = await aMember(stage.app, owner)
  const hostOf = (word: string) => `${word}-${member.id}.test`
  for (const word of ['kept', 'unchecked', 'revoked', 'added'])
    await aSatellite(stage.app, owner, `https://${hostOf(word)}`, { name: hostOf(word) })
  const users = stage.app.get(Users)
  const limitTo = (...words: string[]) => {
    const origins = words.map(word => `https://${hostOf(word)}`)
    const { app } = stage
    return app.database.transaction(transaction => users.setSatellites(transaction, member.id, origins))
  }
  await limitTo('kept', 'unchecked', 'revoked')
  await logInAtHome(owner)
  await visit(page, `${MAIN}/account/team/${member.id}`)
  await page.getByLabel(hostOf('unchecked')).uncheck()
  await page.getByLabel(hostOf('added')).check()
  await limitTo('kept', 'unchecked')
  await press('Save sites')
  await seeing('Sites saved.')
  const saved = await users.find(member.id)
  expect(saved?.satellites).toEqual([`https://${hostOf('kept')}`, `https://${hostOf('added')}`])
})

test('the audit log calls people by their names and addresses: somebody may take the name of another', async () => {
  const owner = await anOwner(stage.app)
  const member = await aMember(stage.app, owner)
  const { app } = stage
  const name = 'Rosa Luna'
  for (const { id } of [owner, member])
    await app.database.transaction(transaction => app.get(Users).setName(transaction, id, name))
  await logInAtHome(member)
  await logOutOn(page)
  await logInAtHome(owner)
  const sentences = [owner, member].map(({ email }) => `${name} (${email}) logged in`)
  for (const sentence of sentences) await seeing(sentence)
  await page.getByRole('link', { name: 'Audit log' }).click()
  for (const sentence of sentences) await seeing(sentence)
  await page.getByLabel('Search by name or e-mail').fill(owner.email)
  await page.getByText(sentences[1] as string).waitFor({ state: 'detached' })
  await seeing(sentences[0] as string)
})

test('finds everybody of a team that is longer than a page', async () => {
  const owner = await anOwner(stage.app)
  const { email } = (await importMembers(stage.app, owner, 30)).at(-1) as User
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Team' }).click()
  await page.getByLabel('Search by name or e-mail').fill(email.toUpperCase())
  await eventually(async () => (await page.getByRole('row').count()) === 2, { what: 'one row found' })
  await page.getByRole('row').filter({ hasText: email }).getByText('Never').waitFor()
  await page.getByLabel('Search by name or e-mail').fill('nobody at all')
  await seeing('Nobody matches.')
  await page.getByLabel('Search by name or e-mail').fill(email)
  await page.getByRole('link', { name: email }).click()
  await page.getByRole('heading', { name: email }).waitFor()
  await seeing('Everywhere: this site and all satellites, including new ones')
  await page.reload()
  await page.getByRole('heading', { name: email }).waitFor()
})

test('a long team is in pages, whose order and filters survive a reload and the way back', async () => {
  const owner = await anOwner(stage.app)
  const emails = (await importMembers(stage.app, owner, 60)).map(({ email }) => email).sort()
  await logInAtHome(owner)
  await page.getByRole('link', { name: 'Team' }).click()
  await seeing('61 members')
  const shows = (index: number) => page.getByRole('link', { name: emails.at(index) as string }).waitFor()
  const next = page.getByRole('link', { name: 'Next' })
  await shows(23)
  expect(await page.getByRole('row').count()).toBe(1 + 25)
  await page.getByRole('row').nth(1).getByText(owner.email).waitFor()
  await next.click()
  await shows(24)
  await page.reload()
  await shows(48)
  await next.click()
  await shows(59)
  expect(await next.count()).toBe(0)
  await press('Previous')
  await shows(24)
  await page.goBack()
  await shows(0)

  await press('Person')
  await shows(-1)
  const sorted = page.getByRole('columnheader', { name: 'Person' })
  expect(await sorted.getAttribute('aria-sort')).toBe('descending')
  await next.click()
  await shows(-25)
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Disabled')
  await seeing('Nobody matches.')
  await page.getByRole('combobox', { name: 'Show' }).selectOption('Without a second factor')
  await shows(-1)

  // On a phone the order is one of the choices.
  await page.setViewportSize({ width: 375, height: 740 })
  await page.getByLabel('Sort by').selectOption('Name, A to Z')
  await shows(0)
  await page.getByRole('link', { name: emails[0] as string }).click()
  await page.getByRole('heading', { name: emails[0] as string }).waitFor()
  await page.goBack()
  await shows(0)
  expect(await page.getByRole('combobox', { name: 'Show' }).inputValue()).toBe('unprotected')
})
