import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { Satellites, satelliteProofs, satellites, type User } from '../sources.js'
import { DnsServer } from '../support/dns-server.js'
import { eventually } from '../support/eventually.js'
import { aMember, anOwner } from '../support/people.js'
import { aSatellite } from '../support/satellites.js'
import { startBuiltPages } from './stage/built-pages.js'
import { expectGoodPage } from './stage/good-page.js'
import { CUSTOMER, MAIN } from './stage/hosts.js'
import { handsOn, logInOn, untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'

const RECORD = '_mainstay-challenge.customer.test'

let dns: DnsServer
beforeAll(async () => {
  dns = await DnsServer.start()
})
const stage = aStage(startBuiltPages, () => ({ DNS_SERVERS: dns.address }))
afterAll(() => dns?.stop())

let page: Page
beforeEach(async () => {
  page = await stage.newTab({ permissions: ['clipboard-read', 'clipboard-write'] })
})

const { press, seeing } = handsOn(() => page)

async function addSatellite(address: string, name: string): Promise<void> {
  await page.getByLabel('Address', { exact: true }).fill(address)
  await page.getByLabel('Name', { exact: true }).fill(name)
  await press('Add satellite')
}

/** A new owner, logged in on the main site, who has proven a satellite at `origin`. */
async function anOwnerWith(origin: string, name: string): Promise<User> {
  const owner = await anOwner(stage.app)
  await visit(page, `${MAIN}/`)
  await logInOn(page, owner)
  await page.getByRole('link', { name: 'Satellites', exact: true }).click()
  await addSatellite(origin, name)
  await seeing(`${name} has been added.`)
  await publish(`_mainstay-challenge.${new URL(origin).host}`)
  await press('Check now')
  await seeing('The satellite is active now.')
  return owner
}

/** What the page says to publish there, as its owner would copy it. */
async function publish(record: string): Promise<void> {
  await page.getByRole('button', { name: 'Copy the value of the record' }).click()
  await seeing('Copied')
  const value = (await page.evaluate('navigator.clipboard.readText()')) as string
  dns.zones.set(record, { txt: [value] })
}

test('adds a satellite, proves it, and does with it what can be done', async () => {
  const owner = await anOwner(stage.app)
  await visit(page, `${MAIN}/`)
  await logInOn(page, owner)
  await page.getByRole('link', { name: 'Satellites', exact: true }).click()
  await seeing('No satellite has been added yet. Add the first one below.')

  // What cannot be one is said beside the field.
  await addSatellite('shop.main.test', 'Customer')
  await seeing('main.test belongs to this service, with everything under it.')
  await expectGoodPage(page, 'main-satellites-refused')
  await addSatellite('Customer.test/', 'Customer')
  await page.getByRole('heading', { name: 'Customer', exact: true }).waitFor()
  await seeing('Customer has been added.')
  await expectGoodPage(page, 'main-satellite-added')

  await press('Check now')
  await seeing('there is no such name.')
  await seeing('the host has no public address.')
  await seeing(/Next check in \d+ s/)
  await expectGoodPage(page, 'main-satellite-not-found')
  dns.zones.set(RECORD, { txt: ['v=spf1 -all'] })
  await press('Check now')
  await seeing('found "v=spf1 -all", not the token.')
  await publish(RECORD)
  await press('Check now')
  await seeing('The proof was found. The satellite is active now.')
  await seeing(/src="https:.*mainstay-login.js"/)
  await expectGoodPage(page, 'main-satellite-active')
  await stage.app.get(Satellites).refresh()

  const there = await stage.openTab(page.context())
  await visit(there, `${CUSTOMER}/`)
  await logInOn(there, owner)

  await visit(there, `${MAIN}/subscribe?return=${CUSTOMER}/plans`)
  await there.getByRole('link', { name: 'Back to Customer (customer.test)' }).waitFor()
  const { origin } = await aSatellite(stage.app, await anOwner(stage.app), 'https://of-another-account.test')
  await visit(there, `${MAIN}/subscribe?return=${origin}/`)
  await there.getByText('The address you came from is not one of our sites').waitFor()
  await there.close()

  await press('Suspend')
  await press('Suspend this satellite')
  await seeing('Its pages are refused, and nobody can log in there.')
  await expectGoodPage(page, 'main-satellite-suspended')
  await press('Check and resume')
  await seeing('The satellite is active again.')

  await press('Remove')
  await expectGoodPage(page, 'main-satellite-remove')
  await press('Remove this satellite')
  await seeing('Customer is no longer a satellite.')
  await seeing('No satellite has been added yet. Add the first one below.')
  await page.getByRole('link', { name: 'Audit log' }).click()
  for (const did of ['added', 'verified', 'suspended', 'removed'])
    await seeing(`${owner.email} ${did} the satellite customer.test`)
})

test('changes how a satellite works and looks, and sees what it will look like', async () => {
  await anOwnerWith('https://branded.test', 'Branded')
  await page.getByLabel('Name', { exact: true }).fill('Rose Garden')
  await page.getByLabel('Data entry').uncheck()
  await page.getByLabel('Through this site only').check()
  await page.getByLabel('On the satellite too').check()
  await page.getByLabel('How long they stay logged in').selectOption('7 days')
  await press('Save settings')
  await page.locator('.toast').getByText('Settings saved.').waitFor()
  await page.getByRole('heading', { name: 'Rose Garden' }).waitFor()

  const there = await stage.openTab(page.context())
  await visit(there, `${CUSTOMER}/`)
  const icon = await there.locator('link[rel=icon]').getAttribute('href')
  await there.close()
  await page.getByLabel('Display name').fill('The Rose Garden')
  await page.getByLabel('Button colour').fill('#8a1538')
  await page.getByLabel('Background').fill('#fff4f6')
  await page.getByLabel('Logo address').fill(`${CUSTOMER}/no-logo.png`)
  await page.getByLabel('Button colour').focus()
  await seeing('No picture can be loaded from the logo address.')
  await page.getByLabel('Logo address').fill(new URL(icon ?? '', CUSTOMER).href)
  await page.getByLabel('Button colour').focus()
  await seeing('Continue to The Rose Garden')
  await eventually(() => page.evaluate('document.querySelector(".branded img")?.naturalWidth > 0'), {
    what: 'the logo to be shown',
  })
  await press('Save branding')
  await page.locator('.toast').getByText('Branding saved.').waitFor()
  await expectGoodPage(page, 'main-satellite-branded')

  await page.reload()
  await untilShown(page)
  expect(await page.getByLabel('Data entry').isChecked()).toBe(false)
  expect(await page.getByLabel('Through this site only').isChecked()).toBe(true)
  expect(await page.getByLabel('How long they stay logged in').inputValue()).toBe(String(7 * 24 * 3600))
  expect(await page.getByLabel('Button colour').inputValue()).toBe('#8a1538')
  await press('Remove branding')
  await seeing('Branding removed.')
  // The button is gone, the place in the page is not.
  await page.locator('h1:focus').waitFor()

  await page.getByLabel('Logo address').fill('http://plain.test/logo.png')
  await press('Save branding')
  await seeing('Enter the address of a picture, such as')
})

test('says since when a proof is missing, when the satellite will be suspended, and what an operator did', async () => {
  await anOwnerWith('https://forgetful.test', 'Forgetful')
  const database = stage.app.database
  await database.run(db => db.update(satelliteProofs).set({ method: 'operator' }))
  await page.reload()
  await seeing('We vouch for this satellite ourselves, so there is nothing to publish.')
  const suspended = { state: 'suspended', suspendedBy: 'operator' } as const
  await database.run(db => db.update(satellites).set(suspended))
  await page.reload()
  await seeing('We have suspended it ourselves: please ask our support.')
  for (const name of ['Check and resume', 'Remove', 'Suspend'])
    expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)

  const failing = { method: 'dns', failingSince: new Date('2026-03-01T12:00:00Z') } as const
  await database.run(db => db.update(satellites).set({ state: 'active', suspendedBy: null }))
  await database.run(db => db.update(satelliteProofs).set(failing))
  await page.reload()
  await seeing('Proof missing')
  await seeing('Its proof has not been found since March 1, 2026. It will be suspended on March 8, 2026.')
  await page.getByRole('link', { name: 'Back to the satellites' }).click()
  await seeing('It will be suspended on March 8, 2026.')
  await expectGoodPage(page, 'main-satellites-failing')
})

test('gives a member access to satellites of the account, with previews, and keeps what is suspended', async () => {
  const owner = await anOwnerWith('https://garden.test', 'Garden')
  const member = await aMember(stage.app, owner)
  await page.getByRole('link', { name: 'Satellites', exact: true }).click()
  await addSatellite('*.preview.garden.test', 'Garden previews')
  await seeing('Previews have many hosts, so for them only the record counts.')
  await expectGoodPage(page, 'main-satellite-preview')

  await visit(page, `${MAIN}/account/team/${member.id}`)
  await seeing('Previews are not among them (Garden previews).')
  await page.getByLabel('Everywhere: this site and all satellites, including new ones').uncheck()
  await page.getByLabel('Garden garden.test', { exact: true }).check()
  await page.getByLabel('Garden previews').check()
  await expectGoodPage(page, 'main-team-member-satellites')
  await press('Save sites')
  await seeing('Sites saved.')

  await page.getByRole('link', { name: 'Satellites', exact: true }).click()
  await page.getByRole('link', { name: 'Garden', exact: true }).click()
  await press('Suspend')
  await press('Suspend this satellite')
  await seeing('nobody can log in there')
  await visit(page, `${MAIN}/account/team/${member.id}`)
  expect(await page.getByLabel('Garden Suspended garden.test').isChecked()).toBe(true)
  expect(await page.getByLabel('Garden previews').isChecked()).toBe(true)
  expect(await page.getByLabel('shop-one.test').isChecked()).toBe(false)
  await page.getByLabel('Garden previews').uncheck()
  await press('Save sites')
  await seeing('Sites saved.')
})

test('fits on small screens with the longest names, and is as good with a list', async () => {
  const name = 'A department store of the old kind, with everything that anybody could ever want'
  await anOwnerWith(
    `https://${'long-label-'.repeat(5)}of.${'another-label-'.repeat(4)}of.example-of-a-shop.test`,
    name,
  )
  await expectGoodPage(page, 'main-satellite-long')
  await page.getByRole('link', { name: 'Back to the satellites' }).click()
  await addSatellite('https://shop.waiting.test', 'Waiting')
  await seeing('Waiting has been added.')
  await page.getByRole('link', { name: 'Back to the satellites' }).click()
  await seeing('Waiting for its proof')
  await page.getByLabel('The owner through this site only').check()
  await press('Save')
  await seeing('Saved.')
  await expectGoodPage(page, 'main-satellites')
})

test('looks up a missing proof three times more by itself, and stops when there were too many', async () => {
  await page.clock.install()
  await visit(page, `${MAIN}/`)
  await logInOn(page, await anOwner(stage.app))
  await page.getByRole('link', { name: 'Satellites', exact: true }).click()
  await addSatellite('https://patient.test', 'Patient')
  await seeing('Patient has been added.')
  const looks = () => stage.received.to().filter(({ path }) => path.endsWith('/verify')).length
  const before = looks()
  const untilLooked = (count: number) => eventually(() => looks() === before + count)

  await press('Check now')
  for (const seconds of [30, 120, 300]) {
    await seeing(new RegExp(`Next check in (${seconds}|${seconds - 1}) s`))
    await page.clock.fastForward(1_000 * seconds)
  }
  await untilLooked(4)
  await seeing('A new record can take minutes to spread')
  expect(await page.getByText('Next check in').count()).toBe(0)
  for (let count = 5; count <= 11; count++) {
    await press('Check now')
    await untilLooked(count)
    await page.locator('button[aria-busy=true]').waitFor({ state: 'detached' })
  }
  await seeing(/There were too many checks in the last hour\. Please try again in \d+ minutes\./)
  await page.clock.fastForward(600_000)
  expect(looks()).toBe(before + 11)
})
