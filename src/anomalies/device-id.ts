import { createHash, randomBytes } from 'node:crypto'

/**
 * Distinguishes a browser or app from others of its kind: 32 random bytes that only it keeps, as base64url.
 */
export type DeviceId = string & { readonly brand: 'DeviceId' }

/** 32 bytes as base64url without padding. */
export const DEVICE_ID_FORM = /^[\w-]{43}$/

export function newDeviceId(): DeviceId {
  return randomBytes(32).toString('base64url') as DeviceId
}

/** The text as a device id; null when it is not one. */
export function asDeviceId(text: string | undefined): DeviceId | null {
  return text !== undefined && DEVICE_ID_FORM.test(text) ? (text as DeviceId) : null
}

/** What the database stores; 256 random bits need no salt. */
export function deviceIdHash(deviceId: DeviceId): string {
  return createHash('sha256').update(deviceId).digest('base64url')
}
