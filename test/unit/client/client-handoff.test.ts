import { beforeEach, describe, expect, it } from '@jest/globals'
import {
  AuthClient as Client,
  type HandOffOptions,
  type HandOffPage,
  handOff,
  storageHome,
} from '../../sources.js'
import { memoryStorage } from '../../support/client/memory-storage.js'
import { SimulatedDevice } from '../../support/client/simulated-device.js'
import { SimulatedService } from '../../support/client/simulated-service.js'

const SERVICE = 'https://auth.test'
const MAIN = 'https://main.test'
const SHOP = 'https://shop.test'

let device: SimulatedDevice
let service: SimulatedService
beforeEach(() => {
  device = new SimulatedDevice()
  service = new SimulatedService(device)
})

const BLOCKED = () => {
  throw new Error('SecurityError')
}

it('is interrupted where the browser lets the page store nothing', async () => {
  const tab = new SimulatedTab(`/handoff-callback#state=any&code=any&iss=${SERVICE}`)
  Object.defineProperty(tab, 'sessionStorage', { get: BLOCKED })
  const result = await tab.load().completeHandOff()
  expect(result).toEqual({ status: 'refused', reason: 'interrupted', path: '/' })
})

/** One tab: a page with its address, its history and what it stores, in which the client is loaded anew. */
class SimulatedTab implements HandOffPage {
  readonly location: HandOffPage['location'] & { hash: string; pathname: string; search: string }
  /** Where the page has sent the browser. */
  readonly left: string[] = []
  readonly items = new Map<string, string>()
  readonly sessionStorage = {
    getItem: (key: string) => this.items.get(key) ?? null,
    setItem: (key: string, value: string) => void this.items.set(key, value),
    removeItem: (key: string) => void this.items.delete(key),
  }
  readonly history = {
    state: { own: 'of the page' },
    replaceState: (state: unknown, _: string, url: string) => {
      expect(state).toBe(this.history.state)
      this.go(url)
    },
  }

  constructor(address = '/reports?year=2026') {
    const assign = (url: string) => void this.left.push(url)
    this.location = { origin: SHOP, pathname: '', search: '', hash: '', assign }
    this.go(address)
  }

  go(address: string): void {
    const { pathname, search, hash } = new URL(address, SHOP)
    Object.assign(this.location, { pathname, search, hash })
  }

  address(): string {
    const { pathname, search, hash } = this.location
    return pathname + search + hash
  }

  /** The page, loaded anew. */
  load(storage = memoryStorage(), options: HandOffOptions = {}) {
    const client = new Client(
      { baseUrl: `${SERVICE}/` },
      storageHome(storage, 'key'),
      device.tab(service.fetch),
    )
    return { client, ...handOff(client, { mainUrl: `${MAIN}/`, ...options }, this) }
  }

  /** What the main site was told last. */
  asked(): URLSearchParams {
    const [address, fragment] = (this.left.at(-1) as string).split('#')
    expect(address).toBe(`${MAIN}/handoff`)
    return new URLSearchParams(fragment)
  }
}

/** The main site gives a code for what it was asked, and the browser is back with it. */
function comeBackWithCode(tab: SimulatedTab, asked = tab.asked()): string {
  service.handOffCodes.set('the-code', asked.get('challenge') as string)
  return comeBack(tab, { code: 'the-code' }, asked)
}

/** As the service writes the address: for a page of the site, the first half of the code is in the query. */
function comeBack(tab: SimulatedTab, answer: Record<string, string>, asked = tab.asked()): string {
  const state = asked.get('state') as string
  const path = asked.get('path')
  const { code = '', ...others } = answer
  const half = path && code ? code.slice(0, code.length / 2) : ''
  const rest = code.slice(half.length)
  const fragment = new URLSearchParams({ state, iss: SERVICE, ...others, ...(rest && { code: rest }) })
  const [page, query] = (path ?? '/handoff-callback').split('?')
  const asking = [...(half ? [`mainstay=${half}`] : []), ...(query ? [query] : [])].join('&')
  const address = `${page}${asking && `?${asking}`}#${fragment}`
  tab.go(address)
  return address
}

async function settled<T>(work: Promise<T>): Promise<T> {
  await device.advance(1_000)
  return work
}

describe('a hand-off', () => {
  it('leaves once, with a challenge and a state of 32 bytes each, all in the fragment', async () => {
    const tab = new SimulatedTab()
    await tab.load().loginThroughMain({ loginHint: 'rosa+shop@example.com' })
    expect(tab.left).toHaveLength(1)
    const { satellite, challenge, state, login_hint, path, ...rest } = Object.fromEntries(tab.asked())
    expect([satellite, login_hint, path, rest]).toEqual([
      SHOP,
      'rosa+shop@example.com',
      '/reports?year=2026',
      {},
    ])
    for (const text of [challenge, state]) expect(text).toMatch(/^[\w-]{43}$/)
    expect([...tab.items.values()].join()).not.toContain(challenge)
    expect(tab.left[0]).not.toContain(JSON.parse([...tab.items.values()].join()).verifier)
  })

  it.each([
    ['page', '/reports?year=2026'],
    ['callback', '/handoff-callback'],
  ] as const)(
    'logs in on the way back to its %s, and the address keeps nothing',
    async (returnTo, address) => {
      const tab = new SimulatedTab()
      await tab.load(memoryStorage(), { returnTo }).loginThroughMain()
      comeBackWithCode(tab)
      const storage = memoryStorage()
      const { client, completeHandOff } = tab.load(storage, { returnTo })
      // As soon as the page runs, before anything asks for it.
      expect(tab.address()).toBe(address)
      const result = completeHandOff()
      expect(await settled(result)).toEqual({
        status: 'loggedIn',
        caller: client.state.caller,
        path: '/reports?year=2026',
      })
      expect(client.state).toMatchObject({ status: 'loggedIn', caller: { userId: 'user-of-session-1' } })
      expect(storage.values).toEqual(['session-1 handle-of-session-1'])
      expect([...tab.items]).toEqual([])
      expect(tab.left).toHaveLength(1)
    },
  )

  it('is complete for whoever asks again in the same page, and nothing for one that is loaded anew', async () => {
    const tab = new SimulatedTab()
    await tab.load().loginThroughMain()
    comeBackWithCode(tab)
    const { completeHandOff } = tab.load()
    const both = await settled(Promise.all([completeHandOff(), completeHandOff()]))
    expect(both.map(result => result?.status)).toEqual(['loggedIn', 'loggedIn'])
    expect(await tab.load().completeHandOff()).toBeNull()
    expect(service.requests).toEqual(['POST /api/handoff/redeem'])
  })

  it.each([
    ['/', '/'],
    ['/#/cart', '/#/cart'],
    ['/a?b=c&mainstay=d#e', '/a?b=c&mainstay=d#e'],
    ['/a?mainstay=d', '/a?mainstay=d'],
    ['/%C3%BC?q=%23&x=a+b', '/%C3%BC?q=%23&x=a+b'],
  ])('comes back to %s as it was', async (start, address) => {
    const tab = new SimulatedTab(start)
    await tab.load().loginThroughMain()
    expect(tab.asked().get('path')).toBe(start.split('#')[0])
    comeBackWithCode(tab)
    const { completeHandOff } = tab.load()
    expect(tab.address()).toBe(address)
    expect(await settled(completeHandOff())).toMatchObject({ status: 'loggedIn', path: start })
    expect(tab.address()).toBe(address)
  })

  it('takes the answer out of the address again where a router has written it back', async () => {
    const tab = new SimulatedTab()
    await tab.load().loginThroughMain()
    const address = comeBackWithCode(tab)
    const { completeHandOff } = tab.load()
    tab.history.replaceState = (state, _, url) => {
      expect(state).toMatchObject({ own: 'of the page' })
      tab.go(url)
    }
    tab.go(address)
    const completed = completeHandOff()
    expect(tab.address()).toBe('/reports?year=2026')
    tab.go(address)
    expect(await settled(completed)).toMatchObject({ status: 'loggedIn' })
    expect(tab.address()).toBe('/reports?year=2026')
  })

  it('comes back to the bare page where the query is too long for the service', async () => {
    const tab = new SimulatedTab(`/search?q=${'x'.repeat(2_000)}`)
    await tab.load().loginThroughMain()
    expect(tab.asked().get('path')).toBe('/search')
  })

  it('is worth nothing with half of its code, as a page that redirects would pass it on', async () => {
    const tab = new SimulatedTab()
    await tab.load().loginThroughMain()
    const fragment = new URL(comeBackWithCode(tab), SHOP).hash
    tab.go(`/elsewhere${fragment}`)
    expect(await settled(tab.load().completeHandOff())).toMatchObject({ reason: 'expired' })
  })

  it.each([
    'state=of-another-library&code=theirs',
    'state=of-another-library&code=theirs&iss=https%3A%2F%2Fidentity.example',
    'code=theirs',
    '/route',
    '',
  ])('leaves alone what is no answer of the main site: #%s', async fragment => {
    const tab = new SimulatedTab()
    await tab.load().loginThroughMain()
    tab.go(`/reports?year=2026#${fragment}`)
    const before = tab.address()
    expect(await tab.load().completeHandOff()).toBeNull()
    expect(tab.address()).toBe(before)
    // The answer may still come.
    comeBackWithCode(tab)
    expect(await settled(tab.load().completeHandOff())).toMatchObject({ status: 'loggedIn' })
  })

  it('does not look at a clock', async () => {
    const tab = new SimulatedTab()
    device.clockMs = Date.UTC(2001, 0, 1)
    await tab.load().loginThroughMain()
    device.clockMs = Date.UTC(2099, 0, 1)
    comeBackWithCode(tab)
    expect(await settled(tab.load().completeHandOff())).toMatchObject({ status: 'loggedIn' })
  })

  it('that a double click began twice is completed by the one that left last', async () => {
    const tab = new SimulatedTab()
    const { loginThroughMain } = tab.load()
    await Promise.all([loginThroughMain(), loginThroughMain()])
    comeBackWithCode(tab)
    expect(await settled(tab.load().completeHandOff())).toMatchObject({ status: 'loggedIn' })
  })

  it.each(['login_required', 'access_denied', 'not_invited', 'suspended'])('says %s', async error => {
    const tab = new SimulatedTab()
    await tab.load().loginThroughMain()
    comeBack(tab, { error })
    const { completeHandOff } = tab.load()
    expect(tab.address()).toBe('/reports?year=2026')
    const result = await completeHandOff()
    expect(result).toEqual({ status: 'refused', reason: error, path: '/reports?year=2026' })
    expect([tab.location.hash, service.requests, tab.left.length]).toEqual(['', [], 1])
  })

  it.each<[string, (tab: SimulatedTab) => void]>([
    ['a code for a state of somebody else', tab => comeBackWithState(tab, 'x'.repeat(43))],
    ['a code without a state', tab => comeBackWithState(tab, '')],
    ['another issuer', tab => comeBack(tab, { code: 'the-code', iss: 'https://evil.test' })],
    ['no issuer', tab => comeBack(tab, { code: 'the-code', iss: '' })],
    ['an error that there is not', tab => comeBack(tab, { error: 'https://evil.test' })],
    ['neither code nor error', tab => comeBack(tab, {})],
    ['an answer to another tab', forgetAsked],
  ])('ends with %s, asks nothing and cannot be tried twice', async (_, answer) => {
    const tab = new SimulatedTab()
    await tab.load().loginThroughMain()
    const right = comeBackWithCode(tab)
    answer(tab)
    expect(await tab.load().completeHandOff()).toMatchObject({ status: 'refused', reason: 'interrupted' })
    tab.go(right)
    expect(await tab.load().completeHandOff()).toMatchObject({ status: 'refused', reason: 'interrupted' })
    expect([tab.location.hash, service.requests, tab.left.length]).toEqual(['', [], 1])
  })

  it('says so when the code is not taken, and lets whatever else goes wrong through', async () => {
    const tab = new SimulatedTab()
    await tab.load().loginThroughMain()
    comeBack(tab, { code: 'spent' })
    const { client, completeHandOff } = tab.load()
    expect(await settled(completeHandOff())).toMatchObject({ status: 'refused', reason: 'expired' })
    expect(client.state.status).not.toBe('loggedIn')

    await tab.load().loginThroughMain()
    comeBackWithCode(tab)
    service.outage = { status: 503, body: { code: 'DATABASE_UNAVAILABLE' } }
    const failed = expect(tab.load().completeHandOff()).rejects.toMatchObject({
      code: 'DATABASE_UNAVAILABLE',
    })
    await settled(failed)
  })

  it.each([`${SERVICE}/`, 'HTTPS://Auth.test:443'])('knows its issuer however it is spelt: %s', async iss => {
    const tab = new SimulatedTab()
    await tab.load().loginThroughMain()
    comeBack(tab, { error: 'access_denied', iss })
    expect(await tab.load().completeHandOff()).toMatchObject({ reason: 'access_denied' })
  })

  it('does not begin where the page can keep nothing', async () => {
    const tab = new SimulatedTab()
    const locked = new Error('The operation is insecure')
    tab.sessionStorage.setItem = () => {
      throw locked
    }
    await expect(tab.load().loginThroughMain()).rejects.toBe(locked)
    expect(tab.left).toEqual([])
  })

  it.each([
    ['//evil.test/', '/evil.test/'],
    ['/\\evil.test', '/evil.test'],
    ['/\t/evil.test/', '/evil.test/'],
    ['\n/\r\\evil.test', '/evil.test'],
    ['/.//evil.test', '/evil.test'],
    ['/a/..//evil.test', '/evil.test'],
    ['/\t/[', '/['],
    ['https://evil.test/', '/https://evil.test/'],
    ['reports', '/reports'],
    ['/reports?a=//b#c', '/reports?a=//b#c'],
    ['/reports?a=b', '/reports?a=b'],
  ])('goes on within the site: %s', async (given, path) => {
    const tab = new SimulatedTab()
    await tab.load().loginThroughMain({ path: given })
    comeBack(tab, { error: 'access_denied' })
    expect(await tab.load().completeHandOff()).toMatchObject({ path })
  })
})

function comeBackWithState(tab: SimulatedTab, state: string): void {
  comeBack(tab, { code: 'the-code', state })
}

function forgetAsked(tab: SimulatedTab): void {
  comeBackWithCode(tab)
  tab.items.clear()
}
