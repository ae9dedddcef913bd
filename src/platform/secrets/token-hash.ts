import { createHash } from 'node:crypto'

/** The form in which a token of ours is stored: 256 random bits need no salt. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}
