import { stat } from 'node:fs/promises'
import type { Logger } from '../log.js'
import type { KeyState } from './rotating-keys.js'

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
