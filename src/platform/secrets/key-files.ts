import { createSecretKey, hkdfSync, type KeyObject, randomBytes, randomUUID } from 'node:crypto'
import {
  type FileHandle,
  mkdir,
  open,
  readFile,
  readlink,
  realpath,
  rename,
  rm,
  stat,
} from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { withoutByteOrderMark } from '../config/byte-order-mark.js'
import { StartError } from '../errors/api-error.js'
import type { Logger } from '../log.js'
import { secondsAfter, unixSeconds } from '../time.js'

/** Not used yet, in use, or accepted only for what it signed or sealed before. */
export type KeyState = 'next' | 'current' | 'retired'

/** Fields of every key in a key file. */
export interface RotatingKey {
  readonly kid: string
  readonly state: KeyState
  readonly createdAt: string
  /** When a rotation made it current; the first key of a file has none, and neither have files of older releases. */
  readonly currentSince?: string
  readonly retiredAt?: string
}

/** A key is in the file for this long before it is used, so that every reader knows it by then. */
export const KNOWN_BEFORE_USE_SECONDS = 600

/**
 * The next key becomes current, the current one is retired, and `newKey` makes the next one; retired keys
 * stay. Throws an Error when the next key is younger than ten minutes, because it may not be known
 * everywhere.
 */
export function rotated<K extends RotatingKey>(
  keys: readonly K[],
  now: Date,
  newKey: (state: KeyState) => K,
): K[] {
  const next = keys.find(key => key.state === 'next')
  if (!next) throw new Error('The key file has no next key')
  const usableAt = secondsAfter(new Date(next.createdAt), KNOWN_BEFORE_USE_SECONDS)
  if (usableAt > now)
    throw new Error(
      `The next key may be used from ${usableAt.toISOString()} on: until then it may not be known everywhere`,
    )
  const retired = keys
    .filter(key => key.state !== 'next')
    .map(key => (key.state === 'current' ? { ...key, state: 'retired', retiredAt: now.toISOString() } : key))
  return [{ ...next, state: 'current', currentSince: now.toISOString() }, newKey('next'), ...(retired as K[])]
}

/** From when the age of a key counts: since it became the current one, or else since it was made. */
export function ageCountsFrom({ createdAt, currentSince }: Omit<RotatingKey, 'kid'>): Date {
  return new Date(currentSince ?? createdAt)
}

/** From when the ages of the current key and of the next one count, in seconds since 1970. */
export function creationTimes(
  keys: Iterable<{ readonly state: KeyState; readonly ageCountsFrom: Date }>,
): Readonly<Record<string, number>> {
  const inUse = [...keys].filter(({ state }) => state !== 'retired')
  return Object.fromEntries(inUse.map(key => [key.state, unixSeconds(key.ageCountsFrom)]))
}

/** Throws an Error unless exactly one key is current and no two have the same id. */
export function requireOneCurrent(keys: readonly Pick<RotatingKey, 'kid' | 'state'>[]): void {
  if (keys.filter(key => key.state === 'current').length !== 1)
    throw new Error('exactly one key must be current')
  if (new Set(keys.map(key => key.kid)).size !== keys.length) throw new Error('two keys have the same kid')
}

const OWNER_AND_GROUP = 0o770
/** All other users of the machine: what they can read is no secret. */
const OTHERS = 0o007

/** The command that creates the file of a setting. */
const CREATED_BY = { JWT_KEYS_FILE: 'keys:generate', SECRETS_KEYS_FILE: 'secrets:generate' } as const

/** Parses the text of `file` with `read`; throws an Error that names the setting and the file. */
export async function readKeyFile<T>(
  setting: keyof typeof CREATED_BY,
  file: string,
  read: (text: string) => T,
): Promise<T> {
  try {
    return read(withoutByteOrderMark(await readFile(file, 'utf8')))
  } catch (cause) {
    // Its message would quote the file, which contains keys.
    if (cause instanceof SyntaxError)
      throw new StartError(`${setting} ${file} cannot be used: it is not JSON`)
    const { code, message } = cause as NodeJS.ErrnoException
    const creation = code === 'ENOENT' ? `; for a new installation, ${CREATED_BY[setting]} creates it` : ''
    throw new StartError(`${setting} ${file} cannot be used: ${message}${creation}`, { cause })
  }
}

/** Writes a file that must not exist yet; throws an Error when it does, or is a folder. */
export async function createKeyFile(file: string, keys: readonly RotatingKey[]): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found?.isDirectory()) throw new Error(`${file} is a folder, not a file`)
  if (found) throw new Error(`${file} already exists; rotate its keys instead`)
  await saveKeyFile(file, keys)
}

/**
 * Atomic, because servers read this file at any time, and on the disk before it returns. Only its owner can read a
 * new file; one that is replaced keeps its owner and group, and what these may do with it, or else the service may
 * not be able to read it. Of a symbolic link the target is replaced: others may read that by another name.
 * Throws an Error, and replaces nothing, when it may not give the file to them, or when any other user can read it.
 */
export async function saveKeyFile(path: string, keys: readonly RotatingKey[]): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  const file = await targetOf(path)
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    await withHandle(temporary, 'wx', async handle => {
      await keepAccess(handle, file)
      await handle.writeFile(keyFileText(keys))
      await handle.sync()
    })
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw error
  }
  // Windows cannot sync a folder.
  await withHandle(dirname(file), 'r', folder => folder.sync()).catch(() => {})
}

async function targetOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const missing = await readlink(path).catch(() => null)
    return missing === null ? path : resolve(dirname(path), missing)
  }
}

async function keepAccess(handle: FileHandle, file: string): Promise<void> {
  const [made, replaced] = await Promise.all([handle.stat(), stat(file).catch(() => null)])
  if (!replaced) return
  const { uid, gid, mode } = replaced
  if (mode & OTHERS)
    throw new Error(
      `${file} can be used by every user of the machine: give it to the service's user or group, and take it from others`,
    )
  if (made.uid !== uid || made.gid !== gid)
    await handle.chown(uid, gid).catch(cause => {
      throw new Error(`${file} belongs to another user or group; run this as root, or as its owner`, {
        cause,
      })
    })
  await handle.chmod(mode & OWNER_AND_GROUP)
}

async function withHandle(
  path: string,
  flags: string,
  work: (handle: FileHandle) => Promise<void>,
): Promise<void> {
  const handle = await open(path, flags, 0o600)
  try {
    await work(handle)
  } finally {
    await handle.close()
  }
}

export function keyFileText(keys: readonly RotatingKey[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`
}

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

/**
 * How soon a change of the file is noticed. Polled, because network volumes and secret mounts do not support
 * watching.
 */
const POLL_EVERY_MS = 2_000
/** How often a fault of the file is logged while it stays the same. */
const SAY_AGAIN_MS = 10 * 60_000

/** A key as it is used. */
interface Key {
  readonly kid: string
  readonly state: KeyState
}

/** The keys of a key file, read again whenever it changes, until stopped. */
export class WatchedKeys<K extends Key> {
  /** The key that signs or seals; set by {@link start}. */
  current!: K
  private keys: ReadonlyMap<string, K> = new Map()
  private version = ''
  private timer: NodeJS.Timeout | undefined
  private fault: { readonly message: string; readonly saidAt: number } | null = null

  /** `load` reads the file and rejects when it cannot be used; `onChange` is called each time but the first. */
  constructor(
    private readonly file: string,
    private readonly load: (file: string) => Promise<readonly K[]>,
    private readonly logger: Logger,
    private readonly onChange: () => void,
  ) {}

  /** With `create`, a missing file is created first. Rejects when the file cannot be used. */
  async start(create: (() => Promise<void>) | null): Promise<void> {
    if (create && (await versionOf(this.file)) === '') await create()
    await this.reload()
    this.timer = setInterval(() => void this.reloadIfChanged(), POLL_EVERY_MS).unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /** The key with this id, in any state; null when the file has none. */
  find(kid: string): K | null {
    return this.keys.get(kid) ?? null
  }

  /** In any state. */
  all(): K[] {
    return [...this.keys.values()]
  }

  private async reload(): Promise<void> {
    const version = await versionOf(this.file)
    const keys = await this.load(this.file)
    const isChange = this.keys.size > 0
    this.keys = new Map(keys.map(key => [key.kid, key]))
    this.current = keys.find(key => key.state === 'current') as K
    if (isChange) this.onChange()
    this.version = version
  }

  /** If the file becomes unreadable, nothing changes: the keys in memory are still good. */
  private async reloadIfChanged(): Promise<void> {
    try {
      if ((await versionOf(this.file)) !== this.version) await this.reload()
      this.fault = null
    } catch (error) {
      this.say((error as Error).message)
    }
  }

  private say(message: string): void {
    const now = performance.now()
    if (this.fault?.message === message && now - this.fault.saidAt < SAY_AGAIN_MS) return
    this.fault = { message, saidAt: now }
    this.logger.error(message)
  }
}

/** Changes whenever the file does; empty when it is missing. */
async function versionOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => null)
  return found ? `${found.ino}:${found.mtimeMs}:${found.size}` : ''
}
