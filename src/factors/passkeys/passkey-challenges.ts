import { randomBytes } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import type { Db } from '../../platform/database/connection.js'
import { UsedTexts } from '../../platform/one-time-tokens.js'
import { SecretBox } from '../../platform/secrets/secrets.js'
import { Clock, secondsAfter, unixSeconds } from '../../platform/time.js'

/** What a challenge is for. One for a new passkey is bound to one session. */
export type ChallengeUse =
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
 * Challenges that authenticators sign. Anybody may request one, so nothing is stored for it. Only those that
 * were signed by a passkey of ours are remembered, until they expire.
 */
@Injectable()
export class PasskeyChallenges {
  constructor(
    private readonly secrets: SecretBox,
    private readonly used: UsedTexts,
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
    return this.used.add(transaction, 'passkey-used', challenge, forgottenAt)
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
