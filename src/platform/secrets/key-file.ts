import { randomUUID } from 'node:crypto'
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
import { StartError } from '../errors/start-error.js'
import type { RotatingKey } from './rotating-keys.js'

const OWNER_AND_GROUP = 0o770
/** Everybody else: what they can read is no secret. */
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
 * Throws an Error, and replaces nothing, when it may not give the file to them, or when anybody else can read it.
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
      `${file} can be used by everybody: give it to the service's user or group, and take it from others`,
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
