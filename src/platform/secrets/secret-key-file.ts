import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto'
import { secondsAfter } from '../time.js'
import { createKeyFile, readKeyFile, saveKeyFile } from './key-file.js'
import {
  ageCountsFrom,
  type KeyState,
  KNOWN_BEFORE_USE_SECONDS,
  type RotatingKey,
  requireOneCurrent,
  rotated,
} from './rotating-keys.js'

/** AES-256 and HMAC-SHA256 both take 32 bytes. */
const KEY_BYTES = 32

/** A key as stored in SECRETS_KEYS_FILE; `key` is base64url. */
interface StoredSecretKey extends RotatingKey {
  readonly key: string
}

/** A key in SECRETS_KEYS_FILE, as the two keys derived from it: one seals, one authenticates. */
export interface SecretKey {
  readonly kid: string
  readonly state: KeyState
  readonly ageCountsFrom: Date
  readonly sealing: KeyObject
  readonly authenticating: KeyObject
}

/** The keys of `file`; throws an Error that names the file. */
export function loadSecretKeys(file: string): Promise<SecretKey[]> {
  return readKeyFile('SECRETS_KEYS_FILE', file, text => storedKeysOf(text).map(readKey))
}

/** Creates a file with a current and a next key; throws an Error when it exists. */
export async function generateSecretKeys(file: string, now: Date): Promise<void> {
  await createKeyFile(file, [newKey('current', now), newKey('next', now)])
}

/**
 * The next key of `file` becomes current. The retired one still opens what it has sealed. Throws an Error
 * when the next key is younger than ten minutes.
 */
export async function rotateSecretKeys(file: string, now: Date): Promise<void> {
  const keys = await readKeyFile('SECRETS_KEYS_FILE', file, storedKeysOf)
  await saveKeyFile(
    file,
    rotated(keys, now, state => newKey(state, now)),
  )
}

/**
 * Removes the retired keys of `file`, once nothing is sealed with them any more. Those retired less than ten
 * minutes ago stay, because a server may still use them. Returns how many it removed, and how many retired
 * keys are left.
 */
export async function dropRetiredSecretKeys(
  file: string,
  now: Date,
): Promise<{ dropped: number; kept: number }> {
  const keys = await readKeyFile('SECRETS_KEYS_FILE', file, storedKeysOf)
  const isNeeded = ({ retiredAt }: StoredSecretKey) =>
    !retiredAt || secondsAfter(new Date(retiredAt), KNOWN_BEFORE_USE_SECONDS) > now
  const needed = keys.filter(isNeeded)
  const dropped = keys.length - needed.length
  if (dropped > 0) await saveKeyFile(file, needed)
  return { dropped, kept: needed.filter(({ state }) => state === 'retired').length }
}

function newKey(state: KeyState, now: Date): StoredSecretKey {
  return {
    kid: randomBytes(8).toString('base64url'),
    state,
    createdAt: now.toISOString(),
    key: randomBytes(KEY_BYTES).toString('base64url'),
  }
}

function storedKeysOf(text: string): StoredSecretKey[] {
  const { keys } = JSON.parse(text) as { keys: StoredSecretKey[] }
  requireOneCurrent(keys)
  for (const { kid, key } of keys) {
    if (typeof kid !== 'string' || !/^[\w-]+$/.test(kid)) throw new Error('a key has no usable kid')
    if (typeof key !== 'string' || Buffer.from(key, 'base64url').length !== KEY_BYTES)
      throw new Error(`key ${kid} is not ${KEY_BYTES} bytes of base64url`)
  }
  return keys
}

function readKey(stored: StoredSecretKey): SecretKey {
  const { kid, state, key } = stored
  return {
    kid,
    state,
    ageCountsFrom: ageCountsFrom(stored),
    sealing: derivedKey(key, 'seal'),
    authenticating: derivedKey(key, 'authenticate'),
  }
}

/** HKDF (RFC 5869): uses of one of the two keys reveal nothing about the other. */
function derivedKey(key: string, use: string): KeyObject {
  const derived = hkdfSync('sha256', Buffer.from(key, 'base64url'), '', `mainstay ${use}`, KEY_BYTES)
  return createSecretKey(Buffer.from(derived))
}
