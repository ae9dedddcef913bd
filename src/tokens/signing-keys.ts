import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto'
import { Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common'
import { Settings } from '../platform/config/settings.js'
import { Logger } from '../platform/log.js'
import { Metrics } from '../platform/metrics.js'
import {
  ageCountsFrom,
  createKeyFile,
  creationTimes,
  type KeyState,
  KNOWN_BEFORE_USE_SECONDS,
  type RotatingKey,
  readKeyFile,
  requireOneCurrent,
  rotated,
  saveKeyFile,
  WatchedKeys,
} from '../platform/secrets/key-files.js'
import { Clock, secondsAfter } from '../platform/time.js'

/** The signing keys of `file`; throws an Error that names the file. */
export function loadKeys(file: string): Promise<SigningKey[]> {
  return readKeyFile('JWT_KEYS_FILE', file, readKeySet)
}

/** Creates a key file; throws an Error when it exists. */
export async function generateKeys(file: string, now: Date): Promise<void> {
  await createKeyFile(file, newKeySet(now))
}

/** Rotates the keys of `file`; running servers pick that up within seconds. Throws like {@link rotateKeySet}. */
export async function rotateKeys(file: string, now: Date, accessTokenTtlSeconds: number): Promise<void> {
  const keys = await readKeyFile('JWT_KEYS_FILE', file, storedKeysOf)
  await saveKeyFile(file, rotateKeySet(keys, now, accessTokenTtlSeconds))
}

/**
 * Replaces all keys of `file`, after a leak: both the current and the next one may be stolen. Whatever they
 * signed is refused once a server has read the file again, within 2 s. Throws an Error when there is no
 * usable file.
 */
export async function replaceKeys(file: string, now: Date): Promise<void> {
  await loadKeys(file)
  await saveKeyFile(file, newKeySet(now))
}

/** A signing key as stored in JWT_KEYS_FILE: an EC P-256 private JWK with its state. */
export interface StoredKey extends RotatingKey {
  readonly jwk: JsonWebKey
}

export interface SigningKey {
  readonly kid: string
  readonly state: KeyState
  readonly ageCountsFrom: Date
  readonly retiredAt: Date | null
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

/**
 * Verifiers cache the key list for this long (Cache-Control of JWKS), so a key is published this long before
 * it signs.
 */
export const PUBLISH_BEFORE_USE_SECONDS = KNOWN_BEFORE_USE_SECONDS
/**
 * A retired key verifies until its last token has expired, plus this margin: servers sign with it until they have
 * the new file, which a mounted secret brings minutes after the rotation.
 */
const RETIREMENT_MARGIN_SECONDS = KNOWN_BEFORE_USE_SECONDS

/** A current and a next key, for a new installation. */
export function newKeySet(now: Date): StoredKey[] {
  return [newKey('current', now), newKey('next', now)]
}

/**
 * The next key becomes current, the current one is retired, and a new next key is made; keys whose last token
 * has expired are dropped. Throws an Error when the next key has been published for less than ten minutes,
 * because verifiers might not know it.
 */
export function rotateKeySet(
  keys: readonly StoredKey[],
  now: Date,
  accessTokenTtlSeconds: number,
): StoredKey[] {
  const kept = keys.filter(key => !key.retiredAt || verifiesUntil(key.retiredAt, accessTokenTtlSeconds) > now)
  return rotated(kept, now, state => newKey(state, now))
}

export function verifiesUntil(retiredAt: string | Date, accessTokenTtlSeconds: number): Date {
  return secondsAfter(new Date(retiredAt), accessTokenTtlSeconds + RETIREMENT_MARGIN_SECONDS)
}

/** Parses the keys of a file; throws an Error that says what is wrong with it. */
export function readKeySet(text: string): SigningKey[] {
  const keys = (JSON.parse(text) as { keys: StoredKey[] }).keys.map(readKey)
  requireOneCurrent(keys)
  return keys
}

/** In stored form, provided that all can be read. */
function storedKeysOf(text: string): StoredKey[] {
  readKeySet(text)
  return (JSON.parse(text) as { keys: StoredKey[] }).keys
}

function newKey(state: KeyState, now: Date): StoredKey {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = privateKey.export({ format: 'jwk' })
  return { kid: thumbprint(jwk), state, createdAt: now.toISOString(), jwk }
}

/** RFC 7638: the same key has the same id everywhere. */
function thumbprint({ crv, kty, x, y }: JsonWebKey): string {
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url')
}

function readKey(stored: StoredKey): SigningKey {
  const privateKey = createPrivateKey({ key: stored.jwk, format: 'jwk' })
  if (privateKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1')
    throw new Error(`key ${stored.kid} is not an EC P-256 key`)
  return {
    kid: stored.kid,
    state: stored.state,
    ageCountsFrom: ageCountsFrom(stored),
    retiredAt: stored.retiredAt ? new Date(stored.retiredAt) : null,
    privateKey,
    publicKey: createPublicKey(privateKey),
  }
}

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
