import { Injectable } from '@nestjs/common'
import { StepUp } from '../../auth/step-up/step-up.js'
import { Settings } from '../../config/settings.js'
import type { Db } from '../../database/connection.js'
import { ApiError } from '../../errors/api-error.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { Account } from '../../users/accounts.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { asksForSecondFactors } from './policy-rules.js'

/** Who may change what an account requires. */
@Injectable()
export class PolicyAuthority {
  constructor(
    private readonly users: Users,
    private readonly changes: SessionChanges,
    private readonly stepUp: StepUp,
    private readonly settings: Settings,
  ) {}

  /**
   * The account and the user of this session, locked in this order until the transaction ends. Throws like the
   * guards when the user may no longer change the account. Where the account asks for second factors, the user
   * must have used one recently to change that (`STEP_UP_REQUIRED`): otherwise a thief with only the password
   * could first remove what keeps them from the money.
   */
  async lock(transaction: Db, actor: SessionActor): Promise<{ account: Account; user: User }> {
    const { account, user } = await this.users.lockWithAccount(transaction, {
      id: actor.userId,
      accountId: actor.accountId,
    })
    if (!account || !user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
    if (user.mustEnrol) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
    if (!user.granted.accountSettings) throw new ApiError('PERMISSION_REQUIRED')
    await this.changes.requireNotRevoked(transaction, actor)
    if (asksForSecondFactors(account)) this.stepUp.require(actor, this.maxAgeSeconds(account))
    return { account, user }
  }

  private maxAgeSeconds({ paymentStepUpMinutes }: Account): number {
    return paymentStepUpMinutes === null
      ? this.settings.reauthenticationTtlSeconds
      : paymentStepUpMinutes * 60
  }
}
