import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { Clock, createApp, MAX_BODY_BYTES, MAX_WEBHOOK_BODY_BYTES } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { request, sendRaw } from '../../support/http-request.js'
import { anEmail } from '../../support/people.js'
import { MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { onServers, slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { postEventOfSize } from '../support/signed-event.js'

const SECURITY_HEADERS = {
  'strict-transport-security': 'max-age=31536000',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-site',
}

let app: TestApp
let behindProxy: TestApp
beforeAll(async () => {
  app = await TestApp.start()
  behindProxy = await TestApp.start({ TRUST_PROXY: '127.0.0.1,10.0.0.0/8' })
})
afterAll(() => Promise.all([app.stop(), behindProxy.stop()]))

describe('Health', () => {
  it.each(['/health/live', '/health/ready'])('%s answers without a token', async path => {
    const { status, json } = await app.request({ path })
    expect({ status, json }).toEqual({ status: 200, json: { status: 'ok' } })
  })
})

it('pages 3: a page that may not read us can see that something is there', async () => {
  const { headers } = await app.request({ path: '/health/live' })
  expect(headers['cross-origin-resource-policy']).toBe('cross-origin')
})

describe('Every answer', () => {
  it.each([
    ['of a page of the main site', { path: '/api/data', headers: { Origin: MAIN } }],
    [
      'of a preflight',
      {
        method: 'OPTIONS',
        path: '/api/data',
        headers: { Origin: SHOP_ONE, 'Access-Control-Request-Method': 'GET' },
      },
    ],
    ['to a refused origin', { path: '/api/data', headers: { Origin: 'https://evil.test' } }],
    ['about nothing', { path: '/nothing' }],
    ['to a path that cannot be decoded', { path: '/%zz' }],
    ['to a path with more than a URL may have', { path: `/api/team/${'x'.repeat(9_000)}` }],
    ['of health', { path: '/health/ready' }],
  ])('%s has the security headers, Vary: Origin and a request id', async (_, request) => {
    const { headers } = await app.request(request as Parameters<TestApp['request']>[0])
    expect(headers).toMatchObject(SECURITY_HEADERS)
    expect(headers.vary).toMatch(/\bOrigin\b/)
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
    expect(headers['cache-control']).toBe('no-store')
    for (const name of ['server', 'x-powered-by']) expect(headers).not.toHaveProperty(name)
  })
})

describe.each([
  ['that cannot be decoded', '/api/team/%zz', '400 INVALID_REQUEST'],
  ['that is too long', `/api/team/${'x'.repeat(9_000)}`, '414 URL_TOO_LONG'],
])('A path %s', (_, path, refusal) => {
  it('lets pages read why it is refused', async () => {
    const ofMain = await app.request({ path, headers: { Origin: MAIN } })
    expect(outcome(ofMain)).toBe(refusal)
    expect(ofMain.headers).toMatchObject({
      'access-control-allow-origin': MAIN,
      'access-control-allow-credentials': 'true',
    })
    const ofShop = await app.request({ path, headers: { Origin: SHOP_ONE } })
    expect(outcome(ofShop)).toBe(refusal)
    expect(ofShop.headers['access-control-allow-origin']).toBe(SHOP_ONE)
  })

  it('lets their browsers ask first', async () => {
    const headers = { Origin: MAIN, 'Access-Control-Request-Method': 'GET' }
    const { status, headers: answered } = await app.request({ method: 'OPTIONS', path, headers })
    expect([status, answered['access-control-allow-origin']]).toEqual([204, MAIN])
  })

  it('is refused whoever asks for it', async () => {
    for (const method of ['GET', 'POST', 'OPTIONS', 'PROPFIND'])
      expect([method, outcome(await app.request({ method, path }))]).toEqual([method, refusal])
    const headers = { Origin: 'https://evil.test' }
    expect(outcome(await app.request({ path, headers }))).toBe('403 ORIGIN_NOT_ALLOWED')
  })
})

describe('Whatever a target looks like', () => {
  const targets = [
    '/?a/b',
    'http://host?a/b',
    'http://host',
    'HTTPS://host/health/live',
    'http:///health/live',
    'http://[host/health/live',
    'ftp://host/health/live',
    '*',
    '*health/live',
  ]
  const statusOf = async (method: string, target: string, origin: string) => {
    const headers = `Host: a\r\nOrigin: ${origin}\r\nConnection: close\r\nContent-Length: 0`
    const text = await sendRaw(
      Number(new URL(app.url).port),
      `${method} ${target} HTTP/1.1\r\n${headers}\r\n\r\n`,
    )
    return [target, method, text.slice(9, 12), /"code":"(\w+)"/.exec(text)?.[1]]
  }

  it('a foreign origin is refused for its origin, by every method', async () => {
    for (const target of targets)
      for (const method of ['GET', 'HEAD', 'POST', 'OPTIONS', 'PROPFIND', 'TRACE']) {
        const code = method === 'HEAD' ? undefined : 'ORIGIN_NOT_ALLOWED'
        const answer = await statusOf(method, target, 'https://evil.test')
        expect(answer).toEqual([target, method, '403', code])
      }
  })

  it('others learn that it leads nowhere, or why it cannot be read', async () => {
    const expected = ['404', '404', '404', '200', '400', '400', '404', '404', '404']
    for (const [index, target] of targets.entries())
      expect((await statusOf('GET', target, MAIN)).slice(0, 3)).toEqual([target, 'GET', expected[index]])
  })
})

onServers(
  'The request log has one line about each request, with its path cut, and the address of the client behind a proxy',
  async () => {
    const lines: string[] = []
    const settings = { ...app.settings, logLevel: 'info', trustProxy: ['127.0.0.1'] } as const
    const logged = await createApp(settings, new Clock(), { write: line => lines.push(line) })
    try {
      await logged.listen(0, '127.0.0.1')
      const url = await logged.getUrl()
      const expected: object[] = []
      for (const path of ['/nothing', '/%', '/%zz', `/api/team/${'x'.repeat(9_000)}`]) {
        const headers = { 'X-Forwarded-For': '203.0.113.9' }
        const { status: statusCode, json } = await request(url, { path, headers })
        expected.push({
          req: { id: json.requestId, method: 'GET', path: path.slice(0, 200), ip: '203.0.113.9' },
          res: { statusCode },
        })
      }
      const requests = () => lines.map(line => JSON.parse(line)).filter(({ msg }) => msg === 'request')
      await eventually(() => requests().length >= expected.length)
      expect(requests()).toMatchObject(expected)
      expect(requests().map(({ res }) => res.statusCode)).toEqual([404, 400, 400, 414])
      for (const { milliseconds } of requests()) expect(milliseconds).toBeGreaterThan(0)
    } finally {
      await logged.close()
    }
  },
)

describe('A connection', () => {
  const port = () => Number(new URL(app.url).port)
  const pipelined = (path: string, count: number, timeoutMs?: number) =>
    sendRaw(port(), `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(count), timeoutMs)
  const statusesOf = (text: string) => [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)

  it.each(['/health/live', '/api/data', '/nowhere'])(
    'that asks for %s without waiting for answers is closed after sixteen of them (S4)',
    async path => {
      const [first, ...others] = statusesOf(await pipelined(path, 5_000, 30_000))
      expect(others).toHaveLength(16)
      expect(new Set([first, ...others.slice(0, 15)]).size).toBe(1)
      expect(others.at(-1)).toBe('429')
    },
  )

  slow('may ask sixteen times before it waits', async () => {
    expect(statusesOf(await pipelined('/health/live', 16))).toEqual(Array(16).fill('200'))
  })
})

describe('A body', () => {
  it('is accepted up to 16 KiB, and one byte more is 413', async () => {
    expect(MAX_BODY_BYTES).toBe(16 * 1024)
    expect((await logInWith(MAX_BODY_BYTES)).status).toBe(401)
    expect(outcome(await logInWith(MAX_BODY_BYTES + 1))).toBe('413 BODY_TOO_LARGE')
  })

  it('is accepted up to 1 MiB by the webhook, and one byte more is 413', async () => {
    expect(MAX_WEBHOOK_BODY_BYTES).toBe(1024 * 1024)
    expect((await postEventOfSize(app, MAX_WEBHOOK_BODY_BYTES)).status).toBe(200)
    expect(outcome(await postEventOfSize(app, MAX_WEBHOOK_BODY_BYTES + 1))).toBe('413 BODY_TOO_LARGE')
  })

  it.each([
    ['is too large', '/api/login', MAIN, 413],
    ['is too large for the webhook', '/api/webhooks/stripe', MAIN, 413],
    ['is for nobody', '/api/login', 'https://evil.test', 403],
  ])(
    'that %s is refused when it has been sent, so that its client reads why',
    async (_, path, origin, status) => {
      const half = ' '.repeat(MAX_WEBHOOK_BODY_BYTES)
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
      const response = readText(socket)
      const send = (text: string) =>
        new Promise<void>((resolve, reject) =>
          socket.write(text, error => (error ? reject(error) : resolve())),
        )
      await send(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nOrigin: ${origin}\r\nConnection: close\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${2 * half.length}\r\n\r\n${half}`,
      )
      for (let answered = 0; answered < 3; answered++) await app.request({ path: '/health/live' })
      await send(half)
      expect(await response).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    },
  )

  // Blanks after the JSON count as bytes and mean nothing.
  function logInWith(bytes: number) {
    const body = JSON.stringify({ email: anEmail(), password: 'wrong', source: 'satellite' })
    const headers = { 'Content-Type': 'application/json' }
    return app.post('/api/login', body.padEnd(bytes), headers)
  }
})

describe('X-Forwarded-For', () => {
  it('is not believed from strangers', async () => {
    expect(await seenAddress(app, '203.0.113.7')).toBe('127.0.0.1')
  })

  it('is believed from a proxy of TRUST_PROXY', async () => {
    expect(await seenAddress(behindProxy, '203.0.113.7')).toBe('203.0.113.7')
  })

  it.each([
    ['what a client made up before it', '192.0.2.1, 203.0.113.7'],
    ['proxies of ours in between', '203.0.113.7, 10.1.2.3'],
  ])('is read from the right, past %s', async (_, forwardedFor) => {
    expect(await seenAddress(behindProxy, forwardedFor)).toBe('203.0.113.7')
  })

  it.each([
    ['203.0.113.7:51234', '203.0.113.7'],
    ['203.0.113.7, 10.0.0.4:41000', '203.0.113.7'],
    ['203.0.113.7:51234,[::ffff:10.0.0.4]:41000 , 10.0.0.5', '203.0.113.7'],
    ['[::ffff:203.0.113.7]:51234', '203.0.113.7'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['2001:db8::1, 10.0.0.4:41000', '2001:db8::1'],
  ])('is read without the ports and brackets of %s (W4)', async (forwardedFor, address) => {
    expect(await seenAddress(behindProxy, forwardedFor)).toBe(address)
  })

  /** As the audit log has it. */
  async function seenAddress(api: TestApp, forwardedFor: string): Promise<string | null | undefined> {
    const { headers } = await api.post('/api/refresh', undefined, { 'X-Forwarded-For': forwardedFor })
    const [row] = await api.auditRows({ requestId: headers['x-request-id'] })
    return row?.ip
  }
})
