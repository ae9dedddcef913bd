import { verify } from '@node-rs/bcrypt'
import { type ImportedHash, UnusableHash } from './imported-hash.js'

/** `$2x$` marks hashes of a faulty version and is not accepted. */
const SHAPE = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/
/** Each step doubles the work, and a password may be tried in two forms. */
const MAX_COST = 13

/**
 * Bcrypt looks at the first 72 bytes of a password only, and so do we, as the system that made the hash did.
 * The next login replaces it by a hash of the whole password. Throws {@link UnusableHash}.
 */
export function readBcryptHash(text: string): ImportedHash {
  const [, cost] = SHAPE.exec(text) ?? []
  if (!cost) throw new UnusableHash('is not a well-formed bcrypt hash ($2a$, $2b$ or $2y$)')
  if (Number(cost) > MAX_COST) throw new UnusableHash(`needs more than bcrypt cost ${MAX_COST}`)
  return { matches: password => verify(password, text) }
}
