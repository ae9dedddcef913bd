import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, createServer as createHttp2Server } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { type LoggerService, Logger as NestLogger } from '@nestjs/common'
import express from 'express'
import { createMainstay, type Mainstay } from '../../sources.js'
import { request } from '../../support/http-request.js'
import { PASSWORD } from '../../support/people.js'
import { MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome } from '../support/api-calls.js'
import { claimsOf, headerOf } from '../support/token-claims.js'
import {
  type DataFolder,
  dataFolder,
  folderWithOwner,
  LogLines,
  OWNER,
  PREFIX,
  settingsIn,
} from './a-mainstay.js'
import { type Host, listen } from './hosts.js'

const LOGIN = {
  method: 'POST',
  headers: { Origin: MAIN },
  body: { email: OWNER, password: PASSWORD, source: 'main' },
}

const OF_SECOND = { PUBLIC_URL: 'https://second.test/auth', ACCESS_TOKEN_TTL_SECONDS: '60', SIGN_UP: true }

/** The parts of Nest that say at start which modules and routes there are. */
const ANNOUNCERS = ['InstanceLoader', 'NestApplication', 'NestFactory', 'RouterExplorer', 'RoutesResolver']

describe('embedding: what the host does not notice, and what it has to', () => {
  const hostLog = {
    log: jest.fn<LoggerService['log']>(),
    error: jest.fn<LoggerService['error']>(),
    warn: jest.fn<LoggerService['warn']>(),
    debug: jest.fn<NonNullable<LoggerService['debug']>>(),
  } satisfies LoggerService
  /** What the host's Logger got, without what Nest says of a start, or of its failure. */
  const besideAnnouncements = () =>
    Object.values(hostLog)
      .flatMap(method => method.mock.calls)
      .filter(call => ![...ANNOUNCERS, 'ExceptionHandler'].includes(call.at(-1)))
  let folders: DataFolder[]
  let first: Mainstay
  const log = new LogLines()
  let second: Mainstay
  const logOfSecond = new LogLines()
  let host: Host
  beforeAll(async () => {
    const [one, other] = [await folderWithOwner(), await folderWithOwner()]
    folders = [one, other]
    NestLogger.overrideLogger(hostLog)
    ;[first, second] = await Promise.all([
      createMainstay({ ...settingsIn(one.path), LOG_LEVEL: 'debug' }, { prefix: PREFIX, log }),
      createMainstay({ ...settingsIn(other.path), ...OF_SECOND }, { log: logOfSecond }),
    ])
    const app = express()
    app.use(first.handler)
    app.use('/second', second.handler)
    host = await listen(createServer(app))
  })
  afterAll(async () => {
    NestLogger.overrideLogger(new NestLogger())
    await host.stop()
    await first.close()
    for (const folder of folders) await folder.remove()
  })

  it('leaves Nest’s Logger to the host: it keeps its lines, and gets what Nest announces of ours at start', async () => {
    const announced = new Set(hostLog.log.mock.calls.map(([, context]) => context))
    expect([...announced].toSorted()).toEqual(ANNOUNCERS)
    expect(besideAnnouncements()).toEqual([])
    new NestLogger('Host').log('its own line')
    expect(besideAnnouncements()).toEqual([['its own line', 'Host']])
  })

  it('is one of two in a process, each with its own settings, stores and log', async () => {
    const login = await request(host.url, { path: `${PREFIX}/api/login`, ...LOGIN })
    const other = await request(host.url, { path: '/second/api/login', ...LOGIN })
    expect([outcome(login), outcome(other)]).toEqual(['200', '200'])
    const ask = async (path: string, { json }: typeof login) =>
      outcome(await request(host.url, { path, headers: bearer(json.accessToken) }))
    expect(await ask(`${PREFIX}/api/data`, login)).toBe('200')
    expect(await ask('/second/api/data', other)).toBe('200')
    expect(await ask('/second/api/data', login)).toBe('401 INVALID_ACCESS_TOKEN')
    expect(claimsOf(login.json.accessToken).iss).toBe(`https://www.main.test${PREFIX}`)
    const { iss, iat, exp } = claimsOf(other.json.accessToken)
    expect([iss, Number(exp) - Number(iat)]).toEqual(['https://second.test/auth', 60])
    const keys = await request(host.url, { path: '/second/.well-known/jwks.json' })
    expect(keys.json.keys.map(({ kid }: { kid: string }) => kid)).toContain(
      headerOf(other.json.accessToken).kid,
    )
    // Of all these requests only those to the first are in its log.
    const paths = log.lines.flatMap(({ req }) => (req ? [req.path] : []))
    expect(paths).toEqual(['/api/login', '/api/data'])
  })

  it.each([
    ['a body', { 'Content-Type': 'application/json' }, '{"email":"a"}'],
    ['an empty body', { 'Content-Type': 'application/json', 'Content-Length': '0' }, undefined],
  ])('refuses a request of which the host has read %s, and says so in one line', async (_, headers, body) => {
    const app = express()
    app.use(express.json(), first.handler)
    const misled = await listen(createServer(app))
    const before = log.lines.length
    const answer = await request(misled.url, {
      method: 'POST',
      path: `${PREFIX}/api/login`,
      headers,
      ...(body && { body }),
      timeoutMs: 20_000,
    })
    expect([outcome(answer), answer.json.detail]).toEqual([
      '500 INTERNAL_ERROR',
      expect.stringContaining('mount Mainstay before the body parser'),
    ])
    const errors = log.lines.slice(before).filter(({ level }) => level >= 50)
    expect(errors.map(({ err }) => err?.message)).toEqual([answer.json.detail])
    expect(outcome(await request(misled.url, { path: `${PREFIX}/health/live` }))).toBe('200')
    await misled.stop()
  })

  it('drops the CORS headers that the host has set before', async () => {
    const app = express()
    app.use((_, response, next) => {
      response.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Credentials': 'true' })
      next()
    }, first.handler)
    const generous = await listen(createServer(app))
    const { headers } = await request(generous.url, {
      path: `${PREFIX}/health/live`,
      headers: { Origin: 'https://elsewhere.test' },
    })
    expect(Object.keys(headers).filter(name => name.startsWith('access-control-'))).toEqual([])
    await generous.stop()
  })

  it('answers 404 beside the prefix where there is no next, also what it has itself', async () => {
    const alone = await listen(createServer((incoming, answer) => first.handler(incoming, answer)))
    expect(outcome(await request(alone.url, { path: '/health/live' }))).toBe('404 NOT_FOUND')
    expect(outcome(await request(alone.url, { path: '/api/login', ...LOGIN }))).toBe('404 NOT_FOUND')
    expect(outcome(await request(alone.url, { path: `http://any.test${PREFIX}/health/live` }))).toBe('200')
    await alone.stop()
  })

  it('refuses HTTP/2', async () => {
    const server = createHttp2Server((incoming, answer) => first.handler(incoming as never, answer as never))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const stream = session.request({ ':path': `${PREFIX}/health/live` })
    const [headers] = await once(stream, 'response')
    expect(headers[':status']).toBe(500)
    expect(JSON.parse(await text(stream)).detail).toContain('HTTP/1.1')
    session.close()
    server.close()
  })

  slow('has its data folder to itself, in this process too', async () => {
    const folder = await dataFolder()
    const one = await createMainstay(settingsIn(folder.path), { log: new LogLines() })
    await expect(createMainstay(settingsIn(folder.path), { log: new LogLines() })).rejects.toThrow(
      'another Mainstay of this process',
    )
    await one.close()
    await (await createMainstay(settingsIn(folder.path), { log: new LogLines() })).close()
    await folder.remove()
  })

  it('finishes what is in progress when it is closed, then answers 503', async () => {
    const login = request(host.url, { path: '/second/api/login', ...LOGIN })
    // The password takes longer than this request.
    await request(host.url, { path: '/second/health/live' })
    await second.close()
    expect(outcome(await login)).toBe('200')
    // Its parts had something to say, and said it to nobody else.
    expect(logOfSecond.lines.map(({ context }) => context)).toContain('AuditSealer')
    expect(besideAnnouncements()).toEqual([['its own line', 'Host']])
    // A stranger's origin too: it could no longer be noted.
    const strangers: Record<string, string>[] = [{}, { Origin: 'https://evil.test' }]
    for (const headers of strangers)
      expect(outcome(await request(host.url, { path: '/second/health/live', headers }))).toBe('503 NOT_READY')
  })
})

describe('embedding: settings', () => {
  it('reports every fault at once, and nothing of the environment of the process', async () => {
    process.env.MAIN_ORIGIN = MAIN
    const faults = await createMainstay({ PORT: 99_999, SIGN_UP: true, STRIPE_PRICE_IDS: 'price_a' }).catch(
      error => ({ name: error.name, faults: error.faults }),
    )
    delete process.env.MAIN_ORIGIN
    expect(faults).toEqual({
      name: 'SettingsError',
      faults: expect.arrayContaining([
        'PORT must be a whole number from 0 to 65535',
        'MAIN_ORIGIN is missing',
        'ALLOWED_ORIGINS is missing',
        'DATABASE_URL is missing',
      ]),
    })
  })

  it('takes the whole environment', () => {
    // Only has to compile: names autocomplete, and process.env may be given.
    const start = () => createMainstay({ ...process.env, MAIN_ORIGIN: MAIN, ATTEMPTS_PER_ACCOUNT: 20 })
    // @ts-expect-error: not a setting
    const mistyped = () => createMainstay({ MAIN_ORGIN: MAIN })
    expect([start, mistyped]).toHaveLength(2)
  })

  it.each(['auth', '/', '/auth/', '/a//b', '/auth?x', '/../a b'])('refuses the prefix %j', async prefix => {
    await expect(createMainstay({}, { prefix })).rejects.toThrow(TypeError)
  })
})
