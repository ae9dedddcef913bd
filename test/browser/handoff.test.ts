import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { BrowserContext, Page } from 'playwright-core'
import type { User } from '../sources.js'
import { giveAuthenticator } from '../support/authenticator.js'
import { aMember, anOwner } from '../support/people.js'
import { aSatellite } from '../support/satellites.js'
import { startHandoffPages } from './stage/handoff-pages.js'
import { MAIN, SHOP_ONE, SHOP_THREE, SHOP_TWO } from './stage/hosts.js'
import { LoadedDocuments } from './stage/loaded-documents.js'
import { ACCOUNT_MENU, logOutOn, sendLogin, untilIdle, untilShown, visit } from './stage/site-page.js'
import { aStage } from './stage/stage.js'

const HANDOFF = 'main.test/handoff'
const CALLBACK = 'shop-one.test/handoff-callback'
const THROUGH = 'Log in with Mainstay'
const AGAIN = 'Try again with Mainstay'

const stage = aStage(startHandoffPages)
let owner: User
beforeAll(async () => {
  owner = await anOwner(stage.app)
  await aSatellite(stage.app, owner, SHOP_THREE)
})

/** Somebody new in each test, who has been nowhere yet. */
let member: User
let person: BrowserContext
let documents: LoadedDocuments
let page: Page
beforeEach(async () => {
  member = await aMember(stage.app, owner)
  person = await stage.newPerson()
  documents = await LoadedDocuments.of(person)
  page = await openShop('/reports')
})
afterEach(async () => {
  // Nothing has moved since the last gesture.
  for (const open of person.pages()) expect(documents.take(open)).toEqual([])
})

async function openShop(path: string): Promise<Page> {
  const tab = await person.newPage()
  await visit(tab, `${SHOP_ONE}${path}`)
  expect(documents.take(tab)).toEqual([`shop-one.test${path}`])
  return tab
}

/** Does something once; afterwards this text is there, and the tab has loaded these documents for it. */
async function gesture(act: () => Promise<unknown>, text: string | RegExp, loaded: string[], tab = page) {
  await act()
  await tab.getByText(text).first().waitFor()
  await untilShown(tab)
  expect(documents.take(tab)).toEqual(loaded)
}

function press(name: string | RegExp, tab = page): () => Promise<void> {
  return () => tab.getByRole('button', { name, exact: true }).click()
}

const asMember = () => `Continue to shop-one.test as ${member.email}`

/** On the form that is there; what is shown afterwards waits for the next gesture. */
const logInHere = (tab = page) => sendLogin(tab, member)

/** The first time at this satellite, from its login to its page. */
async function handOffOnce(): Promise<void> {
  await gesture(press(THROUGH), 'Afterwards you can go on to shop-one.test', [HANDOFF])
  await gesture(logInHere, asMember(), [])
  await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
}

/** The satellite loses its session without a logout, as when a browser clears what a page has stored. */
async function loseSession(tab = page): Promise<void> {
  const clear = async () => {
    await tab.evaluate('localStorage.clear()')
    await tab.reload()
  }
  await gesture(clear, THROUGH, ['shop-one.test/reports'], tab)
}

test('logs in on the main site and is logged in on the satellite, where it was wanted', async () => {
  await page.getByLabel('E-mail').fill(member.email)
  await gesture(press(THROUGH), 'Afterwards you can go on to shop-one.test', [HANDOFF])
  expect(await page.getByLabel('E-mail').inputValue()).toBe(member.email)
  await gesture(logInHere, 'It never sees your password', [])
  await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
  expect(page.url()).toBe(`${SHOP_ONE}/reports`)
  const stored = await page.evaluate('JSON.stringify([{ ...sessionStorage }, { ...localStorage }])')
  expect(stored).not.toContain('verifier')
  await gesture(() => page.reload(), ACCOUNT_MENU, ['shop-one.test/reports'])
})

test('leaves the main site by itself for a satellite that the user knows, once in the life of a tab', async () => {
  await handOffOnce()
  await loseSession()
  await gesture(press(THROUGH), ACCOUNT_MENU, [HANDOFF, CALLBACK])
  await loseSession()
  await gesture(press(THROUGH), asMember(), [HANDOFF])
  await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
  const other = await openShop('/reports')
  await loseSession(other)
  await gesture(press(THROUGH, other), ACCOUNT_MENU, [HANDOFF, CALLBACK], other)
  // The first tab takes up what the second has stored.
  await gesture(() => page.reload(), ACCOUNT_MENU, ['shop-one.test/reports'])
})

test('asks where another site has begun the hand-off, with a challenge of its own', async () => {
  await handOffOnce()
  const other = await person.newPage()
  await other.goto(SHOP_TWO)
  expect(documents.take(other)).toEqual(['shop-two.test/'])
  const request = { satellite: SHOP_ONE, challenge: 'c'.repeat(43), state: 's'.repeat(43) }
  const address = `${MAIN}/handoff#${new URLSearchParams(request)}`
  await gesture(() => other.evaluate(`location.assign('${address}')`), asMember(), [HANDOFF], other)
  const direct = await person.newPage()
  await gesture(() => direct.goto(address), asMember(), [HANDOFF], direct)
})

test('one banner tells of an outage, also while nothing is known about the login', async () => {
  await page.route('**/api/refresh', route => route.abort())
  await page.route('**/api/handoff/satellite?*', route => route.abort())
  const tryNow = page.getByRole('button', { name: 'Try now' })
  await press(THROUGH)()
  await tryNow.waitFor()
  expect(await tryNow.count()).toBe(1)
  await page.unrouteAll()
  await gesture(() => tryNow.click(), 'Afterwards you can go on', [HANDOFF])
})

test('the second step leads back to the password first, then out of the hand-off', async () => {
  await giveAuthenticator(stage.app, member)
  await gesture(press(THROUGH), 'Afterwards you can go on', [HANDOFF])
  await gesture(logInHere, 'Back to the password', [])
  const links = page.locator('.links').getByRole('button')
  expect(await links.allInnerTexts()).toEqual(['Back to the password', 'Cancel'])
  expect(await page.locator('.links').count()).toBe(1)
  await gesture(press('Back to the password'), 'Forgot your password?', [])
  await gesture(logInHere, 'Back to the password', [])
  await gesture(press('Cancel'), 'You have not logged in on Mainstay.', [CALLBACK])
})

test('asks again after somebody has logged out', async () => {
  await handOffOnce()
  await gesture(() => logOutOn(page), THROUGH, [])
  await gesture(press(THROUGH), asMember(), [HANDOFF])
  await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
})

test('turns back where people say so, and waits for the next gesture', async () => {
  await gesture(press(THROUGH), 'Afterwards you can go on', [HANDOFF])
  await gesture(press('Cancel'), 'You have not logged in on Mainstay.', [CALLBACK])
  await gesture(press(AGAIN), 'Afterwards you can go on', [HANDOFF])
  await gesture(logInHere, asMember(), [])
  await gesture(press('Cancel'), 'You cancelled on Mainstay', [CALLBACK])
  await gesture(() => page.reload(), THROUGH, [CALLBACK])
  expect(page.url()).toBe(`${SHOP_ONE}/`)
})

test('turns back in the name that the service gives, as codes come', async () => {
  const headers = { 'Access-Control-Allow-Origin': MAIN, 'Access-Control-Allow-Credentials': 'true' }
  await page.route('**/api/handoff/satellite?*', route =>
    route.fulfill({ headers, json: { origin: SHOP_ONE, iss: 'https://other.test' } }),
  )
  await gesture(press(THROUGH), 'Afterwards you can go on', [HANDOFF])
  await gesture(press('Cancel'), 'This login was interrupted', [CALLBACK])
})

test('the back button leads past the hand-off, and forward again', async () => {
  await handOffOnce()
  await gesture(() => page.goBack(), ACCOUNT_MENU, ['shop-one.test/reports'])
  await gesture(() => page.goForward(), ACCOUNT_MENU, ['shop-one.test/reports'])
  await loseSession()
  await gesture(press(THROUGH), ACCOUNT_MENU, [HANDOFF, CALLBACK])
  await loseSession()
  // Back from the page of the main site itself, and into it again.
  await gesture(press(THROUGH), asMember(), [HANDOFF])
  await gesture(() => page.goBack(), THROUGH, ['shop-one.test/reports'])
  await gesture(() => page.goForward(), asMember(), [HANDOFF])
  await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
})

test('a page that is loaded again at any step is where it was', async () => {
  await gesture(() => page.reload(), THROUGH, ['shop-one.test/reports'])
  await gesture(press(THROUGH), 'Afterwards you can go on', [HANDOFF])
  await gesture(() => page.reload(), 'Afterwards you can go on', [HANDOFF])
  await gesture(logInHere, asMember(), [])
  await gesture(() => page.reload(), asMember(), [HANDOFF])
  await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
  await gesture(() => page.reload(), ACCOUNT_MENU, ['shop-one.test/reports'])
})

test('a page of the main site that has left by itself stays when it is loaded again', async () => {
  await handOffOnce()
  await loseSession()
  // The satellite does not answer: the browser stays on the page of the main site, which people load again.
  await page.route(`${SHOP_ONE}/handoff-callback`, route => route.abort('aborted'))
  const leaving = page.waitForEvent('requestfailed', sent => sent.url().startsWith(`${SHOP_ONE}/handoff-`))
  await press(THROUGH)()
  await page.getByText('Going on to shop-one.test').waitFor()
  await leaving
  await page.unroute(`${SHOP_ONE}/handoff-callback`)
  await gesture(() => page.reload(), asMember(), [HANDOFF, HANDOFF])
  await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
})

test('double clicks are one', async () => {
  const twice = (name: string) => () => page.getByRole('button', { name, exact: true }).dblclick()
  await gesture(twice(THROUGH), 'Afterwards you can go on', [HANDOFF])
  await gesture(logInHere, asMember(), [])
  await gesture(twice(asMember()), ACCOUNT_MENU, [CALLBACK])
})

test('two tabs at once do not get into each other’s way', async () => {
  const other = await openShop('/data')
  await gesture(press(THROUGH), 'Afterwards you can go on', [HANDOFF])
  await gesture(press(THROUGH, other), 'Afterwards you can go on', [HANDOFF], other)
  await gesture(logInHere, asMember(), [])
  // The other tab hears of the login.
  await gesture(async () => {}, asMember(), [], other)
  await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
  await gesture(press(asMember(), other), ACCOUNT_MENU, [CALLBACK], other)
  expect([page.url(), other.url()]).toEqual([`${SHOP_ONE}/reports`, `${SHOP_ONE}/data`])
  await gesture(() => page.reload(), ACCOUNT_MENU, ['shop-one.test/reports'])
})

test.each([
  ['in the past', Date.UTC(2001, 1, 1)],
  ['in the future', Date.UTC(2061, 1, 1)],
])('the clock of the device may be far %s', async (_, time) => {
  await person.clock.setFixedTime(time)
  await handOffOnce()
  await gesture(() => page.reload(), ACCOUNT_MENU, ['shop-one.test/reports'])
})

describe('slow hops', () => {
  async function delay(address: string, until: () => Promise<unknown>): Promise<void> {
    await page.route(address, async route => {
      await until()
      await route.continue()
    })
  }

  // By real seconds: Chromium's clock cannot be moved while a document is awaited.
  test('of three seconds each are as many as quick ones', async () => {
    await handOffOnce()
    await loseSession()
    // Whatever counted laps by the clock would forget them meanwhile.
    for (const hop of [`${MAIN}/handoff`, `${SHOP_ONE}/handoff-callback`])
      await delay(hop, () => new Promise(done => setTimeout(done, 3_000)))
    await gesture(press(THROUGH), ACCOUNT_MENU, [HANDOFF, CALLBACK])
  })

  test('are begun once, however often people press', async () => {
    let begun = 0
    await delay(`${MAIN}/handoff`, async () => {
      begun++
      await new Promise(done => setTimeout(done, 2_000))
    })
    const pressThrice = () =>
      page.getByRole('button', { name: THROUGH }).evaluate((button: { click(): void }) => {
        for (const atMs of [0, 300, 600]) setTimeout(() => button.click(), atMs)
      })
    await gesture(pressThrice, 'Afterwards you can go on', [HANDOFF])
    expect(begun).toBe(1)
  })

  test('are not made by somebody who wants something else meanwhile', async () => {
    await gesture(press(THROUGH), 'Afterwards you can go on', [HANDOFF])
    await gesture(logInHere, asMember(), [])
    let answer = () => {}
    const isAnswered = new Promise<void>(resolve => {
      answer = resolve
    })
    await delay('**/api/handoff/codes', () => isAnswered)
    await press(asMember())()
    await page.locator('button.primary .spinner').waitFor()
    await gesture(press('Use another account'), 'Go back', [])
    const code = page.waitForResponse('**/api/handoff/codes')
    answer()
    await code
    await untilIdle(page)
    await page.unroute('**/api/handoff/codes')
    await gesture(press('Go back'), asMember(), [])
    await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
  })

  test('that outlast the code end with words and a button', async () => {
    await gesture(press(THROUGH), 'Afterwards you can go on', [HANDOFF])
    await gesture(logInHere, asMember(), [])
    await delay(`${SHOP_ONE}/handoff-callback`, async () => stage.app.clock.advance(61))
    await gesture(press(asMember()), 'The login took too long.', [CALLBACK])
    await page.unroute(`${SHOP_ONE}/handoff-callback`)
    await gesture(press(AGAIN), asMember(), [HANDOFF])
    await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
    expect(page.url()).toBe(`${SHOP_ONE}/reports`)
  })
})

test('a redirect that browsers keep for ever makes no circle', async () => {
  await page.route(`${MAIN}/handoff`, route =>
    route.fulfill({
      status: 301,
      headers: { Location: '/handoff?moved', 'Cache-Control': 'max-age=31536000' },
    }),
  )
  await handOffOnce()
  await loseSession()
  await gesture(press(THROUGH), ACCOUNT_MENU, [HANDOFF, CALLBACK])
})

test('all this in a browser that blocks the cookies of third parties', async () => {
  await page.goto(`${SHOP_TWO}/`)
  documents.take(page)
  const write = `document.cookie = 'a=b; SameSite=None; Secure', document.cookie`
  expect(await page.evaluate(write)).toBe('a=b')
  await page.evaluate(`new Promise(resolve => {
    const frame = Object.assign(document.createElement('iframe'), { src: '${SHOP_THREE}/', onload: () => resolve(null) })
    document.body.append(frame)
  })`)
  expect(await page.frames()[1]?.evaluate(write)).toBe('')
})

describe('a browser that keeps nothing', () => {
  const NO_STORAGE = `for (const name of ['sessionStorage', 'localStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('Denied', 'SecurityError') } })`

  test('for the satellite does not leave it', async () => {
    await page.addInitScript(`if (location.host === 'shop-one.test') { ${NO_STORAGE} }`)
    await gesture(() => page.reload(), THROUGH, ['shop-one.test/reports'])
    await gesture(press(THROUGH), 'Your browser does not let this site store anything.', [])
  })

  test('for the main site never leaves that by itself', async () => {
    await handOffOnce()
    await loseSession()
    await page.addInitScript(`if (location.host === 'main.test') { ${NO_STORAGE} }`)
    await gesture(press(THROUGH), asMember(), [HANDOFF])
    await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
  })

  test('no cookies for the main site either, says so and stays', async () => {
    await page.route('**/api/handoff?*', async route => {
      await person.clearCookies()
      await route.continue()
    })
    await gesture(press(THROUGH), 'Afterwards you can go on', [HANDOFF])
    await gesture(logInHere, 'Your browser did not send the cookie of main.test', [])
    await gesture(press('Try again'), 'Afterwards you can go on', [])
    await page.unroute('**/api/handoff?*')
    await gesture(logInHere, asMember(), [])
    await gesture(press(asMember()), ACCOUNT_MENU, [CALLBACK])
  })

  test('no cookies for the main site, says so while it still asks whether the satellite is one of ours', async () => {
    await page.addInitScript(
      `if (location.host === 'main.test') Object.defineProperty(navigator, 'cookieEnabled', { value: false })`,
    )
    let answer = () => {}
    const isAnswered = new Promise<void>(resolve => {
      answer = resolve
    })
    await page.route('**/api/handoff/satellite?*', async route => {
      await isAnswered
      await route.continue()
    })
    const warning = page.getByRole('alert').filter({ hasText: 'Your browser does not let main.test store' })
    await press(THROUGH)()
    const told = (await warning.elementHandle())!
    expect(await page.getByLabel('E-mail').count()).toBe(0)
    await gesture(async () => answer(), 'Afterwards you can go on', [HANDOFF])
    expect(await warning.count()).toBe(1)
    // Not told a second time.
    expect(await told.isVisible()).toBe(true)
  })
})

describe.each([
  { what: 'plain HTML', origin: SHOP_TWO, shown: '"dataEntry":true' },
  { what: 'React', origin: SHOP_THREE, shown: 'Log out' },
])('the page in $what of docs/integrate', ({ origin, shown }) => {
  test('logs in through the main site, or says why not', async () => {
    const { host } = new URL(origin)
    const tab = await person.newPage()
    const seen = async (act: () => Promise<unknown>, text: string | RegExp, loaded: string[]) => {
      await act()
      await tab.getByText(text).first().waitFor()
      expect(documents.take(tab)).toEqual(loaded)
    }
    await seen(() => tab.goto(origin), /Logged out|Log in/, [`${host}/`])
    await seen(press('Log in', tab), 'Afterwards you can go on', [HANDOFF])
    await seen(press('Cancel', tab), 'Not logged in: login_required', [`${host}/`])
    await seen(press('Log in', tab), 'Afterwards you can go on', [HANDOFF])
    await logInHere(tab)
    await seen(press(/^Continue to /, tab), shown, [`${host}/`])
    await seen(() => tab.reload(), shown, [`${host}/`])
  })
})
