import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { readPhcString } from './phc-string.js'
import { UnusableHash, type UsableHash } from './usable-hash.js'

const derive = promisify(pbkdf2)

/** About a second; OWASP asks for 600,000 with SHA-256. */
const MAX_ITERATIONS = 2_000_000
const DIGESTS: Readonly<Record<string, string>> = { 'pbkdf2-sha256': 'sha256', 'pbkdf2-sha512': 'sha512' }
const MIN_HASH_BYTES = 16

/** `$pbkdf2-sha256$i=<iterations>$<salt>$<hash>`, with `,l=<bytes>` or without, and -sha512. Throws {@link UnusableHash}. */
export function readPbkdf2Hash(text: string): UsableHash {
  const phc = readPhcString(text)
  const { i = 0, l = phc?.hash.length, ...others } = phc?.parameters ?? {}
  const digest = phc && DIGESTS[phc.scheme]
  const isWellFormed = i >= 1 && Object.keys(others).length === 0 && l === phc?.hash.length
  if (!digest || !isWellFormed || phc.hash.length < MIN_HASH_BYTES)
    throw new UnusableHash('is not a well-formed PBKDF2 hash ($pbkdf2-sha256$i=…$salt$hash, or -sha512)')
  if (i > MAX_ITERATIONS) throw new UnusableHash(`asks for more than ${MAX_ITERATIONS} iterations of PBKDF2`)
  return {
    isOf: async password =>
      timingSafeEqual(await derive(password, phc.salt, i, phc.hash.length, digest), phc.hash),
  }
}
