import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieValues } from '../http/request-headers.js'
import { asDeviceId, type DeviceId } from './device-id.js'

/**
 * Browsers accept this prefix only from this very host and over TLS (RFC 6265bis §4.1.3.2), so no subdomain
 * can plant one.
 */
const NAME = '__Host-device'
const MAX_AGE_SECONDS = 365 * 24 * 60 * 60

/** Every login sets it again, so it lasts a year from the latest. */
export function setDeviceCookie(reply: FastifyReply, deviceId: DeviceId): void {
  const attributes = { httpOnly: true, secure: true, sameSite: 'lax', path: '/' } as const
  reply.setCookie(NAME, deviceId, { ...attributes, maxAge: MAX_AGE_SECONDS })
}

/** The device id in the cookie; null when it is absent, malformed or sent more than once. */
export function presentedDeviceId(request: FastifyRequest): DeviceId | null {
  const [value, ...others] = cookieValues(request, NAME)
  return others.length > 0 ? null : asDeviceId(value)
}
