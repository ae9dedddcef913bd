import dns from 'node:dns'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectByTls } from 'node:tls'
import { afterEach, describe, expect, jest, test } from '@jest/globals'
import { makeCertificate } from '../../browser/stage/certificate.js'
import { SessionChanges } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { freePort } from '../../support/processes/free-port.js'
import { run } from '../../support/processes/run-program.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { refreshByCookie } from '../support/api-calls.js'
import { heldCall } from '../support/held-call.js'

const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n'
const MOST = 5

let app: TestApp
afterEach(() => app?.stop())

test('security: connections over MAX_CONNECTIONS are refused at once, and those that are open go on', async () => {
  app = await TestApp.start({ MAX_CONNECTIONS: String(MOST) })
  const open = await Promise.all(Array.from({ length: MOST }, () => connection()))
  expect(await Promise.all(open.map(socket => firstLine(socket)))).toEqual(open.map(() => 'HTTP/1.1 200 OK'))
  const over = await connection()
  expect(await firstLine(over)).toBe('closed')
  for (const socket of open) expect(await firstLine(socket)).toBe('HTTP/1.1 200 OK')
  const [leaving] = open as [Socket]
  leaving.destroy()
  await eventually(async () => (await app.request({ path: '/health/live' })).status === 200)
  for (const socket of open) socket.destroy()
})

describe('security: one network holds no more than a tenth of MAX_CONNECTIONS, or sixteen (S7)', () => {
  test.each([
    ['100', 16],
    ['200', 20],
  ])('of %s it has %s, and others are let in', async (max, share) => {
    app = await TestApp.start({ MAX_CONNECTIONS: max })
    const open = await Promise.all(Array.from({ length: share }, () => connection()))
    for (const socket of open) expect(await firstLine(socket)).toBe('HTTP/1.1 200 OK')
    expect(await firstLine(await connection())).toBe('closed')
    const other = await connection('127.0.0.2')
    expect(await firstLine(other)).toBe('HTTP/1.1 200 OK')
    open[0]?.destroy()
    await eventually(async () => (await firstLine(await connection())) !== 'closed')
    expect(await firstLine(await connection())).toBe('closed')
    for (const socket of [other, ...open]) socket.destroy()
  })

  test('with TLS too, and a connection that is closed is counted no longer', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'mainstay-server-'))
    try {
      const { certFile, keyFile } = await makeCertificate(folder, ['https://localhost'])
      app = await TestApp.start({ MAX_CONNECTIONS: '100', TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile })
      for (let round = 0; round < 2; round++) {
        const open = await Promise.all(Array.from({ length: 16 }, encrypted))
        for (const socket of open) expect(await firstLine(socket)).toBe('HTTP/1.1 200 OK')
        await expect(encrypted()).rejects.toThrow()
        for (const socket of open) socket.destroy()
        await eventually(async () => (await connections()) === 0)
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  test('on HOST=localhost too, which is one address and not a second server for IPv6', async () => {
    const both = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]
    type All = (error: null, addresses: dns.LookupAddress[]) => void
    const { lookup } = dns
    jest
      .spyOn(dns, 'lookup')
      .mockImplementation(((host: string, options: { all?: boolean }, done: All) =>
        host === 'localhost' && options.all
          ? done(null, both)
          : lookup(host, options, done as never)) as never)
    app = await TestApp.start({ HOST: 'localhost', MAX_CONNECTIONS: '100' })
    jest.restoreAllMocks()
    const { port } = new URL(app.url)
    expect(app.app.getHttpAdapter().getInstance().addresses()).toEqual([
      { address: '127.0.0.1', family: 'IPv4', port: Number(port) },
    ])
  })

  test('unless a proxy is in front, through which everybody comes', async () => {
    app = await TestApp.start({ MAX_CONNECTIONS: '100', TRUST_PROXY: '127.0.0.1' })
    const open = await Promise.all(Array.from({ length: 20 }, () => connection()))
    for (const socket of open) expect(await firstLine(socket)).toBe('HTTP/1.1 200 OK')
    for (const socket of open) socket.destroy()
  })
})

test('a target is a path or a whole URL; one that a router would take for a path is none', async () => {
  app = await TestApp.start()
  const answers = new Map<string, string>()
  for (const target of [
    '/health/live',
    'http://localhost/health/live',
    '*health/live',
    '*/health/live',
    '*',
  ]) {
    const socket = await connection()
    answers.set(target, await firstLine(socket, REQUEST.replace('/health/live', target)))
    socket.destroy()
  }
  const [found, missing] = ['HTTP/1.1 200 OK', 'HTTP/1.1 404 Not Found']
  expect([...answers.values()]).toEqual([found, found, missing, missing, missing])
})

test('finishes a request although its client hangs up, and does not count that as a failure', async () => {
  app = await TestApp.start()
  const session = await signIn(app, await anOwner(app), 'main')
  const refused = jest.spyOn(app.app.getHttpAdapter().getInstance(), 'countRefusal')
  const logout = heldCall(app.get(SessionChanges), 'record')
  const socket = await connection()
  const headers = { Origin: MAIN, Authorization: `Bearer ${session.accessToken}` }
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`)
  socket.write(`POST /api/logout HTTP/1.1\r\n${lines.join('\r\n')}\r\nContent-Length: 0\r\n\r\n`)
  await logout.begun
  socket.resetAndDestroy()
  await eventually(async () => (await connections()) === 0)
  logout.release()
  await eventually(async () => (await refreshByCookie(app, session.sessionId)).status === 401)
  expect(refused.mock.calls.map(([code]) => code)).not.toContain('INTERNAL_ERROR')
  expect(await app.auditRows({ action: 'logout' })).toMatchObject([{ ip: '127.0.0.1' }])
})

function connections(): Promise<number> {
  const server = app.app.getHttpServer()
  return new Promise((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )
}

async function connection(localAddress = '127.0.0.1'): Promise<Socket> {
  const socket = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1', localAddress })
  socket.on('error', () => {})
  await once(socket, 'connect')
  return socket
}

async function encrypted(): Promise<Socket> {
  const port = Number(new URL(app.url).port)
  const socket = connectByTls({ port, host: '127.0.0.1', rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  return socket
}

/** Of the answer to one more request; "closed" when the connection is. */
async function firstLine(socket: Socket, request = REQUEST): Promise<string> {
  const closed = once(socket, 'close').then(() => 'closed')
  socket.write(request)
  const answer = once(socket, 'data').then(([data]) => String(data).split('\r\n')[0] as string)
  return Promise.race([closed, answer])
}

test.each(['http', 'https'])(
  "security L12: the image's health check of a service that speaks %s",
  async scheme => {
    const folder = await mkdtemp(join(tmpdir(), 'mainstay-server-'))
    try {
      const { certFile, keyFile } = await makeCertificate(folder, ['https://localhost'])
      const tls: Record<string, string> =
        scheme === 'https' ? { TLS_CERT_FILE: certFile, TLS_KEY_FILE: keyFile } : {}
      app = await TestApp.start(tls)
      const check = async (port: string) =>
        (
          await run('dist/joined/health-check.js', [], {
            NODE_ENV: 'test',
            HOST: '0.0.0.0',
            PORT: port,
            ...tls,
          })
        ).code
      expect(await check(new URL(app.url).port)).toBe(0)
      expect(await check(String(await freePort()))).toBe(1)
    } finally {
      await rm(folder, { recursive: true })
    }
  },
)
