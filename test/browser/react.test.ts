import { readFile } from 'node:fs/promises'
import { beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type User, UserAdministration } from '../sources.js'
import { type Authenticator, giveAuthenticator, giveRecoveryCodes } from '../support/authenticator.js'
import { SoftwareAuthenticator } from '../support/passkeys/software-authenticator.js'
import { aMember, anOwner, PASSWORD } from '../support/people.js'
import { bundleReact, codeUnder } from './stage/docs-code.js'
import { expectGoodPage } from './stage/good-page.js'
import { API, MAIN } from './stage/hosts.js'
import { type ServedFile, serveFiles } from './stage/served-files.js'
import { aStage } from './stage/stage.js'
import { addAuthenticator } from './stage/virtual-authenticator.js'

const HTML = `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>A site</title>
  <link rel="stylesheet" href="/styles.css"><link rel="icon" href="data:,"><body><main><h1>A site</h1><div></div></main><script type="module" src="/app.js"></script>`

type CreationOptions = Parameters<SoftwareAuthenticator['create']>[0]

const stage = aStage(async certificate => {
  // The page links it, as a bundler would.
  const code = (await codeUnder('React: components and hooks')).replace(
    "import '@mainstay-auth/react/styles.css'\n",
    '',
  )
  const files: Readonly<Record<string, ServedFile>> = {
    '/': { type: 'text/html', body: HTML },
    '/app.js': { type: 'text/javascript', body: await bundleReact(code) },
    '/styles.css': { type: 'text/css', body: await readFile('packages/react/styles.css', 'utf8') },
  }
  return serveFiles(certificate, [MAIN], (_, path) => files[path] ?? null)
})
let owner: User
let page: Page
beforeEach(async () => {
  owner = await anOwner(stage.app)
  page = await stage.newTab()
  await page.goto(`${MAIN}/`)
})

async function enter({ email }: Pick<User, 'email'> = owner, password = PASSWORD): Promise<void> {
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

async function goOnWith(label: string, text: string): Promise<void> {
  await page.getByLabel(label).fill(text)
  await page.getByRole('button', { name: 'Continue' }).click()
}

/** Adds a passkey on the main site, in a browser of its own. */
async function givePasskey({ email }: User): Promise<SoftwareAuthenticator> {
  const other = await stage.newTab()
  await other.goto(`${MAIN}/`)
  let token = ''
  const post = async (path: string, body?: object) => {
    const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) }
    const init = { method: 'POST', credentials: 'include', headers, body: body && JSON.stringify(body) }
    const answer = await other.evaluate(
      `fetch('${API}${path}', ${JSON.stringify(init)}).then(async answer => [answer.ok, await answer.json()])`,
    )
    const [isOk, json] = answer as [boolean, Record<string, string>]
    if (!isOk) throw new Error(`${path} answered ${JSON.stringify(json)}`)
    return json
  }
  const { accessToken = '' } = await post('/api/login', { email, password: PASSWORD, source: 'main' })
  token = accessToken
  await post('/api/reauthenticate', { password: PASSWORD })
  const authenticator = new SoftwareAuthenticator({ origin: MAIN })
  const options = (await post('/api/passkeys/options')) as unknown as CreationOptions
  await post('/api/passkeys', { response: authenticator.create(options) })
  return authenticator
}

const menuOf = ({ email }: Pick<User, 'email'>) =>
  page.getByRole('button', { name: `Account menu: ${email}` })

describe('the page that docs/integrate/react-components.md shows', () => {
  test('logs in, says who is there and what they may do, and logs out', async () => {
    await expectGoodPage(page, 'react-login')
    await enter(owner, 'not the password')
    await page.getByText('The e-mail address or the password is wrong.').waitFor()
    await expectGoodPage(page, 'react-login-refused')
    await enter()
    await page.getByText('You may pay.').waitFor()
    await menuOf(owner).click()
    await expectGoodPage(page, 'react-user-button')
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('E-mail').waitFor()
    await enter(await aMember(stage.app, owner))
    await page.getByText('You may not pay.').waitFor()
    expect(await page.getByText('You may pay.').count()).toBe(0)
  })

  test.each([
    ['start', 375, 'ltr'],
    ['center', 375, 'ltr'],
    ['end', 375, 'ltr'],
    ['start', 1280, 'ltr'],
    ['end', 1280, 'ltr'],
    ['start', 375, 'rtl'],
    ['center', 320, 'rtl'],
  ])(
    'opens the menu of a button at the %s of %i pixels, %s, where all of it can be seen (P3)',
    async (place, width, dir) => {
      await page.setViewportSize({ width, height: 800 })
      await enter()
      await menuOf(owner).waitFor()
      await page.addStyleTag({ content: `div:has(> .mainstay-user) { text-align: ${place} }` })
      await page.evaluate(`document.documentElement.dir = '${dir}'`)
      await menuOf(owner).click()
      const button = await menuOf(owner).boundingBox()
      const menu = await page.locator('.mainstay-menu').boundingBox()
      expect(menu?.x).toBeGreaterThanOrEqual(8)
      expect((menu?.x ?? 0) + (menu?.width ?? 0)).toBeLessThanOrEqual(width - 8)
      expect(menu?.width).toBeGreaterThanOrEqual(224)
      // Still below its button.
      expect(menu?.x).toBeLessThanOrEqual((button?.x ?? 0) + (button?.width ?? 0))
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    },
  )

  test('shows somebody else’s name once somebody else has logged in', async () => {
    await enter()
    await menuOf(owner).waitFor()
    const member = await aMember(stage.app, owner)
    await menuOf(owner).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await enter(member)
    await menuOf(member).waitFor()
    expect(await menuOf(owner).count()).toBe(0)
  })

  test('shows a name late that was not to be had at first', async () => {
    let isOut = true
    await page.route('**/api/profile', route => (isOut ? route.fulfill({ status: 503 }) : route.continue()))
    const refused = page.waitForResponse('**/api/profile')
    await enter()
    await refused
    expect(await menuOf(owner).count()).toBe(0)
    isOut = false
    await menuOf(owner).waitFor()
  })

  test('says once why somebody has to log in again, and no more in a page that is opened later', async () => {
    await enter()
    await menuOf(owner).waitFor()
    const later = await page.context().newPage()
    await stage.app.get(UserAdministration).endSessions(owner)
    await page.goto(`${MAIN}/`)
    await page.getByText('Your session was ended from elsewhere').waitFor()
    await later.goto(`${MAIN}/`)
    await later.getByLabel('E-mail').waitFor()
    expect(await later.locator('.mainstay-news').textContent()).toBe('')
    await expectGoodPage(page, 'react-login-again')
    await enter()
    await menuOf(owner).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByLabel('E-mail').waitFor()
    expect(await page.locator('.mainstay-news').textContent()).toBe('')
    await later.getByText('You have logged out in another tab.').waitFor()
  })

  test('takes a passkey as the second step', async () => {
    const authenticator = await givePasskey(owner)
    const { device, authenticatorId } = await addAuthenticator(page, { isTouched: true })
    const sign = (isBogusSignature: boolean) =>
      device.send('WebAuthn.setResponseOverrideBits', { authenticatorId, isBogusSignature })
    const credential = authenticator.forVirtualDevice(new URL(MAIN).host)
    await device.send('WebAuthn.addCredential', { authenticatorId, credential })
    await enter()
    await page.getByRole('button', { name: 'Use a passkey' }).waitFor()
    await page.waitForFunction("document.activeElement.textContent === 'Use a passkey'")
    await expectGoodPage(page, 'react-second-step-passkey')
    await sign(true)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('This passkey does not work here.').waitFor()
    await sign(false)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await page.getByText('You may pay.').waitFor()
  })

  test('opens a menu that can be gone through by its keys', async () => {
    await enter()
    await menuOf(owner).press('Enter')
    const focused = () => page.evaluate('document.activeElement.textContent')
    const first = await focused()
    await page.keyboard.press('End')
    expect(await focused()).toBe('Log out')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).toBe(first)
    await page.keyboard.press('ArrowUp')
    expect(await focused()).toBe('Log out')
    await page.keyboard.press('Home')
    expect(await focused()).toBe(first)
    await page.keyboard.press('Escape')
    expect(await page.evaluate('document.activeElement.ariaExpanded')).toBe('false')
  })

  describe('for somebody with a second factor', () => {
    let authenticator: Authenticator
    beforeEach(async () => {
      authenticator = await giveAuthenticator(stage.app, owner)
    })

    test('asks for a code of the app, with the focus in its field', async () => {
      await enter()
      const field = page.getByLabel('Code from your authenticator app')
      await field.waitFor()
      expect(await page.evaluate('document.activeElement.name')).toBe('code')
      await expectGoodPage(page, 'react-second-step')
      await goOnWith('Code from your authenticator app', authenticator.wrongCode())
      await page.getByText('This code is wrong, or has been used already.').waitFor()
      await goOnWith('Code from your authenticator app', authenticator.code())
      await page.getByText('You may pay.').waitFor()
    })

    test('takes a recovery code instead', async () => {
      const [code = ''] = await giveRecoveryCodes(stage.app, owner)
      await enter()
      await page.getByRole('button', { name: 'Use a recovery code' }).click()
      await goOnWith('Recovery code', code)
      await page.getByText('You may pay.').waitFor()
    })

    test('begins again after five wrong codes, and when they turn back', async () => {
      await enter()
      await page.getByRole('button', { name: 'Start again' }).click()
      expect(await page.getByLabel('E-mail').inputValue()).toBe(owner.email)
      await page.waitForFunction("document.activeElement.name === 'password'")
      await enter()
      for (let guess = 0; guess < 5; guess++) {
        await goOnWith('Code from your authenticator app', authenticator.wrongCode())
        await page.getByText('This code is wrong, or has been used already.').waitFor()
      }
      await goOnWith('Code from your authenticator app', authenticator.code())
      await page.getByText('This took too long. Please log in again.').waitFor()
      expect(await page.getByLabel('E-mail').inputValue()).toBe(owner.email)
      await page.waitForFunction("document.activeElement.name === 'password'")
    })
  })
})
