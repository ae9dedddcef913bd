import type { CookieSerializeOptions } from '@fastify/cookie'
import type { Caller } from '@mainstay-auth/verify/token-rules'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSharedDomain } from '../platform/config/origin.js'
import type { Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { cookieValues, singleHeader } from '../platform/http/request.js'
import type { Source } from '../platform/permissions.js'
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

/** Sets the cookie for `maxAge` seconds, and clears what was set with another COOKIE_DOMAIN. */
export function setSessionCookie(
  reply: FastifyReply,
  sessionId: SessionId,
  settings: Settings,
  maxAge = settings.sessionTtlSeconds,
): void {
  clearDuplicates(reply, settings)
  reply.setCookie(NAME, sessionId, { ...attributes(settings), maxAge })
}

/**
 * Clears the cookie of a session that was ended, also one that was set with another COOKIE_DOMAIN. A cookie that
 * meanwhile names a later login's session stays.
 */
export function clearSessionCookie(
  reply: FastifyReply,
  { source, sid }: Pick<Caller, 'source' | 'sid'>,
  settings: Settings,
): void {
  if (source !== 'main' || presentsAnother(reply.request, sid)) return
  reply.clearCookie(NAME, attributes(settings))
  clearDuplicates(reply, settings)
}

/**
 * Clears what was set with another COOKIE_DOMAIN, if the request has any cookie: it is unknown which setting a single
 * one was set with, and a second one beside ours would come with every request until it expires.
 */
function clearDuplicates(reply: FastifyReply, settings: Settings): void {
  if (presentedCookies(reply.request).length === 0) return
  const current = settings.cookieDomain ?? undefined
  for (const domain of [undefined, ...domainsOf(new URL(settings.publicUrl).hostname)])
    if (domain !== current) reply.clearCookie(NAME, { ...attributes(settings), domain })
}

/** The host itself and the names above it, as far as a cookie can be set for them. */
function domainsOf(host: string): string[] {
  return isSharedDomain(host) ? [] : [host, ...domainsOf(host.slice(host.indexOf('.') + 1))]
}

/** Every value of the session cookie. */
export function presentedCookies(request: Pick<FastifyRequest, 'headers'>): string[] {
  return cookieValues(request, NAME)
}

/** The sessionIds among the presented cookies. */
export function presentedSessionIds(request: FastifyRequest): SessionId[] {
  return presentedCookies(request)
    .map(asSessionId)
    .filter(sessionId => sessionId !== null)
}

/** More than a browser can have of us: one for the host, and one for each domain that it is in. */
const MAX_COOKIES = 8

/**
 * The sessions in several cookies, as a browser sends them after COOKIE_DOMAIN has changed; empty where there are fewer
 * than two or more than a browser can have, where one is repeated, and where one cannot be ours.
 */
export function sessionIdsOfSeveral(cookies: readonly string[]): SessionId[] {
  const isRepeated = new Set(cookies).size < cookies.length
  if (cookies.length < 2 || cookies.length > MAX_COOKIES || isRepeated) return []
  const sessionIds = cookies.map(asSessionId).filter(sessionId => sessionId !== null)
  return sessionIds.length === cookies.length ? sessionIds : []
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

/** What a refresh presents as its session. */
export type Presented =
  | ({ readonly kind: 'session' } & PresentedSession)
  /** No session, like the request of a visitor who has never logged in. */
  | { readonly kind: 'nothing' }
  /** Several cookies, of which one may name a live session. */
  | { readonly kind: 'several'; readonly sessionIds: readonly SessionId[] }
  /** More than one identifier, or one that cannot be ours. */
  | { readonly kind: 'unusable' }
  /** A cookie that another site made the browser send. */
  | { readonly kind: 'cross-site' }

const HEADER = 'x-session-id'

/** The only session identifier of a refresh: the cookie for the main site, the header for all others. */
export function presentedSession(request: FastifyRequest, settings: Settings): Presented {
  const header = singleHeader(request, HEADER)
  const cookies = heededCookies(request, settings)
  if (cookies.length > 0 && isCrossSite(request)) return { kind: 'cross-site' }
  if (header.kind === 'absent' && cookies.length === 0) return { kind: 'nothing' }
  const several = header.kind === 'absent' ? sessionIdsOfSeveral(cookies) : []
  if (several.length > 0) return { kind: 'several', sessionIds: several }
  const texts = header.kind === 'one' ? [header.value, ...cookies] : cookies
  const sessionId = texts.length === 1 ? asSessionId(texts[0] as string) : null
  if (header.kind === 'repeated' || !sessionId) return { kind: 'unusable' }
  return { kind: 'session', sessionId, source: header.kind === 'one' ? 'satellite' : 'main' }
}

/**
 * The session cookies that count. Throws `CROSS_SITE_REFUSED` (403) for those that another site made the
 * browser send.
 */
export function acceptedCookies(request: FastifyRequest, settings: Settings): string[] {
  const cookies = heededCookies(request, settings)
  if (cookies.length > 0) refuseCrossSite(request)
  return cookies
}

/**
 * The session cookies from pages of the main site, or without an Origin. A cookie sent by another site's page
 * is ignored; otherwise that site could use a session that it cannot see.
 */
function heededCookies(request: FastifyRequest, { mainOrigin }: Settings): string[] {
  const { origin } = request.headers
  return origin === undefined || origin === mainOrigin ? presentedCookies(request) : []
}

function refuseCrossSite(request: FastifyRequest): void {
  if (isCrossSite(request)) throw new ApiError('CROSS_SITE_REFUSED')
}

/** Browsers say where a request comes from even where they omit Origin (Fetch Metadata). */
function isCrossSite({ headers }: FastifyRequest): boolean {
  return headers['sec-fetch-site'] === 'cross-site'
}

/** A satellite's page that requests a main session would get full rights, so it gets `MAIN_ORIGIN_REQUIRED` (403). */
export function requireMainOrigin(request: FastifyRequest, { mainOrigin }: Settings): void {
  const { origin } = request.headers
  if (origin === mainOrigin) return
  if (origin !== undefined) throw new ApiError('MAIN_ORIGIN_REQUIRED')
  refuseCrossSite(request)
}
