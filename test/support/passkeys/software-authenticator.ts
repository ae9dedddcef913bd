import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { MAIN } from '../test-app.js'

const UP = 1 << 0
const UV = 1 << 2
const BE = 1 << 3
const BS = 1 << 4
const AT = 1 << 6

/** Where a browser asks the authenticator, and what the authenticator says; all right unless told. */
export interface Circumstances {
  readonly origin?: string
  readonly rpId?: string
  readonly crossOrigin?: boolean
  readonly topOrigin?: string
  readonly type?: string
  readonly isUserVerified?: boolean
  readonly isBackupEligible?: boolean
  readonly isBackedUp?: boolean
  /** What it says of how often it has signed. */
  readonly counter?: number
  readonly userHandle?: string | null
}

/** An authenticator with one credential, and the browser in front of it: real ES256 signatures, and any lie. */
export class SoftwareAuthenticator {
  readonly credentialId = randomBytes(32).toString('base64url')
  private readonly privateKey: KeyObject
  private readonly coseKey: Buffer
  private counter = 0
  private userHandle = ''

  constructor(
    private readonly usual: Circumstances = {},
    private readonly aaguid = Buffer.alloc(16),
  ) {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.privateKey = privateKey
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
    this.coseKey = cborMap([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ])
  }

  /** What `credentials.create(options)` gives, as JSON. */
  create(
    { challenge, rp, user }: Pick<PublicKeyCredentialCreationOptionsJSON, 'challenge' | 'rp' | 'user'>,
    lies: Circumstances = {},
    attestation: { fmt: string; statement: Buffer } = { fmt: 'none', statement: cborMap([]) },
  ): RegistrationResponseJSON {
    this.userHandle = user.id
    const how = { ...this.usual, ...lies }
    const id = Buffer.from(this.credentialId, 'base64url')
    const length = Buffer.alloc(2)
    length.writeUInt16BE(id.length)
    const credential = Buffer.concat([this.aaguid, length, id, this.coseKey])
    const authData = Buffer.concat([this.authData(how, rp.id ?? '', AT), credential])
    return this.response({
      clientDataJSON: clientData('webauthn.create', challenge, how),
      attestationObject: cborMap([
        ['fmt', attestation.fmt],
        ['attStmt', { encoded: attestation.statement }],
        ['authData', authData],
      ]).toString('base64url'),
      transports: ['internal', 'hybrid'],
    }) as RegistrationResponseJSON
  }

  /** What `credentials.get(options)` gives, as JSON. */
  get(
    { challenge, rpId }: { readonly challenge: string; readonly rpId?: string },
    lies: Circumstances = {},
  ): AuthenticationResponseJSON {
    const how = { ...this.usual, ...lies }
    const authData = this.authData(how, rpId ?? '', 0)
    const clientDataJSON = clientData('webauthn.get', challenge, how)
    const hash = createHash('sha256').update(Buffer.from(clientDataJSON, 'base64url')).digest()
    const userHandle = how.userHandle === undefined ? this.userHandle : how.userHandle
    return this.response({
      clientDataJSON,
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', Buffer.concat([authData, hash]), this.privateKey).toString('base64url'),
      ...(userHandle !== null && { userHandle }),
    }) as AuthenticationResponseJSON
  }

  /** The same credential for a browser's virtual authenticator (CDP, WebAuthn.addCredential), once it is created. */
  forVirtualDevice(rpId: string) {
    const privateKey = this.privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
    return {
      credentialId: Buffer.from(this.credentialId, 'base64url').toString('base64'),
      isResidentCredential: true,
      rpId,
      privateKey,
      userHandle: Buffer.from(this.userHandle, 'base64url').toString('base64'),
      signCount: this.counter,
    }
  }

  private authData(how: Circumstances, rpId: string, more: number): Buffer {
    const { isUserVerified = true, isBackupEligible = false, isBackedUp = false } = how
    const flags = UP | (isUserVerified ? UV : 0) | (isBackupEligible ? BE : 0) | (isBackedUp ? BS : 0) | more
    const counter = Buffer.alloc(4)
    this.counter = how.counter ?? this.counter
    counter.writeUInt32BE(this.counter)
    const rpIdHash = createHash('sha256')
      .update(how.rpId ?? rpId)
      .digest()
    return Buffer.concat([rpIdHash, Buffer.from([flags]), counter])
  }

  private response(response: object) {
    const { credentialId: id } = this
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
}

function clientData(usualType: string, challenge: string, how: Circumstances): string {
  const { type = usualType, origin = MAIN, crossOrigin = false, topOrigin } = how
  const data = { type, challenge, origin, crossOrigin, ...(topOrigin && { topOrigin }) }
  return Buffer.from(JSON.stringify(data)).toString('base64url')
}

type CborValue = number | string | Buffer | { readonly encoded: Buffer }

/** Enough of CBOR (RFC 8949) for keys and attestations. */
export function cborMap(entries: readonly (readonly [number | string, CborValue])[]): Buffer {
  const items = entries.flatMap(([key, value]) => [cbor(key), cbor(value)])
  return Buffer.concat([head(5, entries.length), ...items])
}

function cbor(value: CborValue): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -1 - value) : head(0, value)
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value])
  return value.encoded
}

function head(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}
