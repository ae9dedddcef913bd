import { describe, expect, it } from '@jest/globals'
import { aSession } from '../../contracts/a-session.js'
import {
  type AuthMethod,
  authMethods,
  type Clock,
  type Database,
  type Db,
  Reauthentication,
  type ReauthenticationStamp,
  type Session,
  type SessionStore,
  type Settings,
  secondsAfter,
} from '../../sources.js'

const NOW = new Date('2026-01-01T00:10:00.900Z')
const NOW_STORED = new Date('2026-01-01T00:10:00Z')
const TTL = 300
const { sid } = aSession()

let stamped: ReauthenticationStamp
const reauthentication = new Reauthentication(
  {
    stampReauthentication: async (_: Db, __: string, stamp: ReauthenticationStamp) => {
      stamped = stamp
      return true
    },
  } as unknown as SessionStore,
  {} as Database,
  { now: () => NOW } as Clock,
  { reauthenticationTtlSeconds: TTL } as Settings,
)

const password: AuthMethod[] = ['pwd']
const both: AuthMethod[] = ['pwd', 'otp']

function refusalOf(require: () => void): string | null {
  try {
    require()
    return null
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('what could hand an account to somebody else is allowed', () => {
  it.each<[string, number | null, AuthMethod[], number, boolean, string | null]>([
    ['never proved', null, both, 0, true, 'REAUTHENTICATION_REQUIRED'],
    ['proved as long ago as it counts', TTL, both, 0, true, 'REAUTHENTICATION_REQUIRED'],
    ['proved a second less ago', TTL - 1, password, 0, false, null],
    ['proved by a password beside a second factor', 0, password, 0, true, 'STEP_UP_REQUIRED'],
    ['with a second factor as long ago as it counts', 0, both, TTL, true, 'STEP_UP_REQUIRED'],
    ['with a second factor a second less ago', 0, both, TTL - 1, true, null],
  ])('to a session %s, or not', (_, secondsAgo, methods, authSecondsAgo, hasSecondFactor, code) => {
    const session = aSession({
      reauthenticatedAt: secondsAgo === null ? null : secondsAfter(NOW, -secondsAgo),
      amr: authMethods(...methods),
      authTime: secondsAfter(NOW, -authSecondsAgo),
    })
    expect(refusalOf(() => reauthentication.requireWithSecondFactor(session, { hasSecondFactor }))).toBe(code)
  })

  it.each<[string, AuthMethod[], number, string | null]>([
    ['as long ago as asked for', both, 60, null],
    ['a second longer ago', both, 61, 'STEP_UP_REQUIRED'],
    ['never', password, 0, 'STEP_UP_REQUIRED'],
  ])('to who has used a second factor %s, or not', (_, methods, secondsAgo, code) => {
    const session = aSession({ amr: authMethods(...methods), authTime: secondsAfter(NOW, -secondsAgo) })
    expect(refusalOf(() => reauthentication.requireSecondFactorWithin(session, 60))).toBe(code)
  })
})

it.each<[AuthMethod[], AuthMethod[], boolean]>([
  [['pwd'], ['pwd'], true],
  [['pwd'], ['otp'], true],
  [['pwd', 'otp'], ['otp'], true],
  [['pwd', 'otp'], ['pwd', 'otp'], true],
  [['hwk', 'user'], ['pwd'], false],
  [['pwd', 'otp'], ['pwd'], false],
  [['otp'], ['pwd'], false],
])('a proof with %j, then %j moves the time of the authentication or not: %s', async (before, now, moves) => {
  const methods = authMethods(...now)
  const session = { sid, amr: authMethods(...before) }
  const { until } = await reauthentication.stamp({} as Db, session, methods)
  expect(stamped).toEqual({ at: NOW_STORED, methods, movesAuthTime: moves })
  expect(until).toEqual(secondsAfter(NOW_STORED, TTL))
})

it('a session of a satellite sees only what is of it, unless its user has just proved who they are', () => {
  const at = (session: Partial<Session>) => reauthentication.confinementOf(aSession(session))
  const shop = { source: 'satellite', origin: 'https://shop.test' } as const
  expect(at(shop)).toBe('https://shop.test')
  expect(at({ ...shop, reauthenticatedAt: NOW })).toBeNull()
  expect(at({ ...shop, reauthenticatedAt: secondsAfter(NOW, -TTL) })).toBe('https://shop.test')
  expect(at({ source: 'satellite', origin: null })).toBeNull()
  expect(at({ source: 'main', origin: 'https://www.main.test' })).toBeNull()
})
