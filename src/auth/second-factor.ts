import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../anomalies/known-devices.js'
import { FactorMails } from '../factors/factor-mails.js'
import { FactorResets } from '../factors/factor-resets.js'
import { RememberedDevices } from '../factors/remembered-devices.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import { causeMessage, isRefusal } from '../platform/errors/api-error.js'
import { type Client, deviceName } from '../platform/http/request.js'
import { Logger } from '../platform/log.js'
import { SessionChanges } from '../sessions/changes.js'
import { withMethods } from '../tokens/access-tokens.js'
import { Users } from '../users/users.js'
import { type CheckedFactor, FactorCheck, type FactorProof, isWrongFactor } from './factor-check.js'
import { type LoggedIn, type LoginBasis, LoginSessions } from './login.js'
import { LoginLimits } from './login-limits.js'
import type { LoginContext } from './login-policy.js'
import { type SecondFactorChallenge, SecondFactorChallenges } from './second-factor-challenges.js'

/** From a network where the user has logged in before, this many wrong factors are probably their own mistakes. */
const OWN_MISTAKES = 2

/** The second step of a login, after which the browser may be remembered. */
@Injectable()
export class SecondFactorLogin {
  private readonly logger = new Logger('SecondFactorLogin')

  constructor(
    private readonly limits: LoginLimits,
    private readonly factors: FactorCheck,
    private readonly challenges: SecondFactorChallenges,
    private readonly resets: FactorResets,
    private readonly sessions: LoginSessions,
    private readonly knownDevices: KnownDevices,
    private readonly mails: FactorMails,
    private readonly devices: RememberedDevices,
    private readonly users: Users,
    private readonly changes: SessionChanges,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Opens a session for a user who has begun this login and now proves a second factor. Wrong factors count like
   * wrong passwords of the same user, and throw `SECOND_FACTOR_INVALID`. Throws `TOO_MANY_ATTEMPTS` before any
   * check, and `CHALLENGE_EXPIRED` when another request has completed this login.
   */
  async complete(
    challenge: SecondFactorChallenge,
    proof: FactorProof,
    context: LoginContext,
  ): Promise<LoggedIn> {
    const { user } = challenge
    const { client } = context
    const counted = await this.limits.countGuess(user.email, client)
    try {
      const isDone = () => this.challenges.isDone(challenge)
      const factor = await this.factors.check(user, proof, { action: 'login', client, isDone })
      const methods = withMethods(challenge.methods, factor.methods)
      const basis = this.basisOf(challenge, factor, client)
      const loggedIn = await this.sessions.openSession(user, { methods }, context, basis)
      await counted.completed()
      return loggedIn
    } catch (error) {
      await counted.threw(error)
      if (isWrongFactor(error)) await this.warn(challenge, client)
      throw error
    }
  }

  /**
   * Remembers the browser of this new session; returns the token for it to keep. Throws `SESSION_NOT_FOUND` when
   * the session has ended in the meantime, for example because of a new password, which forgets all devices. Null
   * during an outage: the login itself is complete, and its code is used up.
   */
  async rememberDevice(loggedIn: LoggedIn, context: LoginContext): Promise<string | null> {
    try {
      return await this.addDevice(loggedIn, context)
    } catch (error) {
      if (isRefusal(error)) throw error
      this.logger.warn(`A device could not be remembered: ${causeMessage(error)}`)
      return null
    }
  }

  /**
   * Uses the challenge up, and the factor. The challenge first: when a request is sent twice, a right code must not
   * seem wrong. A user who has their factor has not lost it: a reset that an operator has requested is cancelled.
   */
  private basisOf(challenge: SecondFactorChallenge, factor: CheckedFactor, client: Client): LoginBasis {
    return {
      use: async transaction => {
        await this.challenges.use(transaction, challenge)
        const sendMails = await factor.use(transaction)
        const { user } = challenge
        if (!factor.isRecoveryCode)
          await this.resets.cancelByUse(transaction, user, { userId: user.id, client })
        return sendMails
      },
    }
  }

  /** An attacker may know the password. Mails at most once a day; never rejects. */
  private async warn({ user, tries }: SecondFactorChallenge, client: Client): Promise<void> {
    const { id: userId, accountId } = user
    const isKnown =
      tries <= OWN_MISTAKES && (await this.knownDevices.knowsNetwork(userId, client.ip).catch(() => false))
    if (!isKnown) await this.mails.secondStepFailed({ userId, accountId, client })
  }

  private addDevice({ session }: LoggedIn, { client }: LoginContext): Promise<string> {
    const { userId } = session
    return this.database.transaction(async transaction => {
      await this.users.lock(transaction, userId)
      await this.changes.requireNotRevoked(transaction, session)
      const { id, token } = await this.devices.remember(transaction, userId, deviceName(client.userAgent))
      await this.auditLog.record(transaction, auditEvent({ ...session, client }, 'device.remember', { id }))
      return token
    })
  }
}
