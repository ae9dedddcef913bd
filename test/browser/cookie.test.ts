import { beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { BrowserContext } from 'playwright-core'
import type { User } from '../sources.js'
import { anOwner } from '../support/people.js'
import { API, MAIN, SHOP_ONE } from './stage/hosts.js'
import { aStage } from './stage/stage.js'
import { Tab } from './stage/tab.js'

const SESSION_SECONDS = 2_592_000

const stage = aStage()
let owner: User
let person: BrowserContext
beforeAll(async () => {
  owner = await anOwner(stage.app)
})
beforeEach(async () => {
  person = await stage.newPerson()
})

async function loggedInOn(origin: string): Promise<Tab> {
  const tab = await Tab.open(person, origin)
  await tab.login(owner)
  stage.received.forget()
  return tab
}

test('the browser stores the session cookie with every protection', async () => {
  const earliest = Date.now() / 1000 + SESSION_SECONDS - 1
  await loggedInOn(MAIN)
  const cookies = await sessionCookies()
  expect(cookies).toEqual([
    {
      name: 'sessionId',
      value: expect.stringMatching(/^[\w-]{20,}$/),
      domain: '.main.test',
      path: '/',
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
      expires: expect.any(Number),
    },
  ])
  expect(cookies[0]?.expires).toBeGreaterThan(earliest)
  expect(cookies[0]?.expires).toBeLessThan(Date.now() / 1000 + SESSION_SECONDS + 1)
})

test('no script can read it, and no storage of the page has it or a token', async () => {
  const tab = await loggedInOn(MAIN)
  const [{ value } = { value: '' }] = await sessionCookies()
  expect(await tab.run('document.cookie')).toBe('')
  expect(await tab.run('cookieStore.getAll()')).toEqual([])
  expect(await tab.run('[localStorage.length, sessionStorage.length]')).toEqual([0, 0])
  const headers = `fetch('${API}/api/refresh', { method: 'POST', credentials: 'include' })
    .then(answer => JSON.stringify([...answer.headers]))`
  expect(await tab.run(headers)).not.toContain(value)
})

test('a script of the page cannot overwrite it', async () => {
  const tab = await loggedInOn(MAIN)
  const before = await sessionCookies()
  await tab.run(`document.cookie = 'sessionId=mine; domain=main.test; path=/; secure'`)
  expect(await sessionCookies()).toEqual(before)
})

test('it goes with calls of the main site to the API, and a refresh needs nothing else', async () => {
  const tab = await loggedInOn(MAIN)
  const [{ value } = { value: '' }] = await sessionCookies()
  await tab.run('client.refresh()')
  expect(await tab.readData()).toBe(200)
  const [refresh] = stage.received.to('/api/refresh')
  expect(refresh).toMatchObject({ status: 200, headers: { origin: MAIN } })
  expect(refresh?.headers.cookie).toMatch(new RegExp(`^sessionId=${value}; __Host-device=[\\w-]{43}$`))
  expect(refresh?.headers).not.toHaveProperty('x-session-id')
})

test('it goes with no call from a satellite, whatever its page asks for', async () => {
  await loggedInOn(MAIN)
  const tab = await loggedInOn(SHOP_ONE)
  await tab.run('client.refresh()')
  const asked = `fetch('${API}/api/refresh', { method: 'POST', credentials: 'include' })`
  // It may not read an answer to a call with credentials either.
  expect(await tab.attempt(asked)).toBe('TypeError')
  const received = stage.received.to('/api/refresh')
  expect(received.map(({ status }) => status)).toEqual([200, 401])
  for (const { headers } of received) expect(headers).not.toHaveProperty('cookie')
})

test('logging out takes it from the browser', async () => {
  const tab = await loggedInOn(MAIN)
  await tab.run('client.logout()')
  expect(await sessionCookies()).toEqual([])
  await tab.reload()
  expect(await tab.state()).toMatchObject({ status: 'loggedOut' })
})

/** What else the browser keeps of us is its device id. */
async function sessionCookies() {
  return (await person.cookies()).filter(({ name }) => name !== '__Host-device')
}
