import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { Settings } from '../platform/config/settings.js'
import { Logger } from '../platform/log.js'
import { Metrics } from '../platform/metrics.js'
import { creationTimes } from '../platform/secrets/rotating-keys.js'
import { WatchedKeys } from '../platform/secrets/watched-keys.js'
import { Clock } from '../platform/time.js'
import { generateKeys, loadKeys, type SigningKey, verifiesUntil } from './signing-key-file.js'

/** The keys of JWT_KEYS_FILE, kept up to date while the service runs. */
@Injectable()
export class SigningKeys implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('SigningKeys')
  private readonly keys: WatchedKeys<SigningKey>
  private readonly listeners: (() => void)[] = []

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.keys = new WatchedKeys(settings.jwtKeysFile, loadKeys, this.logger, () => this.changed())
    metrics.gauge({
      name: 'signing_key_created_timestamp_seconds',
      help: 'Since when the current signing key signs, and when the next one was made, in seconds since 1970',
      label: 'state',
      read: () => creationTimes(this.keys.all()),
    })
  }

  /** Outside production a missing key file is created. */
  async onModuleInit(): Promise<void> {
    const { jwtKeysFile, environment } = this.settings
    const create = () => generateKeys(jwtKeysFile, this.clock.now())
    await this.keys.start(environment === 'production' ? null : create)
  }

  onApplicationShutdown(): void {
    this.keys.stop()
  }

  /** The key for signing. */
  get current(): SigningKey {
    return this.keys.current
  }

  /** The key with this id, if tokens that it signed may still be valid; null otherwise. */
  verifying(kid: string): SigningKey | null {
    const key = this.keys.find(kid)
    return key && this.isVerifying(key) ? key : null
  }

  /** All keys to publish: next, current and those retired ones whose tokens may still be valid. */
  published(): SigningKey[] {
    return this.keys.all().filter(key => this.isVerifying(key))
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

  private changed(): void {
    for (const listener of this.listeners) listener()
    this.logger.log(`Signing keys changed; ${this.current.kid} signs now`)
  }
}
