import { createHash } from 'node:crypto'

/** The form in which a token of ours is stored: 256 random bits need no salt. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** 32 bytes as base64url without padding: what our random tokens are, and their SHA-256 hashes. */
export const BASE64URL_OF_32_BYTES = /^[A-Za-z0-9_-]{43}$/
