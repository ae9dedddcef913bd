import { readFile } from 'node:fs/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { ERROR_CODES, FIELD_FAULTS, PAGE_PATHS, type User } from '../sources.js'
import { aMember, anOwner, PASSWORD } from '../support/people.js'
import { aSatellite } from '../support/satellites.js'
import { brokenWords } from './stage/broken-words.js'
import { startBuiltPages } from './stage/built-pages.js'
import { englishIn, type Messages } from './stage/english-left.js'
import { expectGoodPage } from './stage/good-page.js'
import { MAIN, SHOP_ONE } from './stage/hosts.js'
import { bearWithLinks } from './stage/previewed-link.js'
import { keepScreenshot } from './stage/screenshot.js'
import { openTab, untilAnswered, untilShown, visit } from './stage/site-page.js'
import { START_MS, Stage } from './stage/stage.js'
import { subscribed } from './stage/subscribed.js'

const titles = Object.fromEntries(Object.entries(ERROR_CODES).map(([code, { title }]) => [code, title]))
const PHONE = { width: 390, height: 844 }
const NARROW = { width: 320, height: 740 }

let stage: Stage
let owner: User
let english: Messages
let german: Messages
let page: Page
let complaints: string[]
beforeAll(async () => {
  stage = await Stage.start(startBuiltPages)
  owner = await anOwner(stage.app)
  english = await readMessages('en')
  german = await readMessages('de')
}, START_MS)
afterAll(() => stage?.stop())
beforeEach(async () => {
  ;({ page, complaints } = await openTab(await stage.newPerson({ locale: 'de-AT' })))
})
afterEach(async () => {
  expect(complaints).toEqual([])
  await page.context().close()
})

async function readMessages(language: string): Promise<Messages> {
  return JSON.parse(await readFile(`web/messages/${language}.json`, 'utf8'))
}

/** Nothing of the English messages, of what the service says in English, or of any other English sentence. */
async function expectNoEnglish(): Promise<void> {
  const ofTheService = Object.entries({ ...FIELD_FAULTS, ...titles })
  const all = { ...english, ...Object.fromEntries(ofTheService.filter(([, text]) => text !== null)) }
  expect(await englishIn(page, all as Messages, german)).toEqual([])
  const words = /\b(the|you|your|and|with|this|from|please)\b/i
  const lines = (await page.locator('body').innerText()).split('\n')
  expect(lines.filter(line => words.test(line) && line !== 'English')).toEqual([])
}

/** A good page in German on every screen, on a phone too, without a word of English. */
async function expectGerman(name: string): Promise<void> {
  await untilShown(page)
  expect(await page.evaluate('document.documentElement.lang')).toBe('de')
  await expectNoEnglish()
  await page.setViewportSize(PHONE)
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await brokenWords(page)).toEqual([])
  await expectGoodPage(page, `german-${name}`)
}

async function logIn(password = PASSWORD): Promise<void> {
  await page.getByLabel('E-Mail').fill(owner.email)
  await page.getByLabel('Passwort').fill(password)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
}

describe('somebody who reads German', () => {
  test('logs in, looks around and logs out', async () => {
    await visit(page, `${MAIN}/account`)
    await expectGerman('login')
    await logIn('not the password')
    await page.getByText('Die E-Mail-Adresse oder das Passwort ist falsch.').waitFor()
    await expectGerman('login-refused')
    await logIn()
    await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
    await expectGerman('overview')
    for (const [link, name] of [
      ['Team', 'team'],
      ['Abrechnung', 'billing'],
      ['Satelliten', 'satellites'],
      ['Protokoll', 'audit'],
      ['Einstellungen', 'settings'],
      ['Profil', 'profile'],
      ['Sicherheit', 'security'],
      ['Sitzungen', 'sessions'],
    ] as const) {
      await page.locator('nav').getByRole('link', { name: link, exact: true }).click()
      await page.getByRole('heading', { level: 1, name: link }).waitFor()
      await expectGerman(name)
    }
    await page
      .getByText(/^\S+ auf \S+$/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Kontomenü' }).click()
    await page.getByRole('button', { name: 'Abmelden', exact: true }).click()
    await page.getByText('Sie wurden abgemeldet.').waitFor()
  })

  test('logs in on a satellite and looks around', async () => {
    await visit(page, `${SHOP_ONE}/`)
    await page.getByRole('button', { name: 'Mit main.test anmelden' }).waitFor()
    await expectGerman('satellite-login')
    await logIn()
    await page.getByRole('button', { name: 'Kontomenü' }).waitFor()
    await expectGerman('satellite')
    for (const path of ['data', 'reports', 'security']) {
      await visit(page, `${SHOP_ONE}/${path}`)
      await expectGerman(`satellite-${path}`)
    }
  })
})

describe('every page in German', () => {
  /** Before a link of a mail is used, and after it turned out to be wrong. */
  const PUBLIC = PAGE_PATHS.main.filter(path => path !== '/' && !path.startsWith('/account'))
  test.each(PUBLIC)('%s', async path => {
    await bearWithLinks(page, {
      accountName: 'Rosen & Söhne',
      invitedBy: 'anna@example.com',
      satellites: [SHOP_ONE],
    })
    await visit(page, `${MAIN}${path}#token=${'a'.repeat(43)}`)
    await expectNoEnglish()
    await page.setViewportSize(NARROW)
    expect(await brokenWords(page)).toEqual([])
    await keepScreenshot(page, `german${path.replaceAll('/', '-')}-asks`)
    const button = page.locator('main form button[type=submit]').last()
    if (await button.isVisible()) {
      await button.click()
      await untilAnswered(page)
      await expectNoEnglish()
    }
    expect(await brokenWords(page)).toEqual([])
    await keepScreenshot(page, `german${path.replaceAll('/', '-')}`)
  })

  test('of an account with a team, a plan and a satellite', async () => {
    const member = await aMember(stage.app, owner)
    await subscribed(stage.app, owner)
    const satellite = await aSatellite(stage.app, owner, 'https://customer.test')
    await visit(page, `${MAIN}/account`)
    await logIn()
    await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
    for (const path of [
      ...['', '/team', `/team/${member.id}`, '/billing', '/satellites', `/satellites/${satellite.id}`],
      ...['/audit', '/settings', '/profile', '/security', '/sessions', '/logins', '/nowhere'],
    ]) {
      await visit(page, `${MAIN}/account${path}`)
      await expectNoEnglish()
      await keepScreenshot(
        page,
        `german-account${path.replaceAll('/', '-').replace(/[0-9a-f-]{36}/, '-one')}`,
      )
    }
    await visit(page, `${MAIN}/account/billing`)
    await page.getByText('Monatlich').first().waitFor()
  })

  test('with what the service finds wrong with fields', async () => {
    await visit(page, `${MAIN}/account/satellites`)
    await logIn()
    const fill = async (address: string, name: string) => {
      await page.getByLabel('Adresse', { exact: true }).fill(address)
      await page.getByLabel('Name', { exact: true }).fill(name)
      await page.getByRole('button', { name: 'Satelliten hinzufügen' }).click()
    }
    await fill('https://github.io', 'Laden')
    const proof = page.getByRole('dialog').getByLabel('Passwort')
    await proof.fill(PASSWORD)
    await page.getByRole('button', { name: 'Bestätigen' }).click()
    await page.getByText('github.io teilen sich alle, die einen Namen darunter haben.').waitFor()
    await expectNoEnglish()
    await fill('https://192.0.2.7', 'Laden')
    await page.getByText('Eine IP-Adresse kann kein Satellit sein; nötig ist ein Name.').waitFor()
    await page.getByRole('button', { name: 'Kontomenü' }).click()
    await page.getByLabel('Sprache').selectOption('en')
    await page.getByText('An IP address cannot be a satellite; it needs a name.').waitFor()
  })
})
