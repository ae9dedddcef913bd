import { randomUUID } from 'node:crypto'
import {
  authMethods,
  handleOf,
  newSessionId,
  permissionsOf,
  type ReauthenticationStamp,
  type Session,
  secondsAfter,
} from '../sources.js'

export const THIRTY_DAYS_IN_SECONDS = 30 * 24 * 3600

/** Now, as stores keep it: in whole seconds. */
export function wholeSecondNow(): Date {
  return new Date(Math.floor(Date.now() / 1000) * 1000)
}

/** A password entered again, now. */
export function aStamp(at = wholeSecondNow()): ReauthenticationStamp {
  return { at, methods: authMethods('pwd'), movesAuthTime: true }
}

/** A new main session of a new user, made now, for 30 days. */
export function aSession(overrides: Partial<Session> = {}): Session {
  const createdAt = overrides.createdAt ?? wholeSecondNow()
  return {
    sid: handleOf(newSessionId()),
    userId: randomUUID(),
    accountId: randomUUID(),
    source: 'main',
    permissions: permissionsOf(['payments', 'dataEntry', 'viewReports']),
    origin: 'https://www.main.test',
    ip: '203.0.113.7',
    userAgent: 'X11; Linux x86_64) Chrome/131.0.0.0 Safari/537.36',
    createdAt,
    lastUsed: createdAt,
    reauthenticatedAt: null,
    amr: authMethods('pwd'),
    authTime: createdAt,
    idleSeconds: null,
    expiresAt: secondsAfter(createdAt, THIRTY_DAYS_IN_SECONDS),
    ...overrides,
  }
}
