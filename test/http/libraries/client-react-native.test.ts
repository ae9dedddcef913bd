import { createContext, runInContext } from 'node:vm'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import type { Client, StoredSessionOptions } from '@mainstay-auth/client'
import { buildSync } from 'esbuild'
import type { Api } from '../../sources.js'
import { memoryStorage } from '../../support/client/memory-storage.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, PASSWORD } from '../../support/people.js'
import { TestApp } from '../../support/test-app.js'

/** As React Native polyfills it: a signal has no `reason`, no `throwIfAborted`, and cannot be made from others. */
class AppAbortController {
  readonly signal = Object.assign(new EventTarget(), { aborted: false })

  abort(): void {
    this.signal.aborted = true
    this.signal.dispatchEvent(new Event('abort'))
  }
}

/** Node's own fetch knows only Node's own signals. */
function appFetch(url: string, { signal, ...init }: RequestInit = {}): Promise<Response> {
  const native = new AbortController()
  if (signal?.aborted) native.abort()
  signal?.addEventListener('abort', () => native.abort())
  return fetch(url, { ...init, signal: native.signal })
}

/** What there is in an app: no document, no localStorage, no BroadcastChannel, no Web Locks, no Web Crypto, timers that are numbers. */
const timers = new Map<number, NodeJS.Timeout>()
const GLOBALS = {
  fetch: appFetch,
  Headers,
  Request,
  Response,
  AbortController: AppAbortController,
  atob,
  performance: { now: () => performance.now() },
  queueMicrotask,
  setTimeout: (run: () => void, ms: number) => {
    const id = timers.size + 1
    timers.set(id, setTimeout(run, ms))
    return id
  },
  clearTimeout: (id: number) => clearTimeout(timers.get(id)),
  navigator: { product: 'ReactNative' },
}

let app: TestApp
let client: Client
let api: Api
beforeAll(async () => {
  app = await TestApp.start()
  const { outputFiles } = buildSync({
    stdin: {
      contents: "export * from './index.ts'; export { typedApi } from './api.ts'",
      resolveDir: 'packages/client/src',
    },
    bundle: true,
    format: 'iife',
    globalName: 'mainstay',
    write: false,
  })
  const context = createContext({ ...GLOBALS })
  const bundle = outputFiles[0]?.text
  const { mobileClient, typedApi } = runInContext(`${bundle}; mainstay`, context) as {
    mobileClient: (options: StoredSessionOptions) => Client
    typedApi: (client: Client) => Api
  }
  client = mobileClient({ baseUrl: app.url, storage: memoryStorage() })
  api = typedApi(client)
})
afterAll(async () => {
  client?.close()
  await app?.stop()
})

it('the client needs nothing but what React Native has', async () => {
  const { email } = await anOwner(app)
  const { userId } = await client.login({ email, password: PASSWORD })
  const answer = await client.fetch('/api/data')
  expect([answer.status, ((await answer.json()) as { userId: string }).userId]).toEqual([200, userId])
  expect((await client.refresh())?.userId).toBe(userId)

  const calledOff = new AppAbortController()
  const waiting = client.fetch('/api/data', { signal: calledOff.signal as unknown as AbortSignal })
  calledOff.abort()
  await expect(waiting).rejects.toMatchObject({ name: 'AbortError' })

  await client.logout()
  await eventually(() => client.state.status === 'loggedOut')
  await expect(client.login({ email, password: 'wrong' })).rejects.toMatchObject({
    code: 'INVALID_CREDENTIALS',
  })
})

it('typed calls need no more: one without a login, and one with a query', async () => {
  const { email } = await anOwner(app)
  expect(await api.post('/api/password/forgot', { body: { email }, anonymous: true })).toBeNull()
  await client.login({ email, password: PASSWORD })
  expect(await api.get('/api/logins', { query: { limit: 1 } })).toMatchObject({ logins: expect.any(Array) })
})
