import { Injectable } from '@nestjs/common'
import { LoginAnomalyCheck } from '../../anomalies/login-check.js'
import type { ErrorCode } from '../../platform/errors/api-error.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { rejectedNoSooner } from '../../platform/time.js'
import { acrOf, authMethods, ONE_FACTOR } from '../../tokens/access-tokens.js'
import type { User } from '../../users/user.js'
import { Credentials, type LoginUser } from './credentials.js'
import { HandoffCheck } from './handoff-check.js'
import type { LoginBody } from './login.dto.js'
import type { LoginContext } from './login-context.js'
import { LoginLimits } from '../login-limits.js'
import { type LoggedIn, LoginSessions } from './login-sessions.js'

/** The answers to a right password that is not enough. */
const NOT_ENOUGH: ReadonlySet<ErrorCode> = new Set(['HANDOFF_REQUIRED', 'SECOND_FACTOR_REQUIRED'])

@Injectable()
export class LoginService {
  constructor(
    private readonly limits: LoginLimits,
    private readonly credentials: Credentials,
    private readonly handoffCheck: HandoffCheck,
    private readonly sessions: LoginSessions,
    private readonly anomalyCheck: LoginAnomalyCheck,
  ) {}

  /**
   * Opens a session for the right password; {@link Credentials.check} lists what is refused, and how. Throws
   * `TOO_MANY_ATTEMPTS` before any work. Throws `HANDOFF_REQUIRED` before that, or only after the right password
   * if it is the user's account or their second factor that requires it: strangers must not learn whose does. On
   * the main site and in apps a second factor is `SECOND_FACTOR_REQUIRED`. The sessions that the browser already
   * had end.
   */
  async login(login: LoginBody, context: LoginContext): Promise<LoggedIn> {
    this.credentials.requirePasswordsAllowed(login, context.client)
    const counted = await this.limits.countGuess(login.email, context.client)
    try {
      const credentials = this.credentials.check(login, context.client)
      // The minimum delay starts after the hash, so a wrong password and a login that is too unusual are
      // refused at the same moment.
      await Promise.allSettled([credentials])
      const { user, loggedIn } = await this.withUniformRefusals(this.admit(credentials, context))
      // Partly, if a remembered browser stood in for the second factor.
      await (skippedSecondFactor(user, loggedIn) ? counted.partlySucceeded() : counted.succeeded())
      return loggedIn
    } catch (error) {
      const isNotEnough = error instanceof ApiError && NOT_ENOUGH.has(error.code)
      await (isNotEnough ? counted.partlySucceeded() : counted.threw(error))
      throw error
    }
  }

  private async admit(credentials: Promise<LoginUser>, context: LoginContext) {
    const user = await credentials
    await this.handoffCheck.check(user, context)
    return { user, loggedIn: await this.sessions.admit(user, { methods: authMethods('pwd') }, context) }
  }

  /** Where logins may be refused as too unusual, the time of a refusal must not reveal that the password was right. */
  private withUniformRefusals<T>(work: Promise<T>): Promise<T> {
    return this.anomalyCheck.mayRefuse ? rejectedNoSooner(work) : work
  }
}

/** Whether a user who has a second factor was let in without it. */
function skippedSecondFactor({ hasSecondFactor }: User, { session }: LoggedIn): boolean {
  return hasSecondFactor && acrOf(session.amr) === ONE_FACTOR
}
