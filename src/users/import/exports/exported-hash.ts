import { readImportedHash, UnusableHash } from '../../passwords/imported-hash.js'

/** Why a hash cannot be kept; null when it can. */
export function unusable(hash: string): string | null {
  try {
    readImportedHash(hash)
    return null
  } catch (error) {
    if (error instanceof UnusableHash) return error.message
    throw error
  }
}

/** `bcrypt`, or the scheme that the text itself names. */
export function schemeOf(hash: string): string {
  const [, scheme = ''] = hash.split('$')
  return /^2[aby]$/.test(scheme) ? 'bcrypt' : scheme
}
