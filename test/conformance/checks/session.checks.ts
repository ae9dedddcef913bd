import { expect } from '@jest/globals'
import { and, count, eq } from 'drizzle-orm'
import { auditLog } from '../../sources.js'
import { afterwards, type Check, type Scene } from '../scene.js'
import type { Service } from '../service/service.js'
import { decode } from '../values/forge-jwt.js'
import { sessionIdOf } from '../values/session-cookie.js'
import { sessionOf } from '../values/stored-session.js'

/** LEM-01 and LEM-02: upper case and spaces around are the same address. */
const FIRST_TWO_ROWS: ReadonlySet<string> = new Set(['LEM-01', 'LEM-02'])

/** Sentences about which sessions there are afterwards. */
export const sessionChecks: Readonly<Record<string, Check>> = {
  'sessions created == 0': async ({ service }) => {
    const before = await traces(service)
    return async () => expect(await traces(service)).toEqual(before)
  },

  'session.source == value the validator saw': afterwards(async ({ service }, [answer]) => {
    if (answer!.status === 400) return
    const { source } = (await sessionOf(service, answer!))!
    expect(source).toBe(answer!.setCookies.length > 0 ? 'main' : 'satellite')
    expect(claimsOf(answer!.json.accessToken).source).toBe(source)
  }),

  'never authenticates as U1 except for the first two rows': async ({ case: { id }, cast, service }) => {
    const u1 = await cast.owner('U1')
    const before = await service.sessionsOf(u1.id)
    return async ([answer]) => {
      const made = (await service.sessionsOf(u1.id)).length - before.length
      const isIn = answer!.status === 200
      expect(made).toBe(isIn && FIRST_TWO_ROWS.has(id) ? 1 : 0)
      if (isIn) expect(claimsOf(answer!.json.accessToken).userId).toBe(u1.id)
    }
  },

  'new sessionId != planted value; planted id unknown in the store': afterwards(async (scene, [answer]) => {
    const planted = cookieOf(scene)
    expect(sessionIdOf(answer!)).not.toBe(planted)
    expect(await scene.service.hasSession(planted)).toBe(false)
    expect(await scene.service.hasSession(sessionIdOf(answer!)!)).toBe(true)
  }),

  'new id; old session of the same browser ended': async scene => {
    const old = cookieOf(scene)
    expect(await scene.service.hasSession(old)).toBe(true)
    return async ([answer]) => {
      expect(sessionIdOf(answer!)).not.toBe(old)
      expect(await scene.service.hasSession(old)).toBe(false)
      expect(await scene.service.hasSession(sessionIdOf(answer!)!)).toBe(true)
    }
  },

  'one session, however many redeem the code': async ({ cast, service }) => {
    await cast.handoff()
    const { id } = await cast.owner('U1')
    const before = await service.sessionsOf(id)
    return async answers => {
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      // A retry that comes after the answer is a second use, which ends it.
      expect((await service.sessionsOf(id)).length - before.length).toBeLessThanOrEqual(1)
    }
  },

  'header ignored; fresh id': afterwards(async ({ service, request }, [answer]) => {
    const sent = request.headers!['X-Session-ID'] as string
    expect(sessionIdOf(answer!)).not.toBe(sent)
    expect(await service.hasSession(sent)).toBe(true)
    expect(await service.hasSession(sessionIdOf(answer!)!)).toBe(true)
  }),
}

/** Everything that a login leaves behind. */
async function traces(service: Service): Promise<unknown> {
  const isLogin = and(eq(auditLog.action, 'login'), eq(auditLog.outcome, 'ok'))
  const [row] = await service.query(db => db.select({ logins: count() }).from(auditLog).where(isLogin))
  return { sessions: await service.sessions(), ...row }
}

function cookieOf({ request }: Scene): string {
  return /^sessionId=(.*)$/.exec(request.headers!.Cookie as string)![1]!
}

function claimsOf(accessToken: string): Record<string, unknown> {
  return decode(accessToken.split('.')[1]!)
}
