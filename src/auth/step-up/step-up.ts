import { Injectable } from '@nestjs/common'
import { Clock, unixSeconds } from '../../clock/clock.js'
import { ApiError } from '../../errors/api-error.js'
import type { Session } from '../../sessions/session.js'
import { acrOf, isEnough, namesOf, stepUpChallenge, TWO_FACTORS } from '../../tokens/auth-methods.js'

/** Whether a session's user has used a second factor recently. */
@Injectable()
export class StepUp {
  constructor(private readonly clock: Clock) {}

  /**
   * Throws `STEP_UP_REQUIRED` (401, RFC 9470 §3) unless one was used in the last `maxAgeSeconds`, at the login or
   * at a re-authentication. The answer's `methods` are what the user can use for that; they are empty for a user
   * without a second factor.
   */
  require(session: Session, maxAgeSeconds: number): void {
    const required = { acr: TWO_FACTORS, maxAgeSeconds }
    const { amr, authTime } = session
    const proved = { amr: namesOf(amr), acr: acrOf(amr), authTime: unixSeconds(authTime) }
    if (isEnough(proved, required, unixSeconds(this.clock.now()))) return
    throw new ApiError('STEP_UP_REQUIRED', {
      headers: { 'WWW-Authenticate': stepUpChallenge(required) },
    })
  }
}
