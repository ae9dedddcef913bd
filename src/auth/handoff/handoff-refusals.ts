import { Injectable } from '@nestjs/common'
import { type Actor, auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { OneTimeTokens } from '../../platform/one-time-tokens.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { HandoffCode, UsedHandoffCode } from './handoff-codes.js'

/** Refuses codes, always with the same error. */
@Injectable()
export class HandoffRefusals {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
  ) {}

  /** Looking up the code has already counted the guess. */
  unknown(client: Client): never {
    return this.refuse('no such code', { client })
  }

  async wrong(reason: string, { userId, accountId }: HandoffCode, client: Client): Promise<never> {
    await this.tokens.countGuess(client)
    return this.refuse(reason, { userId, accountId, client })
  }

  /**
   * Ends the session that the code opened: either its holder or the sender of this request has stolen the
   * code.
   */
  async replayed({ userId, accountId, childSid }: UsedHandoffCode, client: Client): Promise<never> {
    const actor = { userId, accountId, sid: childSid, client }
    await this.changes.commitChange({ kind: 'end', sid: childSid }, auditEvent(actor, 'handoff.replay'))
    await this.tokens.countGuess(client)
    return this.refuse('used before', actor)
  }

  private refuse(reason: string, actor: Actor): never {
    this.auditLog.enqueue(auditEvent(actor, 'handoff.redeem', { reason }), 'failed')
    throw new ApiError('HANDOFF_CODE_INVALID')
  }
}
