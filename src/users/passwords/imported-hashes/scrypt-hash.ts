import { scrypt, timingSafeEqual } from 'node:crypto'
import { type ImportedHash, UnusableHash } from './imported-hash.js'
import { readPhcString } from './phc-string.js'

/** As OpenSSL counts it. OWASP's strongest choice (N=2^17, r=8) takes nearly all of it. */
const MAX_MEMORY_BYTES = 129 * 1024 * 1024
/** (N + 4) × r × p. The 4 is what goes in and out of each block. A password may be tried in two forms. */
const MAX_WORK = 1_100_000
const MIN_HASH_BYTES = 16

/** `$scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<hash>`. Throws {@link UnusableHash}. */
export function readScryptHash(text: string): ImportedHash {
  const phc = readPhcString(text)
  const { ln = 0, r = 0, p = 0, ...others } = phc?.parameters ?? {}
  if (!phc || ln < 1 || r < 1 || p < 1 || Object.keys(others).length > 0 || phc.hash.length < MIN_HASH_BYTES)
    throw new UnusableHash('is not a well-formed scrypt hash ($scrypt$ln=…,r=…,p=…$salt$hash)')
  const N = 2 ** ln
  if (128 * r * (N + 2 + p) > MAX_MEMORY_BYTES || (N + 4) * r * p > MAX_WORK)
    throw new UnusableHash('needs more than 128 MiB or N·r·p=2^20 of scrypt')
  // RFC 7914 §2.
  if (ln >= 16 * r) throw new UnusableHash('has an N that is too large for its r')
  return {
    matches: password =>
      new Promise((resolve, reject) => {
        const options = { N, r, p, maxmem: MAX_MEMORY_BYTES }
        scrypt(password, phc.salt, phc.hash.length, options, (error, key) =>
          error ? reject(error) : resolve(timingSafeEqual(key, phc.hash)),
        )
      }),
  }
}
