import { Injectable } from '@nestjs/common'
import { Clock, unixSeconds } from '../../clock/clock.js'
import type { Db } from '../../database/connection.js'
import { ApiError } from '../../errors/api-error.js'
import { UserFactors } from '../../factors/user-factors.js'
import { acrOf, isEnough, namesOf, stepUpChallenge, TWO_FACTORS } from '../../permissions/auth-methods.js'
import type { Session } from '../../sessions/session.js'

/** Whether a session's user has used a second factor recently. */
@Injectable()
export class StepUp {
  constructor(
    private readonly factors: UserFactors,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws `STEP_UP_REQUIRED` (401, RFC 9470 §3) unless one was used in the last `maxAgeSeconds`, at the login
   * or at a re-authentication. Its `methods` are what the user has for that; they are empty for one who has no
   * second factor. Within a transaction it has to be given that.
   */
  async require(session: Session, maxAgeSeconds: number, transaction?: Db): Promise<void> {
    const required = { acr: TWO_FACTORS, maxAgeSeconds }
    const { amr, authTime } = session
    const proved = { amr: namesOf(amr), acr: acrOf(amr), authTime: unixSeconds(authTime) }
    if (isEnough(proved, required, unixSeconds(this.clock.now()))) return
    throw new ApiError('STEP_UP_REQUIRED', {
      headers: { 'WWW-Authenticate': stepUpChallenge(required) },
      members: { methods: await this.methodsOf(session.userId, transaction) },
    })
  }

  private async methodsOf(userId: string, transaction?: Db): Promise<string[]> {
    const { totpConfirmedAt, passkeys, recoveryCodesLeft } = await (transaction
      ? this.factors.findIn(transaction, userId)
      : this.factors.find(userId))
    return [
      ...(totpConfirmedAt ? ['totp'] : []),
      ...(passkeys > 0 ? ['passkey'] : []),
      ...(recoveryCodesLeft > 0 ? ['recovery'] : []),
    ]
  }
}
