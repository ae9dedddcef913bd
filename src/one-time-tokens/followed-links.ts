import { Injectable } from '@nestjs/common'
import { AttemptLimits } from '../attempts/attempt-limits.js'
import type { Client } from '../http/client.js'
import { type OneTimeToken, OneTimeTokens, type Purpose } from './one-time-tokens.js'

/** A token can be guessed from anywhere, for anybody: the account is not known, so it is not counted. */
const NOBODY = ''

/** Mailed links as people follow them, counted. */
@Injectable()
export class FollowedLinks {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly attempts: AttemptLimits,
  ) {}

  /**
   * The token while it is good; null otherwise, which counts as a guess: too many throw `TOO_MANY_ATTEMPTS`. A good link
   * is let through whatever others have done, or strangers could close everybody's way back in.
   */
  find(purpose: Purpose, text: string, client: Client): Promise<OneTimeToken | null> {
    const attempt = { kind: 'link', subject: NOBODY, client } as const
    let found: Promise<OneTimeToken | null> | undefined
    const look = () => {
      found ??= this.tokens.find(purpose, text)
      return found
    }
    return this.attempts.guess(attempt, look, async () => (await look()) !== null)
  }
}
