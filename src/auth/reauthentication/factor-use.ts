import { Injectable } from '@nestjs/common'
import { Database } from '../../platform/database/database.js'
import { Reauthentication } from '../../sessions/reauthentication.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { AuthMethods } from '../../tokens/access-tokens.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import {
  type CheckedFactor,
  FactorCheck,
  type FactorProof,
  isWrongFactor,
} from '../second-factor/factor-check.js'
import { WrongFactorNotifier } from '../second-factor/wrong-factor-notifier.js'

/** Uses factors up within a session. */
@Injectable()
export class FactorUse {
  constructor(
    private readonly users: Users,
    private readonly factors: FactorCheck,
    private readonly notifier: WrongFactorNotifier,
    private readonly reauthentication: Reauthentication,
    private readonly database: Database,
  ) {}

  /** What the proof proves. Throws like {@link FactorCheck.check}. */
  async use(user: User, proof: FactorProof, actor: SessionActor): Promise<AuthMethods> {
    const factor = await this.check(user, proof, actor)
    const sendMails = await this.database.transaction(async transaction => {
      await this.users.lock(transaction, user.id)
      return factor.use(transaction)
    })
    sendMails()
    return factor.methods
  }

  private async check(user: User, proof: FactorProof, actor: SessionActor): Promise<CheckedFactor> {
    try {
      const context = { action: 'reauthenticate', client: actor.client, session: actor } as const
      return await this.factors.check(user, proof, context)
    } catch (error) {
      // A code that was right a moment ago is wrong the second time; a passkey's challenge may have expired.
      const isMistake = proof.passkey || this.reauthentication.isRecent(actor)
      if (isWrongFactor(error) && !isMistake) await this.notifier.notifyInSession(actor)
      throw error
    }
  }
}
