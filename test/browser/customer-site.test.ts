import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { outcome } from '../http/support/api-calls.js'
import { Satellites } from '../sources.js'
import { DnsServer } from '../support/dns-server.js'
import { eventually } from '../support/eventually.js'
import { request } from '../support/http-request.js'
import { aMember, anOwner, PASSWORD } from '../support/people.js'
import { TestApp } from '../support/test-app.js'
import { startBuiltPages } from './stage/built-pages.js'
import { API, CUSTOMER, MAIN, SHOP_ONE } from './stage/hosts.js'
import { openPlainDoor } from './stage/plain-door.js'
import { logInOn, logOutOn, untilLoggedIn, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'

let dns: DnsServer
beforeAll(async () => {
  dns = await DnsServer.start()
})
const stage = aStage(startBuiltPages, () => ({ DNS_SERVERS: dns.address }))
let replica: TestApp
let door: Awaited<ReturnType<typeof openPlainDoor>>
beforeAll(async () => {
  door = await openPlainDoor(stage.app.app.getHttpServer())
  replica = await TestApp.start({
    ...stage.app.stores,
    PUBLIC_URL: API,
    MAIN_ORIGIN: MAIN,
    ALLOWED_ORIGINS: SHOP_ONE,
    COOKIE_DOMAIN: new URL(MAIN).hostname,
    LOG_LEVEL: 'silent',
  })
})
afterAll(async () => {
  door?.close()
  await replica?.stop()
  await dns?.stop()
})

async function aPage(): Promise<Page> {
  const person = await stage.newPerson({ permissions: ['clipboard-read', 'clipboard-write'] })
  return person.newPage()
}

function press(page: Page, name: string | RegExp): Promise<void> {
  return page.getByRole('button', { name, exact: true }).click()
}

/** Adds the customer's site and proves it by the record that the page gives out. */
async function addCustomer(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Satellites', exact: true }).click()
  await page.getByLabel('Address', { exact: true }).fill(CUSTOMER)
  await page.getByLabel('Name', { exact: true }).fill('Customer')
  await press(page, 'Add satellite')
  await press(page, 'Copy the value of the record')
  await page.getByText('Copied').waitFor()
  const value = (await page.evaluate('navigator.clipboard.readText()')) as string
  dns.zones.set('_mainstay-challenge.customer.test', { txt: [value] })
  await press(page, 'Check now')
  await page.getByText('The satellite is active now.').waitFor()
}

async function refreshOn(url: string, sessionId: string, origin?: string): Promise<string> {
  const headers = { 'X-Session-ID': sessionId, ...(origin && { Origin: origin }) }
  return outcome(await request(url, { method: 'POST', path: '/api/refresh', headers }))
}

test('in the same tab, the next user does not see what the last one has entered', async () => {
  const owner = await anOwner(stage.app)
  const [one, next] = [await aMember(stage.app, owner), await aMember(stage.app, owner)]
  const page = await aPage()
  await visit(page, `${SHOP_ONE}/`)
  await logInOn(page, one)
  await page.getByRole('link', { name: 'Data', exact: true }).click()
  await page.getByLabel('What').fill('Secret roses')
  await page.getByLabel('Amount').fill('3')
  await press(page, 'Add the entry')
  await page.getByRole('cell', { name: 'Secret roses' }).waitFor()
  await logOutOn(page)
  await logInOn(page, next)
  await page.getByRole('link', { name: 'Data', exact: true }).click()
  await page.getByText('There are no entries yet.').waitFor()
}, 60_000)

test("a customer's site, from its first record to its suspension, on two replicas", async () => {
  const owner = await anOwner(stage.app)
  const member = await aMember(stage.app, owner)
  const stranger = await aMember(stage.app, await anOwner(stage.app))
  const ofOwner = await aPage()
  await visit(ofOwner, `${MAIN}/`)
  await logInOn(ofOwner, owner)
  await addCustomer(ofOwner)
  for (const { app } of [stage.app, replica]) await eventually(() => app.get(Satellites).has(CUSTOMER))
  const replicas = [door.url, replica.url]

  // Logs in by hand-off.
  const shop = await aPage()
  await visit(shop, `${CUSTOMER}/`)
  await press(shop, 'Log in with Mainstay')
  await shop.getByText('Afterwards you can go on to customer.test').waitFor()
  await shop.getByLabel('E-mail').fill(member.email)
  await shop.getByLabel('Password').fill(PASSWORD)
  await press(shop, 'Log in')
  await press(shop, `Continue to Customer as ${member.email}`)
  await untilLoggedIn(shop)
  expect(new URL(shop.url()).origin).toBe(CUSTOMER)
  await shop.reload()
  await untilLoggedIn(shop)
  const stored = (await shop.evaluate('JSON.stringify({ ...localStorage })')) as string
  const sessionId = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stored)?.[0] as string
  for (const url of replicas) expect(await refreshOn(url, sessionId, CUSTOMER)).toBe('200')

  // Somebody of another account is as wrong there as a wrong password.
  const ofStranger = await aPage()
  await visit(ofStranger, `${CUSTOMER}/`)
  const refused = ofStranger.waitForResponse(`${API}/api/login`)
  await ofStranger.getByLabel('E-mail').fill(stranger.email)
  await ofStranger.getByLabel('Password').fill(PASSWORD)
  await press(ofStranger, 'Log in')
  expect(await (await refused).json()).toMatchObject({ status: 401, code: 'INVALID_CREDENTIALS' })

  // A suspension reaches both by itself; nobody else notices.
  const elsewhere = await aPage()
  await visit(elsewhere, `${SHOP_ONE}/`)
  await logInOn(elsewhere, member)
  await press(ofOwner, 'Suspend')
  await press(ofOwner, 'Suspend this satellite')
  await ofOwner.getByText('nobody can log in there').first().waitFor()
  for (const url of replicas) {
    await eventually(async () => (await refreshOn(url, sessionId, CUSTOMER)) === '403 ORIGIN_NOT_ALLOWED')
    expect(await refreshOn(url, sessionId)).toBe('401 SESSION_NOT_FOUND')
  }
  await elsewhere.reload()
  await untilLoggedIn(elsewhere)
}, 60_000)
