import { randomBytes } from 'node:crypto'
import { applyDecorators, Injectable } from '@nestjs/common'
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger'
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server'
import type { ClientDataJSON } from '@simplewebauthn/server/helpers'
import type { Db } from '../platform/database/connection.js'
import { type About, Rule } from '../platform/http/fields.js'
import { rememberUsed } from '../platform/one-time-tokens.js'
import { SecretBox } from '../platform/secrets/secrets.js'
import { Clock, secondsAfter, unixSeconds } from '../platform/time.js'

/**
 * The library, loaded with the first passkey that is added or used: it brings a parser of certificates, which
 * would add 0.1 s to each start and 25 MB to the process.
 */
export async function webauthn() {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers')
  return { ...(await import('@simplewebauthn/server')), decodeAttestationObject }
}

/**
 * What the browser has signed about the page. Null when it cannot be read, and for a page in another site's
 * frame, whose embedder decides what the user sees. The library refuses that only where the browser names the
 * embedder, which Safari does not.
 */
export function clientDataOf(clientDataJSON: string): ClientDataJSON | null {
  try {
    const text = Buffer.from(clientDataJSON, 'base64url').toString()
    const clientData = JSON.parse(text) as Partial<ClientDataJSON> | null
    const { crossOrigin, topOrigin, challenge } = clientData ?? {}
    const isEmbedded = (crossOrigin ?? false) !== false || topOrigin !== undefined
    return isEmbedded || typeof challenge !== 'string' ? null : (clientData as ClientDataJSON)
  } catch {
    return null
  }
}

/** What a challenge is for. One for a new passkey is bound to one session. */
type ChallengeUse =
  | { readonly for: 'assertion' | 'operator assertion' }
  | { readonly for: 'creation'; readonly sid: string }

/** Long enough to look for a security key. */
export const CHALLENGE_SECONDS = 5 * 60
/** Replicas' clocks differ: a used one is remembered this much longer than it is good for. */
const CLOCK_TOLERANCE_SECONDS = 60
/** WebAuthn asks for at least 16 (§13.4.3). */
const RANDOM_BYTES = 18
/** A random number, when it expires in Unix seconds, and a MAC of both. */
const FORM = /^([A-Za-z0-9_-]{24})\.(\d{10})\.(.{1,200})$/

/**
 * Challenges that authenticators sign. Any client may request one, so nothing is stored for it. Only those that
 * were signed by a passkey of ours are remembered, until they expire.
 */
@Injectable()
export class PasskeyChallenges {
  constructor(
    private readonly secrets: SecretBox,
    private readonly clock: Clock,
  ) {}

  /** A new challenge, as base64url. */
  issue(use: ChallengeUse): string {
    const random = randomBytes(RANDOM_BYTES).toString('base64url')
    const expiry = String(unixSeconds(this.clock.now()) + CHALLENGE_SECONDS)
    const mac = this.secrets.mac(...purposeOf(use), random, expiry)
    return Buffer.from(`${random}.${expiry}.${mac}`).toString('base64url')
  }

  /**
   * When a challenge of ours for this use expires; null for any other, and for one that has expired. Reads no
   * store.
   */
  expiryOf(challenge: string, use: ChallengeUse): Date | null {
    const [, random = '', expiry = '', mac = ''] = FORM.exec(textIn(challenge)) ?? []
    const expiresAt = new Date(Number(expiry) * 1000)
    const isGood = this.secrets.isMac(mac, ...purposeOf(use), random, expiry) && this.clock.now() < expiresAt
    return isGood ? expiresAt : null
  }

  /**
   * Uses a challenge up, in the transaction of what it allows. False when it was used before: of two concurrent
   * calls, only one gets true.
   */
  use(transaction: Db, challenge: string, expiresAt: Date): Promise<boolean> {
    const forgottenAt = secondsAfter(expiresAt, CLOCK_TOLERANCE_SECONDS)
    const times = { now: this.clock.now(), expiresAt: forgottenAt }
    return rememberUsed(transaction, 'passkey-used', challenge, times)
  }
}

/** Empty unless the challenge is encoded as we encode it: a decoder accepts several encodings of the same text. */
function textIn(challenge: string): string {
  const text = Buffer.from(challenge, 'base64url').toString('latin1')
  return Buffer.from(text).toString('base64url') === challenge ? text : ''
}

function purposeOf(use: ChallengeUse): [string, ...string[]] {
  return use.for === 'creation' ? ['passkey creation', use.sid] : [`passkey ${use.for}`]
}

/** 1,023 bytes (WebAuthn §4, credential ID), as base64url. */
const MAX_ID_LENGTH = 1_364
/** Without certificates, which we do not ask for, all are shorter than a kilobyte or two. */
const MAX_FIELD_LENGTH = 8_192
const BASE64URL = /^[A-Za-z0-9_-]+$/

/** For a body field: what `PublicKeyCredential.toJSON()` gives after `navigator.credentials.get()`. */
export const PasskeyResponse = (about: About = {}) =>
  responseField('isPasskeyResponse', isAssertion, 'what credentials.get() gave, as JSON', about)

/** For a body field: what `PublicKeyCredential.toJSON()` gives after `navigator.credentials.create()`. */
export const NewPasskeyResponse = () =>
  responseField('isNewPasskeyResponse', isCreation, 'what credentials.create() gave, as JSON')

function isAssertion(value: unknown): value is AuthenticationResponseJSON {
  const fields = ['clientDataJSON', 'authenticatorData', 'signature']
  return isResponse(value, fields) && isHandle((value as AuthenticationResponseJSON).response.userHandle)
}

function isCreation(value: unknown): value is RegistrationResponseJSON {
  return isResponse(value, ['clientDataJSON', 'attestationObject'])
}

function isResponse(value: unknown, fields: readonly string[]): boolean {
  if (!isObject(value) || !isObject(value.response)) return false
  const { id, rawId, type, response } = value
  return (
    isBase64Url(id, MAX_ID_LENGTH) &&
    rawId === id &&
    type === 'public-key' &&
    fields.every(field => isBase64Url(response[field], MAX_FIELD_LENGTH))
  )
}

/** Security keys leave it out, or send null, where the request named the credential. */
function isHandle(value: unknown): boolean {
  return value === undefined || value === null || isBase64Url(value, MAX_ID_LENGTH)
}

function isBase64Url(value: unknown, maxLength: number): boolean {
  return typeof value === 'string' && value.length <= maxLength && BASE64URL.test(value)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function responseField(
  name: string,
  validate: (value: unknown) => boolean,
  meaning: string,
  { optional = false }: About = {},
): PropertyDecorator {
  const documented = optional ? ApiPropertyOptional : ApiProperty
  return applyDecorators(
    documented({
      type: 'object',
      additionalProperties: true,
      description: `\`PublicKeyCredential.toJSON()\`: ${meaning}`,
    }),
    // Not a field that is looked at only if it is there: `IsOnlyOneOf` beside it looks at every body.
    Rule(name, value => (optional && value === undefined) || validate(value), `must be ${meaning}`),
  )
}
