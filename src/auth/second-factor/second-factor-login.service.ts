import { Injectable } from '@nestjs/common'
import { KnownDevices } from '../../anomalies/known-devices.js'
import { auditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import { FactorMails } from '../../factors/factor-mails.js'
import { FactorResets } from '../../factors/factor-resets.js'
import { RememberedDevices } from '../../factors/remembered-devices/remembered-devices.js'
import { type Client, deviceName } from '../../http/client.js'
import { Logger } from '../../log/logger.js'
import { withMethods } from '../../permissions/auth-methods.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { Users } from '../../users/users.js'
import type { LoginContext, LoginGrounds } from '../login/login-context.js'
import { LoginLimits } from '../login/login-limits.js'
import { type LoggedIn, LoginSessions } from '../login/login-sessions.js'
import { type CheckedFactor, FactorCheck, type FactorProof, isWrongFactor } from './factor-check.js'
import { type SecondFactorChallenge, SecondFactorChallenges } from './second-factor-challenges.js'

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
      if (error instanceof ApiError && error.status < 500) throw error
      this.logger.warn(`A device could not be remembered: ${(error as Error).message}`)
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

/** From a network where the user has logged in before, this many wrong factors are probably their own mistakes. */
const OWN_MISTAKES = 2

/** Warns users that somebody knows their password but does not have their second factor. */
@Injectable()
export class WrongFactorAlarm {
  constructor(
    private readonly knownDevices: KnownDevices,
    private readonly mails: FactorMails,
  ) {}

  /** After a wrong second factor; mails at most once a day. */
  async tell({ user, tries }: SecondFactorChallenge, client: Client): Promise<void> {
    const { id: userId, accountId } = user
    const isKnown = tries <= OWN_MISTAKES && (await this.knownDevices.knowsNetwork(userId, client.ip))
    if (!isKnown) await this.mails.secondStepFailed({ userId, accountId, client })
  }
}

/** What opening a session with a second factor depends on besides its user. */
@Injectable()
export class SecondFactorGrounds {
  constructor(
    private readonly challenges: SecondFactorChallenges,
    private readonly resets: FactorResets,
    private readonly database: Database,
  ) {}

  /**
   * With the user locked, the challenge and the factor are used up: in the statement of the login, or in one
   * transaction with it. The challenge first: when a request is sent twice, a right code must not seem wrong. A
   * user who has their factor has not lost it: a reset that an operator has requested is cancelled, unless it is
   * requested in the same instant.
   */
  async of(
    challenge: SecondFactorChallenge,
    factor: CheckedFactor,
    { client }: LoginContext,
  ): Promise<LoginGrounds> {
    const { user } = challenge
    const { inLogin } = factor
    // Hardly anybody has a pending reset, so a transaction is hardly ever needed.
    if (inLogin && !(await this.database.run(db => this.resets.find(db, user.id))))
      return {
        detail: {},
        uses: [this.challenges.inLogin(challenge), inLogin],
        confirm: async (_, record) => {
          await factor.noted(record())
          await factor.used()
        },
      }
    return {
      detail: {},
      confirm: async (_, record) => {
        await this.database.transaction(async transaction => {
          await record(transaction)
          await this.challenges.use(transaction, challenge)
          await factor.use(transaction)
          if (!factor.isRecoveryCode)
            await this.resets.cancelByUse(transaction, user, { userId: user.id, client })
        })
        await factor.used()
      },
    }
  }
}

/** The second step of a login. */
@Injectable()
export class SecondFactorLoginService {
  constructor(
    private readonly challenges: SecondFactorChallenges,
    private readonly factors: FactorCheck,
    private readonly limits: LoginLimits,
    private readonly grounds: SecondFactorGrounds,
    private readonly sessions: LoginSessions,
    private readonly alarm: WrongFactorAlarm,
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
      const grounds = await this.grounds.of(challenge, factor, context)
      const loggedIn = await this.sessions.admit(user, { methods }, context, grounds)
      await counted.completed()
      return loggedIn
    } catch (error) {
      await counted.threw(error)
      if (isWrongFactor(error)) await this.alarm.tell(challenge, client)
      throw error
    }
  }
}
