import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { MAX_BODY_BYTES } from '../../sources.js'
import type { TestRequest } from '../../support/http-request.js'
import { anOwner, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { bearer, outcome } from '../support/api-calls.js'
import { onMainSite } from '../support/reauthenticate.js'
import { aLandlord } from '../support/satellite-calls.js'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const LOGIN = { method: 'POST', path: '/api/login' }

const app = anApp()

it.each(['toString', 'constructor'])(
  'security L11: %s is an unknown field, in a body and in a query',
  async name => {
    const body = { email: 'a@example.com', password: 'x', source: 'main', [name]: 1 }
    const inBody = await app.request({ ...LOGIN, headers: { Origin: MAIN }, body })
    expect(outcome(inBody)).toBe('400 INVALID_BODY')
    const message = `property ${name} should not exist`
    expect(inBody.json.errors).toEqual([{ field: name, code: 'UNKNOWN_FIELD', message }])
    const { accessToken } = await signIn(app, await anOwner(app), 'main')
    const inQuery = await app.request({ path: `/api/logins?${name}=1`, headers: bearer(accessToken) })
    expect(outcome(inQuery)).toBe('400 INVALID_QUERY')
  },
)

it('security L11: __proto__ is refused in a body and in a query', async () => {
  const raw = '{"email":"a@example.com","password":"x","source":"main","__proto__":{"a":1}}'
  const inBody = await app.request({ ...LOGIN, headers: { Origin: MAIN, ...JSON_TYPE }, body: raw })
  expect(outcome(inBody)).toBe('400 INVALID_REQUEST')
  const { accessToken } = await signIn(app, await anOwner(app), 'main')
  const inQuery = await app.request({ path: '/api/logins?__proto__=1', headers: bearer(accessToken) })
  expect(outcome(inQuery)).toBe('400 INVALID_QUERY')
})

it.each([
  { 'Content-Type': 'application/json;' },
  { 'Content-Type': 'Application/JSON ; ; charset=UTF8;' },
  { 'Content-Type': 'application/json;charset="utf-8"' },
  { ...JSON_TYPE, 'Content-Encoding': 'Identity' },
  { ...JSON_TYPE, 'Content-Encoding': '' },
])('JSON is read that is announced with %j (W16)', async headers => {
  const answer = await app.request({ ...LOGIN, headers: { Origin: MAIN, ...headers }, body: '{}' })
  expect(outcome(answer)).toBe('400 INVALID_BODY')
})

it.each<Record<string, string>>([
  { 'Content-Type': '' },
  { 'Content-Type': '', 'Content-Length': '0' },
  { 'Content-Type': '', 'Transfer-Encoding': 'chunked' },
  { 'Content-Type': 'none', 'Content-Length': '0' },
  { 'Content-Type': 'application/json; charset=latin1', 'Content-Length': '0' },
])('an empty body may be announced with %j (integration 14)', async headers => {
  const answer = await app.post('/api/refresh', undefined, headers)
  expect(outcome(answer)).toBe('401 SESSION_NOT_FOUND')
})

describe('A refusal', () => {
  it.each<[string, string, TestRequest]>([
    ['a guard', '401 ACCESS_TOKEN_REQUIRED', { path: '/api/data' }],
    ['a controller', '401 SESSION_NOT_FOUND', { method: 'POST', path: '/api/refresh' }],
    ['the validation of a body', '400 INVALID_BODY', { ...LOGIN, body: {} }],
    ['the JSON parser', '400 INVALID_REQUEST', { ...LOGIN, headers: JSON_TYPE, body: '{' }],
    [
      'the content type',
      '415 UNSUPPORTED_MEDIA_TYPE',
      { ...LOGIN, headers: { 'Content-Type': 'text/plain' }, body: '{}' },
    ],
    [
      'the encoding of a body',
      '415 UNSUPPORTED_MEDIA_TYPE',
      { ...LOGIN, headers: { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, body: '{}' },
    ],
    [
      'the size limit',
      '413 BODY_TOO_LARGE',
      { ...LOGIN, headers: JSON_TYPE, body: '{}'.padEnd(MAX_BODY_BYTES + 1) },
    ],
    [
      'the origin, on a path of ours',
      '403 ORIGIN_NOT_ALLOWED',
      { path: '/api/data', headers: { Origin: 'null' } },
    ],
    ['the origin, elsewhere', '403 ORIGIN_NOT_ALLOWED', { path: '/nowhere', headers: { Origin: 'null' } }],
    ['the length of the URL', '414 URL_TOO_LONG', { path: `/${'a'.repeat(9_000)}` }],
    ['the router', '404 NOT_FOUND', { path: '/nowhere' }],
    ['a broken URL', '400 INVALID_REQUEST', { path: '/api/%zz' }],
    ['the HTTP parser', '431 HEADERS_TOO_LARGE', { path: '/', headers: { 'X-Long': 'a'.repeat(20_000) } }],
  ])('by %s is problem+json: %s', async (_, answer, request) => {
    const { status, headers, json } = await app.request(request)
    expect(`${status} ${json.code}`).toBe(answer)
    expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
    const { errors: _errors, ...problem } = json
    expect(problem).toEqual({
      type: `urn:mainstay:problem:${json.code.toLowerCase().replaceAll('_', '-')}`,
      title: expect.any(String),
      status,
      detail: expect.any(String),
      code: json.code,
      requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
    // What the parser refuses never becomes a request that could have a header.
    if (status !== 431) expect(json.requestId).toBe(headers['x-request-id'])
    expect(headers['cache-control']).toBe('no-store')
  })

  it.each([
    { 'Content-Type': 'application/json; charset=latin1' },
    { 'Content-Type': 'application/json; charset="utf8' },
    { 'Content-Type': 'application/json; charset=utf-8; charset=utf-16' },
    { 'Content-Type': 'application/jsonp;' },
    { 'Content-Type': '' },
    { ...JSON_TYPE, 'Content-Encoding': 'identity, gzip' },
  ])('is the answer to a body with %j (W16)', async headers => {
    const answer = await app.request({ ...LOGIN, headers: { Origin: MAIN, ...headers }, body: '{}' })
    expect(outcome(answer)).toBe('415 UNSUPPORTED_MEDIA_TYPE')
  })

  it('reaches a client that is still sending', async () => {
    const socket = connect({ port: Number(new URL(app.url).port), host: '127.0.0.1', allowHalfOpen: true })
    const answer = readText(socket)
    socket.write(`GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'a'.repeat(20_000)}`)
    expect(await answer).toMatch(/^HTTP\/1.1 431 .*"HEADERS_TOO_LARGE"/s)
    for (let time = 0; time < 10; time++) {
      socket.write('a'.repeat(20_000))
      await sleep(20)
    }
    expect(socket.errored).toBeNull()
    socket.destroy()
  })

  it('names each wrong field of a body, and what is wrong with it', async () => {
    const body = { email: 'nobody', password: '', source: 'main', remember: true }
    const { json } = await app.request({ ...LOGIN, headers: { Origin: MAIN }, body })
    expect(json.errors.map(({ field }: { field: string }) => field).sort()).toEqual([
      'email',
      'password',
      'remember',
    ])
    for (const error of json.errors)
      expect(error).toEqual({
        field: expect.any(String),
        code: expect.any(String),
        message: expect.any(String),
      })
    expect(JSON.stringify(json)).not.toContain('nobody')
    // pages 19: what people type is answered in people's words.
    const [email, password] = ['email', 'password'].map(
      name => json.errors.find(({ field }: { field: string }) => field === name).message,
    )
    expect(email).toContain('This is not an e-mail address')
    expect(password).toBe('Please enter your password')
  })

  it('gives a code and values for a field fault, so that clients can translate it', async () => {
    const { session } = await aLandlord(app)
    const asOwner = (method: string, path: string, body?: object) =>
      onMainSite(app, session, method, path, body)
    const { json: limit } = await asOwner('GET', '/api/logins?limit=1000&after=x')
    expect(limit.errors).toEqual([
      {
        field: 'limit',
        code: 'TOO_LARGE',
        values: { max: 200 },
        message: 'limit must not be greater than 200',
      },
      { field: 'after', code: 'WRONG_CURSOR', message: 'after must be the next of an earlier page' },
    ])
    const { json: origin } = await asOwner('POST', '/api/satellites', {
      origin: 'https://SHOP.example.net',
      name: 'Shop',
    })
    expect(origin.errors).toEqual([
      {
        field: 'origin',
        code: 'ORIGIN_SPELLING',
        values: { origin: 'https://shop.example.net' },
        message: 'Browsers send this origin as https://shop.example.net',
      },
    ])
    const { json: long } = await asOwner('POST', '/api/satellites', { origin: 'a'.repeat(301), name: ' ' })
    expect(long.errors).toMatchObject([
      { field: 'origin', code: 'TOO_LONG', values: { max: 300 } },
      { field: 'name', code: 'NOT_A_NAME' },
    ])
  })

  it('never repeats a secret that was sent', async () => {
    const body = { email: 'a@example.com', password: { my: 'secret' }, source: 'main' }
    expect((await app.request({ ...LOGIN, body })).text).not.toContain('secret')
  })
})

describe('An unknown path or method', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/api'],
    ['GET', '/api/nothing'],
    ['POST', '/api/data'],
    ['GET', '/api/login'],
    ['DELETE', '/api/refresh'],
    ['GET', '/api/data/'],
    ['GET', '/api//data'],
    ['GET', '/API/data'],
    ['GET', '/api/data/../data'],
    ['GET', '/api/data;a=b'],
  ])('%s %s is 404, with and without a token', async (method, path) => {
    const { accessToken } = await signIn(app, await anOwner(app), 'main')
    expect(outcome(await app.request({ method, path }))).toBe('404 NOT_FOUND')
    expect(outcome(await app.request({ method, path, headers: bearer(accessToken) }))).toBe('404 NOT_FOUND')
  })
})
