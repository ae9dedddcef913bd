import { Injectable } from '@nestjs/common'
import { ApiError } from '../../platform/errors/api-error.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { type AuthMethods, authMethods } from '../../tokens/access-tokens.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { LoginLimits } from '../login/login-limits.js'
import type { FactorProof } from '../second-factor/factor-check.js'
import { CredentialEntryPolicy } from './credential-entry-policy.js'
import { FactorUse } from './factor-use.js'
import { ReusableCodes } from './reusable-codes.js'

/** What the user of a session has just proved. */
export interface Proved {
  readonly user: User
  readonly methods: AuthMethods
  /** For a code that was used a second time: until when it could be. */
  readonly reusableUntil?: Date | null
}

/** Checks, within a session, the factors that its user has besides a password. */
@Injectable()
export class FactorProofs {
  constructor(
    private readonly users: Users,
    private readonly entryPolicy: CredentialEntryPolicy,
    private readonly limits: LoginLimits,
    private readonly factorUse: FactorUse,
    private readonly reusable: ReusableCodes,
  ) {}

  /**
   * Throws `SECOND_FACTOR_INVALID` or `PASSKEY_INVALID`; `OWNER_LOGIN_BARRED` or `HANDOFF_REQUIRED` where codes
   * must not be typed, and `SESSION_NOT_FOUND` when the user is gone. Guesses count together with those at the
   * password.
   */
  async ofActor(actor: SessionActor, proof: FactorProof): Promise<Proved> {
    const user = await this.users.find(actor.userId)
    if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
    const refusal = proof.passkey ? null : await this.entryPolicy.refusalOfCode(user, actor)
    if (refusal) throw new ApiError(refusal)
    const counted = await this.limits.countFactorGuess(user, actor.client)
    try {
      const reusableUntil = await this.reusable.take(actor.sid, proof)
      const methods = reusableUntil ? authMethods('otp') : await this.factorUse.use(user, proof, actor)
      // It is counted together with guesses at the password, so it must not reset their limit.
      await counted.partlySucceeded()
      return { user, methods, reusableUntil }
    } catch (error) {
      await counted.threw(error)
      throw error
    }
  }

  /** For a proof that was right, but whose session could not be stamped: its code then counts once more there. */
  makeReusable({ sid }: SessionActor, proof: FactorProof, { reusableUntil }: Proved): Promise<void> {
    return this.reusable.keep(sid, proof, reusableUntil ?? null)
  }
}
