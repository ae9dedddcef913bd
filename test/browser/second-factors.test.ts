import { beforeEach, expect, test } from '@jest/globals'
import type { CDPSession, Locator, Page } from 'playwright-core'
import type { User } from '../sources.js'
import { Authenticator, giveAuthenticator, giveRecoveryCodes } from '../support/authenticator.js'
import { eventually } from '../support/eventually.js'
import { aMember, anOwner, PASSWORD } from '../support/people.js'
import { startBuiltPages } from './stage/built-pages.js'
import { isPreflight } from './stage/false-answers.js'
import { expectGoodPage } from './stage/good-page.js'
import { MAIN, SHOP_ONE } from './stage/hosts.js'
import { keepScreenshot } from './stage/screenshot.js'
import { handsOn, logInOn, logOutOn, sendLogin, untilLoggedIn, untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'
import { addAuthenticator } from './stage/virtual-authenticator.js'

const FIVE_MINUTES = 5 * 60
/** A code counts once, and the next one comes with the next step. */
const ONE_STEP = 30
const CODE = 'Code from your authenticator app'

const stage = aStage(startBuiltPages)

let page: Page
beforeEach(async () => {
  page = await stage.newTab()
})

const { press, seeing } = handsOn(() => page)

const beginLogin = (user: Pick<User, 'email'>) => sendLogin(page, user)

/** Six digits are sent without a press of the button. */
function enterCode(code: string): Promise<void> {
  return page.getByLabel(CODE).fill(code)
}

/** The refusal is told of the field, which is ready for another code. */
async function expectAskedAgain(field: Locator, refusal: string, kept = ''): Promise<void> {
  await seeing(refusal)
  await page.locator('input.code:focus').waitFor()
  expect(await field.getAttribute('aria-invalid')).toBe('true')
  const told = (await field.getAttribute('aria-describedby'))?.split(' ').at(-1)
  expect(await page.locator(`[id="${told}"]`).innerText()).toContain(refusal)
  expect(await field.inputValue()).toBe(kept)
  expect(await page.evaluate('String(getSelection())')).toBe(kept)
}

async function logOut(): Promise<void> {
  await logOutOn(page)
  await page.getByLabel('E-mail').waitFor()
}

async function untilHome(): Promise<void> {
  await untilLoggedIn(page)
  await untilShown(page)
}

async function toSecurity(): Promise<void> {
  await page.getByRole('link', { name: 'Security', exact: true }).click()
  await untilShown(page)
}

async function resetLinkOf({ email }: Pick<User, 'email'>): Promise<string> {
  const mails = await stage.app.mailsTo(email)
  const links = mails.flatMap(({ text }) => text.match(/https:\/\/\S+\/factor-reset#token=\S+/g) ?? [])
  const link = links.at(-1)
  if (!link) throw new Error(`no mail to ${email} has the link`)
  return link
}

/** The codes on the page, once saved. */
async function saveCodes(): Promise<string[]> {
  await seeing('Save your recovery codes')
  const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allInnerTexts()
  await page.getByLabel('I have saved them').check()
  await press('Continue')
  return codes
}

// First: the payment provider bears with a clock that is some minutes ahead, and not with more.
test('who must have a second factor: a late member sets one up, and goes on', async () => {
  const owner = await anOwner(stage.app)
  const member = await aMember(stage.app, owner)
  const phone = await giveAuthenticator(stage.app, owner)
  await visit(page, `${MAIN}/account/settings`)
  await beginLogin(owner)
  await enterCode(phone.code())
  await untilHome()
  await page.getByLabel('Everyone').check()
  await page.getByLabel('Days to set one up').fill('0')
  await expectGoodPage(page, 'main-second-factor-policy')
  await page.getByLabel('Payments need a second factor').selectOption('5')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await seeing('Applies to 2 people; 1 has one.')

  await page.getByRole('link', { name: 'Team', exact: true }).click()
  await seeing('Must set up a second factor')
  await expectGoodPage(page, 'main-team-with-factors')

  const theirs = await stage.newTab()
  const finger = await Finger.of(theirs)
  await visit(theirs, `${MAIN}/account/billing`)
  await theirs.getByLabel('E-mail').fill(member.email)
  await theirs.getByLabel('Password').fill(PASSWORD)
  await theirs.getByRole('button', { name: 'Log in', exact: true }).click()
  await theirs.getByText('Your account requires more than a password').waitFor()
  await expectGoodPage(theirs, 'main-enrolment')
  await finger.touches(true)
  await theirs.getByRole('button', { name: 'Add a passkey' }).click()
  await theirs.getByLabel('I have saved them').check()
  await theirs.getByRole('button', { name: 'Continue' }).click()
  await theirs.getByText('Only people with the permission “Payments” see this page.').waitFor()

  await page.getByRole('link', { name: 'Audit log' }).click()
  await seeing(`Someone entered the password of ${owner.email} and was asked for a second factor`)
  const details = 'payments: with a second factor of the last 5 minutes'
  await page.getByRole('listitem').filter({ hasText: details }).first().locator('summary').click()
  await seeing(details)

  // The member loses the device, and a manager helps: who has the member's mailbox need not wait.
  await visit(page, `${MAIN}/account/team/${member.id}`)
  await press('Reset second factors')
  await press('Reset them')
  await seeing('unless they stop it or confirm sooner')
  await expectGoodPage(page, 'main-factor-reset-pending')
  const lost = await resetLinkOf(member)
  await press('Send the e-mail again')
  await seeing(`Sent again to ${member.email}.`)
  await theirs.goto('about:blank')
  await eventually(async () => (await resetLinkOf(member)) !== lost, { what: 'another mail' })
  await visit(theirs, await resetLinkOf(member))
  await expectGoodPage(theirs, 'main-factor-reset')
  await theirs.getByRole('button', { name: 'I have not asked for this' }).click()
  await theirs.getByRole('button', { name: 'Keep them' }).waitFor()
  await expectGoodPage(theirs, 'main-factor-reset-stop')
  await theirs.getByRole('button', { name: 'Keep them' }).click()
  await theirs.getByText('Nothing is removed').waitFor()
  // The manager's page still shows the reset. To send its mail again begins no other.
  const stopped = await resetLinkOf(member)
  await press('Send the e-mail again')
  await seeing('This no longer exists.')
  await press('Reset second factors')
  await press('Reset them')
  await seeing('unless they stop it or confirm sooner')
  await eventually(async () => (await resetLinkOf(member)) !== stopped, { what: 'a new link' })
  await theirs.goto('about:blank')
  await visit(theirs, await resetLinkOf(member))
  await theirs.getByRole('button', { name: 'Remove them now' }).click()
  await theirs.getByText('Your second factors are removed').waitFor()
  await visit(page, `${MAIN}/account/team/${member.id}`)
  await seeing('They have not set up a second factor.')

  // The second factor was used long enough ago: the payment asks for it, and takes no password.
  stage.app.clock.advance(FIVE_MINUTES)
  await page.getByRole('link', { name: 'Billing' }).click()
  await press('Subscribe to Yearly')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(CODE).waitFor()
  expect(await dialog.getByLabel('Your password').count()).toBe(0)
  await keepScreenshot(page, 'main-step-up')
  await enterCode(phone.wrongCode())
  await expectAskedAgain(dialog.getByLabel(CODE), 'This code is wrong or was used before.')
  await enterCode(phone.code())
  await page.waitForURL(`${stage.app.sandbox.url}/**`)
})

test('an authenticator app: set up, asked for, replaced by a recovery code, remembered', async () => {
  const owner = await anOwner(stage.app)
  await visit(page, `${MAIN}/`)
  await logInOn(page, owner)
  await toSecurity()
  await press('Set up an authenticator app')
  const key = await page.locator('.secret code').innerText()
  const phone = new Authenticator(stage.app, key.replaceAll(' ', ''))
  await expectGoodPage(page, 'main-authenticator-setup')
  // As in every card, the buttons are along its lower edge.
  const card = page.locator('.card').filter({ has: page.locator('.qr') })
  const actions = card.locator('.actions').last()
  expect(await actions.getByRole('button').allInnerTexts()).toEqual(['Confirm the code', 'Cancel'])
  const bottomOf = async (part: Locator) => {
    const { y, height } = (await part.boundingBox())!
    return y + height
  }
  expect((await bottomOf(card)) - (await bottomOf(actions))).toBeLessThanOrEqual(1)
  const field = page.getByLabel('Code from the app')
  await field.fill(phone.wrongCode())
  await expectAskedAgain(field, 'This code is wrong.')
  await field.fill(phone.code())
  await seeing('Save your recovery codes')
  await expectGoodPage(page, 'main-recovery-codes')
  // On paper there are the codes alone.
  await page.emulateMedia({ media: 'print' })
  expect(await page.getByRole('list', { name: 'Recovery codes' }).isVisible()).toBe(true)
  expect(await page.locator('button:visible, h1:visible, nav:visible').count()).toBe(0)
  await page.emulateMedia({ media: null })
  const toast = page.locator('.toast')
  expect(await toast.count()).toBe(0)
  const codes = await saveCodes()
  expect(codes).toHaveLength(10)
  await toast.waitFor()
  await seeing('Your authenticator app is set up.')
  await seeing('10 codes are left.')

  await logOut()
  await beginLogin(owner)
  await seeing('Confirm with your second factor')
  expect(await page.getByRole('link', { name: 'Create an account' }).count()).toBe(0)
  expect(await page.getByText('Welcome back').count()).toBe(0)
  await expectGoodPage(page, 'main-second-step')
  // Too late: what was typed is still there.
  stage.app.clock.advance(FIVE_MINUTES)
  await enterCode(phone.code())
  await seeing('That took too long')
  expect(await page.getByLabel('E-mail').inputValue()).toBe(owner.email)
  await press('Log in')
  await page.getByLabel(/Remember this device/).check()
  await enterCode(phone.code())
  await untilHome()

  await logOut()
  // The password is enough on a device that is remembered.
  await logInOn(page, owner)
  await page.getByRole('link', { name: 'Sessions' }).click()
  await untilShown(page)
  await seeing('This device')
  await expectGoodPage(page, 'main-remembered-devices')
  await page.getByRole('button', { name: /^Forget (?!all)/ }).click()
  await seeing('The device is forgotten.')

  await logOut()
  await beginLogin(owner)
  await press('Use a recovery code')
  await page.getByLabel('Recovery code').fill(codes[0]!.toLowerCase())
  await press('Log in')
  await untilHome()
  await toSecurity()
  await seeing('9 codes are left.')

  // On a satellite the code is not typed; the main site's login takes it on the way there.
  await logOut()
  stage.app.clock.advance(ONE_STEP)
  await visit(page, `${SHOP_ONE}/`)
  await beginLogin(owner)
  await seeing('You cannot log in here with your password.')
  await press('Log in with Mainstay')
  await page.getByRole('heading', { name: `Log in to ${new URL(SHOP_ONE).host}` }).waitFor()
  await page.getByLabel('Password').fill(PASSWORD)
  await press('Log in')
  await page.getByLabel(CODE).waitFor()
  await seeing('Afterwards you can go on to shop-one.test')
  await enterCode(phone.code())
  await page.getByRole('button', { name: /^Continue/ }).click()
  await page.waitForURL(`${SHOP_ONE}/**`)
  await untilHome()
})

test('a code: sent by itself once it is whole, and once only; a recovery code is not', async () => {
  const owner = await anOwner(stage.app)
  const phone = await giveAuthenticator(stage.app, owner)
  await giveRecoveryCodes(stage.app, owner)
  const wrong = phone.wrongCode()
  const sent: unknown[] = []
  let isHeld = Promise.resolve()
  await page.route('**/api/login/second-factor', async route => {
    if (isPreflight(route)) return route.continue()
    const { code, recoveryCode } = route.request().postDataJSON()
    sent.push(code ?? recoveryCode)
    await isHeld
    await route.continue()
  })
  await visit(page, `${MAIN}/`)
  await beginLogin(owner)
  const field = page.getByLabel(CODE)
  const button = page.getByRole('button', { name: 'Log in', exact: true })
  expect(await field.getAttribute('autocomplete')).toBe('one-time-code')
  expect(await field.getAttribute('inputmode')).toBe('numeric')

  await field.pressSequentially(`${wrong.slice(0, 3)} ${wrong.slice(3)}`)
  await expectAskedAgain(field, 'This code is wrong or was used before.')
  await expectGoodPage(page, 'main-second-step-wrong')
  await field.fill(wrong)
  expect(await button.getAttribute('aria-busy')).toBe('false')
  expect(await field.inputValue()).toBe(wrong)
  expect(sent).toEqual([wrong])

  let release = () => {}
  isHeld = new Promise(resolve => {
    release = resolve
  })
  await press('Log in')
  await eventually(() => sent.length === 2)
  await field.fill(phone.code())
  release()
  await expectAskedAgain(field, 'This code is wrong or was used before.')
  expect(sent).toEqual([wrong, wrong])

  await press('Use a recovery code')
  const recovery = page.getByLabel('Recovery code')
  await recovery.fill('123456')
  expect(await button.getAttribute('aria-busy')).toBe('false')
  await press('Log in')
  await expectAskedAgain(recovery, 'This code is wrong or was used before.', '123456')
  expect(sent).toEqual([wrong, wrong, '123456'])

  await press('Use your authenticator app')
  // As a phone fills it in, or somebody pastes it.
  await page.getByLabel(CODE).focus()
  await page.keyboard.insertText(phone.code())
  await untilHome()
  expect(sent).toHaveLength(4)
})

test('a passkey: added, used by the button and by what the browser fills in, removed', async () => {
  const owner = await anOwner(stage.app)
  const finger = await Finger.of(page)
  await visit(page, `${MAIN}/`)
  await logInOn(page, owner)
  await toSecurity()
  await finger.touches(true)
  await press('Add a passkey')
  await saveCodes()
  await seeing('The passkey is added.')
  await expectGoodPage(page, 'main-security-with-passkey')
  await page.setViewportSize({ width: 375, height: 740 })
  const [rename, remove] = await Promise.all(
    [/^Rename/, /^Remove the passkey/].map(name => page.getByRole('button', { name }).boundingBox()),
  )
  expect(rename!.y).toBe(remove!.y)
  expect(rename!.width + remove!.width).toBeGreaterThan(270)

  await finger.touches(false)
  await logOut()
  await expectGoodPage(page, 'main-login-with-passkey')
  // What the browser offers in the field waits for a touch that does not come; the button asks anew.
  await finger.touches(true)
  await press('Use a passkey')
  await untilHome()

  // The virtual device chooses at once what people choose in the field.
  const autofilled = page.waitForResponse(/\/api\/login\/passkey$/)
  await logOutOn(page)
  expect((await autofilled).status()).toBe(200)
  await untilHome()
  await toSecurity()
  await page.getByRole('button', { name: /^Remove the passkey/ }).click()
  await press('Remove the passkey')
  await seeing('The passkey is removed.')
  expect(await page.getByRole('button', { name: /^Rename/ }).count()).toBe(0)
})

/** The fingerprint reader of a device. */
class Finger {
  private constructor(
    private readonly device: CDPSession,
    private readonly authenticatorId: string,
  ) {}

  static async of(tab: Page): Promise<Finger> {
    const { device, authenticatorId } = await addAuthenticator(tab, { isTouched: false })
    return new Finger(device, authenticatorId)
  }

  /** Whether it is touched whenever something asks for it. */
  async touches(enabled: boolean): Promise<void> {
    const { authenticatorId } = this
    await this.device.send('WebAuthn.setAutomaticPresenceSimulation', { authenticatorId, enabled })
  }
}
