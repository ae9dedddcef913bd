// What was decided here, and why: docs/decisions/second-factors.md
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { ApiError } from '../../platform/errors/api-error.js'
import { DocumentedGuard } from '../../platform/http/endpoint.js'
import { requestOf } from '../../platform/http/request.js'
import { Reauthentication } from '../../sessions/reauthentication.js'
import type { Session } from '../../sessions/session.js'
import { Accounts } from '../../users/accounts.js'

/**
 * Where an account asks for it, requires a recently used second factor for spending its money. Runs after
 * PaymentsPermissionGuard, so the account is read only for users who may pay.
 */
@Injectable()
@DocumentedGuard({ refusals: ['STEP_UP_REQUIRED', 'SESSION_NOT_FOUND', 'DATABASE_UNAVAILABLE'] })
export class PaymentStepUpGuard implements CanActivate {
  constructor(
    private readonly accounts: Accounts,
    private readonly reauthentication: Reauthentication,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const session = requestOf(context).session as Session
    const account = await this.accounts.find(session.accountId)
    if (!account) throw new ApiError('SESSION_NOT_FOUND')
    const { paymentStepUpMinutes } = account
    if (paymentStepUpMinutes !== null)
      this.reauthentication.requireSecondFactorWithin(session, paymentStepUpMinutes * 60)
    return true
  }
}
