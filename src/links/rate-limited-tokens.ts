import { Injectable } from '@nestjs/common'
import type { Client } from '../http/client.js'
import { RateLimiter } from '../rate-limits/rate-limiter.js'
import { type OneTimeToken, OneTimeTokens, type Purpose } from './one-time-tokens.js'

/** Tokens can be guessed from anywhere and for anybody, so guesses are not counted by account. */
const NOBODY = ''

/** Finds the tokens of mailed links that people follow, and counts guesses. */
@Injectable()
export class RateLimitedTokens {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly rateLimiter: RateLimiter,
  ) {}

  /**
   * The token if it is valid; otherwise null, which counts as a guess: too many throw `TOO_MANY_ATTEMPTS`. A
   * valid link always passes, so that strangers cannot block everybody's way back.
   */
  async find(purpose: Purpose, text: string, client: Client): Promise<OneTimeToken | null> {
    const found = await this.tokens.find(purpose, text)
    if (!found) await this.rateLimiter.count({ kind: 'link', subject: NOBODY, client })
    return found
  }
}
