import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  AuthClient as Client,
  createPasskey,
  forgetPasskey,
  loginWithPasskey,
  signWithPasskey,
  storageHome,
  supportsPasskeys,
} from '../../sources.js'
import { memoryStorage } from '../../support/client/memory-storage.js'
import { SimulatedDevice } from '../../support/client/simulated-device.js'
import { SimulatedService } from '../../support/client/simulated-service.js'
import { eventually } from '../../support/eventually.js'

interface Asked {
  readonly publicKey: { readonly challenge?: string }
  readonly mediation?: string
  readonly signal?: AbortSignal
}

/** What a browser has for passkeys; `answer` stands for the person. */
class SimulatedBrowser {
  readonly asked: Asked[] = []
  readonly told: object[] = []
  readonly document = Object.assign(new EventTarget(), { visibilityState: 'visible' })
  answer: (asked: Asked) => Promise<object> = async ({ publicKey }) => ({ signed: publicKey.challenge })

  install({ autofill = true } = {}): void {
    const ask = async (options: Asked) => {
      this.asked.push(options)
      const answer = await this.answer(options)
      return { toJSON: () => answer }
    }
    const { document } = this
    const PublicKeyCredential = {
      parseCreationOptionsFromJSON: (options: object) => options,
      parseRequestOptionsFromJSON: (options: object) => options,
      isConditionalMediationAvailable: async () => autofill,
      signalAllAcceptedCredentials: async (news: object) => void this.told.push(news),
    }
    Object.assign(globalThis, { PublicKeyCredential, document })
    Object.assign(navigator, { credentials: { create: ask, get: ask } })
  }

  /** As browsers do while nobody chooses anything. */
  readonly wait = ({ signal }: Asked) =>
    new Promise<object>((_, reject) => {
      signal?.throwIfAborted()
      signal?.addEventListener('abort', () => reject(signal.reason))
    })
}

let browser: SimulatedBrowser
let service: SimulatedService
let client: Client
beforeEach(() => {
  const device = new SimulatedDevice()
  service = new SimulatedService(device)
  // Only the service's time is simulated; what the browser waits for is not.
  const inTime: typeof fetch = (...request) => {
    const answer = service.fetch(...request)
    void device.advance(1_000)
    return answer
  }
  const home = storageHome(memoryStorage(), 'key')
  client = new Client({ baseUrl: 'https://auth.test' }, home, device.tab(inTime))
  browser = new SimulatedBrowser()
  browser.install()
})
afterEach(() => {
  jest.restoreAllMocks()
  for (const name of ['PublicKeyCredential', 'document']) Reflect.deleteProperty(globalThis, name)
  Reflect.deleteProperty(navigator, 'credentials')
})

describe('passkeys', () => {
  it('log in when somebody presses the button', async () => {
    const caller = await loginWithPasskey(client)
    expect(caller).toMatchObject({ userId: 'user-of-session-1' })
    expect(browser.asked).toMatchObject([{ publicKey: { challenge: 'passkey-1' } }])
    expect(browser.asked[0]?.mediation).toBeUndefined()
  })

  it('are offered in the field until somebody chooses one, always with a challenge that is good', async () => {
    service.passkeyTimeoutMs = 10
    const choose = browser.answer
    browser.answer = asked => (browser.asked.length < 3 ? browser.wait(asked) : choose(asked))
    await loginWithPasskey(client, { conditional: true })
    const challenges = browser.asked.map(({ publicKey }) => publicKey.challenge)
    expect(challenges).toEqual(['passkey-1', 'passkey-2', 'passkey-3'])
    expect(browser.asked[0]?.mediation).toBe('conditional')
  })

  it('leave nothing behind that listens, however often the challenge is replaced', async () => {
    service.passkeyTimeoutMs = 10
    const choose = browser.answer
    browser.answer = asked => (browser.asked.length < 5 ? browser.wait(asked) : choose(asked))
    const { signal } = new AbortController()
    await loginWithPasskey(client, { conditional: true, signal })
    expect(browser.asked).toHaveLength(5)
    expect(getEventListeners(browser.document, 'visibilitychange')).toEqual([])
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it('are still offered after a time in which the service could not be reached', async () => {
    const timeout = AbortSignal.timeout.bind(AbortSignal)
    jest.spyOn(AbortSignal, 'timeout').mockImplementation(ms => timeout(Math.min(ms, 10)))
    browser.answer = browser.wait
    service.outage = 'lost'
    const end = new AbortController()
    const login = loginWithPasskey(client, { conditional: true, signal: end.signal })
    const challenges = () => browser.asked.length
    await eventually(() => service.requests.length >= 2)
    expect(challenges()).toBe(0)
    service.outage = null
    await eventually(() => challenges() > 0)
    service.outage = { status: 503 }
    const before = service.requests.length
    await eventually(() => service.requests.length >= before + 2)
    service.outage = null
    const offered = challenges()
    await eventually(() => challenges() > offered)
    end.abort()
    await expect(login).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('ask for no challenge while nobody sees the page', async () => {
    service.passkeyTimeoutMs = 10
    browser.document.visibilityState = 'hidden'
    browser.answer = browser.wait
    const end = new AbortController()
    const login = loginWithPasskey(client, { conditional: true, signal: end.signal })
    await eventually(() => getEventListeners(browser.document, 'visibilitychange').length > 0)
    expect(browser.asked).toHaveLength(1)
    end.abort()
    await expect(login).rejects.toMatchObject({ name: 'AbortError' })
  })

  it('are not waited for in a browser that does not fill them in', async () => {
    browser.install({ autofill: false })
    await expect(loginWithPasskey(client, { conditional: true })).resolves.toBeNull()
    Reflect.deleteProperty(globalThis, 'PublicKeyCredential')
    expect(supportsPasskeys()).toBe(false)
    await expect(loginWithPasskey(client, { conditional: true })).resolves.toBeNull()
    expect(service.requests).toEqual([])
  })

  it('that are refused, or that nobody wants to use, log nobody in', async () => {
    browser.answer = async () => ({ signed: 'an old challenge' })
    await expect(loginWithPasskey(client)).rejects.toMatchObject({ code: 'PASSKEY_INVALID' })
    browser.answer = async () => {
      throw Object.assign(new Error('Cancelled'), { name: 'NotAllowedError' })
    }
    await expect(loginWithPasskey(client)).rejects.toMatchObject({ name: 'NotAllowedError' })
    await expect(createPasskey({ challenge: 'any' })).rejects.toMatchObject({ name: 'NotAllowedError' })
    expect(client.state.status).not.toBe('loggedIn')
  })

  const bytes = (text: string) => new TextEncoder().encode(text).buffer
  const refuse = () => {
    throw new TypeError('Illegal invocation')
  }
  it.each([
    ['refuses', refuse],
    ['lacks', undefined],
  ])('of an extension whose object %s toJSON are read field by field (W2)', async (_, toJSON) => {
    const common = { type: 'public-key', rawId: bytes('\u{FF}~>?'), toJSON }
    const clientDataJSON = bytes('{}')
    const created = {
      ...{ ...common, authenticatorAttachment: 'platform' },
      response: { clientDataJSON, attestationObject: bytes('made'), getTransports: () => ['internal'] },
      getClientExtensionResults: () => ({ credProps: { rk: true } }),
    }
    const signed = {
      ...common,
      response: { clientDataJSON, authenticatorData: bytes('a'), signature: bytes('s'), userHandle: null },
      getClientExtensionResults: refuse,
    }
    const credentials = { create: async () => created, get: async () => signed }
    Object.assign(navigator, { credentials })
    const id = 'w79-Pj8'
    const sent = async (answer: Promise<object>) => JSON.parse(JSON.stringify(await answer))
    expect(await sent(createPasskey({}))).toEqual({
      ...{ id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform' },
      response: { clientDataJSON: 'e30', attestationObject: 'bWFkZQ', transports: ['internal'] },
      clientExtensionResults: { credProps: { rk: true } },
    })
    expect(await sent(signWithPasskey({ challenge: 'any' }))).toEqual({
      ...{ id, rawId: id, type: 'public-key' },
      response: { clientDataJSON: 'e30', authenticatorData: 'YQ', signature: 'cw' },
      clientExtensionResults: {},
    })
  })

  it('are forgotten where the browser takes the news, and nothing fails elsewhere', async () => {
    const removed = { rpId: 'main.test', credentialId: 'gone', userId: 'me', remaining: ['left'] }
    await forgetPasskey(removed)
    expect(browser.told).toEqual([{ rpId: 'main.test', userId: 'me', allAcceptedCredentialIds: ['left'] }])
    Reflect.deleteProperty(globalThis, 'PublicKeyCredential')
    await expect(forgetPasskey(removed)).resolves.toBeUndefined()
  })
})
