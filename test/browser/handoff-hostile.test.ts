import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { BrowserContext, Page } from 'playwright-core'
import {
  type Db,
  pageWith,
  RegisteredSatellites,
  type SatelliteChange,
  type SatelliteRow,
  Satellites,
  type User,
} from '../sources.js'
import { eventually } from '../support/eventually.js'
import { aMember, anOwner, PASSWORD } from '../support/people.js'
import { aSatellite, setSatelliteState } from '../support/satellites.js'
import { expectGoodPage } from './stage/good-page.js'
import { startHandoffPages } from './stage/handoff-pages.js'
import { API, CUSTOMER, EVIL, MAIN, SHOP_ONE, SHOP_TWO } from './stage/hosts.js'
import { LoadedDocuments } from './stage/loaded-documents.js'
import { ACCOUNT_MENU, handsOn, sendLogin, untilLoggedIn, untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'

const PENDING = 'https://pending.test'
/** What is no satellite; the unit tests have more that is no origin at all. */
const ELSEWHERE = [
  ...['', 'javascript:alert(1)', 'HTTPS://Shop-One.test', `${SHOP_ONE}.`, `${SHOP_ONE}:8443`],
  ...[EVIL, MAIN, PENDING],
]
const CHALLENGE = 'c'.repeat(43)
const STATE = 's'.repeat(43)

const stage = aStage(startHandoffPages)
let owner: User
let member: User
let person: BrowserContext
let documents: LoadedDocuments
let page: Page
beforeAll(async () => {
  owner = await anOwner(stage.app)
  const { accountId } = owner
  const pending = { accountId, origin: PENDING, name: 'Pending', kind: 'production' } as const
  const add = (transaction: Db) => stage.app.get(RegisteredSatellites).add(transaction, pending)
  await stage.app.database.transaction(add)
})
beforeEach(async () => {
  stage.received.forget()
  member = await aMember(stage.app, owner)
  person = await stage.newPerson()
  documents = await LoadedDocuments.of(person)
  page = await person.newPage()
})

function addressOf(satellite: string, more: Record<string, string> = {}): string {
  return `${MAIN}/handoff#${new URLSearchParams({ satellite, challenge: CHALLENGE, state: STATE, ...more })}`
}

const { press, seeing } = handsOn(() => page)
const logInHere = (user: Pick<User, 'email'> = member) => sendLogin(page, user)

async function logInOnMain(user = member): Promise<void> {
  await visit(page, `${MAIN}/`)
  await logInHere(user)
  await untilLoggedIn(page)
}

async function handOffTo(origin: string): Promise<void> {
  await visit(page, `${origin}/`)
  await press('Log in with Mainstay')
  await press(/^Continue to /)
  await untilLoggedIn(page)
}

/** What the service answers to a page; the session with it. */
function redeem(tab: Page, body: object): Promise<{ status: number; sessionId?: string } | string> {
  return tab.evaluate(`(async body => {
    const headers = { 'Content-Type': 'application/json' }
    const answer = await fetch('${API}/api/handoff/redeem', { method: 'POST', headers, body })
    return { status: answer.status, sessionId: (await answer.json()).sessionId }
  })(${JSON.stringify(JSON.stringify(body))}).catch(error => error.name)`)
}

describe('a code that somebody else has read', () => {
  /** The satellite's page does not come up, so the code is still in its address and good. */
  async function codeOnItsWay(): Promise<{ code: string; verifier: string }> {
    await visit(page, `${SHOP_ONE}/`)
    await press('Log in with Mainstay')
    await page.route(`${SHOP_ONE}/assets/*.js`, route => route.abort())
    await press(/^Continue to /)
    await page.waitForURL(/#.*code=/)
    const code = new URLSearchParams(new URL(page.url()).hash.slice(1)).get('code') as string
    const [asked] = (await page.evaluate('Object.values(sessionStorage)')) as [string]
    return { code, verifier: JSON.parse(asked).verifier }
  }

  function refresh(tab: Page, sessionId: string): Promise<number> {
    return tab.evaluate(`fetch('${API}/api/refresh', { method: 'POST', headers: { 'X-Session-ID': '${sessionId}' } })
      .then(answer => answer.status)`)
  }

  test('is worth nothing without the verifier, and from another origin with it', async () => {
    await logInOnMain()
    const { code, verifier } = await codeOnItsWay()
    const evil = await person.newPage()
    await evil.goto(`${EVIL}/`)
    expect(await redeem(evil, { code, verifier })).toBe('TypeError')
    const other = await person.newPage()
    await other.goto(`${SHOP_TWO}/`)
    expect(await redeem(other, { code, verifier })).toMatchObject({ status: 401 })
    expect(await redeem(page, { code, verifier: 'v'.repeat(43) })).toMatchObject({ status: 401 })
    expect(await redeem(page, { code })).toMatchObject({ status: 400 })
    // None of that has used it up.
    expect(await redeem(page, { code, verifier })).toMatchObject({ status: 200 })
  })

  test('ends the session that it has opened when it comes a second time', async () => {
    await logInOnMain()
    const { code, verifier } = await codeOnItsWay()
    const { sessionId } = (await redeem(page, { code, verifier })) as { sessionId: string }
    expect(await refresh(page, sessionId)).toBe(200)
    expect(await redeem(page, { code, verifier })).toMatchObject({ status: 401 })
    expect(await refresh(page, sessionId)).toBe(401)
  })
})

describe('a hostile page', () => {
  test('that begins a hand-off of its own for a satellite gets nothing, and nobody is logged in or out', async () => {
    await logInOnMain()
    await page.goto(`${EVIL}/`)
    documents.take(page)
    await page.evaluate(`location.assign('${addressOf(SHOP_ONE)}')`)
    await press(`Continue to shop-one.test as ${member.email}`)
    await seeing('This login was interrupted')
    expect(documents.take(page)).toEqual(['main.test/handoff', 'shop-one.test/handoff-callback'])
    expect(page.url()).toBe(`${SHOP_ONE}/handoff-callback`)

    // Nor does it get further by itself where the satellite is known.
    const other = await person.newPage()
    ;[page] = [other]
    await handOffTo(SHOP_ONE)
    await page.goto(`${EVIL}/`)
    documents.take(page)
    await page.evaluate(`location.assign('${addressOf(SHOP_ONE)}')`)
    await press(`Continue to shop-one.test as ${member.email}`)
    await seeing('This login was interrupted')
    expect(documents.take(page)).toEqual(['main.test/handoff', 'shop-one.test/handoff-callback'])
    await page.getByRole('link', { name: 'Go to the start page' }).click()
    await seeing(ACCOUNT_MENU)
  })

  test('that has the answer go to a page which redirects to it learns half of a code', async () => {
    await logInOnMain()
    await page.goto(`${EVIL}/`)
    const verifier = 'v'.repeat(43)
    const challenge = createHash('sha256').update(verifier).digest('base64url')
    const path = `/go?to=${encodeURIComponent(`${EVIL}/`)}`
    const asked = new URLSearchParams({ satellite: SHOP_TWO, challenge, state: STATE, path })
    await page.evaluate(`location.assign('${MAIN}/handoff#${asked}')`)
    await press(`Continue to shop-two.test as ${member.email}`)
    await page.waitForURL(`${EVIL}/**`)
    // The browser has taken the fragment along.
    const seen = new URL(page.url())
    expect(seen.search).toBe('')
    const code = new URLSearchParams(seen.hash.slice(1)).get('code')
    expect(code).toMatch(/^[\w-]{22}$/)
    // A program can say that it is the satellite's page; here that page itself says what the program would.
    await page.goto(`${SHOP_TWO}/`)
    expect(await redeem(page, { code, verifier })).toMatchObject({ status: 401 })
  })

  test('cannot put the page into a frame, and sees nothing there if a server has lost its headers', async () => {
    await logInOnMain()
    await page.goto(`${EVIL}/`)
    stage.received.forget()
    const framed = `new Promise(resolve => {
      const frame = Object.assign(document.createElement('iframe'), { src: '${addressOf(SHOP_ONE)}', onload: resolve })
      document.body.append(frame)
    }).then(() => null)`
    await page.evaluate(framed)
    // The page hears of it before we do.
    await eventually(() => page.frames()[1]?.url().startsWith('chrome-error:'))

    await person.route(`${MAIN}/handoff`, route =>
      route.fulfill({ contentType: 'text/html', body: builtPage() }),
    )
    await page.evaluate(framed)
    const frame = page.frames()[2]
    await eventually(() => frame?.url() === addressOf(SHOP_ONE))
    expect(await frame?.evaluate(`document.scripts.length`)).toBe(1)
    expect(await frame?.evaluate(`document.body.innerText.trim()`)).toBe('')
    expect(stage.received.to('/api/handoff')).toEqual([])
  })

  test('that opens the page in a window loses hold of it', async () => {
    await logInOnMain()
    await page.goto(`${EVIL}/`)
    const opened = person.waitForEvent('page')
    await page.evaluate(`void (globalThis.other = window.open('${addressOf(SHOP_ONE)}'))`)
    const other = await opened
    await untilShown(other)
    expect(await page.evaluate('other.closed')).toBe(true)
    await page.evaluate(`void (other.location = '${EVIL}/')`)
    expect(await other.evaluate('opener')).toBeNull()
    expect(other.url()).toBe(addressOf(SHOP_ONE))
  })

  test('cannot have the second click of a double click count that it has begun', async () => {
    await logInOnMain()
    await visit(page, addressOf(SHOP_ONE))
    const button = page.getByRole('button', { name: /^Continue to / })
    await button.click({ trial: true })
    documents.take(page)
    // As when a window is closed that lay over it.
    await page.evaluate(`{
      dispatchEvent(new Event('focus'))
      document.querySelector('button.primary').click()
    }`)
    await button.click({ trial: true })
    expect(stage.received.to('/api/handoff/codes')).toEqual([])
    await button.click()
    await seeing('This login was interrupted')
    expect(documents.take(page)).toEqual(['shop-one.test/handoff-callback'])
  })

  test('cannot use the page to lead people anywhere but to satellites', async () => {
    const stays = async (satellite: string) => {
      await page.goto('about:blank')
      await visit(page, addressOf(satellite))
      await seeing(/is not connected to main\.test|The address of this page is incomplete/)
      expect(await page.getByRole('button').count()).toBe(0)
      const links = (await page.evaluate('[...document.links].map(link => link.href)')) as string[]
      expect(links.filter(link => !link.startsWith(`${MAIN}/`))).toEqual([])
      expect(documents.take(page)).toEqual(['main.test/handoff'])
    }
    for (const satellite of [EVIL, PENDING]) await stays(satellite)
    await logInOnMain()
    documents.take(page)
    for (const satellite of ELSEWHERE) await stays(satellite)
  })
})

describe('what people see', () => {
  const LOGO = 'https://logos.test/logo.svg'
  const BRANDING = { name: 'Rosa’s Roses', logoUrl: LOGO, accent: '#9d174d', background: '#fff1f2' }
  let satellite: SatelliteRow
  beforeAll(async () => {
    satellite = await aSatellite(stage.app, owner, CUSTOMER, { branding: BRANDING })
  })

  async function change(changed: SatelliteChange): Promise<void> {
    const { app } = stage
    const write = (transaction: Db) =>
      app.get(RegisteredSatellites).change(transaction, satellite.id, changed)
    await app.database.transaction(write)
    await app.get(Satellites).refresh()
  }

  function pageColor(): Promise<unknown> {
    return page.evaluate('getComputedStyle(document.body).backgroundColor')
  }

  async function show(address: string, text: string | RegExp, picture: string): Promise<void> {
    await page.goto('about:blank')
    await visit(page, address)
    await seeing(text)
    await expectGoodPage(page, picture)
  }

  test('on the way to a satellite with branding', async () => {
    await person.route(LOGO, route => route.fulfill({ contentType: 'image/svg+xml', body: ROSE }))
    const asked = addressOf(CUSTOMER, { login_hint: member.email })
    await show(asked, 'Afterwards you can go on to customer.test', 'main-handoff-login')
    await page.getByLabel('Password').fill(PASSWORD)
    await press('Log in')
    await seeing('You will be logged in at customer.test.')
    await expectGoodPage(page, 'main-handoff')
    expect(await pageColor()).toBe('rgb(255, 241, 242)')
    expect(await page.evaluate('document.images[0].naturalWidth')).toBeGreaterThan(0)
    // It goes with one theme, which nobody chooses, in another tab either.
    expect(await page.getByLabel('Light or dark').isVisible()).toBe(false)
    await page.evaluate(`localStorage.setItem('mainstay.theme', 'dark')
      dispatchEvent(new StorageEvent('storage', { key: 'mainstay.theme' }))
      localStorage.removeItem('mainstay.theme')`)
    expect(await page.evaluate('document.documentElement.style.colorScheme')).toBe('light')

    const name = 'The wholesale department of a company with a rather long name & sons'
    await change({ branding: { name, logoUrl: null, accent: '#ffffff', background: '#000000' } })
    const another = addressOf(CUSTOMER, { login_hint: 'somebody.else@example.com' })
    await show(another, 'customer.test asks for somebody.else@example.com.', 'main-handoff-other-account')
    // Of a long address no full stop is alone in the last line.
    await page.setViewportSize({ width: 320, height: 740 })
    const tops = await page.evaluate(`(() => {
      const walker = document.createTreeWalker(document.querySelector('.notice'), NodeFilter.SHOW_TEXT)
      const ends = []
      while (walker.nextNode()) {
        const { currentNode: text } = walker
        for (let at = 0; at < text.length; at++) {
          const range = document.createRange()
          range.setStart(text, at)
          range.setEnd(text, at + 1)
          ends.push(range.getClientRects()[0]?.top)
        }
      }
      return ends.slice(-2)
    })()`)
    expect(new Set(tops as number[]).size).toBe(1)
    await press('Use another account')
    expect(await page.getByLabel('E-mail').inputValue()).toBe('somebody.else@example.com')
    await expectGoodPage(page, 'main-handoff-switch')
    await press('Go back')
    await press(/^Continue to The wholesale/)
    await seeing('This login was interrupted')
    await expectGoodPage(page, 'satellite-handoff-interrupted')
  })

  test('where there is no way on, and the way back', async () => {
    await logInOnMain()
    await show(`${MAIN}/handoff`, 'The address of this page is incomplete.', 'main-handoff-incomplete')
    await show(addressOf(EVIL), 'is not connected to main.test', 'main-handoff-unknown')
    await change({ loginMode: 'password' })
    await show(addressOf(CUSTOMER), 'does not accept logins from here', 'main-handoff-password-only')
    await change({ loginMode: 'both' })
    await setSatelliteState(stage.app, satellite, 'suspended')
    await stage.app.get(Satellites).refresh()
    await show(addressOf(CUSTOMER), 'is suspended at the moment', 'main-handoff-suspended')
    await setSatelliteState(stage.app, satellite, 'active')
    await stage.app.get(Satellites).refresh()

    // Somebody of another account, who gives way to a member of this one.
    const stranger = await anOwner(stage.app)
    await person.clearCookies()
    await logInOnMain(stranger)
    await visit(page, `${CUSTOMER}/`)
    await press('Log in with Mainstay')
    await seeing(`${stranger.email} is not invited to customer.test.`)
    expect(await page.getByText('Rosa').count()).toBe(0)
    expect(await pageColor()).toBe('rgb(249, 250, 251)')
    await expectGoodPage(page, 'main-handoff-not-invited')
    await press('Back to customer.test')
    await seeing('Your account is not invited to this site.')
    await expectGoodPage(page, 'satellite-handoff-not-invited')
    await press('Try again with Mainstay')
    await press('Use another account')
    await logInHere(member)
    await press(/^Continue to /)
    await untilLoggedIn(page)
  })

  test('where passwords are not taken', async () => {
    await change({ loginMode: 'handoff' })
    await visit(page, `${CUSTOMER}/`)
    await logInHere()
    await seeing('You cannot log in here with your password.')
    await expectGoodPage(page, 'satellite-handoff-required')
    await press('Log in with Mainstay')
    expect(await page.getByLabel('E-mail').inputValue()).toBe(member.email)
    await logInHere()
    await press(/^Continue to /)
    await untilLoggedIn(page)
  })
})

const ROSE =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64"><circle cx="32" cy="32" r="30" fill="#e11d48"/></svg>'

/** As a server sends it that knows nothing of headers. */
function builtPage(): string {
  const brand = { name: 'Mainstay', logoUrl: null, accent: '#3b4fd8', supportUrl: null }
  return pageWith(
    readFileSync('web/dist/main/index.html', 'utf8'),
    { apiUrl: API, mainUrl: MAIN, mainName: 'Mainstay', language: 'en', takesPayments: true },
    brand,
  )
}
