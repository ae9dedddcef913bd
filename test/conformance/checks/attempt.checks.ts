import { randomUUID } from 'node:crypto'
import { expect } from '@jest/globals'
import { clientNetworkOf } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { MAIN } from '../../support/test-app.js'
import { guess, lockOut } from '../guesses.js'
import { type Answer, afterwards, type Check } from '../scene.js'

/** Networks that no session was ever opened from. */
const ELSEWHERE = '127.9.8.7'
const ATTACKERS = Array.from({ length: 10 }, (_, index) => `127.66.${index}.1`)

/** Sentences about guesses at passwords. */
export const attemptChecks: Readonly<Record<string, Check>> = {
  '429 + Retry-After well before 100; correct password afterwards from another network is still accepted':
    afterwards(async ({ cast, service, request }, answers) => {
      const { perAccountAndNetwork } = service.settings.rateLimits
      expect(perAccountAndNetwork).toBeLessThanOrEqual(50)
      expectGuesses(answers, perAccountAndNetwork)
      const { email, password } = await cast.owner('U1')
      const right = { ...request, body: { email, password, source: 'satellite' } }
      expect((await service.request(right)).status).toBe(429)
      expect((await service.request({ ...right, localAddress: ELSEWHERE })).status).toBe(200)
    }),

  'same count as without the header': afterwards(({ service }, answers) => {
    expectGuesses(answers, service.settings.rateLimits.perAccountAndNetwork)
  }),

  'one key per /64; ::ffff:1.2.3.4 == 1.2.3.4; upper/lower/compressed forms equal': afterwards(
    ({ service }, answers) => {
      expectGuesses(answers, service.settings.rateLimits.perAccountAndNetwork)
      expect(clientNetworkOf('::ffff:1.2.3.4')).toBe(clientNetworkOf('1.2.3.4'))
      const [one, ...others] = ['2001:db8::1', '2001:DB8::2', '2001:0db8:0:0:ffff:0:0:3'].map(clientNetworkOf)
      for (const other of others) expect(other).toBe(one)
      expect(clientNetworkOf('2001:db8:0:1::1')).not.toBe(one)
    },
  ),

  'password comparisons done <= limit: count before hash, not after': afterwards(({ service }, answers) => {
    const { perAccountAndNetwork } = service.settings.rateLimits
    // Without a comparison no answer is 401; one that found no room for its comparison is 503.
    expect(statusesOf(answers).filter(status => status === 401).length).toBeLessThanOrEqual(
      perAccountAndNetwork,
    )
    expect(statusesOf(answers).filter(status => status === 429).length).toBeGreaterThan(0)
  }),

  'one counter across sources and re-authentication': afterwards(async ({ cast, service }, answers) => {
    expectGuesses(answers, service.settings.rateLimits.perAccountAndNetwork)
    const { email } = await cast.owner('U2')
    const { accessToken } = await cast.session('U2', 'main')
    const asMain = { headers: { Origin: MAIN }, body: { email, password: 'wrong', source: 'main' } }
    const reauthenticate = () =>
      service.request({
        method: 'POST',
        path: '/api/reauthenticate',
        headers: { Origin: MAIN, Authorization: `Bearer ${accessToken}` },
        body: { password: 'wrong' },
      })
    const ways = [() => guess(service, email), () => guess(service, email, asMain), reauthenticate]
    const inTurn: TestResponse[] = []
    for (let count = 0; count < 30; count++) inTurn.push(await ways[count % ways.length]!())
    expectGuesses(inTurn, service.settings.rateLimits.perAccountAndNetwork)
  }),

  'not locked out': async ({ cast, service }) => {
    const victim = await cast.owner('U1')
    await cast.logIn(victim, 'satellite')
    const statuses: number[] = []
    for (let count = 0; count < 100; count++) {
      const localAddress = ATTACKERS[count % ATTACKERS.length]!
      statuses.push((await guess(service, victim.email, { localAddress })).status)
    }
    expect(statuses.filter(status => status === 401)).toHaveLength(service.settings.rateLimits.perAccount)
    const stranger = { email: victim.email, password: victim.password, source: 'satellite' }
    const { status } = await guess(service, victim.email, { body: stranger, localAddress: ELSEWHERE })
    expect(status).toBe(429)
    return ([answer]) => expect(answer!.status).toBe(200)
  },

  'same for unknown e-mail': async ({ service, request }) => {
    const email = `nobody-${randomUUID()}@example.com`
    await lockOut(service, email)
    return async ([known]) => {
      const unknown = await service.request({ ...request, body: { ...(request.body as object), email } })
      expect(likeness(unknown)).toEqual(likeness(known!))
      expect(known!.status).toBe(429)
    }
  },
}

/** So many were tried, and all after them refused until later. */
function expectGuesses(answers: readonly Answer[], limit: number): void {
  const rest = answers.slice(limit)
  expect(rest.length).toBeGreaterThan(0)
  expect(statusesOf(answers)).toEqual([...Array(limit).fill(401), ...rest.map(() => 429)])
  for (const { headers } of rest) expect(headers['retry-after']).toMatch(/^[1-9]\d*$/)
}

function statusesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ status }) => status)
}

/** Everything about an answer but its moment, how long there is to wait from then on, and the id of its request. */
function likeness({ status, headers, text }: Answer) {
  const { date: _, 'retry-after': wait, 'x-request-id': requestId, ...others } = headers
  return { status, hasWait: wait !== undefined, headers: others, body: text.replace(requestId!, '') }
}
