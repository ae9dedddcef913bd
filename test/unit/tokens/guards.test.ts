import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { Controller, Delete, Get, Post } from '@nestjs/common'
import { APP_FILTER, APP_GUARD } from '@nestjs/core'
import { JwtService } from '@nestjs/jwt'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { Test } from '@nestjs/testing'
import type { Caller } from '../../../packages/verify/src/token-rules.js'
import { ProblemFilter } from '../../../src/errors/problem.filter.js'
import { permissionsOf } from '../../../src/permissions/permissions.js'
import type { LimitedAction } from '../../../src/rate-limits/limited-action.js'
import { RateLimiter } from '../../../src/rate-limits/rate-limiter.js'
import { keyFileText } from '../../../src/secrets/key-file.js'
import { AccessTokens } from '../../../src/tokens/access-tokens.js'
import { GLOBAL_GUARDS, globalGuardsOf } from '../../../src/tokens/global-guards.js'
import { JwksController } from '../../../src/tokens/jwks.controller.js'
import { CurrentCaller, JwtGuard, Public } from '../../../src/tokens/jwt.guard.js'
import { newKeySet, readKeySet } from '../../../src/tokens/key-file.js'
import { SigningKeys } from '../../../src/tokens/signing-keys.js'
import {
  CountsAsWrite,
  ExemptFromWriteLimit,
  WriteLimitGuard,
} from '../../../src/tokens/write-limit.guard.js'
import { request, type TestRequest } from '../../support/http-request.js'

const CALLER = {
  userId: 'user-1',
  accountId: 'account-1',
  sid: 'handle',
  permissions: permissionsOf([]),
} as unknown as Caller

const [SIGNING_KEY] = readKeySet(keyFileText(newKeySet(new Date())))

@Controller()
class Doors {
  @Get('open')
  @Public()
  open(@CurrentCaller() caller: Caller | null) {
    return { caller }
  }

  @Post('open')
  @Public()
  openToChanges() {
    return {}
  }

  @Get('closed')
  closed(@CurrentCaller() caller: Caller) {
    return caller
  }

  @Get('costly')
  @CountsAsWrite()
  costly() {
    return {}
  }

  @Post('closed')
  change() {
    return {}
  }

  @Delete('closed')
  @ExemptFromWriteLimit()
  alwaysPossible() {
    return {}
  }
}

let app: NestFastifyApplication
let url: string
let counted: LimitedAction[]

/** What it reads of a request it has to read now: later there is none. */
async function count(action: LimitedAction): Promise<void> {
  const { ip } = action.client
  counted.push({ ...action, client: { ip } } as LimitedAction)
}

beforeAll(async () => {
  const module = await Test.createTestingModule({
    controllers: [Doors, JwksController],
    providers: [
      ...GLOBAL_GUARDS.map(useClass => ({ provide: APP_GUARD, useClass })),
      { provide: APP_FILTER, useValue: new ProblemFilter({ amend: async refusal => refusal }) },
      {
        provide: AccessTokens,
        useValue: { verify: (token: string) => (token.trim() === 'valid' ? CALLER : null) },
      },
      {
        provide: RateLimiter,
        useValue: { count },
      },
      { provide: SigningKeys, useValue: { published: () => [SIGNING_KEY] } },
      JwtService,
    ],
  }).compile()
  app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false })
  const server = app.getHttpAdapter().getInstance()
  server.decorate('countRefusal', () => {})
  server.decorateRequest('caller', null)
  await app.listen(0, '127.0.0.1')
  url = await app.getUrl()
})
afterAll(() => app.close())
beforeEach(() => {
  counted = []
})

const ask = (path: string, Authorization?: string | string[], method = 'GET') =>
  request(url, {
    method,
    path,
    ...(method === 'POST' && { body: {} }),
    headers: Authorization === undefined ? {} : { Authorization },
  } as TestRequest)

describe('JwtGuard', () => {
  it('lets anybody pass where a handler is public, and nobody is the caller', async () => {
    expect(await ask('/open', 'Bearer valid')).toMatchObject({ status: 200, json: { caller: null } })
  })

  it('lets a valid token pass, with its caller', async () => {
    expect(await ask('/closed', 'Bearer valid')).toMatchObject({ status: 200, json: CALLER })
  })

  it.each([[undefined], ['']])('asks for a token where the header is %j', async header => {
    const { status, json, headers } = await ask('/closed', header)
    expect([status, json.code]).toEqual([401, 'ACCESS_TOKEN_REQUIRED'])
    expect(headers['www-authenticate']).toBe('Bearer')
  })

  it.each([
    ['Bearer expired'],
    ['Basic valid'],
    ['valid'],
    ['Bearer'],
    [['Bearer valid', 'Bearer valid']],
    [['', 'Bearer valid']],
  ])('refuses %j without a reason', async header => {
    const { status, json, headers } = await ask('/closed', header)
    expect([status, json.code]).toEqual([401, 'INVALID_ACCESS_TOKEN'])
    expect(headers['www-authenticate']).toBe('Bearer error="invalid_token"')
  })
})

it('anybody may read the public keys, and keep them for ten minutes', async () => {
  const { status, headers, json } = await ask('/.well-known/jwks.json')
  expect([status, headers['cache-control']]).toEqual([200, 'public, max-age=600'])
  const text = expect.any(String)
  expect(json).toEqual({
    keys: [{ kty: 'EC', crv: 'P-256', x: text, y: text, kid: SIGNING_KEY?.kid, alg: 'ES256', use: 'sig' }],
  })
})

describe('WriteLimitGuard counts', () => {
  it.each([
    ['POST', '/closed', 1],
    ['GET', '/closed', 0],
    ['HEAD', '/closed', 0],
    ['GET', '/costly', 1],
    ['DELETE', '/closed', 0],
    ['POST', '/open', 0],
  ])('%s %s: %d', async (method, path, times) => {
    expect((await ask(path, 'Bearer valid', method)).status).toBeLessThan(300)
    expect(counted).toHaveLength(times)
  })

  it('the session, with whom it belongs to and where it came from', async () => {
    await ask('/closed', 'Bearer valid', 'POST')
    expect(counted).toEqual([
      {
        kind: 'write',
        subject: 'handle',
        client: { ip: '127.0.0.1' },
        actor: { userId: 'user-1', accountId: 'account-1' },
      },
    ])
  })

  it('no request that was refused', async () => {
    expect((await ask('/closed', 'Bearer expired', 'POST')).status).toBe(401)
    expect(counted).toEqual([])
  })
})

it('the API reference learns which of them check a request', () => {
  const { open, closed, costly, alwaysPossible } = Doors.prototype
  expect(globalGuardsOf(open, 'POST')).toEqual([])
  expect(globalGuardsOf(closed, 'GET')).toEqual([JwtGuard])
  expect(globalGuardsOf(closed, 'HEAD')).toEqual([JwtGuard])
  expect(globalGuardsOf(closed, 'PUT')).toEqual([JwtGuard, WriteLimitGuard])
  expect(globalGuardsOf(costly, 'GET')).toEqual([JwtGuard, WriteLimitGuard])
  expect(globalGuardsOf(alwaysPossible, 'DELETE')).toEqual([JwtGuard])
})
