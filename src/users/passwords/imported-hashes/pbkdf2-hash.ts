import { pbkdf2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type ImportedHash, UnusableHash } from './imported-hash.js'
import { readPhcString } from './phc-string.js'

const derive = promisify(pbkdf2)

interface Digest {
  readonly name: string
  readonly bytes: number
  /**
   * Iterations times blocks of the hash. A password may be tried in two forms. OWASP asks for 600,000 and
   * 210,000.
   */
  readonly maxIterations: number
}

const DIGESTS = new Map<string, Digest>([
  ['pbkdf2-sha256', { name: 'sha256', bytes: 32, maxIterations: 2_000_000 }],
  ['pbkdf2-sha512', { name: 'sha512', bytes: 64, maxIterations: 1_000_000 }],
])
const MIN_HASH_BYTES = 16

/**
 * `$pbkdf2-sha256$i=<iterations>$<salt>$<hash>`, with or without `,l=<bytes>`, and the same with sha512.
 * Throws {@link UnusableHash}.
 */
export function readPbkdf2Hash(text: string): ImportedHash {
  const phc = readPhcString(text)
  const { i = 0, l = phc?.hash.length, ...others } = phc?.parameters ?? {}
  const digest = phc && DIGESTS.get(phc.scheme)
  const isWellFormed = i >= 1 && Object.keys(others).length === 0 && l === phc?.hash.length
  if (!digest || !isWellFormed || phc.hash.length < MIN_HASH_BYTES)
    throw new UnusableHash('is not a well-formed PBKDF2 hash ($pbkdf2-sha256$i=…$salt$hash, or -sha512)')
  // A hash longer than the digest is made of blocks, with all iterations for each (RFC 8018 §5.2).
  const blocks = Math.ceil(phc.hash.length / digest.bytes)
  if (i * blocks > digest.maxIterations)
    throw new UnusableHash(`needs more than ${digest.maxIterations} iterations of PBKDF2, over all blocks`)
  return {
    matches: async password =>
      timingSafeEqual(await derive(password, phc.salt, i, phc.hash.length, digest.name), phc.hash),
  }
}
