import { scrypt, timingSafeEqual } from 'node:crypto'
import { readPhcString } from './phc-string.js'
import { UnusableHash, type UsableHash } from './usable-hash.js'

/** 128 × N × r bytes. OWASP's strongest choice (N=2^17, r=8) takes all of it. */
const MAX_MEMORY_BYTES = 128 * 1024 * 1024
/** N × r × p: less than a second. */
const MAX_WORK = 2 ** 21
/** OpenSSL counts its own buffers too. */
const OPENSSL_MAX_BYTES = MAX_MEMORY_BYTES + 32 * 1024 * 1024
const MIN_HASH_BYTES = 16

/** `$scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<hash>`. Throws {@link UnusableHash}. */
export function readScryptHash(text: string): UsableHash {
  const phc = readPhcString(text)
  const { ln = 0, r = 0, p = 0, ...others } = phc?.parameters ?? {}
  if (!phc || ln < 1 || r < 1 || p < 1 || Object.keys(others).length > 0 || phc.hash.length < MIN_HASH_BYTES)
    throw new UnusableHash('is not a well-formed scrypt hash ($scrypt$ln=…,r=…,p=…$salt$hash)')
  const N = 2 ** ln
  if (128 * N * r > MAX_MEMORY_BYTES || N * r * p > MAX_WORK)
    throw new UnusableHash('asks for more than 128 MiB or N·r·p=2^21 of scrypt')
  // RFC 7914 §2.
  if (ln >= 16 * r) throw new UnusableHash('has an N of scrypt that is too large for its r')
  return {
    isOf: password =>
      new Promise((resolve, reject) => {
        const options = { N, r, p, maxmem: OPENSSL_MAX_BYTES }
        scrypt(password, phc.salt, phc.hash.length, options, (error, key) =>
          error ? reject(error) : resolve(timingSafeEqual(key, phc.hash)),
        )
      }),
  }
}
