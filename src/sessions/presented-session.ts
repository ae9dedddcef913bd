import type { FastifyRequest } from 'fastify'
import type { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import { singleHeader } from '../http/single-header.js'
import type { Source } from '../permissions/permissions.js'
import { presentedCookies } from './session-cookie.js'
import { asSessionId, type SessionId } from './session-id.js'

/** The session that a request presents; where it stood says of which source it must be. */
export interface PresentedSession {
  readonly sessionId: SessionId
  readonly source: Source
}

const HEADER = 'x-session-id'

/**
 * The one identifier of a refresh: the cookie of the main site or the header of everybody else.
 * Throws `SESSION_NOT_FOUND` (401) when there is none, more than one, or one that cannot be ours, and
 * `CROSS_SITE_REFUSED` (403) for a cookie that another site made the browser send.
 */
export function presentedSession(request: FastifyRequest, settings: Settings): PresentedSession {
  const header = singleHeader(request, HEADER)
  const cookies = countingCookies(request, settings)
  const inHeader = header.kind === 'one' ? header.value : undefined
  const texts = inHeader === undefined ? cookies : [inHeader, ...cookies]
  const sessionId = texts.length === 1 ? asSessionId(texts[0] as string) : null
  if (header.kind === 'repeated' || !sessionId) throw new ApiError('SESSION_NOT_FOUND')
  return { sessionId, source: inHeader === undefined ? 'main' : 'satellite' }
}

/** Whether a request names no session at all, as that of a visitor who was never logged in. */
export function presentsNothing(request: FastifyRequest, settings: Settings): boolean {
  return singleHeader(request, HEADER).kind === 'absent' && countingCookies(request, settings).length === 0
}

/**
 * The session cookies, where they count: from pages of the main site, or without an Origin. A cookie that came with
 * another site's page is as if absent, or that site could use what it cannot see.
 */
export function countingCookies(request: FastifyRequest, settings: Settings): string[] {
  const { origin } = request.headers
  if (origin !== undefined && origin !== settings.mainOrigin) return []
  const cookies = presentedCookies(request)
  if (cookies.length > 0) refuseCrossSite(request)
  return cookies
}

/** Browsers say from where a request was made even where they leave out Origin (Fetch Metadata). */
export function refuseCrossSite(request: FastifyRequest): void {
  if (request.headers['sec-fetch-site'] === 'cross-site') throw new ApiError('CROSS_SITE_REFUSED')
}
