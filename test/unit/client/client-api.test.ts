import { afterEach, describe, expect, it, jest } from '@jest/globals'
import type { Client } from '@mainstay-auth/client'
import { repeatAfterProof, typedApi } from '../../sources.js'
import { eventually } from '../../support/eventually.js'

const SERVICE = 'https://auth.test'

/** A client whose requests are kept, and answered in turn; the last answer again and again. */
function clientThatGets(...answers: (() => Response)[]) {
  const requests: string[] = []
  let refreshes = 0
  const fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    requests.push(`${request.method} ${request.url} ${await request.text()}`.trim())
    const answer = (answers.length > 1 ? answers.shift() : answers[0])!()
    return Object.defineProperty(answer, 'url', { value: request.url })
  }
  const refresh = async () => void refreshes++
  const state = { caller: { userId: 'rosa' } }
  const client = { baseUrl: SERVICE, fetch, refresh, state } as unknown as Client
  return { client, requests, refreshes: () => refreshes }
}

const json =
  (body: object, status = 200) =>
  () =>
    Response.json(body, { status })
const nothing = () => new Response(null, { status: 204 })

describe('typed calls', () => {
  it('fill the path, the query and the body, and give back what was answered', async () => {
    const accepted = () => new Response(null, { status: 202 })
    const { client, requests } = clientThatGets(json({ members: [], next: null }), nothing, nothing, accepted)
    const api = typedApi(client)
    const page = await api.get('/api/team', { query: { q: 'rosa & co', limit: 5 } })
    expect(page.next).toBeNull()
    const path = { userId: 'a/b' }
    expect(await api.put('/api/team/{userId}/satellites', { path, body: { satellites: null } })).toBeNull()
    expect(await api.delete('/api/sessions')).toBeNull()
    expect(await api.post('/api/password/forgot', { body: { email: 'rosa@example.com' } })).toBeNull()
    expect(requests).toEqual([
      `GET ${SERVICE}/api/team?q=rosa%20%26%20co&limit=5`,
      `PUT ${SERVICE}/api/team/a%2Fb/satellites {"satellites":null}`,
      `DELETE ${SERVICE}/api/sessions`,
      `POST ${SERVICE}/api/password/forgot {"email":"rosa@example.com"}`,
    ])
  })

  it.each(['.', '..', ''])('send nothing for an id that would lead to another operation: "%s"', async sid => {
    const { client, requests } = clientThatGets(nothing)
    const call = typedApi(client).delete('/api/sessions/{sid}', { path: { sid } })
    await expect(call).rejects.toThrow(TypeError)
    expect(requests).toEqual([])
  })

  it('throw a refusal by its code', async () => {
    const { client } = clientThatGets(json({ code: 'NOT_FOUND', detail: 'There is none' }, 404))
    const call = typedApi(client).get('/api/team/{userId}', { path: { userId: 'x' } })
    await expect(call).rejects.toMatchObject({ name: 'MainstayError', code: 'NOT_FOUND', status: 404 })
  })

  it('give back the answer itself where it is no JSON', async () => {
    const { client } = clientThatGets(
      () => new Response('{}\n{}', { headers: { 'Content-Type': 'application/x-ndjson' } }),
    )
    const answer: Response = await typedApi(client).get('/api/audit/export')
    expect(await answer.text()).toBe('{}\n{}')
  })

  describe('whose body stalls', () => {
    const pageFetch = globalThis.fetch
    afterEach(() => {
      globalThis.fetch = pageFetch
      jest.restoreAllMocks()
      jest.useRealTimers()
    })

    /** Fakes time; gives the timers of 20 seconds that were not cleared. All others are Jest's own. */
    function fakeTime() {
      jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
      const set = jest.spyOn(globalThis, 'setTimeout')
      const clear = jest.spyOn(globalThis, 'clearTimeout')
      return () => {
        const cleared = new Set(clear.mock.calls.map(([timer]) => timer as unknown))
        return set.mock.results.filter(
          ({ value }, call) => set.mock.calls[call]![1] === 20_000 && !cleared.has(value),
        )
      }
    }

    /** Comes to nothing after its beginning; fails with the signal of its request. */
    const stalled =
      (status = 200, type = 'application/json') =>
      (signal?: AbortSignal | null) => {
        const start = (body: ReadableStreamDefaultController) => {
          body.enqueue(Buffer.from('{"email'))
          signal?.addEventListener('abort', () => body.error(signal.reason))
        }
        return new Response(new ReadableStream({ start }), { status, headers: { 'Content-Type': type } })
      }

    it.each([
      ['with a session', 200, {}],
      ['with a session, and refused', 404, {}],
      ['without a session', 200, { anonymous: true }],
      ['without a session, and refused', 404, { anonymous: true }],
    ])('give up after 20 seconds: %s', async (_, status, options) => {
      const timersLeft = fakeTime()
      globalThis.fetch = async (_url, init) => stalled(status)(init?.signal)
      const { client } = clientThatGets(() => stalled(status)())
      const call = typedApi(client).get('/api/profile', options)
      const outcome = jest.fn()
      void call.catch(outcome)
      await jest.advanceTimersByTimeAsync(20_000)
      expect(outcome).toHaveBeenCalledWith(expect.objectContaining({ name: 'TimeoutError' }))
      expect(timersLeft()).toEqual([])
    })

    it('last as long as the caller wants who brings a signal, and so does what is no JSON', async () => {
      const timersLeft = fakeTime()
      globalThis.fetch = async (_url, init) => stalled()(init?.signal)
      const leaving = new AbortController()
      const options = { anonymous: true, signal: leaving.signal }
      const call = typedApi(clientThatGets(nothing).client).get('/api/profile', options)
      const outcome = expect(call).rejects.toThrow('left the page')
      await jest.advanceTimersByTimeAsync(60_000)
      leaving.abort(new Error('left the page'))
      await outcome
      globalThis.fetch = async (_url, init) => stalled(200, 'application/x-ndjson')(init?.signal)
      const download: Response = await typedApi(clientThatGets(nothing).client).get('/api/audit/export', {
        anonymous: true,
      })
      const reading = download.body?.getReader()
      await reading?.read()
      await jest.advanceTimersByTimeAsync(60_000)
      expect(timersLeft()).toEqual([])
    })
  })

  it('without a session are made by the `fetch` that is given for them', async () => {
    const send = jest.fn<typeof fetch>(async () => Response.json({ email: 'rosa@example.com' }))
    const { client, requests } = clientThatGets(nothing)
    const answer = await typedApi(client, send).get('/api/profile', { anonymous: true })
    expect(answer).toEqual({ email: 'rosa@example.com' })
    expect(send).toHaveBeenCalledWith(`${SERVICE}/api/profile`, expect.objectContaining({ method: 'GET' }))
    expect(requests).toEqual([])
  })

  it('know every operation and nothing else', () => {
    const { client } = clientThatGets(nothing)
    const api = typedApi(client)
    const never = () => [
      // @ts-expect-error: there is no such path
      api.get('/api/nothing'),
      // @ts-expect-error: it has no such method
      api.delete('/api/account'),
      // @ts-expect-error: whom?
      api.delete('/api/team/{userId}'),
      // @ts-expect-error: a password has to be a text
      api.post('/api/login', { body: { email: 'a', password: 1, source: 'main' } }),
      // @ts-expect-error: it takes no body
      api.get('/api/team', { body: {} }),
    ]
    expect(never).toBeInstanceOf(Function)
  })
})

describe('a request that needs a proof', () => {
  const wanted = json({ code: 'REAUTHENTICATION_REQUIRED', methods: ['password'] }, 401)
  const stepUp = json({ code: 'STEP_UP_REQUIRED', methods: ['totp'] }, 401)
  const change = { method: 'POST', body: '{"name":"x"}' }

  it('is repeated once it was given, and asks once for all that wait', async () => {
    const { client, requests } = clientThatGets(wanted, wanted, json({ done: true }))
    const asked: string[] = []
    const fetch = repeatAfterProof(client, async ({ code }) => {
      asked.push(code)
      await eventually(() => requests.length === 2, { what: 'both to be refused' })
    })
    const answers = await Promise.all([
      fetch(`${SERVICE}/api/a`, change),
      fetch(new Request(`${SERVICE}/api/b`, change)),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(asked).toEqual(['REAUTHENTICATION_REQUIRED'])
    expect(requests.slice(2).sort()).toEqual(
      ['a', 'b'].map(name => `POST ${SERVICE}/api/${name} {"name":"x"}`),
    )
  })

  it('does not ask again for a proof that was given while it was on its way', async () => {
    const { client, requests } = clientThatGets(wanted)
    let answerLate = () => {}
    const late = new Promise<Response>(resolve => {
      answerLate = () => resolve(wanted())
    })
    const answers = [Promise.resolve(wanted()), late]
    Object.assign(client, {
      fetch: async (path: string) => {
        requests.push(path)
        return (await answers.shift()) ?? new Response(null, { status: 204 })
      },
    })
    let asked = 0
    const fetch = repeatAfterProof(client, async () => void asked++)
    const both = [fetch(`${SERVICE}/api/first`), fetch(`${SERVICE}/api/late`)]
    await both[0]
    answerLate()
    expect((await both[1])?.status).toBe(204)
    expect([asked, requests.length]).toEqual([1, 4])
  })

  it('is asked for the password and then for the factor, and no third time', async () => {
    const { client, requests } = clientThatGets(wanted, stepUp)
    const asked: string[] = []
    const fetch = repeatAfterProof(client, async ({ code }) => void asked.push(code))
    expect((await fetch(`${SERVICE}/api/a`, change)).status).toBe(401)
    expect(asked).toEqual(['REAUTHENTICATION_REQUIRED', 'STEP_UP_REQUIRED'])
    expect(requests).toHaveLength(3)
  })

  it('is not repeated in the name of somebody else who logs in meanwhile', async () => {
    const { client, requests } = clientThatGets(wanted)
    const fetch = repeatAfterProof(client, async () => {
      Object.assign(client, { state: { caller: { userId: 'tom' } } })
    })
    expect((await fetch(`${SERVICE}/api/a`, change)).status).toBe(401)
    expect(requests).toHaveLength(1)
  })

  it('is not put to somebody else who has logged in while it was on its way', async () => {
    const { client, requests } = clientThatGets(() => {
      Object.assign(client, { state: { caller: { userId: 'tom' } } })
      return wanted()
    })
    let asked = 0
    const fetch = repeatAfterProof(client, async () => void asked++)
    expect((await fetch(`${SERVICE}/api/a`, change)).status).toBe(401)
    expect([asked, requests.length]).toEqual([0, 1])
  })

  it('rejects with what the person who turns back rejects with', async () => {
    const { client, requests } = clientThatGets(wanted)
    const fetch = repeatAfterProof(client, () => Promise.reject(new Error('Not now')))
    await expect(fetch(`${SERVICE}/api/a`, change)).rejects.toThrow('Not now')
    expect(requests).toHaveLength(1)
  })

  it('gets a new token where a backend wanted it, and only there', async () => {
    const { client, refreshes } = clientThatGets(stepUp, nothing)
    await repeatAfterProof(client, async () => {})('https://shop.test/orders')
    expect(refreshes()).toBe(1)
    const own = clientThatGets(stepUp, nothing)
    await repeatAfterProof(own.client, async () => {})(`${SERVICE}/api/a`)
    expect(own.refreshes()).toBe(0)
  })

  it.each([
    ['a step up that nobody here can do', json({ code: 'STEP_UP_REQUIRED', methods: [] }, 401)],
    ['any other refusal', json({ code: 'OWNER_REQUIRED' }, 403)],
  ])('is left alone for %s', async (_, refusal) => {
    const { client, requests } = clientThatGets(refusal)
    const ask = () => Promise.reject(new Error('asked'))
    const answer = await repeatAfterProof(client, ask)(`${SERVICE}/api/a`)
    // Whoever gets it can still read it.
    expect(await answer.json()).toHaveProperty('code')
    expect(requests).toHaveLength(1)
  })
})
