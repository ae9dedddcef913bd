import { readFile, rename, writeFile } from 'node:fs/promises'
import {
  generateKeys,
  generateSecretKeys,
  type KeyState,
  keyFileText,
  loadKeys,
  rotateKeys,
  type SigningKey,
  type StoredKey,
  secondsAfter,
} from '../../sources.js'
import { secretsBeside } from '../service/environment.js'

const TOKEN_LIFE_SECONDS = 900
const HOUR_SECONDS = 60 * 60

/**
 * A new key file with a key that was retired an hour ago, too long for any token of it to live, and a next key
 * that may be used at once; beside it a file of secret keys. Returns the secret parts of the signing keys.
 */
export async function makeKeys(file: string): Promise<string[]> {
  const now = new Date()
  await generateSecretKeys(secretsBeside(file), now)
  await generateKeys(file, secondsAfter(now, -2 * HOUR_SECONDS))
  await rotateKeys(file, secondsAfter(now, -HOUR_SECONDS), TOKEN_LIFE_SECONDS)
  return (await loadKeys(file)).map(key => key.privateKey.export({ format: 'jwk' }).d!)
}

/** The key in that state; of several retired ones the first. */
export async function keyIn(state: KeyState, file: string): Promise<SigningKey> {
  return (await loadKeys(file)).findLast(key => key.state === state)!
}

/** As if the retired keys had been retired an hour ago. */
export async function retireEarlier(file: string): Promise<void> {
  const { keys } = JSON.parse(await readFile(file, 'utf8')) as { keys: StoredKey[] }
  const retiredAt = secondsAfter(new Date(), -HOUR_SECONDS).toISOString()
  const earlier = keys.map(key => (key.state === 'retired' ? { ...key, retiredAt } : key))
  // The service reads it at any moment: whole or not at all.
  await writeFile(`${file}.tmp`, keyFileText(earlier))
  await rename(`${file}.tmp`, file)
}
