import { beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { ErrorCode as ClientErrorCode } from '@mainstay-auth/client'
import {
  AuthClient as Client,
  cookieHome,
  type ErrorCode,
  errorOf,
  type ItemStorage,
  isSecondFactorRequired,
  itemStorage,
  type SecondFactorRequired,
  type Storage,
  storageHome,
  thisPlatform,
} from '../../sources.js'
import { SimulatedDevice } from '../../support/client/simulated-device.js'
import { SimulatedService } from '../../support/client/simulated-service.js'

const SERVICE = 'https://auth.test'
const PERSON = { email: 'owner@example.com', password: 'any' }
const SECOND = 1_000
const HOUR = 3_600 * SECOND
const UNAVAILABLE = { status: 503, body: { code: 'SESSION_STORE_UNAVAILABLE' } }
/** The share of its life after which a token is refreshed at the earliest. */
const REFRESHED_AFTER = 0.85 * 900 * SECOND

let device: SimulatedDevice
let service: SimulatedService
/** The storage of the main site, which all its tabs share. */
let items: Map<string, string>
beforeEach(() => {
  items = new Map()
  device = new SimulatedDevice()
  service = new SimulatedService(device)
})

function openTab({ shares = true, send = service.fetch } = {}): Client {
  return new Client({ baseUrl: SERVICE }, mainHome(), device.tab(send, { shares }))
}

function openSatelliteTab(own = new Map<string, string>()): Client {
  return new Client({ baseUrl: SERVICE }, storageHome(storageOf(own), 'key'), device.tab(service.fetch))
}

function mainHome() {
  return cookieHome(storageOf(items), 'key')
}

function storageOf(kept: Map<string, string>): Storage {
  return {
    get: key => kept.get(key),
    set: (key, value) => kept.set(key, value),
    remove: key => kept.delete(key),
  }
}

/** What comes of it in simulated time. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let outcome: PromiseSettledResult<T> | undefined
  void Promise.allSettled([work]).then(([settled]) => {
    outcome = settled
  })
  for (let passed = 0; passed <= ms && !outcome; passed += SECOND) await device.advance(SECOND)
  if (!outcome) throw new Error(`Nothing came of it in ${ms} ms`)
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

async function openTabs(count: number): Promise<Client[]> {
  const tabs = Array.from({ length: count }, () => openTab())
  await within(10 * SECOND, (tabs[0] as Client).login(PERSON))
  await device.advance(SECOND)
  return tabs
}

function statuses(tabs: readonly Client[]): string[] {
  return [...new Set(tabs.map(({ state }) => state.status))]
}

/** Ends with its signal alone. */
function hanging(init: RequestInit = {}): Promise<Response> {
  return new Promise((_, reject) => {
    init.signal?.throwIfAborted()
    init.signal?.addEventListener('abort', () => reject(init.signal?.reason))
  })
}

async function readData(tab: Client): Promise<number> {
  return (await within(10 * SECOND, tab.fetch('/api/data'))).status
}

describe('a session with an idle timeout', () => {
  const IDLE = 1_800 * SECOND
  const MINUTE = 60 * SECOND
  beforeEach(() => {
    service.idleSeconds = IDLE / SECOND
  })

  it('is not refreshed for nobody, and a page says when it is over', async () => {
    const tabs = await openTabs(3)
    await device.advance(REFRESHED_AFTER + 2 * MINUTE)
    // For the user who has just logged in.
    expect(service.refreshes()).toBe(1)
    await device.advance(IDLE - 5 * MINUTE)
    expect(service.refreshes()).toBe(1)
    expect(statuses(tabs)).toEqual(['loggedIn'])
    await device.advance(6 * MINUTE)
    for (const { state } of tabs) expect(state).toMatchObject({ status: 'loggedOut', cause: 'idle' })
    expect(service.refreshes()).toBe(2)
  })

  it('goes on for hours while somebody uses the page', async () => {
    const tabs = await openTabs(2)
    for (let minutes = 0; minutes < 300; minutes += 5) {
      device.use()
      await device.advance(5 * MINUTE)
    }
    expect(statuses(tabs)).toEqual(['loggedIn'])
    expect(service.refreshes()).toBeLessThanOrEqual((300 * MINUTE) / REFRESHED_AFTER)
  })

  it('is refreshed at once for a user who comes back in time', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    await device.advance(35 * MINUTE)
    const before = service.refreshes()
    device.use()
    await device.advance(SECOND)
    expect(service.refreshes()).toBe(before + 1)
    expect(tab.state.status).toBe('loggedIn')
    await device.advance(HOUR)
    expect(tab.state).toMatchObject({ status: 'loggedOut', cause: 'idle' })
  })

  it('goes on where there is no page to watch while the app calls', async () => {
    const app = new Client(
      { baseUrl: SERVICE },
      storageHome(storageOf(new Map()), 'key'),
      device.tab(service.fetch, { hasPage: false }),
    )
    await within(10 * SECOND, app.login(PERSON))
    for (let minutes = 0; minutes < 120; minutes += 10) {
      expect(await readData(app)).toBe(200)
      await device.advance(10 * MINUTE)
    }
    await device.advance(HOUR)
    expect(app.state).toMatchObject({ status: 'loggedOut', cause: 'idle' })
  })
})

describe('twenty tabs', () => {
  it('that are open for an hour make one refresh in a lifetime', async () => {
    const tabs = await openTabs(20)
    await device.advance(HOUR)
    expect(service.refreshes()).toBeGreaterThanOrEqual(3)
    expect(service.refreshes()).toBeLessThanOrEqual(Math.floor(HOUR / REFRESHED_AFTER))
    const answers = await Promise.all(tabs.map(tab => tab.accessToken()))
    expect(new Set(answers).size).toBe(1)
    expect(await readData(tabs[19] as Client)).toBe(200)
  })

  it('that are opened at once make one refresh', async () => {
    service.cookie = 'session-0'
    const tabs = Array.from({ length: 20 }, () => openTab())
    await within(10 * SECOND, Promise.all(tabs.map(tab => tab.refresh())))
    expect(service.refreshes()).toBe(1)
    expect(statuses(tabs)).toEqual(['loggedIn'])
  })

  it('wait out an outage about as often as one, log nobody out, and are back soon', async () => {
    const tabs = await openTabs(20)
    service.outage = UNAVAILABLE
    await device.advance(HOUR)
    expect(statuses(tabs)).toEqual(['loggedIn'])
    // Each wait is at least half of its 30 s.
    expect(service.refreshes()).toBeLessThan(HOUR / (15 * SECOND))
    service.outage = null
    await device.advance(60 * SECOND)
    const before = service.refreshes()
    expect(await Promise.all(tabs.map(readData))).toEqual(tabs.map(() => 200))
    expect(service.refreshes()).toBe(before)
  })

  it('are all logged out by one', async () => {
    const tabs = await openTabs(20)
    const seen: string[] = []
    tabs[7]?.onChange(({ status }, kind) => seen.push(`${kind}: ${status}`))
    await within(10 * SECOND, (tabs[3] as Client).logout())
    expect(statuses(tabs)).toEqual(['loggedOut'])
    expect(seen).toEqual(['first: loggedIn', 'logout: loggedOut'])
    const causes = tabs.map(({ state }) => state.status === 'loggedOut' && state.cause)
    expect(causes.splice(3, 1)).toEqual(['logout'])
    expect(new Set(causes)).toEqual(new Set(['logoutElsewhere']))
    await device.advance(HOUR)
    expect(service.refreshes()).toBe(0)
  })

  it('are all logged in by one, as whoever it is now', async () => {
    const tabs = await openTabs(20)
    await within(10 * SECOND, (tabs[3] as Client).login(PERSON))
    await device.advance(SECOND)
    expect(new Set(tabs.map(({ state }) => state.caller?.userId))).toEqual(new Set(['user-of-session-2']))
  })

  it('are not held up by one that was frozen with the lock', async () => {
    const [tab] = await openTabs(2)
    device.holdForEver(`mainstay main ${SERVICE}`)
    await device.advance(HOUR)
    expect(await readData(tab as Client)).toBe(200)
  })
})

describe('a tab', () => {
  it('that waited too long for the lock is served at once by the token of another', async () => {
    service.cookie = 'session-0'
    device.holdForEver(`mainstay main ${SERVICE}`)
    const tab = openTab({ send: (_, init) => hanging(init) })
    const refreshed = tab.refresh()
    await device.advance(16 * SECOND)
    await within(SECOND, openTab().login(PERSON))
    expect(await within(SECOND, refreshed)).toMatchObject({ sid: 'handle-of-session-1' })
  })

  it('without locks and channels does it all by itself', async () => {
    const tab = openTab({ shares: false })
    await within(10 * SECOND, tab.login(PERSON))
    await device.advance(HOUR)
    expect(service.refreshes()).toBeGreaterThanOrEqual(3)
    expect(await readData(tab)).toBe(200)
  })

  it('in a sandboxed frame, which may not have locks, does without', async () => {
    service.cookie = 'session-0'
    const locks = { request: () => Promise.reject(new Error('SecurityError')) }
    const tab = new Client({ baseUrl: SERVICE }, mainHome(), { ...device.tab(service.fetch), locks })
    expect(await within(SECOND, tab.refresh())).not.toBeNull()
    await device.advance(60 * SECOND)
    expect(service.refreshes()).toBe(1)
  })

  it('refreshes once, however many requests need it', async () => {
    service.cookie = 'session-0'
    const tab = openTab()
    await within(10 * SECOND, Promise.all(Array.from({ length: 10 }, () => tab.fetch('/api/data'))))
    expect(service.refreshes()).toBe(1)
  })

  it.each([-1, 1])('works although the clock of the device is wrong by %i years', async years => {
    device.clockMs += years * 365 * 24 * HOUR
    const [tab] = await openTabs(2)
    await device.advance(HOUR)
    expect(service.refreshes()).toBeLessThanOrEqual(Math.floor(HOUR / REFRESHED_AFTER))
    expect(await readData(tab as Client)).toBe(200)
    expect(service.requests.filter(line => line.endsWith('/api/data'))).toHaveLength(1)
  })

  it('does not adopt a token that was sent long ago', async () => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    // As long as a laptop sleeps, monotonic clocks stand still; the message waits.
    const before = await tab.accessToken()
    void other.refresh()
    await device.advance(60)
    expect(await other.accessToken()).not.toBe(before)
    device.clockMs += HOUR
    await device.advance(SECOND)
    expect(await tab.accessToken()).toBe(before)
  })

  it('is logged out by a 401 of refresh, and the others with it', async () => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    service.revoke('handle-of-session-1')
    expect(await within(10 * SECOND, tab.refresh())).toBeNull()
    await device.advance(SECOND)
    expect(statuses([tab, other])).toEqual(['loggedOut'])
    await expect(tab.fetch(`${SERVICE}/api/data`)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(service.refreshes()).toBe(1)
  })

  it.each([
    ['a lost network', 'lost' as const],
    ['429', { status: 429, headers: { 'Retry-After': '20' } }],
    ['an answer that is none of the service', { status: 200 }],
  ])('waits out %s', async (_, outage) => {
    service.cookie = 'session-0'
    service.outage = outage
    const tab = openTab()
    const refreshed = tab.refresh()
    await device.advance(300 * SECOND)
    expect(tab.state.status).toBe('unknown')
    expect(service.refreshes()).toBeLessThan(300 / 10)
    service.outage = null
    expect(await within(60 * SECOND, refreshed)).toMatchObject({ userId: 'user-of-session-0' })
  })

  it('does not come back before Retry-After', async () => {
    service.cookie = 'session-0'
    service.outage = { ...UNAVAILABLE, headers: { 'Retry-After': '100' } }
    void openTab().refresh()
    await device.advance(100 * SECOND)
    expect(service.refreshes()).toBe(1)
  })

  it('retries after a day, whatever a proxy asks for', async () => {
    service.cookie = 'session-0'
    // Five weeks: more than a timer can wait.
    service.outage = { ...UNAVAILABLE, headers: { 'Retry-After': '3000000' } }
    void openTab().refresh()
    await device.advance(24 * HOUR)
    expect(service.refreshes()).toBe(1)
    await device.advance(60 * SECOND)
    expect(service.refreshes()).toBe(2)
  })

  it('lets a request give up waiting, and goes on', async () => {
    service.cookie = 'session-0'
    service.outage = 'lost'
    const tab = openTab()
    const patience = new AbortController()
    const request = tab.fetch('/api/data', { signal: patience.signal })
    await device.advance(10 * SECOND)
    patience.abort()
    await expect(request).rejects.toMatchObject({ name: 'AbortError' })
    service.outage = null
    await device.advance(60 * SECOND)
    expect(tab.state.status).toBe('loggedIn')
  })

  it.each([
    [403, 'CROSS_SITE_REFUSED', { code: 'CROSS_SITE_REFUSED' }],
    // Of a proxy, say.
    [401, 'UNKNOWN', {}],
  ])('reports a refusal that is neither (%i %s), and logs nobody out', async (status, code, body) => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = { status, body }
    await expect(within(10 * SECOND, tab.refresh())).rejects.toMatchObject({
      name: 'MainstayError',
      status,
      code,
    })
    expect(tab.state.status).toBe('loggedIn')
    service.outage = null
    await device.advance(HOUR)
    expect(await readData(tab)).toBe(200)
  })

  it('stays logged out when it logs out during a refresh', async () => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    void tab.refresh()
    void other.refresh()
    await within(10 * SECOND, tab.logout())
    await device.advance(SECOND)
    expect(statuses([tab, other])).toEqual(['loggedOut'])
  })

  it('stays logged out when it logs out while the token of another is on its way', async () => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    void other.refresh()
    await device.advance(60)
    void tab.logout()
    await device.advance(SECOND)
    expect(statuses([tab, other])).toEqual(['loggedOut'])
  })

  it('stays logged out while the service does not know yet', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = 'lost'
    void tab.logout()
    await device.advance(60)
    service.outage = null
    const refreshed = tab.refresh()
    await device.advance(200)
    expect(await refreshed).toBeNull()
    expect(tab.state.status).toBe('loggedOut')
  })

  it('goes on telling the service of a logout until it knows', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = 'lost'
    const done = tab.logout()
    await device.advance(HOUR)
    expect(tab.state.status).toBe('loggedOut')
    service.outage = null
    await within(60 * SECOND, done)
    expect(await within(10 * SECOND, tab.refresh())).toBeNull()
  })

  it('stops telling it when somebody logs in, because the answer would take their cookie', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = UNAVAILABLE
    void tab.logout()
    await device.advance(5 * SECOND)
    service.outage = null
    await within(20 * SECOND, tab.login(PERSON))
    const logouts = service.requests.filter(line => line.endsWith('/logout')).length
    await device.advance(120 * SECOND)
    expect(service.requests.filter(line => line.endsWith('/logout'))).toHaveLength(logouts)
    expect(tab.state.status).toBe('loggedIn')
  })

  it('calls a listener that comes late, and not when a refresh brings nothing new', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    const seen: unknown[] = []
    tab.onChange((state, kind) => seen.push([kind, state]))
    await device.advance(HOUR)
    expect(seen).toEqual([['first', tab.state]])
  })

  it('says what a change is, and calls no listener that has left', async () => {
    const tab = openTab()
    const seen: string[] = []
    const leave = tab.onChange((_, kind) => seen.push(kind))
    tab.onChange(() => seen.push('gone'))()
    await within(10 * SECOND, tab.refresh())
    await within(10 * SECOND, tab.login(PERSON))
    service.permissions = { dataEntry: false }
    await within(10 * SECOND, tab.refresh())
    service.outage = UNAVAILABLE
    void tab.refresh()
    await device.advance(SECOND)
    service.outage = null
    await device.advance(60 * SECOND)
    await within(10 * SECOND, tab.login(PERSON))
    await within(10 * SECOND, tab.logout())
    leave()
    await within(10 * SECOND, tab.login(PERSON))
    expect(seen).toEqual(['first', 'login', 'permissions', 'waiting', 'waiting', 'login', 'logout'])
  })

  it.each([
    ['revoked', 'revoked'],
    ['expired', 'expired'],
    [undefined, 'ended'],
  ] as const)('says that the session is over: the service says %s', async (reason, cause) => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    service.revoke('handle-of-session-1', reason)
    await within(10 * SECOND, tab.refresh())
    await device.advance(SECOND)
    for (const { state } of [tab, other]) expect(state).toEqual({ status: 'loggedOut', caller: null, cause })
  })

  it.each([
    ['main site', () => openTab()],
    ['satellite', () => openSatelliteTab(items)],
  ])('says so once to who comes back to the %s, though the cookie is still there', async (_, open) => {
    const before = open()
    await within(10 * SECOND, before.login(PERSON))
    before.close()
    service.revoke('handle-of-session-1', 'revoked')
    const [first, second, third] = [open(), open(), open()]
    await within(10 * SECOND, first.refresh())
    expect(first.state).toEqual({ status: 'loggedOut', caller: null, cause: 'revoked' })
    await within(10 * SECOND, second.refresh())
    expect(second.state).toEqual({ status: 'loggedOut', caller: null })

    await within(10 * SECOND, first.login(PERSON))
    await device.advance(SECOND)
    expect(statuses([first, second])).toEqual(['loggedIn'])
    service.revoke('handle-of-session-2', 'expired')
    await within(10 * SECOND, third.refresh())
    expect(third.state).toEqual({ status: 'loggedOut', caller: null, cause: 'expired' })
  })

  it('continues when another tab logs in while it hears that the earlier session was over', async () => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    service.revoke('handle-of-session-1')
    void tab.refresh()
    await device.advance(30)
    await within(10 * SECOND, other.login(PERSON))
    await device.advance(SECOND)
    const opened = openTab()
    await within(10 * SECOND, opened.refresh())
    await device.advance(5 * SECOND)
    const tokens = await Promise.all([tab, other, opened].map(each => each.accessToken()))
    expect(new Set(tokens)).toEqual(new Set([expect.any(String)]))
    expect(new Set(tokens).size).toBe(1)
  })

  it('keeps the note of a logout that the service has not heard of', async () => {
    const home = mainHome()
    await home.leave('handle')
    await home.forget('handle', true)
    expect([await home.left(), await home.isSettled()]).toEqual([{ sid: 'handle', headers: {} }, false])
  })

  it('takes no note of an end that another tab tells of: the service may not know of it yet', async () => {
    const home = mainHome()
    await home.forget('handle')
    expect(await home.isSettled()).toBe(false)
    await home.forget('handle', true)
    expect(await home.isSettled()).toBe(true)
  })

  it('knows a logout from a session that the service has ended', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    await within(10 * SECOND, tab.login(PERSON))
    await within(10 * SECOND, tab.logout())
    await within(10 * SECOND, tab.refresh())
    expect(tab.state).toEqual({ status: 'loggedOut', caller: null, cause: 'logout' })
    // Nobody was ever logged in here.
    service.cookie = null
    const visitor = openTab()
    await within(10 * SECOND, visitor.refresh())
    expect(visitor.state).toEqual({ status: 'loggedOut', caller: null })
  })
})

describe('tabs of a satellite', () => {
  it('with a storage of their own stay whoever they are', async () => {
    const [one, two] = [openSatelliteTab(), openSatelliteTab()]
    await within(10 * SECOND, one.login(PERSON))
    await within(10 * SECOND, two.login(PERSON))
    await device.advance(HOUR)
    expect([one, two].map(({ state }) => state.caller?.sid)).toEqual([
      'handle-of-session-1',
      'handle-of-session-2',
    ])
    await within(10 * SECOND, one.logout())
    expect([one, two].map(({ state }) => state.status)).toEqual(['loggedOut', 'loggedIn'])
  })

  it('with one storage share one session, and forget it together', async () => {
    const items = new Map<string, string>()
    const [one, two] = [openSatelliteTab(items), openSatelliteTab(items)]
    await within(10 * SECOND, one.login(PERSON))
    await device.advance(SECOND)
    expect(two.state.caller?.sid).toBe('handle-of-session-1')
    await within(10 * SECOND, two.logout())
    expect(items.size).toBe(0)
    expect(one.state.status).toBe('loggedOut')
  })

  it('are who logged in last, whatever is answered late', async () => {
    const one = openSatelliteTab()
    await within(10 * SECOND, one.login(PERSON))
    void one.login(PERSON)
    await device.advance(10)
    void one.refresh()
    await device.advance(SECOND)
    expect(one.state.caller?.sid).toBe('handle-of-session-2')
  })

  it('keep the session that another has put in the place of an ended one', async () => {
    const items = new Map<string, string>()
    const [one, two] = [openSatelliteTab(items), openSatelliteTab(items)]
    await within(10 * SECOND, one.login(PERSON))
    service.revoke('handle-of-session-1')
    void two.login(PERSON)
    await device.advance(10)
    void one.refresh()
    await device.advance(SECOND)
    expect([one, two].map(({ state }) => state.caller?.sid)).toEqual([
      'handle-of-session-2',
      'handle-of-session-2',
    ])
    expect([...items.values()]).toEqual(['session-2 handle-of-session-2'])
  })

  it('that never logged in ask nothing', async () => {
    expect(await within(SECOND, openSatelliteTab().refresh())).toBeNull()
    expect(service.requests).toEqual([])
  })

  it('wait for a storage that is locked', async () => {
    let isLocked = true
    const storage = {
      get: () => {
        if (isLocked) throw new Error('The device is locked')
        return 'session-0 handle-of-session-0'
      },
      set: () => {},
      remove: () => {},
    }
    const app = new Client({ baseUrl: SERVICE }, storageHome(storage, 'key'), device.tab(service.fetch))
    const refreshed = app.refresh()
    await device.advance(30 * SECOND)
    isLocked = false
    expect(await within(60 * SECOND, refreshed)).toMatchObject({ sid: 'handle-of-session-0' })
  })
})

describe('fetch', () => {
  it('sends no token to any other address', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    for (const address of [
      ...['https://evil.test/', 'https://auth.test.evil.test/', 'https://auth.test@evil.test/'],
      ...['https://auth.test:8443/', 'https://auth.test', 'http://auth.test/', 'api/data'],
    ])
      await expect(tab.fetch(address)).rejects.toThrow(TypeError)
    expect(service.requests).toEqual(['POST /api/login'])
  })

  it.each(['//evil.test/', '/\\evil.test/'])('takes %s for a path of the service', async path => {
    const [tab] = (await openTabs(1)) as [Client]
    const seen: string[] = []
    const spy: typeof fetch = async input => {
      seen.push(new URL(String(input)).host)
      return new Response()
    }
    Object.assign(tab, { platform: { ...device.tab(spy) } })
    await tab.fetch(path)
    expect(seen).toEqual(['auth.test'])
  })

  it('repeats a request with its body once after a 401', async () => {
    const bodies: string[] = []
    const send: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      if (!request.url.startsWith('https://shop.test/')) return service.fetch(request)
      bodies.push(await request.text())
      return new Response(null, { status: bodies.length % 2 === 1 ? 401 : 200 })
    }
    const options = { baseUrl: SERVICE, backends: ['https://shop.test/'] }
    const tab = new Client(options, mainHome(), device.tab(send))
    await within(10 * SECOND, tab.login(PERSON))
    const request = new Request('https://shop.test/orders', { method: 'POST', body: 'first' })
    expect((await within(10 * SECOND, tab.fetch(request))).status).toBe(200)
    await device.advance(30 * SECOND)
    const init = { method: 'POST', body: 'second' }
    expect((await within(10 * SECOND, tab.fetch('https://shop.test/orders', init))).status).toBe(200)
    expect(bodies).toEqual(['first', 'first', 'second', 'second'])
  })

  it.each(['TOKEN_INVALID', 'LOGIN_REQUIRED'])('repeats what another backend refuses as %s', async code => {
    let requests = 0
    const send: typeof fetch = async (input, init) => {
      const request = new Request(input, init)
      if (!request.url.startsWith('https://shop.test/')) return service.fetch(request)
      requests += 1
      return new Response(JSON.stringify({ code }), { status: 401 })
    }
    const tab = new Client(
      { baseUrl: SERVICE, backends: ['https://shop.test'] },
      mainHome(),
      device.tab(send),
    )
    await within(10 * SECOND, tab.login(PERSON))
    await within(10 * SECOND, tab.fetch('https://shop.test/orders'))
    expect(requests).toBe(2)
  })

  it('repeats no request in the name of somebody else who has logged in meanwhile', async () => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    let answer = () => {}
    const late = new Promise<Response>(resolve => {
      answer = () => resolve(new Response(null, { status: 401 }))
    })
    let requests = 0
    const send: typeof fetch = async (input, init) => {
      if (!new Request(input, init).url.endsWith('/api/data')) return service.fetch(input, init)
      requests += 1
      return late
    }
    Object.assign(tab, { platform: { ...device.tab(send) } })
    const asked = tab.fetch('/api/data')
    await within(10 * SECOND, other.login(PERSON))
    await device.advance(SECOND)
    answer()
    expect((await within(10 * SECOND, asked)).status).toBe(401)
    expect([tab.state.caller?.userId, requests]).toEqual(['user-of-session-2', 1])
  })

  it('sends no request in the name of somebody else who has logged in while it waited for a token', async () => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    service.outage = UNAVAILABLE
    await device.advance(HOUR)
    const asked = expect(tab.fetch('/api/data')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    service.outage = null
    await within(10 * SECOND, other.login(PERSON))
    await device.advance(60 * SECOND)
    await asked
    expect(tab.state.caller?.userId).toBe('user-of-session-2')
    expect(service.requests).not.toContain('GET /api/data')
  })

  it('does not refresh again and again for a backend that refuses every token', async () => {
    const send: typeof fetch = async (input, init) => {
      const { url } = new Request(input, init)
      return url.startsWith(SERVICE) ? service.fetch(input, init) : new Response(null, { status: 401 })
    }
    const options = { baseUrl: SERVICE, backends: ['https://shop.test'] }
    const tab = new Client(options, mainHome(), device.tab(send))
    await within(10 * SECOND, tab.login(PERSON))
    for (let i = 0; i < 20; i += 1) {
      const answer = await within(10 * SECOND, tab.fetch('https://shop.test/orders'))
      expect(answer.status).toBe(401)
    }
    expect(service.refreshes()).toBeLessThanOrEqual(3)
  })

  it('gives up a Request that has no answer, and one whose own signal aborts', async () => {
    const tab = openTab({ send: (_, init) => (isOpen ? service.fetch(_, init) : hanging(init)) })
    let isOpen = true
    await within(10 * SECOND, tab.login(PERSON))
    isOpen = false
    const late = within(30 * SECOND, tab.fetch(new Request(`${SERVICE}/api/data`)))
    await expect(late).rejects.toMatchObject({ name: 'TimeoutError' })
    const leaving = new AbortController()
    const left = tab.fetch(new Request(`${SERVICE}/api/data`, { signal: leaving.signal }))
    await device.advance(SECOND)
    leaving.abort(new Error('left the page'))
    await expect(left).rejects.toThrow('left the page')
    await expect(tab.fetch(new Request(`${SERVICE}/api/data`, { signal: leaving.signal }))).rejects.toThrow()
  })

  it('neither refreshes nor repeats anything for a refusal that a new token would not change', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    const codes = [
      ...['INVALID_CREDENTIALS', 'SECOND_FACTOR_INVALID', 'PASSKEY_INVALID'],
      ...['REAUTHENTICATION_REQUIRED', 'STEP_UP_REQUIRED'],
    ]
    const answered: string[] = []
    for (const code of codes) {
      const send: typeof fetch = async () => {
        answered.push(code)
        return new Response(JSON.stringify({ code }), { status: 401 })
      }
      Object.assign(tab, { platform: { ...device.tab(send) } })
      expect((await tab.fetch('/api/account')).status).toBe(401)
    }
    expect([service.refreshes(), answered]).toEqual([0, codes])
  })
})

describe('pages 6: a logout that the service has not heard of', () => {
  /** Closes the page, and opens the site anew. */
  function reopened(tab: Client, open: () => Client): Client {
    tab.close()
    return open()
  }

  it.each([
    ['main site', () => openTab()],
    ['satellite', () => openSatelliteTab(items)],
  ])('is said to be one, and a reopened page of the %s finishes it', async (_, open) => {
    const tab = open()
    await within(10 * SECOND, tab.login(PERSON))
    service.outage = 'lost'
    void tab.logout()
    await device.advance(SECOND)
    expect(tab.state).toEqual({ status: 'loggedOut', caller: null, cause: 'logout', reason: 'network' })

    const again = reopened(tab, open)
    expect(await within(SECOND, again.refresh())).toBeNull()
    await device.advance(SECOND)
    expect(again.state).toEqual({ status: 'loggedOut', caller: null, cause: 'logout', reason: 'network' })
    service.outage = null
    await device.advance(60 * SECOND)
    expect(again.state).toEqual({ status: 'loggedOut', caller: null, cause: 'logout' })
    expect(items.size).toBe(0)
    expect(service.isEnded('handle-of-session-1')).toBe(true)
  })

  it('is not news at the next visit, where the service had heard of it and the answer was lost', async () => {
    const tab = openTab()
    await within(10 * SECOND, tab.login(PERSON))
    service.outage = 'lost'
    void tab.logout()
    // Before it is tried again.
    await device.advance(SECOND / 4)
    service.revoke('handle-of-session-1', 'revoked')
    service.outage = null
    const again = reopened(tab, openTab)
    expect(await within(SECOND, again.refresh())).toBeNull()
    await device.advance(60 * SECOND)
    expect(again.state).toEqual({ status: 'loggedOut', caller: null, cause: 'logout' })
    const later = reopened(again, openTab)
    await within(10 * SECOND, later.refresh())
    expect(later.state).toEqual({ status: 'loggedOut', caller: null })
    await within(10 * SECOND, later.login(PERSON))
    expect(items.size).toBe(0)
  })

  it('is finished also when somebody has typed a wrong password meanwhile', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = UNAVAILABLE
    void tab.logout()
    await device.advance(SECOND)
    await expect(within(60 * SECOND, tab.login(PERSON))).rejects.toMatchObject({ status: 503 })
    expect(tab.state.status).toBe('loggedOut')
    service.outage = null
    await device.advance(60 * SECOND)
    expect(service.isEnded('handle-of-session-1')).toBe(true)
  })

  it('that comes before the first answer is known to the other tabs', async () => {
    const [other] = (await openTabs(1)) as [Client]
    const tab = openTab()
    await within(10 * SECOND, tab.logout())
    await device.advance(SECOND)
    expect(tab.state.status).toBe('loggedOut')
    expect(other.state).toEqual({ status: 'loggedOut', caller: null, cause: 'logoutElsewhere' })
  })

  it('that comes before the first answer is not undone by the refresh of another tab', async () => {
    const [other] = (await openTabs(1)) as [Client]
    const tab = openTab()
    const seen: string[] = []
    tab.onChange(({ status }, kind) => seen.push(`${kind} ${status}`))
    service.outage = { ...UNAVAILABLE, headers: { 'Retry-After': '100' } }
    void tab.logout()
    await device.advance(SECOND)
    service.outage = null
    await within(10 * SECOND, other.refresh())
    await device.advance(300 * SECOND)
    expect(seen.filter(change => change.endsWith('loggedIn'))).toEqual([])
    expect(service.isEnded('handle-of-session-1')).toBe(true)
  })

  it('is sent, and sent again, also where storage takes no note of it', async () => {
    const refusing = () => Promise.reject(new Error('SecurityError'))
    const home = cookieHome({ get: () => null, set: refusing, remove: refusing }, 'key')
    const tab = new Client({ baseUrl: SERVICE }, home, device.tab(service.fetch))
    service.cookie = 'session-0'
    await within(SECOND, tab.refresh())
    service.outage = 'lost'
    const done = tab.logout()
    await device.advance(10 * SECOND)
    service.outage = null
    await within(60 * SECOND, done)
    expect(service.isEnded('handle-of-session-0')).toBe(true)
  })

  it.each([true, false])(
    'does not take the cookie of who logs in in another tab, where each has a storage of its own (a channel: %s)',
    async shares => {
      let isOffline = false
      const send: typeof fetch = (input, init) =>
        isOffline ? Promise.reject(new TypeError('fetch failed')) : service.fetch(input, init)
      const [tab, other] = [send, service.fetch].map(
        fetch =>
          new Client(
            { baseUrl: SERVICE },
            cookieHome(storageOf(new Map()), 'key'),
            device.tab(fetch, { shares }),
          ),
      ) as [Client, Client]
      await within(SECOND, tab.login(PERSON))
      isOffline = true
      const done = tab.logout()
      await device.advance(5 * SECOND)
      await within(SECOND, other.login(PERSON))
      isOffline = false
      await within(60 * SECOND, done)
      expect(service.cookie).toBe('session-2')
      expect(service.isEnded('handle-of-session-2')).toBe(false)
      expect(await within(SECOND, tab.refresh())).toMatchObject({ sid: 'handle-of-session-2' })
    },
  )

  it('does not end the session of who logs in in another tab', async () => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    service.outage = 'lost'
    void tab.logout()
    await device.advance(SECOND)
    service.outage = null
    await within(10 * SECOND, other.login(PERSON))
    await device.advance(60 * SECOND)
    expect(statuses([tab, other])).toEqual(['loggedIn'])
    expect(service.isEnded('handle-of-session-2')).toBe(false)
    expect(items.size).toBe(0)
  })
})

it('a satellite tells the service of both logouts, though the first is still being retried', async () => {
  const tab = openSatelliteTab()
  await within(10 * SECOND, tab.login(PERSON))
  service.outage = { ...UNAVAILABLE, headers: { 'Retry-After': '100' } }
  void tab.logout()
  await device.advance(SECOND)
  service.outage = null
  await within(10 * SECOND, tab.login(PERSON))
  await within(10 * SECOND, tab.logout())
  expect(service.isEnded('handle-of-session-2')).toBe(true)
  await device.advance(300 * SECOND)
  expect(service.isEnded('handle-of-session-1')).toBe(true)
})

describe('a client that is closed', () => {
  it('retries no logout', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = 'lost'
    void tab.logout().catch(() => {})
    await device.advance(SECOND)
    tab.close()
    const sent = service.requests.length
    await device.advance(HOUR)
    expect(service.requests).toHaveLength(sent)
  })

  it('retries no refresh that it has just been asked for', async () => {
    service.outage = 'lost'
    const tab = openTab()
    void tab.refresh().catch(() => {})
    tab.close()
    await device.advance(HOUR)
    expect(service.requests.length).toBeLessThan(2)
  })

  it('attempts a logout once that was begun just before', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = 'lost'
    const done = tab.logout()
    tab.close()
    await device.advance(HOUR)
    await done
    expect(service.requests.filter(line => line.endsWith('/logout'))).toHaveLength(1)
  })

  it('does not go on with what is left of a logout', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = 'lost'
    void tab.logout()
    await device.advance(SECOND)
    tab.close()
    await device.advance(20 * SECOND)
    const before = service.refreshes()
    expect(await within(SECOND, tab.refresh())).toBeNull()
    await device.advance(HOUR)
    expect(service.refreshes() - before).toBeLessThanOrEqual(1)
  })

  it('listens to nothing on the device', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = 'lost'
    const done = tab.logout()
    await device.advance(SECOND)
    tab.close()
    await within(SECOND, done)
    expect(device.listeners).toBe(0)
  })

  it('leaves what is left of a logout to the next one', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = 'lost'
    const done = tab.logout()
    await device.advance(SECOND)
    tab.close()
    await within(SECOND, done)
    expect(service.isEnded('handle-of-session-1')).toBe(false)
    service.outage = null
    expect(await within(SECOND, openTab().refresh())).toBeNull()
    await device.advance(SECOND)
    expect(service.isEnded('handle-of-session-1')).toBe(true)
  })

  it('still completes a login under way, and refreshes nothing afterwards', async () => {
    const tab = openTab()
    const login = tab.login(PERSON)
    tab.close()
    expect(await within(10 * SECOND, login)).toMatchObject({ sid: 'handle-of-session-1' })
    await device.advance(HOUR)
    expect(service.requests).toEqual(['POST /api/login'])
  })
})

describe('pages 3: why a page waits', () => {
  it('clears the reason once a logout that was retried is refused', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = 'lost'
    const done = tab.logout()
    await device.advance(10 * SECOND)
    expect(tab.state.reason).toBe('network')
    service.outage = { status: 403, body: { code: 'CROSS_SITE_REFUSED' } }
    await expect(within(60 * SECOND, done)).rejects.toMatchObject({ status: 403 })
    expect(tab.state.reason).toBeUndefined()
  })

  it.each([
    ['network', 'lost'],
    ['service', UNAVAILABLE],
    ['service', { status: 502 }],
    ['origin', 'unlisted'],
    ['origin', { status: 403, body: { code: 'ORIGIN_NOT_ALLOWED' } }],
  ] as const)('is the %s: %j', async (reason, outage) => {
    service.cookie = 'session-0'
    service.outage = outage
    const tab = openTab()
    const seen: unknown[] = []
    tab.onChange(state => seen.push(state))
    tab.refresh().catch(() => {})
    await device.advance(100 * SECOND)
    expect(seen).toEqual([{ status: 'unknown', caller: null, reason }])
    expect(device.warnings).toHaveLength(reason === 'origin' ? 1 : 0)
    for (const warning of device.warnings) expect(warning).toMatch(/https:\/\/auth\.test.*MAIN_ORIGIN/)
    service.outage = null
    await device.advance(60 * SECOND)
    expect(tab.state).toMatchObject({ status: 'loggedIn' })
    expect(tab.state).not.toHaveProperty('reason')
  })

  it('is the network when the service could be read before', async () => {
    const [tab] = (await openTabs(1)) as [Client]
    service.outage = 'unlisted'
    void tab.refresh()
    await device.advance(SECOND)
    expect(tab.state.reason).toBe('network')
  })

  it('is nothing to a tab that nobody is logged in on', async () => {
    const visitor = openTab()
    await within(10 * SECOND, visitor.refresh())
    service.outage = 'lost'
    const other = openTab()
    void other.refresh()
    await device.advance(10 * SECOND)
    expect(other.state.reason).toBe('network')
    expect(visitor.state).toEqual({ status: 'loggedOut', caller: null })
    void visitor.refresh()
    await device.advance(10 * SECOND)
    expect(visitor.state).toEqual({ status: 'loggedOut', caller: null })
  })

  it('is nothing to a tab that does not wait, and gone with the tab that did', async () => {
    const [first, second] = [openSatelliteTab(), openSatelliteTab()]
    await within(10 * SECOND, first.login(PERSON))
    await within(10 * SECOND, second.login(PERSON))
    service.outage = UNAVAILABLE
    void first.refresh()
    await device.advance(SECOND)
    expect([first.state.reason, second.state.reason]).toEqual(['service', undefined])
  })

  it('is known to all tabs, which name the setting for satellites once', async () => {
    service.outage = 'unlisted'
    const own = new Map([['key', 'session-0 handle-of-session-0']])
    const tabs = [openSatelliteTab(own), openSatelliteTab(own)]
    for (const tab of tabs) void tab.refresh()
    await device.advance(10 * SECOND)
    expect(tabs.map(({ state }) => state.reason)).toEqual(['origin', 'origin'])
    expect(device.warnings[0]).toContain('ALLOWED_ORIGINS')
  })
})

describe('pages 15: after an outage', () => {
  it('a page is served at once when the network is back or somebody looks at it', async () => {
    service.cookie = 'session-0'
    service.outage = 'lost'
    const tab = openTab()
    void tab.refresh()
    await device.advance(300 * SECOND)
    service.outage = null
    device.wake()
    await device.advance(SECOND)
    expect(tab.state.status).toBe('loggedIn')
  })

  it('a page that is looked at does not ask before Retry-After', async () => {
    service.cookie = 'session-0'
    service.outage = { ...UNAVAILABLE, headers: { 'Retry-After': '100' } }
    void openTab().refresh()
    for (let second = 0; second < 99; second += 1) {
      await device.advance(SECOND)
      device.wake()
    }
    expect(service.refreshes()).toBe(1)
  })

  it('no tab asks before the Retry-After that another was given, though somebody looks at it', async () => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    service.outage = { ...UNAVAILABLE, headers: { 'Retry-After': '100' } }
    void tab.refresh()
    await device.advance(SECOND)
    void other.refresh()
    for (let second = 0; second < 98; second += 1) {
      await device.advance(SECOND)
      device.wake()
    }
    expect(service.refreshes()).toBe(1)
    service.outage = null
    await device.advance(3 * SECOND)
    device.wake()
    await device.advance(SECOND)
    expect(service.refreshes()).toBe(2)
  })

  it.each([
    ['for what is left of it', 60, 40],
    ['not at all', 103, 0],
  ])('a tab that was frozen meanwhile waits %s', async (_, frozenSeconds, leftSeconds) => {
    const [tab, other] = (await openTabs(2)) as [Client, Client]
    service.outage = { ...UNAVAILABLE, headers: { 'Retry-After': '100' } }
    void tab.refresh()
    // The message has been sent, and waits.
    await device.advance(60)
    device.clockMs += frozenSeconds * SECOND
    await device.advance(100)
    service.outage = null
    const refreshed = other.refresh()
    for (let second = 1; second < leftSeconds; second += 1) {
      device.wake()
      await device.advance(SECOND)
    }
    expect(service.refreshes()).toBe(1)
    await device.advance(SECOND)
    device.wake()
    await within(SECOND, refreshed)
    expect(service.refreshes()).toBe(2)
  })

  it('a tab that has asked too often does not keep another from asking', async () => {
    service.cookie = 'session-0'
    const refusal = { status: 429, headers: { 'Retry-After': '3600' } }
    let refusals = 0
    const refusing = openTab({
      send: async () => {
        refusals += 1
        return new Response('{}', refusal)
      },
    })
    const other = openTab()
    void refusing.refresh()
    await device.advance(SECOND)
    expect(await within(5 * SECOND, other.refresh())).not.toBeNull()
    expect(refusals).toBe(1)
  })

  it('two tabs that have asked too often do not make each other ask again', async () => {
    service.cookie = 'session-0'
    service.outage = { status: 429, headers: { 'Retry-After': '3600' } }
    const [tab, other] = [openTab(), openTab()]
    void tab.refresh()
    await device.advance(SECOND)
    void other.refresh()
    await device.advance(10 * SECOND)
    device.wake()
    await device.advance(HOUR - 12 * SECOND)
    expect(service.refreshes()).toBe(2)
  })

  it.each([
    ['five seconds', 5 * SECOND, 10 * SECOND],
    ['five weeks, more than a timer can wait', 35 * 24 * HOUR, 49 * HOUR],
  ])('a tab waits with one of an older version for %s, and not for ever', async (_, ms, longest) => {
    service.cookie = 'session-0'
    const tab = openTab()
    const older = device.tab(service.fetch).openChannel(`mainstay main ${SERVICE}`, () => {})
    older?.postMessage({ kind: 'wait', ms, failures: 1, reason: 'service' })
    await device.advance(SECOND)
    void tab.refresh()
    await device.advance(3 * SECOND)
    expect(service.refreshes()).toBe(0)
    await device.advance(longest)
    expect(service.refreshes()).toBeGreaterThan(0)
  })

  it('a tab that is looked at does not wait with one of an older version', async () => {
    service.cookie = 'session-0'
    const tab = openTab()
    const older = device.tab(service.fetch).openChannel(`mainstay main ${SERVICE}`, () => {})
    older?.postMessage({ kind: 'wait', ms: 100 * SECOND, failures: 1, reason: 'service' })
    await device.advance(SECOND)
    const refreshed = tab.refresh()
    device.wake()
    expect(await within(SECOND, refreshed)).not.toBeNull()
  })

  it('a refresh whose answer stops half-way is tried again', async () => {
    service.cookie = 'session-0'
    let isStalling = true
    const stalling: typeof fetch = async (input, init) => {
      const answer = await service.fetch(input, init)
      if (!isStalling) return answer
      isStalling = false
      const body = new ReadableStream({
        start: stream => {
          stream.enqueue(Buffer.from('{"accessTo'))
          init?.signal?.addEventListener('abort', () => stream.error(init.signal?.reason))
        },
      })
      return new Response(body, { status: 200 })
    }
    const tab = openTab({ send: stalling })
    void tab.refresh()
    await device.advance(60 * SECOND)
    expect([tab.state.status, service.refreshes()]).toEqual(['loggedIn', 2])
  })

  it('a request without an answer gives up, unless it brings a signal of its own', async () => {
    const hanging: typeof fetch = (input, init) =>
      String(input).endsWith('/login')
        ? service.fetch(input, init)
        : new Promise((_, reject) =>
            init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)),
          )
    const tab = openTab({ send: hanging })
    await within(SECOND, tab.login(PERSON))
    await expect(within(21 * SECOND, tab.fetch('/api/data'))).rejects.toMatchObject({ name: 'TimeoutError' })
    const { signal } = new AbortController()
    await expect(within(60 * SECOND, tab.fetch('/api/data', { signal }))).rejects.toThrow(
      'Nothing came of it',
    )
  })
})

it('a timeout is one also where `fetch` forgets the reason that it was aborted for, as in React Native', async () => {
  let isOpen = true
  const forgetting: typeof fetch = (input, init) =>
    isOpen
      ? service.fetch(input, init)
      : hanging(init).catch(() => {
          throw Object.assign(new Error('Aborted'), { name: 'AbortError' })
        })
  const tab = openTab({ send: forgetting })
  await within(SECOND, tab.login(PERSON))
  isOpen = false
  await expect(within(21 * SECOND, tab.fetch('/api/data'))).rejects.toMatchObject({ name: 'TimeoutError' })
  void tab.refresh()
  await device.advance(11 * SECOND)
  expect(tab.state.reason).toBe('service')
})

describe('a page that was kept while somebody was elsewhere, and put back as it was', () => {
  /** The messages of other tabs do not reach it. */
  const openKept = () => openTab({ shares: false })

  it('learns that its person has logged out, or that somebody else has logged in', async () => {
    const kept = openKept()
    await within(10 * SECOND, kept.login(PERSON))
    const other = openTab()
    await within(10 * SECOND, other.logout())
    expect(kept.state.status).toBe('loggedIn')
    device.putBack()
    await device.advance(SECOND)
    expect(kept.state.status).toBe('loggedOut')
    await within(10 * SECOND, other.login(PERSON))
    device.putBack()
    await device.advance(SECOND)
    expect(kept.state.caller?.userId).toBe('user-of-session-2')
  })

  it('does not pick up a session whose logout the service has not heard of', async () => {
    const kept = openKept()
    await within(10 * SECOND, kept.login(PERSON))
    const other = openTab()
    await within(10 * SECOND, other.refresh())
    service.outage = 'lost'
    void other.logout()
    await device.advance(SECOND)
    other.close()
    service.outage = null
    device.putBack()
    await device.advance(SECOND)
    expect(kept.state).toEqual({ status: 'loggedOut', caller: null, cause: 'logout' })
  })

  it('asks nothing if it had asked nothing before, or is closed', async () => {
    const closed = openTab()
    await within(10 * SECOND, closed.login(PERSON))
    closed.close()
    openTab()
    const before = service.requests.length
    device.putBack()
    await device.advance(SECOND)
    expect(service.requests).toHaveLength(before)
  })
})

it('a refusal whose body stalls is given up', async () => {
  const stalling: typeof fetch = async (input, init) =>
    !String(input).endsWith('/api/data')
      ? service.fetch(input, init)
      : new Response(
          new ReadableStream({
            start: stream => init?.signal?.addEventListener('abort', () => stream.error(init.signal?.reason)),
          }),
          { status: 401 },
        )
  const tab = openTab({ send: stalling })
  await within(SECOND, tab.login(PERSON))
  expect((await within(60 * SECOND, tab.fetch('/api/data'))).status).toBe(401)
})

it('a `fetch` of the page is called as browsers want it', async () => {
  async function strict(this: unknown): Promise<Response> {
    if (this !== globalThis) throw new TypeError('Illegal invocation')
    return new Response()
  }
  expect((await thisPlatform(strict).fetch('/')).status).toBe(200)
})

it('time passes while the device sleeps, whatever its monotonic clock says', () => {
  const { now } = thisPlatform()
  const [before, device] = [now(), Date.now()]
  jest.spyOn(performance, 'now').mockReturnValue(performance.now())
  const clock = jest.spyOn(Date, 'now')
  try {
    clock.mockReturnValue(device + 8 * 3_600_000 + 1_000)
    expect(now() - before).toBeGreaterThanOrEqual(8 * 3_600_000)
    clock.mockReturnValue(device - 3_600_000)
    expect(now() - before).toBeGreaterThanOrEqual(8 * 3_600_000)
    expect(now() - before).toBeLessThan(9 * 3_600_000)
  } finally {
    jest.restoreAllMocks()
  }
})

describe('a storage', () => {
  const blocked = () => {
    throw new Error('SecurityError')
  }
  const full = (kept: Map<string, string>) => ({
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: () => {
      throw new Error('QuotaExceededError')
    },
    removeItem: (key: string) => kept.delete(key),
  })

  it('keeps nobody from logging in when it is full, and keeps no older session', async () => {
    const kept = new Map([['key', 'an older one']])
    const storage = itemStorage(full(kept))
    const tab = new Client({ baseUrl: SERVICE }, storageHome(storage, 'key'), device.tab(service.fetch))
    expect(await within(SECOND, tab.login(PERSON))).toMatchObject({ sid: 'handle-of-session-1' })
    await device.advance(HOUR)
    expect(tab.state.status).toBe('loggedIn')
    expect(kept.get('key')).toBeUndefined()
  })

  it('keeps nobody from logging in and out when it can only be read', async () => {
    const storage = itemStorage({ getItem: () => null, setItem: blocked, removeItem: blocked })
    for (const home of [cookieHome(storage, 'key'), storageHome(storage, 'key')]) {
      const tab = new Client({ baseUrl: SERVICE }, home, device.tab(service.fetch))
      const { sid } = await within(SECOND, tab.login(PERSON))
      await within(SECOND, tab.logout())
      expect(service.isEnded(sid)).toBe(true)
    }
  })

  it('keeps nobody from logging out when it is locked after the login', async () => {
    const kept = new Map<string, string>()
    let isLocked = false
    const open = <Answer>(work: () => Answer) => {
      if (isLocked) throw new Error('locked')
      return work()
    }
    const storage = {
      get: async (key: string) => open(() => kept.get(key)),
      set: async (key: string, value: string) => void open(() => kept.set(key, value)),
      remove: async (key: string) => void open(() => kept.delete(key)),
    }
    for (const home of [cookieHome(storage, 'key'), storageHome(storage, 'key')]) {
      isLocked = false
      const tab = new Client({ baseUrl: SERVICE }, home, device.tab(service.fetch))
      const { sid } = await within(SECOND, tab.login(PERSON))
      isLocked = true
      await within(SECOND, tab.logout())
      expect(service.isEnded(sid)).toBe(true)
    }
  })

  it('does not keep a logout from being sent again when it is locked after the login', async () => {
    let isLocked = false
    const kept = storageOf(new Map())
    const open = async <Answer>(work: () => Answer) => {
      if (isLocked) throw new Error('locked')
      return work()
    }
    const storage: Storage = {
      get: key => open(() => kept.get(key)) as Promise<string | null>,
      set: (key, value) => open(() => kept.set(key, value)),
      remove: key => open(() => kept.remove(key)),
    }
    const app = new Client({ baseUrl: SERVICE }, storageHome(storage, 'key'), device.tab(service.fetch))
    const { sid } = await within(SECOND, app.login(PERSON))
    isLocked = true
    service.outage = 'lost'
    const done = app.logout()
    await device.advance(10 * SECOND)
    service.outage = null
    await within(60 * SECOND, done)
    expect(service.isEnded(sid)).toBe(true)
  })

  it.each([
    ['throws', { getItem: blocked, setItem: blocked, removeItem: blocked }],
    ['throws only here', { getItem: blocked, setItem: () => {}, removeItem: () => {} }],
    // As the global one of Node 25.
    ['has no methods', {} as ItemStorage],
  ])('that %s when it is read is as good as none (W13)', async (_, items) => {
    for (const storage of [itemStorage(items), itemStorage(() => items)])
      for (const home of [cookieHome(storage, 'key'), storageHome(storage, 'key')]) {
        service.cookie = null
        const tab = new Client({ baseUrl: SERVICE }, home, device.tab(service.fetch))
        expect(await within(SECOND, tab.accessToken())).toBeNull()
        expect(tab.state).toMatchObject({ status: 'loggedOut' })
        expect(tab.state.reason).toBeUndefined()
        expect(await within(SECOND, tab.login(PERSON))).toMatchObject({ userId: expect.any(String) })
        expect(await within(SECOND, tab.accessToken())).toEqual(expect.any(String))
      }
  })

  it('that holds text is used as long as it takes it', () => {
    const kept = new Map<string, string>()
    const storage = itemStorage(() => ({ ...full(kept), setItem: (key, value) => kept.set(key, value) }))
    storage.set('key', 'text')
    expect([storage.get('key'), kept.get('key')]).toEqual(['text', 'text'])
  })
})

it('hands its token to a fetch that has a Headers of its own (integration 11)', async () => {
  const sent: unknown[] = []
  // Like a fetch of another realm, to which our Headers is an object without fields.
  const foreign: typeof fetch = (input, init) => {
    sent.push(init?.headers)
    return service.fetch(input, { ...init, headers: { ...(init?.headers as object) } })
  }
  const tab = openTab({ send: foreign })
  await within(SECOND, tab.login(PERSON))
  const headers = new Headers({ 'X-Own': 'kept' })
  expect((await within(SECOND, tab.fetch('/api/data', { headers }))).status).toBe(200)
  expect(sent.at(-1)).toEqual({ authorization: expect.stringMatching(/^Bearer ./), 'x-own': 'kept' })
})

it('pages 22: a visitor without a session is answered without an error', async () => {
  const statuses: number[] = []
  const watched: typeof fetch = async (input, init) => {
    const answer = await service.fetch(input, init)
    statuses.push(answer.status)
    return answer
  }
  expect(await within(SECOND, openTab({ send: watched }).refresh())).toBeNull()
  expect(statuses).toEqual([204])
})

it('goes on alone where the browser has blocked the channel between tabs', () => {
  const blocked = class {
    constructor() {
      throw new DOMException('The operation is insecure.', 'SecurityError')
    }
  }
  const channel = Object.getOwnPropertyDescriptor(globalThis, 'BroadcastChannel') as PropertyDescriptor
  Object.defineProperty(globalThis, 'BroadcastChannel', { ...channel, value: blocked })
  Object.defineProperty(globalThis, 'document', { configurable: true, value: {} })
  try {
    expect(thisPlatform().openChannel('name', () => {})).toBeNull()
  } finally {
    Object.defineProperty(globalThis, 'BroadcastChannel', channel)
    Reflect.deleteProperty(globalThis, 'document')
  }
})

it('wakes when the network is back or the page is looked at, and says when it was put back', () => {
  const [window, document] = [
    new EventTarget(),
    Object.assign(new EventTarget(), { visibilityState: 'hidden' }),
  ]
  const stubs = {
    document,
    addEventListener: window.addEventListener.bind(window),
    removeEventListener: window.removeEventListener.bind(window),
  }
  for (const [name, value] of Object.entries(stubs))
    Object.defineProperty(globalThis, name, { configurable: true, value })
  try {
    const seen: unknown[] = []
    const leave = thisPlatform().onWake(event => seen.push(event.persisted))
    const happen = () => {
      window.dispatchEvent(new Event('online'))
      document.dispatchEvent(new Event('visibilitychange'))
      window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }))
    }
    happen()
    expect(seen).toEqual([undefined, true])
    document.visibilityState = 'visible'
    happen()
    expect(seen).toEqual([undefined, true, undefined, undefined, true])
    leave()
    happen()
    expect(seen).toHaveLength(5)
  } finally {
    for (const name of Object.keys(stubs)) Reflect.deleteProperty(globalThis, name)
  }
})

it('a refusal that is none of the service has no code', async () => {
  for (const body of ['null', '"text"', '7', '[1]', '<html>']) {
    const refusal = await errorOf(new Response(body, { status: 502, headers: { 'Retry-After': 'soon' } }))
    const nothing = { code: 'UNKNOWN', errors: [], methods: [], retryAfterSeconds: null }
    expect({ body, refusal }).toMatchObject({ body, refusal: { status: 502, ...nothing } })
  }
})

it('knows every code of the service', () => {
  // Both ways: the type checker fails when one has a code that the other has not.
  const toClient: Record<ErrorCode, ClientErrorCode> | null = null as Record<
    ClientErrorCode,
    ErrorCode
  > | null
  expect(toClient).toBeNull()
})

describe('a mailed link that logs in', () => {
  const LINK = { token: 'from the mail', password: PERSON.password }

  it('keeps the session as a login does', async () => {
    const tab = openTab()
    const caller = await within(10 * SECOND, tab.loginBy('password/reset', LINK))
    expect(tab.state).toMatchObject({ status: 'loggedIn', caller: { sid: caller.sid } })
  })

  it('says that it is done where only the login was refused, which goes on with the second factor', async () => {
    service.code = '123456'
    const tab = openTab()
    const refusal = await within(10 * SECOND, tab.loginBy('password/reset', LINK)).catch(error => error)
    expect(refusal).toMatchObject({
      status: 200,
      code: 'SECOND_FACTOR_REQUIRED',
      methods: ['totp', 'recovery'],
    })
    expect(tab.state.status).not.toBe('loggedIn')
    expect(isSecondFactorRequired(refusal)).toBe(true)
    const { challenge } = refusal as SecondFactorRequired
    await within(10 * SECOND, tab.completeSecondFactor({ challenge, code: '123456' }))
    expect(tab.state.status).toBe('loggedIn')
  })
})

describe('a login with a second factor', () => {
  it('is completed with the challenge of its refusal', async () => {
    service.code = '123456'
    const tab = openTab()
    const refusal = await within(10 * SECOND, tab.login(PERSON)).catch(error => error)
    expect(isSecondFactorRequired(refusal)).toBe(true)
    const { challenge, methods } = refusal as SecondFactorRequired
    expect(methods).toEqual(['totp', 'recovery'])
    expect(tab.state.status).not.toBe('loggedIn')
    const wrong = within(10 * SECOND, tab.completeSecondFactor({ challenge, code: '000000' }))
    await expect(wrong).rejects.toMatchObject({ code: 'SECOND_FACTOR_INVALID', methods: [] })
    await within(10 * SECOND, tab.completeSecondFactor({ challenge, code: '123456' }))
    expect(tab.state.status).toBe('loggedIn')
  })

  it.each([null, undefined, new TypeError('fetch failed'), 'text'])('is not what %s asks for', error => {
    expect(isSecondFactorRequired(error)).toBe(false)
  })
})
