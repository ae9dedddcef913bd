import { createHash, randomInt } from 'node:crypto'

/** Crockford's base32: no I, L, O or U, which look like others or make words. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** 80 bits: nobody can try them all, so a fast hash is enough. */
const LETTERS = 16
const LETTERS_A_GROUP = 4

/** A new code, as `XXXX-XXXX-XXXX-XXXX`. */
export function newRecoveryCode(): string {
  const letters = Array.from({ length: LETTERS }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  return (letters.match(new RegExp(`.{${LETTERS_A_GROUP}}`, 'g')) as string[]).join('-')
}

/**
 * What the database stores: base64url SHA-256. However it was typed, the same code of the same user gives the
 * same hash; an equal code of another user does not.
 */
export function recoveryCodeHash(userId: string, code: string): string {
  return createHash('sha256')
    .update(`${userId} ${normalizedCode(code)}`)
    .digest('base64url')
}

/** As Crockford defines it: case does not matter, O is 0, I and L are 1; separators are dropped. */
export function normalizedCode(code: string): string {
  return code
    .toUpperCase()
    .replaceAll('O', '0')
    .replace(/[IL]/g, '1')
    .replace(/[^0-9A-Z]/g, '')
}
