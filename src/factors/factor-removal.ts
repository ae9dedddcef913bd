import { Injectable } from '@nestjs/common'
import { type Actor, auditEventOf, type TargetUser } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { withdrawTokens } from '../platform/one-time-tokens.js'
import { mergeRecorded, type RecordedChanges } from '../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import { UserFactors } from './user-factors.js'

/** Removes all factors of a user at once, on behalf of others. */
@Injectable()
export class FactorRemoval {
  constructor(
    private readonly factors: UserFactors,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Removes all factors, recovery codes and remembered devices of the user, who must be locked, and ends their
   * sessions and logins in progress. The password stays.
   */
  async removeAll(
    transaction: Db,
    user: TargetUser,
    actor: Actor,
    detail: Readonly<Record<string, unknown>> = {},
  ): Promise<RecordedChanges> {
    const regranted = await this.factors.removeAll(transaction, user.id)
    await withdrawTokens(transaction, 'factor-reset', user.id)
    await withdrawTokens(transaction, 'second-factor', user.id)
    const event = auditEventOf(user, actor, 'factors.reset', { ...detail, step: 'done' })
    const ended = await this.changes.record(transaction, [{ kind: 'end-all', userId: user.id }], event)
    return mergeRecorded(regranted, ended)
  }
}
