import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { Logger } from '../log.js'
import { Metrics } from '../metrics.js'
import { Clock } from '../time.js'
import { creationTimes } from './rotating-keys.js'
import { generateSecretKeys, loadSecretKeys, type SecretKey } from './secret-key-file.js'
import { WatchedKeys } from './watched-keys.js'

/** The keys of SECRETS_KEYS_FILE, kept up to date while the service runs. */
@Injectable()
export class SecretKeys implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('SecretKeys')
  private readonly keys: WatchedKeys<SecretKey>

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.keys = new WatchedKeys(settings.secretsKeysFile, loadSecretKeys, this.logger, () =>
      this.logger.log(`The keys of secrets changed; ${this.current.kid} seals now`),
    )
    metrics.gauge({
      name: 'secret_key_created_timestamp_seconds',
      help: 'Since when the current key of stored secrets encrypts, and when the next one was made, in seconds since 1970',
      label: 'state',
      read: () => creationTimes(this.keys.all()),
    })
  }

  /** Outside production a missing key file is created. */
  async onModuleInit(): Promise<void> {
    const { secretsKeysFile, environment } = this.settings
    const create = () => generateSecretKeys(secretsKeysFile, this.clock.now())
    await this.keys.start(environment === 'production' ? null : create)
  }

  onApplicationShutdown(): void {
    this.keys.stop()
  }

  /** The key for sealing. */
  get current(): SecretKey {
    return this.keys.current
  }

  /** The key with this id, in any state; null when the file has none. */
  find(kid: string): SecretKey | null {
    return this.keys.find(kid)
  }
}
