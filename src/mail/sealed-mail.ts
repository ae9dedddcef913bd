import type { SecretBox } from '../platform/secrets/secret-box.js'
import { hashToken } from '../platform/secrets/token-hash.js'
import type { Mail } from './mail.js'
import { tokenIn } from './site-urls.js'

/** A mail and its recipient. */
export interface AddressedMail {
  readonly to: string
  readonly mail: Mail
}

/** Encrypts the mail for the row with this id: copied to another row, it is worthless. */
export function sealMail(secrets: SecretBox, id: string, addressed: AddressedMail): string {
  return secrets.seal(JSON.stringify(addressed), aadOf(id))
}

/** The mail that was given to {@link sealMail}. Throws an Error for another id, or when its key is not available. */
export function openMail(secrets: SecretBox, id: string, sealed: string): AddressedMail {
  return JSON.parse(secrets.open(sealed, aadOf(id)).toString())
}

/** The hash of the one-time token in its link; null for a mail without one. */
export function linkHashOf({ action }: Mail): string | null {
  const token = action && tokenIn(action.url)
  return token ? hashToken(token) : null
}

function aadOf(id: string): string {
  return `failed mail ${id}`
}
