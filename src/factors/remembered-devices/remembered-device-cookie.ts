import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieValues } from '../../platform/http/request.js'
import { REMEMBERED_SECONDS } from './remembered-devices.js'

/**
 * Browsers accept this prefix only from this very host and over TLS (RFC 6265bis §4.1.3.2), so no subdomain
 * can plant one.
 */
const NAME = '__Host-remembered-device'
/** Strict: nothing but the main site's own page logs in. */
const ATTRIBUTES = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const

export function setRememberedDeviceCookie(reply: FastifyReply, token: string): void {
  reply.setCookie(NAME, token, { ...ATTRIBUTES, maxAge: REMEMBERED_SECONDS })
}

export function clearRememberedDeviceCookie(reply: FastifyReply): void {
  reply.clearCookie(NAME, ATTRIBUTES)
}

/** The token in the cookie; null when there is none, or more than one. */
export function presentedRememberedDevice(request: FastifyRequest): string | null {
  const [token, ...others] = cookieValues(request, NAME)
  return token === undefined || others.length > 0 ? null : token
}
