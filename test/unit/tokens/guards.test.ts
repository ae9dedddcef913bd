import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { Controller, Delete, Get, Module, Post } from '@nestjs/common'
import { APP_FILTER, APP_GUARD } from '@nestjs/core'
import { JwtService } from '@nestjs/jwt'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import Fastify from 'fastify'
import {
  AccessTokens,
  type Caller,
  CountsAsWrite,
  CurrentCaller,
  createNestApplication,
  ExemptFromWriteLimit,
  handlersOf,
  JwksController,
  JwtGuard,
  keyFileText,
  type LimitedAction,
  newKeySet,
  ProblemFilter,
  Public,
  permissionsOf,
  RateLimiter,
  readKeySet,
  SigningKeys,
  WriteLimitGuard,
} from '../../sources.js'
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

@Module({})
class DoorsModule {}

let app: NestFastifyApplication
let url: string
let counted: LimitedAction[]

/** What it reads of a request it has to read now: later there is none. */
async function count(action: LimitedAction): Promise<void> {
  const { ip } = action.client
  counted.push({ ...action, client: { ip } } as LimitedAction)
}

beforeAll(async () => {
  const root = {
    module: DoorsModule,
    controllers: [Doors, JwksController],
    providers: [
      { provide: APP_GUARD, useClass: JwtGuard },
      { provide: APP_GUARD, useClass: WriteLimitGuard },
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
  }
  app = await createNestApplication(root, new FastifyAdapter(), Fastify().log)
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

describe('The API reference learns', () => {
  const { open, closed, costly, alwaysPossible, change } = Doors.prototype

  it.each([
    ['a public handler', open, []],
    ['one that says nothing', closed, [JwtGuard]],
    ['a read that costs as much as a change', costly, [JwtGuard, WriteLimitGuard]],
    ['a change', change, [JwtGuard, WriteLimitGuard]],
    ['a change that must always be possible', alwaysPossible, [JwtGuard]],
  ])('which guards check %s', (_, handler, guards) => {
    expect(handlersOf(app).find(({ target }) => target === handler)?.guards).toEqual(guards)
  })

  it('of no guard that a request does not pass, and of each that it passes', async () => {
    for (const { method, path, guards, name } of handlersOf(app)) {
      counted = []
      const isRefused = (await ask(path, undefined, method)).status === 401
      await ask(path, 'Bearer valid', method)
      expect([name, isRefused, counted.length]).toEqual([
        name,
        guards.includes(JwtGuard),
        Number(guards.includes(WriteLimitGuard)),
      ])
    }
  })
})
