import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { isRefusal, unavailable } from '../../platform/errors/api-error.js'
import { Reauthentication } from '../../sessions/reauthentication.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { authMethods, namesOf } from '../../tokens/access-tokens.js'
import { unchanged } from '../../users/unchanged-user.js'
import type { FactorProof } from '../second-factor/factor-check.js'
import { FactorProofs, type Proved } from './factor-proofs.js'
import { PasswordProof } from './password-proof.js'

/** Exactly one of them. */
export interface ReauthenticationProof extends FactorProof {
  readonly password?: string
}

@Injectable()
export class ReauthenticationService {
  constructor(
    private readonly passwordProof: PasswordProof,
    private readonly factorProofs: FactorProofs,
    private readonly auditLog: AuditLog,
    private readonly reauthentication: Reauthentication,
  ) {}

  /**
   * Marks the session when its user proves with any factor who they are, and returns when that expires. Refuses
   * like {@link PasswordProof.ofActor} and {@link FactorProofs.ofActor}. Throws `TOO_BUSY` when the user was
   * changed in the meantime, for example by a new password, and `SESSION_NOT_FOUND` when the session has ended.
   * When the session store does not answer, the same code can be sent again in this session for two minutes.
   */
  async reauthenticate(actor: SessionActor, proof: ReauthenticationProof): Promise<Date> {
    const proved = await this.proved(actor, proof)
    const event = auditEvent(actor, 'reauthenticate', { methods: namesOf(proved.methods) })
    const isRecorded = await this.auditLog.recordIf(() => unchanged(proved.user), event)
    if (!isRecorded) throw unavailable('TOO_BUSY')
    return this.stamp(actor, proof, proved)
  }

  private async proved(actor: SessionActor, { password, ...proof }: ReauthenticationProof): Promise<Proved> {
    if (password === undefined) return this.factorProofs.ofActor(actor, proof)
    const user = await this.passwordProof.ofActor(actor, password, 'reauthenticate')
    return { user, methods: authMethods('pwd') }
  }

  private async stamp(actor: SessionActor, proof: ReauthenticationProof, proved: Proved): Promise<Date> {
    try {
      return await this.reauthentication.stamp(actor, proved.methods)
    } catch (error) {
      const hasEnded = isRefusal(error)
      if (!hasEnded) await this.factorProofs.makeReusable(actor, proof, proved)
      throw error
    }
  }
}
