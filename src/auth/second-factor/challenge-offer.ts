import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { AuthMethods } from '../../tokens/access-tokens.js'
import type { User } from '../../users/user.js'
import { LoginPolicy } from '../login-policy.js'
import { FactorMethods } from './factor-methods.js'
import { type ChallengeContext, SecondFactorChallenges } from './second-factor-challenges.js'

/** Offers the second step to a user who has done the first. */
@Injectable()
export class ChallengeOffer {
  constructor(
    private readonly methods: FactorMethods,
    private readonly challenges: SecondFactorChallenges,
    private readonly loginPolicy: LoginPolicy,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * `SECOND_FACTOR_REQUIRED` with a new challenge, or `HANDOFF_REQUIRED` on a satellite where the user could only
   * use up recovery codes.
   */
  async refusalWithChallenge(user: User, proved: AuthMethods, context: ChallengeContext): Promise<ApiError> {
    const { id: userId, accountId, email } = user
    const { client } = context
    const event = auditEvent({ userId, accountId, client }, 'login', {
      reason: 'second factor required',
      email,
    })
    this.auditLog.enqueue(event, 'refused')
    const [challenge, methods] = await Promise.all([
      this.challenges.issue(user, proved, context),
      this.methods.of(userId, client.origin),
    ])
    const isDeadEnd = methods.every(method => method === 'recovery')
    if (isDeadEnd && this.loginPolicy.isSatellite(client.origin)) return new ApiError('HANDOFF_REQUIRED')
    return new ApiError('SECOND_FACTOR_REQUIRED', { members: { challenge, methods } })
  }
}
