import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Logger } from '../log/logger.js'
import type { RotatingKey } from './rotating-keys.js'

/**
 * How soon a change of the file is noticed. Polled, because network volumes and secret mounts do not support
 * watching.
 */
const POLL_EVERY_MS = 2_000

/** Parses the text of `file` with `read`; throws an Error that names the setting and the file. */
export async function readKeyFile<T>(setting: string, file: string, read: (text: string) => T): Promise<T> {
  try {
    return read(await readFile(file, 'utf8'))
  } catch (cause) {
    // Its message would quote the file, which contains keys.
    if (cause instanceof SyntaxError) throw new Error(`${setting} ${file} cannot be used: it is not JSON`)
    throw new Error(`${setting} ${file} cannot be used: ${(cause as Error).message}`, { cause })
  }
}

/** Writes a file that must not exist yet; throws an Error when it does. */
export async function createKeyFile(file: string, keys: readonly RotatingKey[]): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} already exists; rotate its keys instead`)
  await saveKeyFile(file, keys)
}

/** Atomic, because servers read this file at any time. Only its owner can read it. */
export async function saveKeyFile(file: string, keys: readonly RotatingKey[]): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  const temporary = `${file}.${randomUUID()}.tmp`
  await writeFile(temporary, keyFileText(keys), { mode: 0o600, flag: 'wx' })
  await rename(temporary, file)
}

export function keyFileText(keys: readonly RotatingKey[]): string {
  return `${JSON.stringify({ keys }, null, 2)}\n`
}

/** Loads a key file now and whenever it changes, until stopped. */
export class KeyFileWatch {
  private version = ''
  private timer: NodeJS.Timeout | undefined

  /** `load` reads the file and rejects when it cannot be used. */
  constructor(
    private readonly file: string,
    private readonly load: () => Promise<void>,
    private readonly logger: Logger,
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

  private async reload(): Promise<void> {
    const version = await versionOf(this.file)
    await this.load()
    this.version = version
  }

  /** If the file becomes unreadable, nothing changes: the keys in memory are still good. */
  private async reloadIfChanged(): Promise<void> {
    try {
      if ((await versionOf(this.file)) !== this.version) await this.reload()
    } catch (error) {
      this.logger.error((error as Error).message)
    }
  }
}

/** Changes whenever the file does; empty when it is missing. */
async function versionOf(file: string): Promise<string> {
  const found = await stat(file).catch(() => null)
  return found ? `${found.ino}:${found.mtimeMs}:${found.size}` : ''
}
