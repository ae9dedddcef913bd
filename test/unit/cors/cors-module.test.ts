import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import type { HttpAdapterHost } from '@nestjs/core'
import { type FastifyInstance, fastify } from 'fastify'
import {
  type ApiError,
  type AuditLog,
  CorsModule,
  MAX_URL_LENGTH,
  type Satellites,
  type Settings,
} from '../../sources.js'

const MAIN = 'https://www.main.test'
const SHOP = 'https://shop.test'
const CONSOLE_HOST = 'console.main.test:8443'
const CONSOLE = `https://${CONSOLE_HOST}`
const HOST = 'api.main.test'

const SATELLITES = new Set([SHOP]) as unknown as Satellites

let noted: object[]
const auditLog = {
  enqueue: ({ client, ...event }: Parameters<AuditLog['enqueue']>[0]) =>
    noted.push({ ...event, origin: client?.origin }),
} as unknown as AuditLog

async function serverWith(operators: { origin: string } | null): Promise<FastifyInstance> {
  const server = fastify()
  server.setErrorHandler<ApiError>(({ status, code }, _, reply) => reply.status(status).send({ code }))
  const host = { httpAdapter: { getInstance: () => server } } as unknown as HttpAdapterHost
  const settings = { mainOrigin: MAIN, operators } as unknown as Settings
  await new CorsModule(host, auditLog, settings, SATELLITES).onModuleInit()
  for (const path of ['/', '/page', '/api/data', '/api/operator/me'])
    server.all(path, { exposeHeadRoute: false }, async () => ({}))
  return server
}

let server: FastifyInstance
beforeAll(async () => {
  server = await serverWith({ origin: CONSOLE })
})
afterAll(() => server.close())
beforeEach(() => {
  noted = []
})

interface Asked {
  readonly method?: 'GET' | 'POST' | 'OPTIONS'
  readonly path?: string
  readonly host?: string
  readonly at?: FastifyInstance
  readonly headers?: Record<string, string>
}

async function ask(
  origin: string | undefined,
  { method = 'GET', path = '/api/data', host = HOST, at, headers: others }: Asked,
) {
  const { statusCode, headers, body } = await (at ?? server).inject({
    method,
    url: path,
    headers: {
      host,
      ...(origin !== undefined && { origin }),
      ...others,
    },
  })
  const code = statusCode >= 400 && body.startsWith('{"code') ? JSON.parse(body).code : null
  const allowed = Object.entries(headers).filter(([name]) => name.startsWith('access-control-'))
  return { status: statusCode, code, allowed: Object.fromEntries(allowed) }
}

const EXPOSED = { 'access-control-expose-headers': 'Retry-After, X-Request-Id' }
const OF_MAIN = { 'access-control-allow-origin': MAIN, 'access-control-allow-credentials': 'true' }
const OF_SHOP = { 'access-control-allow-origin': SHOP }
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST, PUT, DELETE, PATCH',
  'access-control-max-age': '86400',
}

describe('an answer may be read', () => {
  it('by the main site, which may send its cookies', async () => {
    expect(await ask(MAIN, {})).toEqual({ status: 200, code: null, allowed: { ...OF_MAIN, ...EXPOSED } })
  })

  it('by a satellite, which may not', async () => {
    expect(await ask(SHOP, {})).toEqual({ status: 200, code: null, allowed: { ...OF_SHOP, ...EXPOSED } })
  })

  it('by no other page', async () => {
    expect(await ask('https://evil.test', {})).toEqual({
      status: 403,
      code: 'ORIGIN_NOT_ALLOWED',
      allowed: {},
    })
  })

  it('without permission where no page of another origin asks', async () => {
    expect(await ask(undefined, {})).toEqual({ status: 200, code: null, allowed: {} })
    expect(noted).toEqual([])
  })

  it('also where nothing is there, or the URL is refused', async () => {
    expect(await ask(SHOP, { path: '/no/such/path' })).toMatchObject({ status: 404, allowed: OF_SHOP })
    const path = `/${'a'.repeat(MAX_URL_LENGTH)}`
    expect(await ask(SHOP, { path })).toMatchObject({ code: 'URL_TOO_LONG', allowed: OF_SHOP })
    expect(await ask(undefined, { path, method: 'OPTIONS' })).toMatchObject({ code: 'URL_TOO_LONG' })
  })
})

describe('a preflight', () => {
  const headers = { 'access-control-request-method': 'POST' }
  const preflight = (origin: string | undefined, asked: Asked = {}) =>
    ask(origin, { path: '/no/such/path', headers, ...asked, method: 'OPTIONS' })

  it.each([
    [MAIN, { ...OF_MAIN, 'access-control-allow-headers': 'Content-Type, Authorization' }],
    [SHOP, { ...OF_SHOP, 'access-control-allow-headers': 'Content-Type, Authorization, X-Session-ID' }],
  ])('of %s learns what its page may send', async (origin, allowed) => {
    expect(await preflight(origin)).toEqual({
      status: 204,
      code: null,
      allowed: { ...allowed, ...EXPOSED, ...PREFLIGHT },
    })
  })

  it('is answered whatever it asks about, so that its page can read why that is refused', async () => {
    const path = `/${'a'.repeat(MAX_URL_LENGTH)}`
    for (const origin of [MAIN, SHOP]) expect((await preflight(origin, { path })).status).toBe(204)
  })

  it('is answered to a page even if it does not say what it asks about', async () => {
    expect(await preflight(SHOP, { headers: {} })).toMatchObject({ status: 204, allowed: OF_SHOP })
  })

  it('opens nothing to anybody else', async () => {
    expect(await preflight('https://evil.test')).toMatchObject({ status: 403, allowed: {} })
    for (const origin of [undefined, CONSOLE])
      expect(await preflight(origin, { host: CONSOLE_HOST })).toMatchObject({ status: 404, allowed: {} })
  })
})

describe('a page of the operator console', () => {
  it.each(['/', '/page', '/api/operator/me'])('may ask its own host for %s', async path => {
    expect(await ask(CONSOLE, { path, host: CONSOLE_HOST })).toEqual({ status: 200, code: null, allowed: {} })
  })

  it('is told by its own host that something is not there', async () => {
    expect((await ask(CONSOLE, { path: '/no/such/path', host: CONSOLE_HOST })).status).toBe(404)
  })

  it.each([
    ['another API', '/api/data', CONSOLE_HOST],
    ['its API at another host', '/api/operator/me', HOST],
    ['a page at another host', '/page', HOST],
    ['its API at another port', '/api/operator/me', 'console.main.test'],
  ])('may not ask %s', async (_, path, host) => {
    expect(await ask(CONSOLE, { path, host })).toMatchObject({ status: 403, code: 'ORIGIN_NOT_ALLOWED' })
    expect(noted).toHaveLength(1)
  })

  it('is one of strangers where there is no console', async () => {
    const without = await serverWith(null)
    const answer = await ask(CONSOLE, { path: '/', host: CONSOLE_HOST, at: without })
    await without.close()
    expect(answer).toMatchObject({ status: 403, code: 'ORIGIN_NOT_ALLOWED' })
  })
})

it('a refusal is noted, with what was tried from where', async () => {
  await ask('https://evil.test', { method: 'POST' })
  expect(noted).toEqual([
    { action: 'origin', outcome: 'refused', detail: { method: 'POST' }, origin: 'https://evil.test' },
  ])
})

it('the command line, which has no server, can load the module', async () => {
  const settings = { mainOrigin: MAIN, operators: null } as unknown as Settings
  const module = new CorsModule({} as HttpAdapterHost, auditLog, settings, SATELLITES)
  await expect(module.onModuleInit()).resolves.toBeUndefined()
})
