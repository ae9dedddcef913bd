import { stepOfCode } from '../../factors/totp.js'

/** Any time will do to test whether a secret is usable. */
const SOME_TIME = new Date(1e12)
/** From the 128 bits that RFC 4226 §4 requires up to 512. */
const TOTP_SECRET = /^[A-Z2-7]{26,103}$/

/** Without the spaces, lower case and padding that people and programs add; null when it is not a secret. */
export function usableTotpSecret(text: string): string | null {
  const secret = text.replaceAll(/[\s=]/g, '').toUpperCase()
  return TOTP_SECRET.test(secret) && isUsable(secret) ? secret : null
}

/** Not every text of these letters is base32: the spare bits of the last one must be zero (RFC 4648 §3.5). */
function isUsable(secret: string): boolean {
  try {
    stepOfCode(secret, '000000', SOME_TIME)
    return true
  } catch {
    return false
  }
}
