import { type ParsedHashOptions, parseOptions, verify } from '@node-rs/argon2'
import { type ImportedHash, UnusableHash } from './imported-hash.js'

/** 128 MiB, in KiB: one hash per core runs at a time. */
const MAX_MEMORY = 131_072
/** Memory times passes, in KiB. A password may be tried in two forms. */
const MAX_WORK = 524_288
const MAX_LANES = 16

/** Argon2i, -d and -id. Throws {@link UnusableHash}. */
export function readArgon2Hash(text: string): ImportedHash {
  const { memoryCost, timeCost, parallelism } = parametersOf(text)
  if (memoryCost > MAX_MEMORY || memoryCost * timeCost > MAX_WORK || parallelism > MAX_LANES)
    throw new UnusableHash(`needs more than m=${MAX_MEMORY}, m·t=${MAX_WORK} or p=${MAX_LANES}`)
  return { matches: password => verify(text, password) }
}

function parametersOf(text: string): ParsedHashOptions {
  try {
    return parseOptions(text)
  } catch {
    throw new UnusableHash('is not a well-formed argon2 hash')
  }
}
