import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type User, Users } from '../sources.js'
import { eventually } from '../support/eventually.js'
import { anEmail, anOwner, PASSWORD } from '../support/people.js'
import { startBuiltPages } from './stage/built-pages.js'
import { expectGoodPage } from './stage/good-page.js'
import { MAIN } from './stage/hosts.js'
import { logInOn, visit } from './stage/site-page.js'
import { aStage, Stage } from './stage/stage.js'

const NARROW = { width: 320, height: 740 }
/** All pages are built and compressed; seconds, unless other tests want the processor, too. */
const START_AND_BUILD_MS = 240_000

const stage = aStage(startBuiltPages)
let owner: User
let english: Record<string, string>
let page: Page
beforeAll(async () => {
  owner = await anOwner(stage.app)
  english = await readMessages('en')
})
beforeEach(async () => {
  page = await stage.newTab({ locale: 'de-AT' })
})

async function readMessages(language: string): Promise<Record<string, string>> {
  return JSON.parse(await readFile(`web/messages/${language}.json`, 'utf8'))
}

async function logIn(): Promise<void> {
  await page.getByLabel('E-Mail').fill(owner.email)
  await page.getByLabel('Passwort').fill(PASSWORD)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
}

describe('the language', () => {
  test('can be chosen, keeps what was typed, and stays', async () => {
    await visit(page, `${MAIN}/login`)
    await page.getByLabel('E-Mail').fill('rosa@example.com')
    await page.getByLabel('Sprache').focus()
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    expect(await page.evaluate('document.activeElement.localName')).toBe('select')
    expect(await page.evaluate('document.documentElement.lang')).toBe('en')
    expect(await page.title()).toMatch(/^Log in/)
    expect(await page.getByLabel('E-mail').inputValue()).toBe('rosa@example.com')
    await page.reload()
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
  })

  test('is English where there is none of the browser’s', async () => {
    page = await stage.newTab({ locale: 'fr-FR' })
    await visit(page, `${MAIN}/login`)
    await page.getByRole('heading', { name: 'Log in' }).waitFor()
    expect(await page.evaluate('document.documentElement.lang')).toBe('en')
  })

  test('is chosen in the account menu, too, also for what the service has found wrong with a field', async () => {
    await visit(page, `${MAIN}/account/satellites`)
    await logIn()
    await page.getByLabel('Adresse', { exact: true }).fill('https://192.0.2.7')
    await page.getByLabel('Name', { exact: true }).fill('Laden')
    await page.getByRole('button', { name: 'Satelliten hinzufügen' }).click()
    await page.getByText('Eine IP-Adresse kann kein Satellit sein; nötig ist ein Name.').waitFor()
    await page.getByRole('button', { name: 'Kontomenü' }).click()
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByText('An IP address cannot be a satellite; it needs a name.').waitFor()
    await page.getByRole('link', { name: 'Billing' }).waitFor()
  })

  test('of mails is that of the page: at the sign-up, and as it is chosen later', async () => {
    const email = anEmail()
    await visit(page, `${MAIN}/signup`)
    await page.getByLabel('E-Mail').fill(email)
    await page.getByLabel('Passwort', { exact: true }).fill('password1')
    await page.getByRole('button', { name: 'Registrieren' }).click()
    await page.getByText('Dieses Passwort ist zu leicht zu erraten.').first().waitFor()
    await page.getByText('Das ist eines der häufigsten Passwörter: Wer rät, versucht es zuerst.').waitFor()
    await page.getByLabel('Passwort', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Registrieren' }).click()
    await page.getByText(email).waitFor()
    expect((await stage.app.mailsTo(email)).map(({ subject }) => subject)).toEqual([
      'Bestätigen Sie Ihre E-Mail-Adresse für Mainstay',
    ])

    // The browser reads German; the page does not.
    const user = await anOwner(stage.app)
    const languageOf = async () => (await stage.app.get(Users).find(user.id))?.language
    await visit(page, `${MAIN}/login`)
    await page.getByLabel('Sprache').selectOption('en')
    await logInOn(page, user)
    expect(await languageOf()).toBe('en')
    await page.getByRole('button', { name: 'Account menu' }).click()
    await page.getByLabel('Language').selectOption('de')
    await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
    await eventually(async () => (await languageOf()) === 'de')
  })

  test('loads its own messages alone', async () => {
    const asked: string[] = []
    page.on('request', request => asked.push(new URL(request.url()).pathname))
    await visit(page, `${MAIN}/login`)
    expect(asked.filter(path => /\/de-[\w-]+\.js$/.test(path))).toHaveLength(1)
    expect(asked.filter(path => /\/en-[\w-]+\.js$/.test(path))).toEqual([])
  })
})

describe('one more message file', () => {
  let folder: string
  beforeAll(async () => {
    await stage.stop()
    folder = await mkdtemp(join(tmpdir(), 'mainstay-messages-'))
    await cp('web/messages', `${folder}/messages`, { recursive: true })
    const hebrew = Object.entries(english).map(([key, text]) => [key, key === 'login.title' ? 'כניסה' : text])
    await writeFile(`${folder}/messages/he.json`, JSON.stringify(Object.fromEntries(hebrew)))
    const args = ['web/build.mjs', '--messages', `${folder}/messages/`, '--out', `${folder}/dist/`]
    await promisify(execFile)(process.execPath, args)
    const start = () =>
      Stage.start(certificate => startBuiltPages(certificate, relative('.', `${folder}/dist`)))
    Object.assign(stage, await start())
  }, START_AND_BUILD_MS)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('is one more language, from right to left where it is written so', async () => {
    page = await stage.newTab({ locale: 'he-IL', viewport: NARROW })
    await visit(page, `${MAIN}/login`)
    await page.getByRole('heading', { name: 'כניסה' }).waitFor()
    expect(await page.evaluate('document.documentElement.dir')).toBe('rtl')
    expect(await page.getByRole('option').allTextContents()).toContain('עברית')
    await expectGoodPage(page, 'hebrew-login')
  })
})
