import type { CookieSerializeOptions } from '@fastify/cookie'
import type { Caller } from '@mainstay-auth/verify/token-rules'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSharedDomain } from '../config/domain.js'
import type { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import { cookieValues, singleHeader } from '../http/headers.js'
import type { Source } from '../permissions/permissions.js'
import { asSessionId, handleOf, type SessionId } from './session.js'

const NAME = 'sessionId'

/**
 * Setting and clearing must agree on these; otherwise a browser keeps a second cookie with the same name (RFC
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

/** Clears the cookie of a session that was ended. A cookie that meanwhile names a later login's session stays. */
export function clearSessionCookie(
  reply: FastifyReply,
  { source, sid }: Pick<Caller, 'source' | 'sid'>,
  settings: Settings,
): void {
  if (source === 'main' && !presentsAnother(reply.request, sid)) reply.clearCookie(NAME, attributes(settings))
}

/** Clears what was set with another COOKIE_DOMAIN: two cookies with the same name would be refused until one expires. */
export function clearDuplicates(reply: FastifyReply, settings: Settings): void {
  const current = settings.cookieDomain ?? undefined
  for (const domain of [undefined, ...domainsOf(new URL(settings.publicUrl).hostname)])
    if (domain !== current) reply.clearCookie(NAME, { ...attributes(settings), domain })
}

/** The host itself and the names above it, as far as a cookie can be set for them. */
function domainsOf(host: string): string[] {
  return isSharedDomain(host) ? [] : [host, ...domainsOf(host.slice(host.indexOf('.') + 1))]
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

/** Whether the cookie names only sessions other than this one. */
function presentsAnother(request: FastifyRequest, sid: string): boolean {
  const sessionIds = presentedSessionIds(request)
  return sessionIds.length > 0 && sessionIds.every(sessionId => handleOf(sessionId) !== sid)
}

/** The session that a request presents; whether it came as cookie or header decides its source. */
export interface PresentedSession {
  readonly sessionId: SessionId
  readonly source: Source
}

const HEADER = 'x-session-id'

/**
 * The only session identifier of a refresh: the cookie for the main site, the header for all others. Throws
 * `SESSION_NOT_FOUND` (401) when there is none, more than one, or one that cannot be ours, and
 * `CROSS_SITE_REFUSED` (403) for a cookie that another site made the browser send.
 */
export function presentedSession(request: FastifyRequest, settings: Settings): PresentedSession {
  const header = singleHeader(request, HEADER)
  const cookies = acceptedCookies(request, settings)
  const inHeader = header.kind === 'one' ? header.value : undefined
  const texts = inHeader === undefined ? cookies : [inHeader, ...cookies]
  const sessionId = texts.length === 1 ? asSessionId(texts[0] as string) : null
  if (header.kind === 'repeated' || !sessionId) throw new ApiError('SESSION_NOT_FOUND')
  return { sessionId, source: inHeader === undefined ? 'main' : 'satellite' }
}

/** Whether a request names no session, like that of a visitor who has never logged in. */
export function presentsNothing(request: FastifyRequest, settings: Settings): boolean {
  return singleHeader(request, HEADER).kind === 'absent' && acceptedCookies(request, settings).length === 0
}

/**
 * The session cookies that count: from pages of the main site, or without an Origin. A cookie sent by another
 * site's page is ignored; otherwise that site could use a session that it cannot see.
 */
export function acceptedCookies(request: FastifyRequest, settings: Settings): string[] {
  const { origin } = request.headers
  if (origin !== undefined && origin !== settings.mainOrigin) return []
  const cookies = presentedCookies(request)
  if (cookies.length > 0) refuseCrossSite(request)
  return cookies
}

/** Browsers say where a request comes from even where they omit Origin (Fetch Metadata). */
function refuseCrossSite(request: FastifyRequest): void {
  if (request.headers['sec-fetch-site'] === 'cross-site') throw new ApiError('CROSS_SITE_REFUSED')
}

/** A satellite's page that requests a main session would get full rights, so it gets `MAIN_ORIGIN_REQUIRED` (403). */
export function requireMainOrigin(request: FastifyRequest, { mainOrigin }: Settings): void {
  const { origin } = request.headers
  if (origin === mainOrigin) return
  if (origin !== undefined) throw new ApiError('MAIN_ORIGIN_REQUIRED')
  refuseCrossSite(request)
}
