import { generateSecret, generateURI, ScureBase32Plugin, verifySync } from 'otplib'

/** RFC 6238 §5.2: 30 s. Many authenticator apps know no other period, digits or algorithm than these. */
const STEP_SECONDS = 30
/** A code of six digits as it is typed; apps show it in two groups. */
const CODE = /^\d{6}$/

/** A new secret of 160 bits (RFC 4226 §4), as base32. */
export function newTotpSecret(): string {
  return generateSecret()
}

/** As base32, without padding. */
export function base32Of(secret: Uint8Array): string {
  return new ScureBase32Plugin().encode(secret)
}

/** What an authenticator app reads from a QR code. */
export function totpUri(secret: string, { issuer, label }: { issuer: string; label: string }): string {
  return generateURI({ secret, issuer, label })
}

/**
 * The step (of 30 s since 1970) that `code` is for: that of `at`, the one before it or the one after it (RFC 6238
 * §5.2: clocks differ); null when it is for none of these. Spaces in the code are ignored.
 */
export function stepOfCode(secret: string, code: string, at: Date): number | null {
  const token = code.replaceAll(' ', '')
  if (!CODE.test(token)) return null
  const epoch = Math.floor(at.getTime() / 1000)
  const result = verifySync({ secret, token, epoch, epochTolerance: STEP_SECONDS })
  return result.valid && 'timeStep' in result ? result.timeStep : null
}
