import { randomBytes } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieValues } from '../platform/http/request.js'
import { BASE64URL_OF_32_BYTES } from '../platform/secrets/token-hash.js'

/**
 * Distinguishes a browser or app from others of its kind: 32 random bytes that only it keeps, as base64url.
 */
export type DeviceId = string & { readonly brand: 'DeviceId' }

export function newDeviceId(): DeviceId {
  return randomBytes(32).toString('base64url') as DeviceId
}

/** The text as a device id; null when it is not one. */
function asDeviceId(text: string | undefined): DeviceId | null {
  return text !== undefined && BASE64URL_OF_32_BYTES.test(text) ? (text as DeviceId) : null
}

/**
 * Browsers accept this prefix only from this very host and over TLS (RFC 6265bis §4.1.3.2), so no subdomain
 * can plant one.
 */
const COOKIE_NAME = '__Host-device'
const COOKIE_MAX_AGE_SECONDS = 365 * 24 * 60 * 60

/** Every login sets it again, so it lasts a year from the latest. */
export function setDeviceCookie(reply: FastifyReply, deviceId: DeviceId): void {
  const attributes = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
  reply.setCookie(COOKIE_NAME, deviceId, { ...attributes, maxAge: COOKIE_MAX_AGE_SECONDS })
}

/** The device id in the cookie; null when it is absent, malformed or sent more than once. */
export function presentedDeviceId(request: FastifyRequest): DeviceId | null {
  const [value, ...others] = cookieValues(request, COOKIE_NAME)
  return others.length > 0 ? null : asDeviceId(value)
}
