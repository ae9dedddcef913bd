import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import { Logger } from '../log/logger.js'
import { Metrics } from '../metrics/metrics.js'
import { KeyFileWatch } from './key-file.js'
import { creationTimes } from './rotating-keys.js'
import { generateSecretKeys, loadSecretKeys, type SecretKey } from './secret-key-file.js'

/** The keys of SECRETS_KEYS_FILE, kept up to date while the service runs. */
@Injectable()
export class SecretKeys implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('SecretKeys')
  /** The key for sealing. */
  current!: SecretKey
  private keys: ReadonlyMap<string, SecretKey> = new Map()
  private readonly watch: KeyFileWatch

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.watch = new KeyFileWatch(settings.secretsKeysFile, () => this.load(), this.logger)
    metrics.gauge({
      name: 'secret_key_created_timestamp_seconds',
      help: 'Since when the current key of stored secrets encrypts, and when the next one was made, in seconds since 1970',
      label: 'state',
      read: () => creationTimes(this.keys.values()),
    })
  }

  /** Outside production a missing key file is created. */
  async onModuleInit(): Promise<void> {
    const { secretsKeysFile, environment } = this.settings
    const create = () => generateSecretKeys(secretsKeysFile, this.clock.now())
    await this.watch.start(environment === 'production' ? null : create)
  }

  onApplicationShutdown(): void {
    this.watch.stop()
  }

  /** The key with this id, in any state; null when the file has none. */
  find(kid: string): SecretKey | null {
    return this.keys.get(kid) ?? null
  }

  private async load(): Promise<void> {
    const keys = await loadSecretKeys(this.settings.secretsKeysFile)
    const isChange = this.keys.size > 0
    this.keys = new Map(keys.map(key => [key.kid, key]))
    this.current = keys.find(key => key.state === 'current') as SecretKey
    if (isChange) this.logger.log(`The keys of secrets changed; ${this.current.kid} seals now`)
  }
}
