import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
  randomUUID,
} from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { secondsAfter } from '../clock/clock.js'

/** The signing keys of `file`; throws an Error that names the file. */
export async function loadKeys(file: string): Promise<SigningKey[]> {
  try {
    return readKeySet(await readFile(file, 'utf8'))
  } catch (cause) {
    throw new Error(`JWT_KEYS_FILE ${file} cannot be used: ${(cause as Error).message}`, { cause })
  }
}

/** Creates a key file; throws an Error when it exists. */
export async function generateKeys(file: string, now: Date): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} already exists; rotate its keys instead`)
  await save(file, newKeySet(now))
}

/**
 * Rotates the keys of `file`; running servers pick it up within seconds. Throws like {@link rotateKeySet}.
 */
export async function rotateKeys(file: string, now: Date, accessTokenTtlSeconds: number): Promise<void> {
  await loadKeys(file)
  const { keys } = JSON.parse(await readFile(file, 'utf8')) as { keys: StoredKey[] }
  await save(file, rotateKeySet(keys, now, accessTokenTtlSeconds))
}

/**
 * Replaces all keys of `file`, after a leak: the current and the next one may both be stolen. Whatever they
 * signed is refused as soon as a server has read the file again, within 2 s. Throws an Error when there is no
 * usable file.
 */
export async function replaceKeys(file: string, now: Date): Promise<void> {
  await loadKeys(file)
  await save(file, newKeySet(now))
}

/** Atomic, because servers read this file at any time. Readable by its owner only. */
async function save(file: string, keys: readonly StoredKey[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const temporary = `${file}.${randomUUID()}.tmp`
  await writeFile(temporary, writeKeySet(keys), { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
}

/** Not used yet, in use, or still published until its last token has expired. */
export type KeyState = 'next' | 'current' | 'retired'

/** A signing key as stored in JWT_KEYS_FILE: an EC P-256 private JWK with its state. */
export interface StoredKey {
  readonly kid: string
  readonly state: KeyState
  readonly createdAt: string
  readonly retiredAt?: string
  readonly jwk: JsonWebKey
}

export interface SigningKey {
  readonly kid: string
  readonly state: KeyState
  readonly createdAt: Date
  readonly retiredAt: Date | null
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/**
 * Verifiers keep the key list for this long (Cache-Control of JWKS), so a key is published this long before
 * it signs.
 */
export const PUBLISH_BEFORE_USE_SECONDS = 600
/** A retired key verifies until its last token has expired, and this much longer. */
const RETIREMENT_MARGIN_SECONDS = 60

/** A current and a next key, for a new installation. */
export function newKeySet(now: Date): StoredKey[] {
  return [newKey('current', now), newKey('next', now)]
}

/**
 * The next key becomes current, the current one is retired, and a new next key is made; keys whose last token
 * has expired are dropped. Throws an Error when the next key has been published for less than ten minutes,
 * because verifiers might not know it.
 */
export function rotateKeySet(
  keys: readonly StoredKey[],
  now: Date,
  accessTokenTtlSeconds: number,
): StoredKey[] {
  const next = keys.find(key => key.state === 'next')
  if (!next) throw new Error('The key file has no next key')
  const usableAt = secondsAfter(new Date(next.createdAt), PUBLISH_BEFORE_USE_SECONDS)
  if (usableAt > now)
    throw new Error(
      `The next key may be used from ${usableAt.toISOString()} on: until then verifiers may not know it`,
    )
  const kept = keys.filter(
    key =>
      key.state === 'current' || (key.retiredAt && verifiesUntil(key.retiredAt, accessTokenTtlSeconds) > now),
  )
  const retired = kept.map(key =>
    key.state === 'current' ? { ...key, state: 'retired' as const, retiredAt: now.toISOString() } : key,
  )
  return [{ ...next, state: 'current' }, newKey('next', now), ...retired]
}

export function verifiesUntil(retiredAt: string | Date, accessTokenTtlSeconds: number): Date {
  return secondsAfter(new Date(retiredAt), accessTokenTtlSeconds + RETIREMENT_MARGIN_SECONDS)
}

/** Reads the keys of a file; throws an Error that says what is wrong with it. */
export function readKeySet(text: string): SigningKey[] {
  const { keys } = JSON.parse(text) as { keys: StoredKey[] }
  const read = keys.map(readKey)
  if (read.filter(key => key.state === 'current').length !== 1)
    throw new Error('exactly one key must be current')
  if (new Set(read.map(key => key.kid)).size !== read.length) throw new Error('two keys have the same kid')
  return read
}

export function writeKeySet(keys: readonly StoredKey[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`
}

function newKey(state: KeyState, now: Date): StoredKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = privateKey.export({ format: 'jwk' })
  return { kid: thumbprint(jwk), state, createdAt: now.toISOString(), jwk }
}

/** RFC 7638: the same key has the same id everywhere. */
function thumbprint({ crv, kty, x, y }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

function readKey(stored: StoredKey): SigningKey {
  const privateKey = createPrivateKey({ key: stored.jwk, format: 'jwk' })
  if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error(`key ${stored.kid} is not an EC P-256 key`)
  return {
    kid: stored.kid,
    state: stored.state,
    createdAt: new Date(stored.createdAt),
    retiredAt: stored.retiredAt ? new Date(stored.retiredAt) : null,
    privateKey,
    publicKey: createPublicKey(privateKey),
  }
}
