import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import type { BrowserContext } from 'playwright-core'
import type { User } from '../../src/accounts/user.js'
import { eventually } from '../support/eventually.js'
import { anOwner, PASSWORD } from '../support/people.js'
import type { RedisServer } from '../support/redis-server.js'
import { API, MAIN, SHOP_ONE } from './hosts.js'
import { START_MS, Stage } from './stage.js'
import { Tab } from './tab.js'

let stage: Stage
let person: BrowserContext
let owner: User
let tabs: Tab[]
beforeAll(async () => {
  stage = await Stage.start()
}, START_MS)
beforeEach(async () => {
  person = await stage.newPerson()
  owner = await anOwner(stage.app)
  tabs = [await Tab.open(person, MAIN), await Tab.open(person, SHOP_ONE)]
  for (const tab of tabs) await tab.login(owner)
  for (const tab of tabs) await tab.run('changes.splice(0)')
  stage.received.forget()
})
afterEach(() => person.close())
afterAll(() => stage?.stop())

/** Both pages have asked for a new token and were told to wait. */
function everyTabWasPutOff(): boolean {
  const putOff = stage.received.to('/api/refresh').filter(({ status }) => status === 503)
  return new Set(putOff.map(({ headers }) => headers.origin)).size === tabs.length
}

test.each<[string, NodeJS.Signals, (redis: RedisServer) => Promise<void>]>([
  ['crashed', 'SIGKILL', redis => redis.restart()],
  ['hangs', 'SIGSTOP', redis => redis.kill('SIGCONT')],
])('a session store that %s logs nobody out of an open page', async (_, signal, revive) => {
  await stage.redis.kill(signal)
  const refreshes = tabs.map(tab => tab.run('client.refresh().then(caller => caller.userId)'))
  try {
    await eventually(everyTabWasPutOff, { what: 'refreshes that are refused' })
    for (const tab of tabs) {
      expect(await tab.state()).toMatchObject({ status: 'loggedIn' })
      // The token they have is as good as before: it needs no store.
      expect(await tab.readData()).toBe(200)
    }
  } finally {
    await revive(stage.redis)
  }
  expect(await Promise.all(refreshes)).toEqual([expect.any(String), expect.any(String)])
  for (const tab of tabs) expect(await tab.run('changes')).toEqual([])
})

test('a page that is loaded during an outage knows nothing, asks on, and is logged in after it', async () => {
  await stage.redis.kill('SIGKILL')
  try {
    for (const tab of tabs) await tab.page.reload()
    await eventually(everyTabWasPutOff, { what: 'refreshes that are refused' })
    for (const tab of tabs) expect(await tab.state()).toEqual({ status: 'unknown', caller: null })
  } finally {
    await stage.redis.restart()
  }
  for (const tab of tabs) {
    await tab.untilStatus('loggedIn')
    expect(await tab.readData()).toBe(200)
  }
})

test('a lost network logs nobody out either', async () => {
  await person.setOffline(true)
  const refreshes = tabs.map(tab => tab.run('client.refresh().then(caller => caller.userId)'))
  for (const tab of tabs) expect(await tab.attempt(`fetch('${API}/health/live')`)).toBe('TypeError')
  await person.setOffline(false)
  expect(await Promise.all(refreshes)).toEqual([expect.any(String), expect.any(String)])
  for (const tab of tabs) expect(await tab.run('changes')).toEqual([])
})

test('a page can read how long it should wait', async () => {
  await stage.redis.kill('SIGSTOP')
  try {
    for (const tab of tabs) {
      const login = `client.login(input)
        .catch(({ status, code, retryAfterSeconds }) => ({ status, code, retryAfterSeconds }))`
      expect(await tab.run(login, { email: owner.email, password: PASSWORD })).toEqual({
        status: 503,
        code: 'SESSION_STORE_UNAVAILABLE',
        retryAfterSeconds: expect.any(Number),
      })
    }
  } finally {
    await stage.redis.kill('SIGCONT')
  }
})
