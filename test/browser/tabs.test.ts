import { beforeEach, describe, expect, test } from '@jest/globals'
import type { BrowserContext } from 'playwright-core'
import type { User } from '../sources.js'
import { eventually } from '../support/eventually.js'
import { anOwner } from '../support/people.js'
import { MAIN, SHOP_ONE, SHOP_TWO } from './stage/hosts.js'
import { aStage } from './stage/stage.js'
import { Tab } from './stage/tab.js'

const TOKEN_SECONDS = 900

const stage = aStage()
let owner: User
let person: BrowserContext
beforeEach(async () => {
  owner = await anOwner(stage.app)
  person = await stage.newPerson()
})

function refreshes(): string[] {
  return stage.received.to('/api/refresh').map(({ status, headers }) => `${status} ${headers.origin}`)
}

/** A tab that is logged in, and nothing counted yet. */
async function loggedInOn(origin: string): Promise<Tab> {
  const tab = await Tab.open(person, origin)
  await tab.login(owner)
  stage.received.forget()
  return tab
}

describe.each([
  ['the main site', MAIN],
  ['a satellite', SHOP_ONE],
])('on %s', (_, origin) => {
  test('a page that is loaded again is logged in still', async () => {
    const tab = await loggedInOn(origin)
    await tab.reload()
    expect(await tab.state()).toMatchObject({ status: 'loggedIn', caller: { userId: owner.id } })
    expect(await tab.readData()).toBe(200)
    expect(refreshes()).toEqual([`200 ${origin}`])
  })

  test('a second tab is logged in, and so is one that was open before', async () => {
    const before = await Tab.open(person, origin)
    expect(await before.state()).toMatchObject({ status: 'loggedOut' })
    await loggedInOn(origin)
    await before.untilStatus('loggedIn')
    const second = await Tab.open(person, origin)
    for (const tab of [before, second]) expect(await tab.readData()).toBe(200)
  })

  test('two tabs that want a new token at once ask once', async () => {
    const tabs = [await loggedInOn(origin), await Tab.open(person, origin)]
    stage.received.forget()
    const release = stage.received.hold('/api/refresh')
    await Promise.all(tabs.map(tab => tab.run('void (globalThis.refreshing = client.refresh())')))
    await tabs[0]!.until(
      'navigator.locks.query().then(({ held, pending }) => held.length === 1 && pending.length === 1)',
    )
    release()
    const callers = await Promise.all(tabs.map(tab => tab.run('refreshing')))
    expect(callers).toMatchObject([{ userId: owner.id }, { userId: owner.id }])
    const tokens = await Promise.all(tabs.map(tab => tab.run('client.accessToken()')))
    expect(tokens[0]).toBe(tokens[1])
    expect(refreshes()).toEqual([`200 ${origin}`])
  })

  test('ahead of its expiry the token is replaced, once for both tabs', async () => {
    await person.clock.install()
    const tabs = [await loggedInOn(origin), await Tab.open(person, origin)]
    const before = await tabs[0]!.run('client.accessToken()')
    stage.received.forget()
    const release = stage.received.hold('/api/refresh')
    await forwardClocks(TOKEN_SECONDS * 0.96)
    await eventually(() => stage.received.to('/api/refresh').length > 0, { what: 'a refresh' })
    release()
    for (const tab of tabs) {
      await eventually(async () => (await tab.run('client.accessToken()')) !== before)
      expect(await tab.readData()).toBe(200)
    }
    expect(refreshes()).toEqual([`200 ${origin}`])
  })

  test('after a sleep longer than the token lives, a call just works', async () => {
    await person.clock.install()
    const tab = await loggedInOn(origin)
    await forwardClocks(TOKEN_SECONDS * 2)
    expect(await tab.readData()).toBe(200)
    expect(await tab.run('changes')).toEqual(['loggedOut', 'loggedIn'])
  })

  test('a call with a token that the service counts as expired is repeated with another', async () => {
    const tab = await loggedInOn(origin)
    stage.app.clock.advance(TOKEN_SECONDS * 2)
    expect(await tab.readData()).toBe(200)
    expect(stage.received.to('/api/data').map(({ status }) => status)).toEqual([401, 200])
    expect(refreshes()).toEqual([`200 ${origin}`])
  })

  test('logging out reaches the other tab, and the session is over', async () => {
    const [tab, other] = [await loggedInOn(origin), await Tab.open(person, origin)]
    await tab.run('client.logout()')
    await other.untilStatus('loggedOut')
    expect(await other.state()).toMatchObject({ cause: 'logoutElsewhere' })
    for (const left of [tab, other]) {
      await left.reload()
      expect(await left.state()).toMatchObject({ status: 'loggedOut' })
    }
  })

  test('a session that was ended elsewhere ends in an open page with its next refresh', async () => {
    const [tab, other] = [await loggedInOn(origin), await Tab.open(person, origin)]
    const elsewhere = await stage.newPerson()
    const desk = await Tab.open(elsewhere, MAIN)
    await desk.login(owner)
    const ended = `client.fetch('/api/sessions', { method: 'DELETE' }).then(answer => answer.status)`
    expect(await desk.run(ended)).toBeLessThan(300)

    // Its token lives out its minutes; what asks for the session is refused.
    await tab.run('client.refresh()')
    await other.untilStatus('loggedOut')
    for (const left of [tab, other])
      expect(await left.state()).toMatchObject({ status: 'loggedOut', cause: 'revoked' })
    expect(await desk.readData()).toBe(200)
  })

  test('an open page of a disabled session notices by itself', async () => {
    await person.clock.install()
    const tab = await loggedInOn(origin)
    const { sid } = (await tab.state()).caller!
    const elsewhere = await stage.newPerson()
    const desk = await Tab.open(elsewhere, MAIN)
    await desk.login(owner)
    await desk.run(`client.fetch('/api/sessions/${sid}', { method: 'DELETE' })`)
    await forwardClocks(TOKEN_SECONDS * 0.96)
    await tab.untilStatus('loggedOut')
  })
})

/** For the pages and for the service. */
async function forwardClocks(seconds: number): Promise<void> {
  stage.app.clock.advance(seconds)
  await person.clock.fastForward(seconds * 1000)
}

test('a satellite presents its session by header, and has its tokens in no storage', async () => {
  const tab = await loggedInOn(SHOP_ONE)
  await tab.run('client.refresh()')
  const [refresh] = stage.received.to('/api/refresh')
  expect(refresh).toMatchObject({
    status: 200,
    headers: { 'x-session-id': expect.stringMatching(/^[\w-]{20,}$/), origin: SHOP_ONE },
  })
  expect(refresh?.headers).not.toHaveProperty('cookie')
  const stored: string = await tab.run('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
  expect(stored).toContain(refresh?.headers['x-session-id'])
  expect(stored).not.toContain(await tab.run('client.accessToken()'))
})

test('a satellite is logged in for itself alone', async () => {
  await loggedInOn(SHOP_ONE)
  for (const origin of [SHOP_TWO, MAIN]) {
    const tab = await Tab.open(person, origin)
    expect(await tab.state()).toMatchObject({ status: 'loggedOut' })
  }
})

test('the session of one satellite is worth nothing on a page of another', async () => {
  const tab = await loggedInOn(SHOP_ONE)
  await tab.run('client.refresh()')
  const [refresh] = stage.received.to('/api/refresh')
  const other = await Tab.open(person, SHOP_TWO)
  const taken = `fetch('https://api.main.test/api/refresh', { method: 'POST', headers: { 'X-Session-ID': input } })
    .then(answer => answer.status)`
  expect(await other.run(taken, refresh?.headers['x-session-id'])).toBe(401)
})

test('tabs of a satellite with sessionStorage are people of their own', async () => {
  const tab = await loggedInOn(SHOP_TWO)
  const other = await Tab.open(person, SHOP_TWO)
  expect(await other.state()).toMatchObject({ status: 'loggedOut' })
  await tab.reload()
  expect(await tab.state()).toMatchObject({ status: 'loggedIn' })
})

test('logging out everywhere leaves no page logged in', async () => {
  const tabs = [await loggedInOn(MAIN), await loggedInOn(SHOP_ONE), await loggedInOn(SHOP_TWO)]
  const [main] = tabs as [Tab]
  await main.run(`client.fetch('/api/sessions', { method: 'DELETE' })`)
  await main.run('client.logout()')
  for (const tab of tabs) {
    await tab.reload()
    expect(await tab.state()).toMatchObject({ status: 'loggedOut' })
  }
})
