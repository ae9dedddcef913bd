import { readArgon2Hash } from './argon2-hash.js'
import { readBcryptHash } from './bcrypt-hash.js'
import { type ImportedHash, UnusableHash } from './imported-hash.js'
import { readPbkdf2Hash } from './pbkdf2-hash.js'
import { readScryptHash } from './scrypt-hash.js'

/** By what the text begins with. */
const READERS: readonly (readonly [prefix: string, read: (text: string) => ImportedHash])[] = [
  ['$argon2', readArgon2Hash],
  ['$2', readBcryptHash],
  ['$scrypt$', readScryptHash],
  ['$pbkdf2-', readPbkdf2Hash],
]

/**
 * The parsed hash. Throws {@link UnusableHash} for an unknown format, and for parameters that cost more than
 * about a second or 128 MiB: a hostile file must not stop the service.
 */
export function readImportedHash(text: string): ImportedHash {
  const [, read] = READERS.find(([prefix]) => text.startsWith(prefix)) ?? []
  if (!read) throw new UnusableHash('is not an argon2, bcrypt, scrypt or PBKDF2 hash')
  return read(text)
}
