import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import type { Client } from '@mainstay-auth/client'
import { ProfileStore } from '../../sources.js'

const USER_ID = 'user-1'
const HOUR_MS = 3_600_000
const PROFILE = { email: 'owner@example.com', name: null }

beforeEach(() => {
  jest.useFakeTimers()
})
afterEach(() => {
  jest.useRealTimers()
})

/** Answers one after the other, the last one again and again; headers are those of a 429. */
function clientThatAnswers(...answers: readonly (number | Error | Headers)[]) {
  let requests = 0
  const client = {
    state: { caller: { userId: USER_ID } as { userId: string } | null },
    fetch: async () => {
      const answer = answers[Math.min(requests, answers.length - 1)]
      requests += 1
      if (answer instanceof Headers) return new Response(null, { status: 429, headers: answer })
      if (typeof answer !== 'number') throw answer
      return new Response(JSON.stringify(PROFILE), { status: answer })
    },
  }
  return { client, requests: () => requests }
}

function storeOf({ client }: ReturnType<typeof clientThatAnswers>) {
  const store = new ProfileStore(client as unknown as Client)
  return { store, leave: store.subscribe(() => {}) }
}

describe('a profile that could not be loaded', () => {
  it.each([
    ['the service is out', 503],
    ['it was asked too often', 429],
    ['there is no network', new TypeError('fetch failed')],
  ])('is requested again when %s', async (_, answer) => {
    const service = clientThatAnswers(answer, answer, 200)
    const { store } = storeOf(service)
    await store.load(USER_ID)
    expect(store.of(USER_ID)).toBeNull()
    await jest.advanceTimersByTimeAsync(HOUR_MS)
    expect(store.of(USER_ID)).toEqual(PROFILE)
    expect(service.requests()).toBe(3)
  })

  it.each([
    ['so much later', '100', 100],
    ['a day later', '3000000', 24 * 3_600],
  ])('is requested again %s when the service asks for %s seconds', async (_, asked, seconds) => {
    const service = clientThatAnswers(new Headers({ 'Retry-After': asked }), 200)
    const { store } = storeOf(service)
    await store.load(USER_ID)
    await jest.advanceTimersByTimeAsync(seconds * 1_000 - 1)
    expect(service.requests()).toBe(1)
    await jest.advanceTimersByTimeAsync(1)
    expect(store.of(USER_ID)).toEqual(PROFILE)
  })

  it('is requested no more often for every component that shows it', async () => {
    const service = clientThatAnswers(503)
    const { store } = storeOf(service)
    for (let component = 0; component < 10; component++) await store.load(USER_ID)
    await jest.advanceTimersByTimeAsync(60_000)
    expect(service.requests()).toBeLessThanOrEqual(10 + 6)
  })

  it.each([403, 404])('is not requested again after %i', async status => {
    const service = clientThatAnswers(status)
    await storeOf(service).store.load(USER_ID)
    await jest.advanceTimersByTimeAsync(HOUR_MS)
    expect(service.requests()).toBe(1)
  })

  it('is left alone once nobody shows it, or somebody else is logged in', async () => {
    for (const end of ['leave', 'logOut']) {
      const service = clientThatAnswers(503)
      const { store, leave } = storeOf(service)
      await store.load(USER_ID)
      if (end === 'leave') leave()
      else service.client.state.caller = null
      await jest.advanceTimersByTimeAsync(HOUR_MS)
      expect(service.requests()).toBe(1)
    }
  })
})
