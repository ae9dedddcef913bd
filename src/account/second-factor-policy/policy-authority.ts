import { Injectable } from '@nestjs/common'
import { Settings } from '../../platform/config/settings.js'
import type { Db } from '../../platform/database/connection.js'
import { Reauthentication } from '../../sessions/reauthentication.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { Account } from '../../users/accounts.js'
import { ActorAuthority } from '../../users/actor-authority.js'
import type { User } from '../../users/user.js'
import { asksForSecondFactors } from './policy-rules.js'

/** Who may change what an account requires. */
@Injectable()
export class PolicyAuthority {
  constructor(
    private readonly authority: ActorAuthority,
    private readonly reauthentication: Reauthentication,
    private readonly settings: Settings,
  ) {}

  /**
   * Like {@link ActorAuthority.lock}. Where the account asks for second factors, the user must have used one
   * recently to change that (`STEP_UP_REQUIRED`): otherwise a thief with only the password could first remove
   * what keeps them from the money.
   */
  async lock(transaction: Db, actor: SessionActor): Promise<{ account: Account; user: User }> {
    const locked = await this.authority.lock(transaction, actor, 'accountSettings')
    const { account } = locked
    if (asksForSecondFactors(account))
      this.reauthentication.requireSecondFactorWithin(actor, this.maxAgeSeconds(account))
    return locked
  }

  private maxAgeSeconds({ paymentStepUpMinutes }: Account): number {
    return paymentStepUpMinutes === null
      ? this.settings.reauthenticationTtlSeconds
      : paymentStepUpMinutes * 60
  }
}
