import { Injectable } from '@nestjs/common'
import { type AuditAction, type AuditEvent, auditEvent } from '../audit/audit-event.js'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { ApiError } from '../errors/api-error.js'
import { FactorRequirement } from '../factors/factor-requirement.js'
import { RecoveryCodes } from '../factors/recovery-codes/recovery-codes.js'
import { type FactorSummary, UserFactors } from '../factors/user-factors.js'
import {
  mergeRecorded,
  NOTHING_RECORDED,
  type RecordedChanges,
} from '../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { AccountRecovery } from '../users/recovery/account-recovery.js'
import type { User } from '../users/user.js'
import { FactorAuthority } from './factor-authority.js'

/** Makes a change in the transaction, with the user locked after the account; also returns the detail for the audit log. */
export type FactorWork<T> = (
  transaction: Db,
  user: User,
) => Promise<{ readonly result: T; readonly detail: AuditEvent['detail'] }>

export interface FactorAdded<T> {
  readonly result: T
  /** New ones, to be shown once; null when the user already had some. */
  readonly recoveryCodes: readonly string[] | null
  readonly user: User
}

/** What follows from a change of factors, with the user locked. */
@Injectable()
export class FactorConsequences {
  constructor(
    private readonly factors: UserFactors,
    private readonly recoveryCodes: RecoveryCodes,
    private readonly requirement: FactorRequirement,
  ) {}

  async ofAdding(transaction: Db, { id }: User) {
    const reassessed = await this.factors.reassess(transaction, id)
    return { reassessed, recoveryCodes: await this.recoveryCodes.replaceIfNone(transaction, id) }
  }

  /** Throws `LAST_WAY_IN` and `SECOND_FACTOR_NEEDED`. */
  async ofRemoving(transaction: Db, user: User): Promise<RecordedChanges> {
    const reassessed = await this.factors.reassess(transaction, user.id)
    await this.factors.forgetDevices(transaction, user.id)
    await this.requireEnough(transaction, user)
    return reassessed
  }

  private async requireEnough(transaction: Db, user: User): Promise<void> {
    const left = await this.factors.findIn(transaction, user.id)
    if (user.passwordHash === null && !isEnoughWithoutPassword(left)) throw new ApiError('LAST_WAY_IN')
    const count = left.passkeys + (left.totpConfirmedAt === null ? 0 : 1)
    await this.requirement.requireEnough(transaction, user.id, count)
  }
}

/**
 * Changes what a user logs in with, each time in one transaction with everything that follows from it. All
 * methods throw like {@link FactorAuthority}.
 */
@Injectable()
export class FactorChanges {
  constructor(
    private readonly authority: FactorAuthority,
    private readonly consequences: FactorConsequences,
    private readonly recovery: AccountRecovery,
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Adds a factor, and recovery codes where there are none. The first one ends the user's other sessions, which
   * began without it, and cancels what may have been started in them, like a new password.
   */
  async add<T>(actor: SessionActor, work: FactorWork<T>): Promise<FactorAdded<T>> {
    return this.durablyOnce(actor, 'factor.add', work, async (transaction, { user, result }) => {
      const first = user.hasSecondFactor ? NOTHING_RECORDED : await this.ofFirst(transaction, actor, user)
      const { reassessed, recoveryCodes } = await this.consequences.ofAdding(transaction, user)
      return { ...mergeRecorded(first, reassessed), result, recoveryCodes, user }
    })
  }

  /**
   * Removes a factor and all remembered devices, and ends the other sessions, which it may have opened. Throws
   * `SECOND_FACTOR_NEEDED` for the last one where the account requires one, and `LAST_WAY_IN` when a user without
   * a password would not be left with enough.
   */
  async remove<T>(
    actor: SessionActor,
    work: FactorWork<T>,
  ): Promise<{ readonly result: T; readonly user: User }> {
    return this.durablyOnce(actor, 'factor.remove', work, async (transaction, { user, result }) => {
      const ended = await this.endOthers(transaction, actor)
      return { ...mergeRecorded(ended, await this.consequences.ofRemoving(transaction, user)), result, user }
    })
  }

  private async ofFirst(transaction: Db, actor: SessionActor, user: User): Promise<RecordedChanges> {
    const cancellation = { client: actor.client, reason: 'first second factor' }
    const afterCommit = await this.recovery.cancelPending(transaction, user, cancellation)
    return { ...(await this.endOthers(transaction, actor)), afterCommit }
  }

  private endOthers(transaction: Db, { userId, sid: keep }: SessionActor): Promise<RecordedChanges> {
    return this.changes.record(transaction, [{ kind: 'end-all', userId, keep }], null)
  }

  /** Once, because the answer has recovery codes that nobody can see again. */
  private async durablyOnce<T, R extends RecordedChanges>(
    actor: SessionActor,
    action: AuditAction,
    work: FactorWork<T>,
    follow: (transaction: Db, done: { user: User; result: T }) => Promise<R>,
  ): Promise<R> {
    return this.changes.durablyOnce(async transaction => {
      const user = await this.authority.lockWithAccount(transaction, actor)
      const { result, detail } = await work(transaction, user)
      await this.auditLog.record(transaction, auditEvent(actor, action, detail))
      return follow(transaction, { user, result })
    })
  }
}

/** Whether a user can do without a password: losing one device must not lock them out. */
export function isEnoughWithoutPassword({ passkeys, recoveryCodesLeft }: FactorSummary): boolean {
  return passkeys >= 2 || (passkeys === 1 && recoveryCodesLeft > 0)
}
