import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { type User } from '../sources.js'
import { anOwner, PASSWORD } from '../support/people.js'
import { startBuiltPages } from './stage/built-pages.js'
import { MAIN } from './stage/hosts.js'
import { openTab, visit } from './stage/site-page.js'
import { START_MS, Stage } from './stage/stage.js'
import { subscribed } from './stage/subscribed.js'

let stage: Stage
let owner: User
let page: Page
let complaints: string[]
beforeAll(async () => {
  stage = await Stage.start(startBuiltPages)
  owner = await anOwner(stage.app)
}, START_MS)
afterAll(() => stage?.stop())
beforeEach(async () => {
  ;({ page, complaints } = await openTab(await stage.newPerson({ locale: 'de-AT' })))
})
afterEach(async () => {
  expect(complaints).toEqual([])
  await page.context().close()
})

async function logIn(password = PASSWORD): Promise<void> {
  await page.getByLabel('E-Mail').fill(owner.email)
  await page.getByLabel('Passwort').fill(password)
  await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
}

test('somebody who reads German is led by German words, from the login to the logout', async () => {
  await subscribed(stage.app, owner)
  await visit(page, `${MAIN}/account`)
  await logIn('not the password')
  await page.getByText('Die E-Mail-Adresse oder das Passwort ist falsch.').waitFor()
  await logIn()
  await page.getByRole('heading', { name: 'Übersicht' }).waitFor()
  for (const link of [
    'Team',
    'Abrechnung',
    'Satelliten',
    'Protokoll',
    'Einstellungen',
    'Profil',
    'Sicherheit',
  ]) {
    await page.locator('nav').getByRole('link', { name: link, exact: true }).click()
    await page.getByRole('heading', { level: 1, name: link }).waitFor()
    if (link === 'Abrechnung') await page.getByText('Monatlich').first().waitFor()
  }
  await page.locator('nav').getByRole('link', { name: 'Sitzungen', exact: true }).click()
  await page
    .getByText(/^\S+ auf \S+$/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Kontomenü' }).click()
  await page.getByRole('button', { name: 'Abmelden', exact: true }).click()
  await page.getByText('Sie wurden abgemeldet.').waitFor()
})

test('what the service finds wrong with fields is told in German, and in English once that is chosen', async () => {
  await visit(page, `${MAIN}/account/satellites`)
  await logIn()
  const fill = async (address: string, name: string) => {
    await page.getByLabel('Adresse', { exact: true }).fill(address)
    await page.getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('button', { name: 'Satelliten hinzufügen' }).click()
  }
  await fill('https://github.io', 'Laden')
  await page.getByText('github.io teilen sich alle, die einen Namen darunter haben.').waitFor()
  await fill('https://192.0.2.7', 'Laden')
  await page.getByText('Eine IP-Adresse kann kein Satellit sein; nötig ist ein Name.').waitFor()
  await page.getByRole('button', { name: 'Kontomenü' }).click()
  await page.getByLabel('Sprache').selectOption('en')
  await page.getByText('An IP address cannot be a satellite; it needs a name.').waitFor()
})
