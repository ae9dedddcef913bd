import { Injectable } from '@nestjs/common'
import { withMethods } from '../../tokens/access-tokens.js'
import type { LoginContext } from '../login/login-context.js'
import { LoginLimits } from '../login-limits.js'
import { type LoggedIn, LoginSessions } from '../login/login-sessions.js'
import { type FactorProof, isWrongFactor } from './factor-check.js'
import type { SecondFactorChallenge } from './second-factor-challenges.js'
import { SecondFactorConfirmation } from './second-factor-confirmation.js'
import { WrongFactorNotifier } from './wrong-factor-notifier.js'

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
