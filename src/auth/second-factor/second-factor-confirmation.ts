import { Injectable } from '@nestjs/common'
import { FactorResets } from '../../factors/factor-resets.js'
import { Database } from '../../platform/database/database.js'
import type { LoginConfirmation, LoginContext } from '../login/login-context.js'
import { type CheckedFactor, FactorCheck, type FactorProof } from './factor-check.js'
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
