import { createPrivateKey, sign } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http'
import { connect } from 'node:http2'
import { type AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { type AccessTokenError, type Caller, callerOf } from '@mainstay-auth/verify'
import { Controller, Get, Module, Req, UseGuards } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import express from 'express'
import { fastify } from 'fastify'
import {
  AccessTokenVerifier,
  expressGuard,
  fastifyGuard,
  NestGuard,
  ONE_FACTOR,
  rotateKeys,
  TWO_FACTORS,
  type VerifierOptions,
  within,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { request, type TestRequest, type TestResponse } from '../../support/http-request.js'
import { aMember, anOwner, aSignedInOwner, signIn } from '../../support/people.js'
import { anApp, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, outcome, refreshByCookie } from '../support/api-calls.js'
import { claimsOf, headerOf } from '../support/token-claims.js'

const TOKEN_SECONDS = 900
const MINUTE = 60_000

/** Between a verifier and the service: counts, and can be cut or hang. */
class Link {
  requests = 0
  isCut = false
  private isHanging = false
  private readonly hanging: ServerResponse[] = []
  private constructor(private readonly server: Server) {}

  /** From now on no request is answered. */
  hang(): void {
    this.isHanging = true
  }

  goOn(): void {
    this.isHanging = false
    this.dropHanging()
  }

  /** Cuts the requests that hang. */
  dropHanging(): void {
    for (const answer of this.hanging.splice(0)) answer.destroy()
  }

  static async to(target: string): Promise<Link> {
    const server = createServer(async (incoming, answer) => {
      link.requests += 1
      if (link.isCut) return answer.destroy()
      if (link.isHanging) return void link.hanging.push(answer)
      const { status, text } = await request(target, { path: incoming.url as string })
      answer.writeHead(status).end(text)
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const link = new Link(server)
    return link
  }

  get jwksUrl(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/.well-known/jwks.json`
  }

  close(): void {
    this.server.close()
  }
}

describe('verify, with a service', () => {
  let app: TestApp
  let link: Link
  let elapsed: number
  let verifier: AccessTokenVerifier
  let ofOwner: string
  let cookieOfOwner: string
  beforeAll(async () => {
    app = await TestApp.start()
    link = await Link.to(app.url)
    elapsed = 0
    verifier = aVerifier()
    const owner = await aSignedInOwner(app)
    ofOwner = owner.accessToken
    cookieOfOwner = owner.sessionId
  })
  afterAll(async () => {
    link.close()
    await app.stop()
  })

  function aVerifier(options: Partial<VerifierOptions> = {}): AccessTokenVerifier {
    return new AccessTokenVerifier(
      { issuer: app.settings.jwtIssuer, jwksUrl: link.jwksUrl, ...options },
      { now: () => app.clock.now(), elapsed: () => elapsed },
    )
  }

  async function codeOf(work: Promise<Caller>): Promise<string> {
    return work.then(
      () => 'accepted',
      error => `${error.statusCode} ${error.code}`,
    )
  }

  it('says who is calling, as the service itself does', async () => {
    const { json } = await app.request({ path: '/api/data', headers: bearer(ofOwner) })
    expect(await verifier.verify(ofOwner)).toMatchObject(json)
  })

  it('checks a permission', async () => {
    const member = await aMember(app, await anOwner(app))
    const { accessToken } = await signIn(app, member, 'satellite')
    expect(await verifier.verify(accessToken, 'dataEntry')).toMatchObject({ userId: member.id })
    expect(await codeOf(verifier.verify(accessToken, 'payments'))).toBe('403 PERMISSION_REQUIRED')
  })

  it('checks how the caller has logged in, and says what is missing (RFC 9470)', async () => {
    const { accessToken } = await signIn(app, await anOwner(app), 'main')
    expect(await verifier.verify(accessToken, { acr: ONE_FACTOR, maxAgeSeconds: 60 })).toMatchObject({
      amr: ['pwd'],
      acr: ONE_FACTOR,
      authTime: claimsOf(accessToken).iat,
    })
    const stepUp = { acr: TWO_FACTORS, maxAgeSeconds: 300, permission: 'payments' } as const
    const refused = await verifier.verify(accessToken, stepUp).catch((error: AccessTokenError) => error)
    expect(refused).toMatchObject({
      code: 'STEP_UP_REQUIRED',
      statusCode: 401,
      headers: {
        'WWW-Authenticate': `Bearer error="insufficient_user_authentication", acr_values="${TWO_FACTORS}", max_age="300"`,
      },
    })
  })

  it('takes only tokens of the sites that are asked for', async () => {
    const { accessToken } = await signIn(app, await aMember(app, await anOwner(app)), 'satellite')
    const ofShop = aVerifier({ clientIds: [SHOP_ONE] })
    expect(await ofShop.verify(accessToken)).toMatchObject({ clientId: SHOP_ONE })
    expect(await codeOf(ofShop.verify(ofOwner))).toBe('401 INVALID_ACCESS_TOKEN')
    expect(await codeOf(aVerifier({ clientIds: ['main'] }).verify(ofOwner))).toBe('accepted')
  })

  it('takes only tokens of this issuer for this audience', async () => {
    const others = [{ issuer: 'https://other.test' }, { audience: 'https://other.test' }]
    for (const other of others)
      expect(await codeOf(aVerifier(other).verify(ofOwner))).toBe('401 INVALID_ACCESS_TOKEN')
  })

  it('tells a log which of its options a token does not match', async () => {
    const { jwtIssuer: issuer } = app.settings
    const causeWith = (options: Partial<VerifierOptions>) =>
      aVerifier(options)
        .verify(ofOwner)
        .catch(({ cause }) => cause.message)
    const slash = await causeWith({ issuer: `${issuer}/`, audience: issuer })
    expect(slash).toBe(`iss is "${issuer}", not the issuer ${issuer}/`)
    expect(await causeWith({ audience: 'reports' })).toBe(`aud is "${issuer}", not the audience reports`)
    expect(await causeWith({ clientIds: [SHOP_ONE] })).toBe(
      'client_id is "main", which clientIds does not list',
    )
  })

  it('refuses a text in place of a list of sites', () => {
    const clientIds = 'https://shop.domain.example' as unknown as string[]
    expect(() => aVerifier({ clientIds })).toThrow(TypeError)
  })

  // Signed with the service's own key: only what stands in them is wrong.
  it.each<[string, object, object]>([
    ['without expiry', {}, { exp: undefined }],
    ['that has expired', {}, { exp: 1 }],
    ['from the future', {}, { iat: 4_000_000_000, exp: 4_000_000_900 }],
    ['of another class', { typ: 'JWT' }, {}],
    ['with critical extensions', { crit: ['b64'], b64: true }, {}],
    ['of an unknown key', { kid: 'unknown' }, {}],
    ['with another algorithm in its head', { alg: 'HS256' }, {}],
    ['for two audiences', {}, { aud: ['https://api.main.test', 'https://other.test'] }],
    ['of another subject', {}, { sub: 'somebody else' }],
    ['of an unknown source', {}, { source: 'desktop' }],
    ['without a session', {}, { sid: undefined }],
    ['with permissions that are no booleans', {}, { permissions: { payments: 'yes' } }],
  ])('refuses a token %s', async (_, header, claims) => {
    expect(await codeOf(verifier.verify(await resigned(ofOwner, {}, {})))).toBe('accepted')
    const token = await resigned(ofOwner, header, claims)
    expect(await codeOf(verifier.verify(token))).toBe('401 INVALID_ACCESS_TOKEN')
  })

  it('packages 4: takes a token with a permission that a newer replica has added, as the service itself does', async () => {
    const permissions = { ...(claimsOf(ofOwner).permissions as object), refunds: true }
    const token = await resigned(ofOwner, {}, { permissions })
    expect(await codeOf(verifier.verify(token))).toBe('accepted')
    const { status, json } = await app.request({ path: '/api/data', headers: bearer(token) })
    expect([status, json.permissions]).toEqual([200, claimsOf(ofOwner).permissions])
  })

  it.each<[string, (token: string) => string]>([
    ['of two parts', token => token.slice(0, token.lastIndexOf('.'))],
    ['without a signature', token => token.slice(0, token.lastIndexOf('.') + 1)],
    ['with a changed payload', token => token.replace('.', '.e')],
    ['with more behind it', token => `${token}A`],
    ['of another spelling', token => `${token.slice(0, -1)}${otherSpelling(token.at(-1) as string)}`],
    ['that is nothing', () => ''],
    ['that is far too long', token => `${token}${'A'.repeat(5_000)}`],
  ])('refuses a malformed token %s', async (_, change) => {
    expect(await codeOf(verifier.verify(change(ofOwner)))).toBe('401 INVALID_ACCESS_TOKEN')
  })

  it.each<[string, string[] | undefined, string]>([
    ['no header', undefined, '401 ACCESS_TOKEN_REQUIRED'],
    ['an empty one', [''], '401 ACCESS_TOKEN_REQUIRED'],
    ['another scheme', ['Basic YTpi'], '401 INVALID_ACCESS_TOKEN'],
    ['two', ['Bearer a', 'Bearer b'], '401 INVALID_ACCESS_TOKEN'],
  ])('refuses a request with %s', async (_, lines, code) => {
    expect(await codeOf(verifier.verifyHeader(lines))).toBe(code)
  })

  it('fetches the keys once, and not for every made-up key id', async () => {
    elapsed += MINUTE
    const before = link.requests
    const forged = await resigned(ofOwner, { kid: 'made up' }, {})
    await Promise.all(Array.from({ length: 50 }, () => codeOf(verifier.verify(forged))))
    for (let i = 0; i < 10; i += 1)
      expect(await codeOf(verifier.verify(forged))).toBe('401 INVALID_ACCESS_TOKEN')
    await Promise.all(Array.from({ length: 50 }, () => verifier.verify(ofOwner)))
    expect(link.requests - before).toBe(1)
  })

  it('goes on for an hour when the service cannot be reached, then says 503, and is back at once', async () => {
    const own = aVerifier()
    await own.verify(ofOwner)
    link.isCut = true
    elapsed += 59 * MINUTE
    expect(await codeOf(own.verify(ofOwner))).toBe('accepted')
    const unknown = await resigned(ofOwner, { kid: 'perhaps new' }, {})
    expect(await codeOf(own.verify(unknown))).toBe('503 KEYS_UNAVAILABLE')
    elapsed += 2 * MINUTE
    expect(await codeOf(own.verify(ofOwner))).toBe('503 KEYS_UNAVAILABLE')
    expect(await codeOf(aVerifier().verify(ofOwner))).toBe('503 KEYS_UNAVAILABLE')
    await expect(aVerifier().verify(ofOwner)).rejects.toMatchObject({ cause: new TypeError('fetch failed') })
    link.isCut = false
    elapsed += MINUTE
    expect(await codeOf(own.verify(ofOwner))).toBe('accepted')
  })

  slow('security L1: answers with the keys it has while a request for newer ones hangs', async () => {
    const own = aVerifier()
    await own.verify(ofOwner)
    const unknown = await resigned(ofOwner, { kid: 'made up' }, {})
    link.hang()
    for (let round = 0; round < 3; round++) {
      elapsed += 13 * MINUTE
      expect(await within(1_000, codeOf(own.verify(ofOwner)))).toBe('accepted')
    }
    const waiting = codeOf(own.verify(unknown))
    link.dropHanging()
    expect(await waiting).toBe('503 KEYS_UNAVAILABLE')
    // From then on it is known that there is an outage, and nobody waits for the next request.
    elapsed += MINUTE
    expect(await within(1_000, codeOf(own.verify(unknown)))).toBe('503 KEYS_UNAVAILABLE')
    link.goOn()
  })

  slow('follows a rotation: the new key at once, the old one until its last token has expired', async () => {
    await verifier.verify(ofOwner)
    app.clock.advance(600)
    await rotateKeys(app.settings.jwtKeysFile, app.clock.now(), TOKEN_SECONDS)
    const kid = headerOf(ofOwner).kid
    const renewed = await eventually(
      async () => {
        const { accessToken } = (await refreshByCookie(app, cookieOfOwner)).json
        return headerOf(accessToken).kid === kid ? '' : (accessToken as string)
      },
      { what: 'the new key to sign', everyMs: 200 },
    )
    // Published before it signed: no request is needed to know it.
    link.isCut = true
    expect(await codeOf(verifier.verify(renewed))).toBe('accepted')
    expect(await codeOf(verifier.verify(ofOwner))).toBe('accepted')
    link.isCut = false

    app.clock.advance(2 * TOKEN_SECONDS)
    elapsed += 30 * MINUTE
    const later = (await refreshByCookie(app, cookieOfOwner)).json.accessToken
    expect(await codeOf(verifier.verify(later))).toBe('accepted')
    const ofOldKey = await resigned(later, { kid }, {})
    expect(await codeOf(verifier.verify(ofOldKey))).toBe('401 INVALID_ACCESS_TOKEN')
  })

  /** The token with other contents, signed with the key that signs at present. */
  async function resigned(token: string, header: object, claims: object): Promise<string> {
    const { keys } = JSON.parse(await readFile(app.settings.jwtKeysFile, 'utf8'))
    const { jwk } = keys.find(({ state }: { state: string }) => state === 'current')
    const [head, payload] = token.split('.').map(part => Buffer.from(part, 'base64url').toString())
    const encode = (part: string, changes: object) =>
      Buffer.from(JSON.stringify({ ...JSON.parse(part), ...changes })).toString('base64url')
    const text = `${encode(head as string, header)}.${encode(payload as string, claims)}`
    const key = createPrivateKey({ key: jwk, format: 'jwk' })
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' })
    return `${text}.${signature.toString('base64url')}`
  }
})

describe.each<[string, (verifier: AccessTokenVerifier) => Promise<{ url: string; stop(): unknown }>]>([
  ['Fastify', startFastify],
  ['Express', startExpress],
  ['Nest', startNest],
])('the guard for %s', (_, start) => {
  let app: TestApp
  let backend: { url: string; stop(): unknown }
  let ownersToken: string
  beforeAll(async () => {
    app = await TestApp.start()
    const jwksUrl = `${app.url}/.well-known/jwks.json`
    backend = await start(new AccessTokenVerifier({ issuer: app.settings.jwtIssuer, jwksUrl }))
    ownersToken = (await signIn(app, await anOwner(app), 'main')).accessToken
  })
  afterAll(async () => {
    await backend.stop()
    await app.stop()
  })

  function ask(headers: TestRequest['headers']): Promise<TestResponse> {
    return request(backend.url, { path: '/reports', headers: headers ?? {} })
  }

  it('lets through who may, and says who it is', async () => {
    const { status, json } = await ask(bearer(ownersToken))
    expect(status).toBe(200)
    expect(json).toMatchObject({ source: 'main', permissions: { payments: true } })
  })

  it.each<[string, () => TestRequest['headers'], string, string]>([
    ['nobody', () => ({}), '401 ACCESS_TOKEN_REQUIRED', 'Bearer'],
    ['an invalid token', () => bearer('a.b.c'), '401 INVALID_ACCESS_TOKEN', 'Bearer error="invalid_token"'],
    [
      'two headers',
      () => ({ Authorization: [`Bearer ${ownersToken}`, `Bearer ${ownersToken}`] }),
      '401 INVALID_ACCESS_TOKEN',
      'Bearer error="invalid_token"',
    ],
  ])('refuses %s as the service does', async (_, headers, refusal, challenge) => {
    const answer = await ask(headers())
    expect(outcome(answer)).toBe(refusal)
    expect(answer.headers['www-authenticate']).toBe(challenge)
    expect(answer.json).toMatchObject({ type: expect.stringMatching(/^urn:mainstay:problem:/) })
  })

  it('refuses callers without the permission', async () => {
    const member = await aMember(app, await anOwner(app))
    const { accessToken } = await signIn(app, member, 'satellite')
    expect(outcome(await ask(bearer(accessToken)))).toBe('403 PERMISSION_REQUIRED')
  })
})

describe('the guards, where Node does not keep header lines apart', () => {
  const app = anApp()
  let verifier: AccessTokenVerifier
  let token: string
  beforeAll(async () => {
    const jwksUrl = `${app.url}/.well-known/jwks.json`
    verifier = new AccessTokenVerifier({ issuer: app.settings.jwtIssuer, jwksUrl })
    token = (await signIn(app, await anOwner(app), 'main')).accessToken
  })

  it('guard requests that a test injects, into Fastify and into Nest on it', async () => {
    const server = fastify()
    server.get('/reports', { onRequest: fastifyGuard(verifier, 'payments') }, request => callerOf(request))
    const nest = await createNest(verifier)
    await nest.init()
    for (const inject of [server.inject.bind(server), nest.inject.bind(nest)]) {
      const ask = async (headers: Record<string, string>) =>
        (await inject({ method: 'GET', url: '/reports', headers })).statusCode
      expect([await ask({}), await ask(bearer('a.b.c')), await ask(bearer(token))]).toEqual([401, 401, 200])
    }
    await Promise.all([server.close(), nest.close()])
  })

  it('guard HTTP/2', async () => {
    const server = fastify({ http2: true })
    server.get('/reports', { onRequest: fastifyGuard(verifier, 'payments') }, request => callerOf(request))
    const session = connect(await server.listen({ port: 0, host: '127.0.0.1' }))
    const ask = async (headers: Record<string, string>) => {
      const stream = session.request({ ':path': '/reports', ...headers })
      const [answer] = await once(stream, 'response')
      stream.resume()
      return answer[':status']
    }
    expect([await ask({}), await ask({ authorization: `Bearer ${token}` })]).toEqual([401, 200])
    session.close()
    await server.close()
  })

  it('leave a response alone that other code has begun', async () => {
    const response = new ServerResponse(new IncomingMessage(new Socket()))
    response.writeHead(503)
    const next = jest.fn()
    await expressGuard(verifier)(new IncomingMessage(new Socket()), response, next)
    expect([response.statusCode, next.mock.calls]).toEqual([503, []])
  })
})

describe('a requirement that nobody could meet, or everybody would', () => {
  const verifier = new AccessTokenVerifier({ issuer: 'https://auth.test' })

  it.each<[unknown]>([
    [['payments']],
    ['admin'],
    [{ permissions: 'payments' }],
    [{ permission: 'admin' }],
    [{ maxAge: 60 }],
    [null],
  ])('is refused when the guard is made: %j', requirement => {
    for (const guard of [fastifyGuard, expressGuard])
      expect(() => guard(verifier, requirement as never)).toThrow(TypeError)
    expect(() => new NestGuard(verifier, requirement as never)).toThrow(TypeError)
    expect(() => verifier.require(requirement as never, {} as Caller)).toThrow(TypeError)
  })

  it.each<[unknown]>([
    ['payments'],
    [{ permission: 'payments', maxAgeSeconds: 60 }],
    [{ acr: TWO_FACTORS }],
    [undefined],
  ])('is not %j', requirement => {
    for (const guard of [fastifyGuard, expressGuard])
      expect(() => guard(verifier, requirement as never)).not.toThrow()
  })
})

async function startFastify(verifier: AccessTokenVerifier) {
  const server = fastify()
  server.get('/reports', { onRequest: fastifyGuard(verifier, 'payments') }, request => callerOf(request))
  const url = await server.listen({ port: 0, host: '127.0.0.1' })
  return { url, stop: () => server.close() }
}

async function startExpress(verifier: AccessTokenVerifier) {
  const server = express()
  server.get('/reports', expressGuard(verifier, 'payments'), (request, response) => {
    response.json(callerOf(request))
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, stop: () => listening.close() }
}

async function createNest(verifier: AccessTokenVerifier) {
  @Controller()
  @UseGuards(new NestGuard(verifier, 'payments'))
  class ReportsController {
    @Get('reports')
    read(@Req() request: object) {
      return callerOf(request)
    }
  }
  @Module({ controllers: [ReportsController] })
  class ReportsModule {}
  return NestFactory.create<NestFastifyApplication>(ReportsModule, new FastifyAdapter(), { logger: false })
}

async function startNest(verifier: AccessTokenVerifier) {
  const server = await createNest(verifier)
  await server.listen(0, '127.0.0.1')
  return { url: await server.getUrl(), stop: () => server.close() }
}

/** Another last letter that stands for the same bits. */
function otherSpelling(letter: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return alphabet[alphabet.indexOf(letter) + 1] as string
}
