import { Injectable } from '@nestjs/common'
import { LoginAnomalyCheck } from '../../anomalies/login-check.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { LoginPolicy } from '../login-policy.js'
import type { LoginUser } from './credentials.js'
import type { LoginContext } from './login-context.js'

/**
 * Sends users to the main site if their account lets them type their password nowhere else, or if they have a
 * second factor.
 */
@Injectable()
export class HandoffCheck {
  constructor(
    private readonly loginPolicy: LoginPolicy,
    private readonly anomalyCheck: LoginAnomalyCheck,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Throws `HANDOFF_REQUIRED` for a user with the right password who must continue elsewhere. This reveals that
   * the password is right, so the user is mailed as about a login, and one that is too unusual gets
   * `INVALID_CREDENTIALS`.
   */
  async check(
    user: LoginUser,
    { client, deviceId }: Pick<LoginContext, 'client' | 'deviceId'>,
  ): Promise<void> {
    const isSecondFactor = this.loginPolicy.requiresFactorHandoff(user, client.origin)
    if (!isSecondFactor && !(await this.loginPolicy.requiresHandoff(user, client.origin))) return
    const { id: userId, accountId, email } = user
    const reason = isSecondFactor ? 'second factor elsewhere' : 'hand-off required'
    const event = auditEvent({ userId, accountId, client }, 'login', { reason, email })
    this.auditLog.enqueue(event, 'refused')
    await this.anomalyCheck.checkHandoffRequired({ userId, accountId }, deviceId, client)
    throw new ApiError('HANDOFF_REQUIRED')
  }
}
