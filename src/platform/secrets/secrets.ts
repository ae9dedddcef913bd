// What was decided here, and why: docs/decisions/stored-secrets-are-sealed.md

import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { Injectable, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { Logger } from '../log.js'
import { Metrics } from '../metrics.js'
import { Clock } from '../time.js'
import {
  creationTimes,
  generateSecretKeys,
  loadSecretKeys,
  type SecretKey,
  WatchedKeys,
} from './key-files.js'

/**
 * A key may seal at most 2^32 texts with random IVs (NIST SP 800-38D §8.3); we seal one per factor and failed
 * mail.
 */
const ALGORITHM = 'aes-256-gcm'
const IV_BYTES = 12
const TAG_BYTES = 16

/** How many secrets were sealed again, and how many not, because their key is missing. */
export interface Resealed {
  readonly resealed: number
  readonly unreadable: number
}

/**
 * With the keys of SECRETS_KEYS_FILE, which it reads again when they change, seals what must be stored and read again,
 * and authenticates what leaves the service and comes back.
 */
@Injectable()
export class SecretBox implements OnModuleInit, OnApplicationShutdown {
  private readonly logger = new Logger('SecretKeys')
  private readonly keys: WatchedKeys<SecretKey>

  constructor(
    private readonly settings: Settings,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.keys = new WatchedKeys(settings.secretsKeysFile, loadSecretKeys, this.logger, () =>
      this.logger.log(`The keys of secrets changed; ${this.keys.current.kid} seals now`),
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

  /**
   * `plain`, encrypted with the current key, as `<key id>.<base64url>`. It opens only with the same `aad`,
   * such as the owner of the secret, so that a row copied to another user is worthless.
   */
  seal(plain: Buffer | string, aad: string): string {
    const { kid, sealing } = this.keys.current
    const iv = randomBytes(IV_BYTES)
    const cipher = createCipheriv(ALGORITHM, sealing, iv, { authTagLength: TAG_BYTES })
    cipher.setAAD(Buffer.from(aad))
    const sealed = Buffer.concat([iv, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    return `${kid}.${sealed.toString('base64url')}`
  }

  /**
   * The sealed text, whether by the current key or a retired one. Throws an Error when its key is not in the
   * file, when it has been changed, or when it was sealed with a different `aad`.
   */
  open(sealed: string, aad: string): Buffer {
    const { kid, rest } = partsOf(sealed)
    const key = this.keys.find(kid)
    if (!key) throw new Error(`SECRETS_KEYS_FILE does not have the key ${kid}, which a stored secret needs`)
    const bytes = Buffer.from(rest, 'base64url')
    const decipher = createDecipheriv(ALGORITHM, key.sealing, bytes.subarray(0, IV_BYTES), {
      authTagLength: TAG_BYTES,
    })
    decipher.setAAD(Buffer.from(aad))
    decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
  }

  /**
   * Calls `reseal` for the rows that an older key has sealed; it returns how many it has changed. A row whose key is
   * missing is only counted: it must not keep the others from the current key.
   */
  async resealOld<Row>(
    rows: readonly Row[],
    sealedOf: (row: Row) => string,
    reseal: (row: Row) => Promise<number>,
  ): Promise<Resealed> {
    let resealed = 0
    let unreadable = 0
    for (const row of rows) {
      const sealed = sealedOf(row)
      if (!this.keys.find(partsOf(sealed).kid)) unreadable++
      else if (!this.isCurrent(sealed)) resealed += await reseal(row)
    }
    return { resealed, unreadable }
  }

  /** Whether the current key has sealed it. */
  isCurrent(sealed: string): boolean {
    return partsOf(sealed).kid === this.keys.current.kid
  }

  /**
   * A code (HMAC-SHA256) for these parts that only we can make, as `<key id>.<base64url>`. `purpose`
   * separates it from codes for other uses.
   */
  mac(purpose: string, ...parts: readonly string[]): string {
    const { kid, authenticating } = this.keys.current
    return `${kid}.${codeOf(authenticating, purpose, parts).toString('base64url')}`
  }

  /** Whether `mac` is the code for these parts, from the current key or a retired one. Accepts any text. */
  isMac(mac: string, purpose: string, ...parts: readonly string[]): boolean {
    const { kid, rest } = partsOf(mac)
    const key = this.keys.find(kid)
    if (!key) return false
    const expected = Buffer.from(codeOf(key.authenticating, purpose, parts).toString('base64url'))
    const given = Buffer.from(rest)
    return given.length === expected.length && timingSafeEqual(given, expected)
  }
}

function partsOf(text: string): { kid: string; rest: string } {
  const dot = text.indexOf('.')
  return { kid: text.slice(0, Math.max(dot, 0)), rest: text.slice(dot + 1) }
}

/** As JSON, so that no two lists of parts give the same text. */
function codeOf(key: KeyObject, purpose: string, parts: readonly string[]): Buffer {
  return createHmac('sha256', key)
    .update(JSON.stringify([purpose, ...parts]))
    .digest()
}

@Module({ providers: [SecretBox], exports: [SecretBox] })
export class SecretsModule {}
