import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals'
import { Controller, Get, Injectable, UseGuards } from '@nestjs/common'
import { APP_FILTER } from '@nestjs/core'
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify'
import { Test } from '@nestjs/testing'
import { aSession } from '../../contracts/a-session.js'
import {
  type AuthMethod,
  authMethods,
  Clock,
  CookieBoundSessionGuard,
  CurrentActor,
  CurrentSession,
  Database,
  EnrolmentRefusal,
  handleOf,
  LiveSession,
  LiveSessionGuard,
  MainSite,
  MainSourceGuard,
  newSessionId,
  PaymentsPermissionGuard,
  PERMISSIONS,
  type Permission,
  PermissionGuard,
  ProblemFilter,
  permissionsOf,
  Reauthentication,
  type ReauthenticationStamp,
  RequirePermission,
  type Session,
  type SessionActor,
  SessionStore,
  SessionTerms,
  Settings,
  secondsAfter,
} from '../../sources.js'
import { request } from '../../support/http-request.js'

const MAIN = 'https://www.main.test'
const NOW = new Date('2026-01-01T00:10:00.900Z')
const NOW_STORED = new Date('2026-01-01T00:10:00Z')
const TTL = 300

@Controller()
class Doors {
  @Get('main')
  @MainSite()
  main(@CurrentSession() { sid }: Session) {
    return { sid }
  }

  @Get('payments')
  @MainSite({ permission: 'payments' })
  payments() {}

  @Get('team')
  @MainSite({ permission: 'teamManagement' })
  team() {}

  @Get('nothing-named')
  @UseGuards(MainSourceGuard, PermissionGuard)
  nothingNamed() {}

  @Get('team-alone')
  @UseGuards(PermissionGuard)
  @RequirePermission('teamManagement')
  teamAlone() {}

  @Get('payments-alone')
  @UseGuards(PaymentsPermissionGuard)
  paymentsAlone() {}

  @Get('enrolled')
  @MainSite({ enrolled: true })
  enrolled() {}

  @Get('sure')
  @MainSite({ reauthenticated: true })
  sure() {}

  @Get('live')
  @LiveSession()
  live(@CurrentActor() { sid, client }: SessionActor) {
    return { sid, ip: client.ip }
  }

  @Get('bound')
  @LiveSession({ cookieBound: true })
  bound() {}
}

/** What the guards are asked about. */
@Injectable()
class World {
  session: Session = aSession()
  user: { mustEnrol?: boolean; hasSecondFactor?: boolean } | undefined
  isOpen = true
  stamp: ReauthenticationStamp | null = null
  questions = 0
}

const sessionId = newSessionId()
const sid = handleOf(sessionId)
const world = new World()
let app: NestFastifyApplication
let url: string
let reauthentication: Reauthentication

beforeAll(async () => {
  const store = {
    find: async (found: string, now: Date) =>
      found === world.session.sid && now < world.session.expiresAt ? world.session : null,
    stampReauthentication: async (_: string, stamp: ReauthenticationStamp) => {
      world.stamp = stamp
      return world.isOpen
    },
  }
  const database = {
    run: async () => {
      world.questions++
      return world.user ? [world.user] : []
    },
  }
  const module = await Test.createTestingModule({
    controllers: [Doors],
    providers: [
      { provide: APP_FILTER, useValue: new ProblemFilter({ amend: async refusal => refusal }) },
      { provide: SessionStore, useValue: store },
      { provide: Database, useValue: database },
      { provide: Clock, useValue: { now: () => NOW } },
      { provide: Settings, useValue: { mainOrigin: MAIN, reauthenticationTtlSeconds: TTL } },
      { provide: SessionTerms, useValue: { mayContinue: () => world.isOpen } },
      ...[EnrolmentRefusal, Reauthentication, MainSourceGuard, LiveSessionGuard, CookieBoundSessionGuard],
    ],
  }).compile()
  app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter(), { logger: false })
  const server = app.getHttpAdapter().getInstance()
  server.decorate('countRefusal', () => {})
  server.decorateRequest('caller', null)
  server.decorateRequest('session', null)
  // As JwtGuard leaves it.
  server.addHook('onRequest', async incoming => {
    incoming.caller = JSON.parse((incoming.headers['x-caller'] as string | undefined) ?? 'null')
  })
  await app.listen(0, '127.0.0.1')
  url = await app.getUrl()
  reauthentication = app.get(Reauthentication)
})
afterAll(() => app.close())
beforeEach(() => {
  Object.assign(world, { user: undefined, isOpen: true, stamp: null, questions: 0 })
  be({})
})

/** What the store has. */
function be(overrides: Partial<Session>): void {
  world.session = aSession({ sid, createdAt: NOW, expiresAt: secondsAfter(NOW, 60), ...overrides })
}

const COOKIE = `sessionId=${sessionId}`

/** What a page of the main site gets; the code of a refusal. */
async function ask(
  path: string,
  headers: Record<string, string> = {},
  caller: object | null = { sid, source: 'main' },
) {
  const answer = await request(url, {
    path,
    headers: { Cookie: COOKIE, 'X-Caller': JSON.stringify(caller), ...headers },
  })
  return answer.status === 200 ? (answer.json ?? 'OK') : answer.json.code
}

describe('a page of the main site', () => {
  it('may, with its cookie and a token of the same session', async () => {
    expect(await ask('/main')).toEqual({ sid })
  })

  it.each<[string, Record<string, string>, object | null, string]>([
    ['without a cookie', { Cookie: 'other=1' }, { sid }, 'SESSION_COOKIE_REQUIRED'],
    ['with two', { Cookie: `${COOKIE}; ${COOKIE}` }, { sid }, 'SESSION_NOT_FOUND'],
    ['with no identifier', { Cookie: 'sessionId=text' }, { sid }, 'SESSION_NOT_FOUND'],
    ['with an unknown one', { Cookie: `sessionId=${newSessionId()}` }, { sid }, 'SESSION_NOT_FOUND'],
    ['at another site', { Origin: 'https://shop.test' }, { sid }, 'SESSION_COOKIE_REQUIRED'],
    ['by another site', { 'Sec-Fetch-Site': 'cross-site' }, { sid }, 'CROSS_SITE_REFUSED'],
    ["with another session's token", {}, { sid: handleOf(newSessionId()) }, 'SESSION_MISMATCH'],
    ['without a token', {}, null, 'SESSION_MISMATCH'],
  ])('may not %s', async (_, headers, caller, code) => {
    expect(await ask('/main', headers, caller)).toBe(code)
  })

  it('may not with a session that has expired, or is of a satellite', async () => {
    be({ expiresAt: NOW })
    expect(await ask('/main')).toBe('SESSION_NOT_FOUND')
    be({ source: 'satellite' })
    expect(await ask('/main')).toBe('MAIN_SOURCE_REQUIRED')
  })
})

describe('a live session', () => {
  it('may, without any cookie, and is who acts', async () => {
    expect(await ask('/live', { Cookie: '' })).toEqual({ sid, ip: '127.0.0.1' })
  })

  it('may not once it has ended, or its satellite is closed to it', async () => {
    expect(await ask('/live', {}, { sid: handleOf(newSessionId()) })).toBe('SESSION_NOT_FOUND')
    expect(await ask('/live', {}, null)).toBe('SESSION_NOT_FOUND')
    be({ expiresAt: NOW })
    expect(await ask('/live')).toBe('SESSION_NOT_FOUND')
    be({})
    world.isOpen = false
    expect(await ask('/live')).toBe('SESSION_NOT_FOUND')
  })

  it('needs its cookie where the main site does, and no other does', async () => {
    const none = { Cookie: '' }
    expect(await ask('/bound', none, { sid, source: 'main' })).toBe('SESSION_COOKIE_REQUIRED')
    expect(await ask('/bound', {}, { sid, source: 'main' })).toBe('OK')
    expect(await ask('/bound', none, { sid, source: 'satellite' })).toBe('OK')
    expect(await ask('/bound', none, null)).toBe('SESSION_NOT_FOUND')
  })
})

describe('permissions', () => {
  it.each<[string, Permission[], string]>([
    ['/payments', ['payments'], 'OK'],
    ['/payments', ['teamManagement', 'accountSettings'], 'PAYMENTS_PERMISSION_REQUIRED'],
    ['/team', ['teamManagement'], 'OK'],
    ['/team', ['payments', 'accountSettings'], 'PERMISSION_REQUIRED'],
  ])('%s with %j: %s', async (path, held, outcome) => {
    be({ permissions: permissionsOf(held) })
    expect(await ask(path)).toBe(outcome)
  })

  it.each([
    ['/payments', 'PAYMENTS_PERMISSION_REQUIRED'],
    ['/team', 'PERMISSION_REQUIRED'],
    ['/enrolled', 'OK'],
  ])('%s without any: why depends on the user', async (path, otherwise) => {
    be({ permissions: permissionsOf([]) })
    world.user = { mustEnrol: true }
    expect(await ask(path)).toBe('SECOND_FACTOR_ENROLMENT_REQUIRED')
    world.user = { mustEnrol: false }
    expect(await ask(path)).toBe(otherwise)
    world.user = undefined
    expect(await ask(path)).toBe(otherwise)
  })

  it('are refused to everybody where none is named, or no session was read', async () => {
    be({ permissions: permissionsOf(PERMISSIONS) })
    world.user = { mustEnrol: true }
    expect(await ask('/team')).toBe('OK')
    expect(await ask('/team-alone')).toBe('PERMISSION_REQUIRED')
    expect(await ask('/payments-alone')).toBe('PAYMENTS_PERMISSION_REQUIRED')
    world.user = undefined
    expect(await ask('/nothing-named')).toBe('PERMISSION_REQUIRED')
  })

  it('whoever has one is not asked about', async () => {
    be({ permissions: permissionsOf(['viewReports']) })
    world.user = { mustEnrol: true }
    expect(await ask('/enrolled')).toBe('OK')
    expect(world.questions).toBe(0)
  })
})

describe('who has proved again who they are', () => {
  const password: AuthMethod[] = ['pwd']
  const both: AuthMethod[] = ['pwd', 'otp']

  it.each<[string, number | null, AuthMethod[], number, boolean | undefined, string, number]>([
    ['never', null, both, 0, false, 'REAUTHENTICATION_REQUIRED', 0],
    ['as long ago as it counts', TTL, both, 0, false, 'REAUTHENTICATION_REQUIRED', 0],
    ['a second less', TTL - 1, password, 0, false, 'OK', 1],
    ['and is gone since', 0, password, 0, undefined, 'OK', 1],
    ['with the password alone, and has a second factor', 0, password, 0, true, 'STEP_UP_REQUIRED', 1],
    ['with both', 0, both, 0, true, 'OK', 0],
    ['with both, the second as long ago as it counts', 0, both, TTL, true, 'STEP_UP_REQUIRED', 1],
    ['with both, a second less', 0, both, TTL - 1, true, 'OK', 0],
  ])('%s', async (_, secondsAgo, methods, authSecondsAgo, hasSecondFactor, outcome, questions) => {
    be({
      reauthenticatedAt: secondsAgo === null ? null : secondsAfter(NOW, -secondsAgo),
      amr: authMethods(...methods),
      authTime: secondsAfter(NOW, -authSecondsAgo),
    })
    if (hasSecondFactor !== undefined) world.user = { hasSecondFactor }
    expect(await ask('/sure')).toBe(outcome)
    expect(world.questions).toBe(questions)
  })

  it('is told how, as RFC 9470 says', async () => {
    const challengeOf = async () => {
      const headers = { Cookie: COOKIE, 'X-Caller': JSON.stringify({ sid }) }
      return (await request(url, { path: '/sure', headers })).headers['www-authenticate']
    }
    expect(await challengeOf()).toBe('Bearer error="insufficient_user_authentication", max_age="300"')
    be({ reauthenticatedAt: NOW })
    world.user = { hasSecondFactor: true }
    expect(await challengeOf()).toBe(
      'Bearer error="insufficient_user_authentication", acr_values="urn:mainstay:acr:2", max_age="300"',
    )
  })

  it.each<[AuthMethod[], AuthMethod[], boolean]>([
    [['pwd'], ['pwd'], true],
    [['pwd'], ['otp'], true],
    [['pwd', 'otp'], ['otp'], true],
    [['pwd', 'otp'], ['pwd', 'otp'], true],
    [['hwk', 'user'], ['pwd'], false],
    [['pwd', 'otp'], ['pwd'], false],
    [['otp'], ['pwd'], false],
  ])('with %j, then %j: whether the time of the authentication moves is %s', async (before, now, moves) => {
    const methods = authMethods(...now)
    const until = await reauthentication.stamp({ sid, amr: authMethods(...before) }, methods)
    expect(world.stamp).toEqual({ at: NOW_STORED, methods, movesAuthTime: moves })
    expect(until).toEqual(secondsAfter(NOW_STORED, TTL))
  })

  it('is asked the same by who knows already whether there is a second factor', () => {
    const refusalOf = (session: Partial<Session>, hasSecondFactor: boolean) => {
      try {
        reauthentication.requireWithSecondFactor(aSession({ authTime: NOW, ...session }), { hasSecondFactor })
        return null
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    const amr = authMethods('pwd', 'otp')
    expect(refusalOf({ amr }, true)).toBe('REAUTHENTICATION_REQUIRED')
    expect(refusalOf({ amr }, false)).toBe('REAUTHENTICATION_REQUIRED')
    expect(refusalOf({ amr, reauthenticatedAt: NOW }, true)).toBeNull()
    expect(refusalOf({ reauthenticatedAt: NOW }, true)).toBe('STEP_UP_REQUIRED')
    expect(refusalOf({ reauthenticatedAt: NOW }, false)).toBeNull()
  })

  it.each<[string, AuthMethod[], number, string | null]>([
    ['as long ago as asked for', both, 60, null],
    ['a second longer ago', both, 61, 'STEP_UP_REQUIRED'],
    ['never', password, 0, 'STEP_UP_REQUIRED'],
  ])('has used a second factor %s', (_, methods, secondsAgo, code) => {
    const session = aSession({ amr: authMethods(...methods), authTime: secondsAfter(NOW, -secondsAgo) })
    let refusal: unknown = null
    try {
      reauthentication.requireSecondFactorWithin(session, 60)
    } catch (error) {
      refusal = error
    }
    expect((refusal as { code: string } | null)?.code ?? null).toBe(code)
  })

  it('not, when the session has ended', async () => {
    world.isOpen = false
    const stamping = reauthentication.stamp({ sid, amr: authMethods('pwd') }, authMethods('pwd'))
    await expect(stamping).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('sees everything at a satellite, and others only what is of it', () => {
    const at = (session: Partial<Session>) => reauthentication.confinementOf(aSession(session))
    const shop = { source: 'satellite', origin: 'https://shop.test' } as const
    expect(at(shop)).toBe('https://shop.test')
    expect(at({ ...shop, reauthenticatedAt: NOW })).toBeNull()
    expect(at({ ...shop, reauthenticatedAt: secondsAfter(NOW, -TTL) })).toBe('https://shop.test')
    expect(at({ source: 'satellite', origin: null })).toBeNull()
    expect(at({ source: 'main', origin: MAIN })).toBeNull()
  })
})
