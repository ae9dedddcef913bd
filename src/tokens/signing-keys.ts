import { stat } from 'node:fs/promises'
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import { Logger } from '../log/logger.js'
import { generateKeys, loadKeys, type SigningKey, verifiesUntil } from './key-file.js'

/**
 * How soon a change of the file is noticed. Polled, because network volumes and secret mounts do not support
 * watching.
 */
const POLL_EVERY_MS = 2_000

/** The keys of JWT_KEYS_FILE, kept up to date while the service runs. */
@Injectable()
export class SigningKeys implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('SigningKeys')
  /** The key that signs. */
  current!: SigningKey
  private keys: ReadonlyMap<string, SigningKey> = new Map()
  private fileVersion = ''
  private timer: NodeJS.Timeout | undefined
  private readonly listeners: (() => void)[] = []

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Outside production a missing key file is created. */
  async onModuleInit(): Promise<void> {
    const { jwtKeysFile, environment } = this.settings
    const isMissing = (await versionOf(jwtKeysFile)) === ''
    if (isMissing && environment !== 'production') await generateKeys(jwtKeysFile, this.clock.now())
    await this.load()
    this.timer = setInterval(() => void this.reloadIfChanged(), POLL_EVERY_MS).unref()
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer)
  }

  /** The key with this id, if tokens that it signed may still be valid; null otherwise. */
  verifying(kid: string): SigningKey | null {
    const key = this.keys.get(kid)
    return key && this.isVerifying(key) ? key : null
  }

  /** All keys to publish: next, current and those retired ones whose tokens may still be valid. */
  published(): SigningKey[] {
    return [...this.keys.values()].filter(key => this.isVerifying(key))
  }

  /** `listener` is called after the keys have changed. */
  onChange(listener: () => void): void {
    this.listeners.push(listener)
  }

  private isVerifying({ retiredAt }: SigningKey): boolean {
    return (
      retiredAt === null || verifiesUntil(retiredAt, this.settings.accessTokenTtlSeconds) > this.clock.now()
    )
  }

  private async load(): Promise<void> {
    const version = await versionOf(this.settings.jwtKeysFile)
    const keys = await loadKeys(this.settings.jwtKeysFile)
    this.keys = new Map(keys.map(key => [key.kid, key]))
    this.current = keys.find(key => key.state === 'current') as SigningKey
    this.fileVersion = version
  }

  /** If the file becomes unreadable nothing changes: the keys in memory are still good. */
  private async reloadIfChanged(): Promise<void> {
    try {
      if ((await versionOf(this.settings.jwtKeysFile)) === this.fileVersion) return
      await this.load()
      for (const listener of this.listeners) listener()
      this.logger.log(`Signing keys changed; ${this.current.kid} signs now`)
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
