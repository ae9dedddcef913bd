import type { Caller } from '@mainstay-auth/verify/token-rules'
import { Injectable } from '@nestjs/common'
import type { DeviceId } from '../../anomalies/known-devices.js'
import { LoginAnomalyCheck } from '../../anomalies/login-check.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { Logger } from '../../platform/log.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionHandle } from '../../sessions/session.js'
import { type NewSession, type Proof, SessionsService } from '../../sessions/sessions.service.js'
import type { User } from '../../users/user.js'
import { SecondStepCheck } from '../second-factor/second-step-check.js'
import type { LogoutScope } from './login.dto.js'
import type { LoginConfirmation, LoginContext } from './login-context.js'
import { LoginRecords } from './login-records.js'

/** A session, and the device id that its client must keep; null when it keeps none. */
export interface LoggedIn extends NewSession {
  readonly deviceId: DeviceId | null
}

/** Opens sessions, however the users log in, and ends them at logout. */
@Injectable()
export class LoginSessions {
  private readonly logger = new Logger('LoginSessions')

  constructor(
    private readonly sessions: SessionsService,
    private readonly secondStep: SecondStepCheck,
    private readonly records: LoginRecords,
    private readonly anomalyCheck: LoginAnomalyCheck,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * The only way to open a session: for a user who has proved who they are. Ends the sessions that the browser
   * already had. Throws `SECOND_FACTOR_REQUIRED` or `HANDOFF_REQUIRED` when they have to prove more (see {@link
   * SecondStepCheck}), `TOO_BUSY` when the user has been changed, or the browser forgotten, since we read
   * them, and `INVALID_CREDENTIALS` for a login that is too unusual.
   */
  async admit(
    user: User,
    proof: Proof,
    context: LoginContext,
    confirmation?: LoginConfirmation,
  ): Promise<LoggedIn> {
    const { client, sessionIds } = context
    // A session that is handed off was admitted when it began, and a passkey counts as two factors.
    const remembered = proof.inheritedAuthTime ? null : await this.secondStep.check(user, proof, context)
    const sessionUser = { ...user, userId: user.id }
    const opened = await this.sessions.create(sessionUser, context, proof, confirmation?.expiresBy)
    try {
      const login = { user, proof, context, confirmation, remembered }
      const { device, liveSessions } = await this.records.confirm(opened.session, login)
      await this.anomalyCheck.check(opened.session, device, client)
      // Only now; otherwise a refused login would reveal, by ending others, that the password was right.
      await this.ignoringOutage(this.sessions.endSurplus(user.id, liveSessions, client))
      await this.changes.endReplaced(sessionIds, client)
      await this.ignoringOutage(this.records.setLanguageIfUnknown(user, client))
      this.records.count(proof)
      return { ...opened, deviceId: device.deviceId }
    } catch (error) {
      await this.sessions.discard(opened)
      throw error
    }
  }

  /**
   * For housekeeping that the next login repeats. An outage here must not fail a login whose code is already used up.
   */
  private async ignoringOutage(housekeeping: Promise<void>): Promise<void> {
    try {
      await housekeeping
    } catch (error) {
      this.logger.warn(
        `Housekeeping after a login was skipped; the next login does it: ${causeMessage(error)}`,
      )
    }
  }

  /**
   * Ends the session of the access token and, unless `scope` is `here`, those that were handed off from it. The
   * token itself stays valid until it expires. Safe to repeat.
   */
  async end({ sid, userId, accountId }: Caller, client: Client, scope: LogoutScope): Promise<void> {
    const keepsChildren = scope === 'here'
    await this.changes.commitChange(
      { kind: 'end', sid: sid as SessionHandle, keepsChildren },
      auditEvent({ userId, accountId, sid, client }, 'logout', keepsChildren ? { scope } : undefined),
    )
  }
}
