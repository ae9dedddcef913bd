import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Settings } from '../config/settings.js'
import { cookieValues } from '../http/cookies.js'
import { asSessionId, type SessionId } from './session-id.js'

const NAME = 'sessionId'

/**
 * Setting and clearing must agree on these; otherwise a browser keeps a second cookie of the same name (RFC
 * 6265bis §5.7).
 */
function attributes({ cookieDomain }: Settings): CookieSerializeOptions {
  return {
    httpOnly: true,
    secure: true,
    sameSite: 'lax',
    path: '/',
    ...(cookieDomain && { domain: cookieDomain }),
  }
}

export function setSessionCookie(reply: FastifyReply, sessionId: SessionId, settings: Settings): void {
  reply.setCookie(NAME, sessionId, { ...attributes(settings), maxAge: settings.sessionTtlSeconds })
}

export function clearSessionCookie(reply: FastifyReply, settings: Settings): void {
  reply.clearCookie(NAME, attributes(settings))
}

/**
 * Clears a duplicate that was set without COOKIE_DOMAIN: two cookies of one name would be refused for ever.
 */
export function clearHostOnlyDuplicate(reply: FastifyReply, settings: Settings): void {
  if (settings.cookieDomain) reply.clearCookie(NAME, { ...attributes(settings), domain: undefined })
}

/** Every value of the session cookie. */
export function presentedCookies(request: FastifyRequest): string[] {
  return cookieValues(request, NAME)
}

/** The sessionIds among the presented cookies. */
export function presentedSessionIds(request: FastifyRequest): SessionId[] {
  return presentedCookies(request)
    .map(asSessionId)
    .filter(sessionId => sessionId !== null)
}
