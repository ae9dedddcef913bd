import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  newKeySet,
  readKeySet,
  rotateKeySet,
  type SigningKey,
  type StoredKey,
  writeKeySet,
} from './key-set.js'

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
