import { Injectable } from '@nestjs/common'
import { Settings } from '../../platform/config/settings.js'
import { ApiError, unavailable } from '../../platform/errors/api-error.js'
import { type FieldFault, fieldError } from '../../platform/errors/field-faults.js'
import type { Client } from '../../platform/http/request.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import { FairQueue, turnOf } from './fair-queue.js'
import { knownWords, withoutKnown } from './known-words.js'
import { strengthMeter } from './password-strength.js'
import { MIN_PASSWORD_LENGTH, normalizedPassword, passwordLength } from './password-text.js'
import { Passwords } from './passwords.js'

/** zxcvbn's estimate for eight random characters, the weakest good password of minimum length. */
const MIN_GUESSES = 1e8

const ADVICE = 'A few unrelated words make a good password.'
/** How many passwords may wait to be measured; further ones are refused as `TOO_BUSY`. */
const MAX_WAITING = 50

/** The weaknesses that zxcvbn warns about, by its names for them. */
const WEAKNESSES: Readonly<Record<string, FieldFault>> = {
  straightRow: 'PASSWORD_KEY_ROW',
  keyPattern: 'PASSWORD_KEY_PATTERN',
  simpleRepeat: 'PASSWORD_REPEAT',
  extendedRepeat: 'PASSWORD_REPEATED_PATTERN',
  sequences: 'PASSWORD_SEQUENCE',
  recentYears: 'PASSWORD_YEAR',
  dates: 'PASSWORD_DATE',
  topTen: 'PASSWORD_COMMON',
  topHundred: 'PASSWORD_COMMON',
  common: 'PASSWORD_COMMON',
  similarToCommon: 'PASSWORD_SIMILAR',
  wordByItself: 'PASSWORD_WORD',
  namesByThemselves: 'PASSWORD_NAME',
  commonNames: 'PASSWORD_NAME',
  userInputs: 'PASSWORD_PERSONAL',
}

/** What is known of whoever sets a password. */
export interface PasswordContext {
  /**
   * Words about them, such as e-mail address and names. The names of this product and of the main site are
   * always added.
   */
  readonly known: readonly string[]
  /** Null for what the service does by itself. */
  readonly client: Client | null
  /** Weak passwords are counted per subject, such as a user id; empty means per network. */
  readonly subject: string
}

/** Which passwords users may set. Passwords set by operators are not checked. */
@Injectable()
export class PasswordPolicy {
  /** One at a time, because there is only one thread. */
  private readonly queue = new FairQueue({
    maxRunning: 1,
    maxWaiting: MAX_WAITING,
    refusal: () => unavailable('TOO_BUSY'),
  })

  constructor(
    private readonly settings: Settings,
    private readonly rateLimiter: RateLimiter,
    private readonly passwords: Passwords,
  ) {}

  /**
   * Throws `WEAK_PASSWORD` with the reason in `errors` when the password is among the most common ones, is
   * built from what is known about the user, or takes too few guesses; `TOO_MANY_ATTEMPTS` after many weak
   * ones; `TOO_BUSY` when too many others wait to be measured.
   */
  async require(password: string, { known, client, subject }: PasswordContext): Promise<void> {
    const normalized = normalizedPassword(password)
    if (!client) return this.check(normalized, known, client)
    const counted = await this.rateLimiter.count({ kind: 'weak password', subject, client })
    await counted.checkedBy(this.check(normalized, known, client))
  }

  /** The hash of a new password. Throws like {@link require}, and `TOO_BUSY`. */
  async hash(password: string, context: PasswordContext): Promise<string> {
    await this.require(password, context)
    return this.passwords.hash(password, context.client)
  }

  private async check(password: string, known: readonly string[], client: Client | null): Promise<void> {
    const code = await this.weaknessOf(password, known, client)
    if (!code) return
    const fault = fieldError('password', code)
    throw new ApiError('WEAK_PASSWORD', { errors: [{ ...fault, message: `${fault.message} ${ADVICE}` }] })
  }

  private async weaknessOf(
    password: string,
    known: readonly string[],
    client: Client | null,
  ): Promise<FieldFault | null> {
    const words = knownWords(new URL(this.settings.mainOrigin).hostname, known)
    const measure = () => strengthMeter.measure(password, words)
    const { isCommon, guesses, warning } = await this.queue.run(turnOf(client), measure)
    if (isCommon) return 'PASSWORD_COMMON'
    if (passwordLength(withoutKnown(password, known, words)) < MIN_PASSWORD_LENGTH) return 'PASSWORD_PERSONAL'
    return guesses < MIN_GUESSES ? (WEAKNESSES[warning ?? ''] ?? 'PASSWORD_GUESSABLE') : null
  }
}
