import { createCipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { type ParsedHashOptions, parseOptions, verify as verifyArgon2 } from '@node-rs/argon2'
import { verify as verifyBcrypt } from '@node-rs/bcrypt'

const derivePbkdf2 = promisify(pbkdf2)

/** A hash made by another system, or by us with different parameters. */
export interface ImportedHash {
  /** Whether this is the hash of exactly this text. */
  matches(password: string): Promise<boolean>
}

/** Why a hash cannot be imported, worded for the operator. Never contains the hash. */
export class UnusableHash extends Error {}

/** By the prefix of the text. */
const READERS: readonly (readonly [prefix: string, read: (text: string) => ImportedHash])[] = [
  ['$argon2', readArgon2Hash],
  ['$2', readBcryptHash],
  ['$scrypt$', readScryptHash],
  ['$pbkdf2-', readPbkdf2Hash],
  ['$fbscrypt$', readFirebaseScryptHash],
]

/**
 * Parses a hash. Throws {@link UnusableHash} for an unknown format, and for parameters that cost more than
 * about a second or 128 MiB, because a hostile file must not stop the service.
 */
export function readImportedHash(text: string): ImportedHash {
  const [, read] = READERS.find(([prefix]) => text.startsWith(prefix)) ?? []
  if (!read) throw new UnusableHash('is not an argon2, bcrypt, scrypt, PBKDF2 or Firebase hash')
  return read(text)
}

/** 128 MiB, in KiB: one hash per core runs at a time. */
const ARGON2_MAX_MEMORY = 131_072
/** Memory times passes, in KiB. A password may be tried in two forms. */
const ARGON2_MAX_WORK = 524_288
const ARGON2_MAX_LANES = 16

/** Argon2i, -d and -id. Throws {@link UnusableHash}. */
function readArgon2Hash(text: string): ImportedHash {
  const { memoryCost, timeCost, parallelism } = argon2ParametersOf(text)
  if (
    memoryCost > ARGON2_MAX_MEMORY ||
    memoryCost * timeCost > ARGON2_MAX_WORK ||
    parallelism > ARGON2_MAX_LANES
  )
    throw new UnusableHash(
      `needs more than m=${ARGON2_MAX_MEMORY}, m·t=${ARGON2_MAX_WORK} or p=${ARGON2_MAX_LANES}`,
    )
  return { matches: password => verifyArgon2(text, password) }
}

function argon2ParametersOf(text: string): ParsedHashOptions {
  try {
    return parseOptions(text)
  } catch {
    throw new UnusableHash('is not a well-formed argon2 hash')
  }
}

/** `$2x$` marks hashes from a faulty version and is not accepted. */
const BCRYPT = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/
/** Each step doubles the work, and a password may be tried in two forms. */
const BCRYPT_MAX_COST = 13

/**
 * Bcrypt uses only the first 72 bytes of a password, and so do we, like the system that made the hash. The
 * next login replaces it with a hash of the whole password. Throws {@link UnusableHash}.
 */
function readBcryptHash(text: string): ImportedHash {
  const [, cost] = BCRYPT.exec(text) ?? []
  if (!cost) throw new UnusableHash('is not a well-formed bcrypt hash ($2a$, $2b$ or $2y$)')
  if (Number(cost) > BCRYPT_MAX_COST) throw new UnusableHash(`needs more than bcrypt cost ${BCRYPT_MAX_COST}`)
  return { matches: password => verifyBcrypt(password, text) }
}

const MIN_HASH_BYTES = 16

interface Digest {
  readonly name: string
  readonly bytes: number
  /**
   * Iterations times blocks of the hash. A password may be tried in two forms. OWASP recommends 600,000 and
   * 210,000.
   */
  readonly maxIterations: number
}

const PBKDF2_DIGESTS = new Map<string, Digest>([
  ['pbkdf2-sha1', { name: 'sha1', bytes: 20, maxIterations: 2_000_000 }],
  ['pbkdf2-sha256', { name: 'sha256', bytes: 32, maxIterations: 2_000_000 }],
  ['pbkdf2-sha512', { name: 'sha512', bytes: 64, maxIterations: 1_000_000 }],
])

/**
 * `$pbkdf2-sha256$i=<iterations>$<salt>$<hash>`, with or without `,l=<bytes>`, and the same with sha512 and
 * sha1. Throws {@link UnusableHash}.
 */
function readPbkdf2Hash(text: string): ImportedHash {
  const phc = readPhcString(text)
  const { i = 0, l = phc?.hash.length, ...others } = phc?.parameters ?? {}
  const digest = phc && PBKDF2_DIGESTS.get(phc.scheme)
  const isWellFormed = i >= 1 && Object.keys(others).length === 0 && l === phc?.hash.length
  if (!digest || !isWellFormed || phc.hash.length < MIN_HASH_BYTES)
    throw new UnusableHash(
      'is not a well-formed PBKDF2 hash ($pbkdf2-sha256$i=…$salt$hash, -sha512 or -sha1)',
    )
  // A hash longer than the digest consists of blocks, each with all iterations (RFC 8018 §5.2).
  const blocks = Math.ceil(phc.hash.length / digest.bytes)
  if (i * blocks > digest.maxIterations)
    throw new UnusableHash(`needs more than ${digest.maxIterations} iterations of PBKDF2, over all blocks`)
  return {
    matches: async password =>
      timingSafeEqual(await derivePbkdf2(password, phc.salt, i, phc.hash.length, digest.name), phc.hash),
  }
}

/** As OpenSSL calculates it. OWASP's strongest choice (N=2^17, r=8) takes nearly all of it. */
const SCRYPT_MAX_MEMORY_BYTES = 129 * 1024 * 1024
/** (N + 4) × r × p, where 4 accounts for the input and output of each block. A password may be tried in two forms. */
const SCRYPT_MAX_WORK = 1_100_000

/** `$scrypt$ln=<log2 N>,r=<r>,p=<p>$<salt>$<hash>`. Throws {@link UnusableHash}. */
function readScryptHash(text: string): ImportedHash {
  const phc = readPhcString(text)
  const { ln = 0, r = 0, p = 0, ...others } = phc?.parameters ?? {}
  if (!phc || ln < 1 || r < 1 || p < 1 || Object.keys(others).length > 0 || phc.hash.length < MIN_HASH_BYTES)
    throw new UnusableHash('is not a well-formed scrypt hash ($scrypt$ln=…,r=…,p=…$salt$hash)')
  const N = requireAffordableScrypt({ ln, r, p })
  return {
    matches: password =>
      new Promise((resolve, reject) => {
        const options = { N, r, p, maxmem: SCRYPT_MAX_MEMORY_BYTES }
        scrypt(password, phc.salt, phc.hash.length, options, (error, key) =>
          error ? reject(error) : resolve(timingSafeEqual(key, phc.hash)),
        )
      }),
  }
}

/** The N of these parameters. Throws {@link UnusableHash} where they cost too much or are invalid. */
function requireAffordableScrypt({ ln, r, p }: { ln: number; r: number; p: number }): number {
  const N = 2 ** ln
  if (128 * r * (N + 2 + p) > SCRYPT_MAX_MEMORY_BYTES || (N + 4) * r * p > SCRYPT_MAX_WORK)
    throw new UnusableHash('needs more than 128 MiB or N·r·p=2^20 of scrypt')
  // RFC 7914 §2.
  if (ln >= 16 * r) throw new UnusableHash('has an N that is too large for its r')
  return N
}

/** Throws {@link UnusableHash}. */
function readFirebaseScryptHash(text: string): ImportedHash {
  const hash = readFirebaseHash(text)
  if (!hash || hash.ln < 1 || hash.r < 1 || hash.p < 1)
    throw new UnusableHash(
      'is not a well-formed Firebase hash ($fbscrypt$v=1,n=…,r=…,p=…,ss=…,sk=…$salt$hash)',
    )
  requireAffordableScrypt(hash)
  return { matches: password => matchesFirebaseHash(hash, password) }
}

/**
 * A hash as text, in the PHC string format: `$<scheme>$<name>=<number>,…$<salt>$<hash>`, with salt and hash
 * in base64 without padding.
 */
interface PhcString {
  readonly scheme: string
  readonly parameters: Readonly<Record<string, number>>
  readonly salt: Buffer
  readonly hash: Buffer
}

const SHAPE = /^\$([a-z0-9-]{1,32})\$([a-z]+=\d{1,9}(?:,[a-z]+=\d{1,9}){0,3})\$([^$]{1,128})\$([^$]{1,128})$/
/** Canonical: each hash has exactly one text. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048])?$/

/** Null for text in any other form. */
function readPhcString(text: string): PhcString | null {
  const [, scheme, parameters, salt, hash] = SHAPE.exec(text) ?? []
  if (!scheme || !parameters || !salt || !hash || !BASE64.test(salt) || !BASE64.test(hash)) return null
  return {
    scheme,
    parameters: Object.fromEntries(parameters.split(',').map(pair => asEntry(pair))),
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  }
}

function asEntry(pair: string): [string, number] {
  const [name, value] = pair.split('=')
  return [name as string, Number(value)]
}

/** Firebase's variant of scrypt, with the parameters of the user's original project. */
interface FirebaseHash {
  /** The base-2 logarithm of N; Firebase calls it `mem_cost`. */
  readonly ln: number
  /** Firebase calls it `rounds`. */
  readonly r: number
  readonly p: number
  readonly saltSeparator: Buffer
  readonly signerKey: Buffer
  readonly salt: Buffer
  readonly hash: Buffer
}

const FIREBASE_SHAPE =
  /^\$fbscrypt\$v=1,n=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2}),ss=([A-Za-z0-9+/=]{0,64}),sk=([A-Za-z0-9+/=]{1,256})\$([A-Za-z0-9+/=]{1,128})\$([A-Za-z0-9+/=]{1,256})$/

/** AES-256 uses the first half of what scrypt derives. */
const DERIVED_BYTES = 64
const KEY_BYTES = 32
const MIN_SIGNER_KEY_BYTES = 16
/** Each password has its own key, so the counter starts at zero. */
const FIRST_COUNTER = Buffer.alloc(16)

/** As text, in the form that Supabase introduced: `$fbscrypt$v=1,n=…,r=…,p=…,ss=…,sk=…$salt$hash`. */
export function firebaseHashText({ ln, r, p, saltSeparator, signerKey, salt, hash }: FirebaseHash): string {
  const [ss, sk, ...others] = [saltSeparator, signerKey, salt, hash].map(bytes => bytes.toString('base64'))
  return `$fbscrypt$v=1,n=${ln},r=${r},p=${p},ss=${ss},sk=${sk}$${others.join('$')}`
}

/** Null for text in any other form. */
function readFirebaseHash(text: string): FirebaseHash | null {
  const [, ln, r, p, ...encoded] = FIREBASE_SHAPE.exec(text) ?? []
  const [saltSeparator, signerKey, salt, hash] = encoded.map(part => Buffer.from(part, 'base64'))
  if (!saltSeparator || !signerKey || !salt || !hash) return null
  const isSound = hash.length === signerKey.length && signerKey.length >= MIN_SIGNER_KEY_BYTES
  if (!isSound || salt.length === 0) return null
  return { ln: Number(ln), r: Number(r), p: Number(p), saltSeparator, signerKey, salt, hash }
}

/**
 * Whether this is the hash of the password. Encrypting the project's key with the key that scrypt derives
 * gives the hash.
 */
function matchesFirebaseHash(
  { ln, r, p, saltSeparator, signerKey, salt, hash }: FirebaseHash,
  password: string,
): Promise<boolean> {
  const options = { N: 2 ** ln, r, p, maxmem: SCRYPT_MAX_MEMORY_BYTES }
  return new Promise((resolve, reject) => {
    scrypt(password, Buffer.concat([salt, saltSeparator]), DERIVED_BYTES, options, (error, derived) => {
      if (error) return reject(error)
      const cipher = createCipheriv('aes-256-ctr', derived.subarray(0, KEY_BYTES), FIRST_COUNTER)
      const encrypted = Buffer.concat([cipher.update(signerKey), cipher.final()])
      resolve(timingSafeEqual(encrypted, hash))
    })
  })
}
