import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { BrowserContext } from 'playwright-core'
import type { User } from '../sources.js'
import { eventually } from '../support/eventually.js'
import { anOwner, PASSWORD } from '../support/people.js'
import { type PostgresServer, startPostgres } from '../support/postgres/postgres-server.js'
import type { RedisServer } from '../support/redis/redis-server.js'
import { API, EVIL, MAIN, SHOP_ONE } from './stage/hosts.js'
import { startPlainPages } from './stage/plain-pages.js'
import { aStage } from './stage/stage.js'
import { Tab } from './stage/tab.js'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
const stage = aStage(startPlainPages, () => ({ DATABASE_URL: postgres.url }))
afterAll(() => postgres?.stop())

let person: BrowserContext
let owner: User
let tabs: Tab[]
beforeEach(async () => {
  person = await stage.newPerson()
  owner = await anOwner(stage.app)
  tabs = [await Tab.open(person, MAIN), await Tab.open(person, SHOP_ONE)]
  for (const tab of tabs) await tab.login(owner)
  for (const tab of tabs) await tab.run('changes.splice(0)')
  stage.received.forget()
})

/** Both pages have asked for a new token and were told to wait. */
function everyTabWasPutOff(): boolean {
  const putOff = stage.received.to('/api/refresh').filter(({ status }) => status === 503)
  return new Set(putOff.map(({ headers }) => headers.origin)).size === tabs.length
}

test.each<[string, NodeJS.Signals, (redis: RedisServer) => Promise<void>]>([
  ['crashed', 'SIGKILL', redis => redis.restart()],
  ['hangs', 'SIGSTOP', redis => redis.kill('SIGCONT')],
])('a Redis that %s is missed by nobody', async (_, signal, revive) => {
  await stage.redis.kill(signal)
  try {
    for (const tab of tabs)
      expect(await tab.run('client.refresh().then(caller => caller.userId)')).toBe(owner.id)
    for (const tab of tabs) await tab.reload()
    for (const tab of tabs) await tab.untilStatus('loggedIn')
  } finally {
    await revive(stage.redis)
  }
})

test('a database that crashed logs nobody out of an open page', async () => {
  await postgres.kill('SIGQUIT')
  const refreshes = tabs.map(tab => tab.run('client.refresh().then(caller => caller.userId)'))
  try {
    await eventually(everyTabWasPutOff, { what: 'refreshes that are refused' })
    for (const tab of tabs) {
      expect(await tab.state()).toMatchObject({ status: 'loggedIn' })
      // The token they have is as good as before: it needs no database.
      expect(await tab.readData()).toBe(200)
    }
  } finally {
    await postgres.restart()
  }
  expect(await Promise.all(refreshes)).toEqual([expect.any(String), expect.any(String)])
  for (const tab of tabs) expect(await tab.run('[...new Set(changes)]')).toEqual(['loggedIn'])
  for (const tab of tabs) expect(await tab.state()).not.toHaveProperty('reason')
})

test('a page that is loaded during an outage knows nothing, asks on, and is logged in after it', async () => {
  await postgres.kill('SIGQUIT')
  try {
    for (const tab of tabs) await tab.page.reload()
    await eventually(everyTabWasPutOff, { what: 'refreshes that are refused' })
    for (const tab of tabs)
      expect(await tab.state()).toEqual({ status: 'unknown', caller: null, reason: 'service' })
  } finally {
    await postgres.restart()
  }
  for (const tab of tabs) {
    await tab.untilStatus('loggedIn')
    expect(await tab.readData()).toBe(200)
  }
})

test('a lost network logs nobody out either', async () => {
  await person.setOffline(true)
  const refreshes = tabs.map(tab => tab.run('client.refresh().then(caller => caller.userId)'))
  for (const tab of tabs) await tab.until("client.state.reason === 'network'")
  for (const tab of tabs) expect(await tab.attempt(`fetch('${API}/health/live')`)).toBe('TypeError')
  await person.setOffline(false)
  expect(await Promise.all(refreshes)).toEqual([expect.any(String), expect.any(String)])
  for (const tab of tabs) expect(await tab.run('[...new Set(changes)]')).toEqual(['loggedIn'])
  for (const tab of tabs) expect(await tab.state()).not.toHaveProperty('reason')
})

test('pages 6: a logout in an outage is finished by the page that is opened after it', async () => {
  await postgres.kill('SIGQUIT')
  try {
    for (const tab of tabs) await tab.run('void client.logout()')
    for (const tab of tabs) await tab.until("client.state.reason === 'service'")
    for (const tab of tabs) await tab.reload()
    for (const tab of tabs) expect(await tab.state()).toMatchObject({ status: 'loggedOut', caller: null })
  } finally {
    await postgres.restart()
  }
  // What is left is the device's own id, and that the cookie's session was ended here.
  const isForgotten = `Object.entries(localStorage).every(([key, value]) => key.endsWith('.device') || value === '')`
  for (const tab of tabs) await tab.until(`!client.state.reason && ${isForgotten}`)
  expect(await stage.app.auditRows({ userId: owner.id, action: 'logout' })).toHaveLength(2)
  for (const tab of tabs) {
    await tab.reload()
    expect(await tab.state()).toEqual({ status: 'loggedOut', caller: null })
  }
})

test('pages 3: a page that is not listed says so once, and why it waits', async () => {
  const tab = await Tab.open(person, EVIL)
  const said: string[] = []
  tab.page.on('console', message => said.push(message.text()))
  await tab.run(`import('/mainstay.js').then(({ satelliteClient, itemStorage }) => {
    localStorage.setItem('mainstay.https_api.main.test', 'any session')
    globalThis.client = satelliteClient({ baseUrl: '${API}', storage: itemStorage(() => localStorage) })
    void client.refresh()
  })`)
  await tab.until("client.state.reason === 'origin'")
  // Once more.
  await tab.run("void dispatchEvent(new Event('online'))")
  await eventually(() => stage.received.preflightsOf('/api/refresh').length > 1, { what: 'another try' })
  const ours = said.filter(text => text.startsWith('Mainstay at '))
  expect(ours).toEqual([expect.stringMatching(/https:\/\/evil\.test.*ALLOWED_ORIGINS/)])
})

test('a page can read how long it should wait', async () => {
  await postgres.kill('SIGQUIT')
  try {
    for (const tab of tabs) {
      const login = `client.login(input)
        .catch(({ status, code, retryAfterSeconds }) => ({ status, code, retryAfterSeconds }))`
      expect(await tab.run(login, { email: owner.email, password: PASSWORD })).toEqual({
        status: 503,
        code: 'DATABASE_UNAVAILABLE',
        retryAfterSeconds: expect.any(Number),
      })
    }
  } finally {
    await postgres.restart()
  }
})
