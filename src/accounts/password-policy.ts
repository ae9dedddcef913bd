import { Injectable } from '@nestjs/common'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import { contextWords, withoutWords } from './context-words.js'
import { strengthMeter } from './password-strength.js'
import { MIN_PASSWORD_LENGTH, normalizedPassword, passwordLength } from './password-text.js'

/** What zxcvbn reckons for eight characters in no order: the weakest that the minimum length asks for. */
const MIN_GUESSES = 1e8

const PRODUCT_NAME = 'mainstay'
const ADVICE = 'A few words that have nothing to do with each other make a good one.'

/** Which passwords people may set. Operators' are not looked at: they know what they do. */
@Injectable()
export class PasswordPolicy {
  constructor(private readonly settings: Settings) {}

  /**
   * Throws `WEAK_PASSWORD` with the reason in `errors` when the password is among the commonest, leans on `known` or
   * takes too few guesses. `known` are texts about the user: e-mail address, names; the name of this product and of the
   * main site are always in. Takes some milliseconds; a tenth of a second the first time.
   */
  async require(password: string, known: readonly string[]): Promise<void> {
    const message = await this.weaknessOf(normalizedPassword(password), known)
    if (message)
      throw new ApiError('WEAK_PASSWORD', {
        errors: [{ field: 'password', message: `${message} ${ADVICE}` }],
      })
  }

  private async weaknessOf(password: string, known: readonly string[]): Promise<string | null> {
    const meter = await strengthMeter()
    if (meter.isCommon(password))
      return 'This is one of the most common passwords: whoever guesses tries it first.'
    const words = contextWords([PRODUCT_NAME, new URL(this.settings.mainOrigin).hostname, ...known])
    const whole = known.map(text => text.normalize('NFKC').toLowerCase())
    if (passwordLength(withoutWords(password, [...whole, ...words])) < MIN_PASSWORD_LENGTH)
      return 'Beside your name, your e-mail address and the name of this site there is too little in it.'
    const { guesses, warning } = meter.measure(password, words)
    return guesses < MIN_GUESSES ? (warning ?? 'This password is too easy to guess.') : null
  }
}
