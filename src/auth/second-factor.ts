import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../anomalies/known-devices.js'
import { FactorMails } from '../factors/factor-mails.js'
import { FactorResets } from '../factors/factor-resets.js'
import { RememberedDevices } from '../factors/remembered-devices/remembered-devices.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import { isRefusal } from '../platform/errors/api-error.js'
import { causeMessage } from '../platform/errors/cause-message.js'
import type { Client } from '../platform/http/client.js'
import { deviceName } from '../platform/http/device-name.js'
import { Logger } from '../platform/log/logger.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { withMethods } from '../tokens/auth-methods.js'
import { Users } from '../users/users.js'
import { type CheckedFactor, FactorCheck, type FactorProof, isWrongFactor } from './factor-check.js'
import { type LoggedIn, type LoginConfirmation, type LoginContext, LoginSessions } from './login.js'
import { LoginLimits } from './login-limits.js'
import { type SecondFactorChallenge, SecondFactorChallenges } from './second-factor-challenges.js'

/** Checks a second factor, and uses it up together with its challenge when the login is recorded. */
@Injectable()
export class SecondFactorConfirmation {
  constructor(
    private readonly challenges: SecondFactorChallenges,
    private readonly factors: FactorCheck,
    private readonly resets: FactorResets,
    private readonly database: Database,
  ) {}

  /**
   * The factor, not used up yet. Throws like {@link FactorCheck.check}, and `CHALLENGE_EXPIRED` when another request
   * has completed this login.
   */
  check(
    challenge: SecondFactorChallenge,
    proof: FactorProof,
    { client }: LoginContext,
  ): Promise<CheckedFactor> {
    const isDone = () => this.challenges.isDone(challenge)
    return this.factors.check(challenge.user, proof, { action: 'login', client, isDone })
  }

  /**
   * With the user locked, the challenge and the factor are used up: in the statement of the login, or in one
   * transaction with it. The challenge first: when a request is sent twice, a right code must not seem wrong. A
   * user who has their factor has not lost it: a reset that an operator has requested is cancelled, unless it is
   * requested in the same instant.
   */
  async prepare(
    challenge: SecondFactorChallenge,
    factor: CheckedFactor,
    { client }: LoginContext,
  ): Promise<LoginConfirmation> {
    const { user } = challenge
    const { inLogin } = factor
    // Hardly anybody has a pending reset, so a transaction is hardly ever needed.
    if (inLogin && !(await this.database.run(db => this.resets.find(db, user.id))))
      return {
        detail: {},
        uses: [this.challenges.inLogin(challenge), inLogin],
        confirm: (_, record) => factor.auditingFailure(record()),
      }
    return {
      detail: {},
      confirm: async (_, record) => {
        const { recorded, sendMails } = await this.database.transaction(async transaction => {
          const recorded = await record(transaction)
          await this.challenges.use(transaction, challenge)
          const sendMails = await factor.use(transaction)
          if (!factor.isRecoveryCode)
            await this.resets.cancelByUse(transaction, user, { userId: user.id, client })
          return { recorded, sendMails }
        })
        sendMails()
        return recorded
      },
    }
  }
}

/** From a network where the user has logged in before, this many wrong factors are probably their own mistakes. */
const OWN_MISTAKES = 2

/** Warns users when somebody who knows their password fails the second factor. Never rejects. */
@Injectable()
export class WrongFactorNotifier {
  constructor(
    private readonly knownDevices: KnownDevices,
    private readonly mails: FactorMails,
  ) {}

  /** After a wrong second factor at a login; mails at most once a day. */
  async notifyAtLogin({ user, tries }: SecondFactorChallenge, client: Client): Promise<void> {
    const { id: userId, accountId } = user
    const isKnown = tries <= OWN_MISTAKES && (await this.isKnown(userId, client))
    if (!isKnown) await this.mails.secondStepFailed({ userId, accountId, client })
  }

  /** After a wrong factor within a session, which may be stolen; mails at most once a day. */
  async notifyInSession(actor: SessionActor): Promise<void> {
    if (!(await this.isKnown(actor.userId, actor.client))) await this.mails.wrongFactorInSession(actor)
  }

  private isKnown(userId: string, { ip }: Client): Promise<boolean> {
    return this.knownDevices.knowsNetwork(userId, ip).catch(() => false)
  }
}

/** Remembers browsers that have just used a second factor. */
@Injectable()
export class DeviceMemory {
  private readonly logger = new Logger('DeviceMemory')

  constructor(
    private readonly devices: RememberedDevices,
    private readonly users: Users,
    private readonly changes: SessionChanges,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Remembers the browser of this new session; returns the token for it to keep. Throws `SESSION_NOT_FOUND` when
   * the session has ended in the meantime, for example because of a new password, which forgets all devices. Null
   * during an outage: the login itself is complete, and its code is used up.
   */
  async remember(loggedIn: LoggedIn, context: LoginContext): Promise<string | null> {
    try {
      return await this.add(loggedIn, context)
    } catch (error) {
      if (isRefusal(error)) throw error
      this.logger.warn(`A device could not be remembered: ${causeMessage(error)}`)
      return null
    }
  }

  private add({ session }: LoggedIn, { client }: LoginContext): Promise<string> {
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

/** The second step of a login. */
@Injectable()
export class SecondFactorLoginService {
  constructor(
    private readonly limits: LoginLimits,
    private readonly confirmation: SecondFactorConfirmation,
    private readonly sessions: LoginSessions,
    private readonly notifier: WrongFactorNotifier,
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
      const factor = await this.confirmation.check(challenge, proof, context)
      const methods = withMethods(challenge.methods, factor.methods)
      const confirmation = await this.confirmation.prepare(challenge, factor, context)
      const loggedIn = await this.sessions.admit(user, { methods }, context, confirmation)
      await counted.completed()
      return loggedIn
    } catch (error) {
      await counted.threw(error)
      if (isWrongFactor(error)) await this.notifier.notifyAtLogin(challenge, client)
      throw error
    }
  }
}
