import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CONNECTIONS_CHECK_MS, HEADERS_TIMEOUT_MS } from '../../../src/http/edge/limits.js'
import { outcome } from '../../http/support/api-calls.js'
import { TestApp } from '../../support/test-app.js'

const ATTACKERS = 30

let app: TestApp
beforeAll(async () => {
  app = await TestApp.start('redis + postgres', { LOG_LEVEL: 'silent' })
})
afterAll(() => app?.stop())

describe('A client whose headers', () => {
  test('never end is closed with 408, and keeps nobody from being served meanwhile', async () => {
    const attackers = Promise.all(Array.from({ length: ATTACKERS }, () => sendWithoutEnd()))
    let isOver = false
    const answers = attackers.finally(() => {
      isOver = true
    })
    let served = 0
    while (!isOver) {
      expect((await app.request({ path: '/health/live' })).status).toBe(200)
      served += 1
      await sleep(200)
    }
    expect(served).toBeGreaterThan(1)
    for (const { text, sentMs } of await answers) {
      expect(text).toContain('HTTP/1.1 408 ')
      // Only the timeout ends it; how long a busy machine takes to notice is not ours to promise.
      expect(sentMs).toBeGreaterThan(HEADERS_TIMEOUT_MS - CONNECTIONS_CHECK_MS)
    }
  })

  test('are too large is refused, whatever is large in them, and the next one is served', async () => {
    const large = 'a'.repeat(20_000)
    const refusals = [
      await app.request({ path: '/api/data', headers: { 'X-Long': large } }),
      await app.request({ path: '/api/refresh', method: 'POST', headers: { Cookie: `sessionId=${large}` } }),
      await app.request({ path: '/api/data', headers: { Authorization: `Bearer ${large}` } }),
      await app.request({ path: `/api/${'a'.repeat(9_000)}` }),
    ]
    expect(refusals.map(outcome)).toEqual([
      '431 HEADERS_TOO_LARGE',
      '431 HEADERS_TOO_LARGE',
      '431 HEADERS_TOO_LARGE',
      '414 URL_TOO_LONG',
    ])
    const cookie = { Cookie: `sessionId=${'a'.repeat(12_000)}` }
    expect(outcome(await app.request({ path: '/api/refresh', method: 'POST', headers: cookie }))).toMatch(
      /^40[013] /,
    )
    expect((await app.request({ path: '/health/live' })).status).toBe(200)
  })
})

/** A header more every 300 ms, until the connection is closed. */
async function sendWithoutEnd(): Promise<{ text: string; sentMs: number }> {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let text = ''
  socket.on('data', data => {
    text += data
  })
  socket.on('error', () => {})
  const startedAt = performance.now()
  const closed = once(socket, 'close')
  socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n')
  const timer = setInterval(() => socket.write('X-More: of it\r\n'), 300)
  await closed
  clearInterval(timer)
  return { text, sentMs: performance.now() - startedAt }
}
