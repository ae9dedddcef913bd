import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { makeCertificate } from '../../browser/stage/certificate.js'
import { outcome } from '../../http/support/api-calls.js'
import { HEADERS_TIMEOUT_MS, INACTIVITY_MS } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anApp, TestApp } from '../../support/test-app.js'

const ATTACKERS = 30

const app = anApp()
beforeAll(async () => {
  waitLess(app)
})

describe('A client with hostile headers', () => {
  test('is closed with 408 when they never end, and keeps nobody else from being served', async () => {
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
    for (const { text, headers } of await answers) {
      expect(text).toContain('HTTP/1.1 408 ')
      // Only the time that it took has ended it.
      expect(headers).toBeGreaterThan(0)
    }
  })

  test('is refused when they are too large, whatever part is large, and the next one is served', async () => {
    const large = 'a'.repeat(20_000)
    const refusals = [
      await app.request({ path: '/api/data', headers: { 'X-Long': large } }),
      await app.post('/api/refresh', undefined, { Cookie: `sessionId=${large}` }),
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
    expect(outcome(await app.post('/api/refresh', undefined, cookie))).toMatch(/^40[013] /)
    expect((await app.request({ path: '/health/live' })).status).toBe(200)
  })
})

test('A client that never reads is cut off, and keeps no connection', async () => {
  const server = app.app.getHttpServer()
  expect(server.timeout).toBe(INACTIVITY_MS)
  server.setTimeout(1_000)
  try {
    const socket = await aSocket(app)
    const closed = once(socket, 'close')
    socket.pause()
    // Many megabytes of answers, more than what kernels keep.
    for (let i = 0; i < 40_000; i++) socket.write('GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await eventually(async () => (await connections(app)) > 0)
    await eventually(async () => (await connections(app)) === 0)
    socket.destroy()
    await closed
  } finally {
    server.setTimeout(INACTIVITY_MS)
  }
})

test('With TLS, a client that never begins is cut off as soon as one without headers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'mainstay-tls-'))
  const { certFile, keyFile } = await makeCertificate(folder, ['https://localhost'])
  const files = { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile }
  const secure = await TestApp.start({ ...files })
  try {
    const socket = await aSocket(secure)
    await once(socket, 'close')
  } finally {
    await secure.stop()
    await rm(folder, { recursive: true })
  }
  // Node's own limit is two minutes.
}, 60_000)

/** The service waits ten seconds for headers; that it does is all that needs them. */
function waitLess({ app }: TestApp): void {
  const server = app.getHttpServer()
  expect(server.headersTimeout).toBe(HEADERS_TIMEOUT_MS)
  server.headersTimeout = 1_500
}

async function aSocket({ url }: TestApp): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.resume()
  await once(socket, 'connect')
  return socket
}

function connections({ app }: TestApp): Promise<number> {
  return new Promise((resolve, reject) =>
    app.getHttpServer().getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}

/** A header more every 300 ms, until the connection is closed. */
async function sendWithoutEnd(): Promise<{ text: string; headers: number }> {
  const { hostname, port } = new URL(app.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  let text = ''
  socket.on('data', data => {
    text += data
  })
  socket.on('error', () => {})
  let headers = 0
  const closed = once(socket, 'close')
  socket.write('GET /health/live HTTP/1.1\r\nHost: localhost\r\n')
  const timer = setInterval(() => {
    socket.write('X-More: of it\r\n')
    headers += 1
  }, 300)
  await closed
  clearInterval(timer)
  return { text, headers }
}
