import { Injectable } from '@nestjs/common'
import { FactorMails, type FactorName } from '../factors/factor-mails.js'
import { RecoveryCodes } from '../factors/recovery-codes.js'
import { FactorRequirement, type FactorSummary, UserFactors } from '../factors/user-factors.js'
import { type AuditAction, type AuditEvent, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { ApiError } from '../platform/errors/api-error.js'
import {
  mergeRecorded,
  NOTHING_RECORDED,
  type RecordedChanges,
} from '../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../sessions/revocation/session-changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { AccountRecovery } from '../users/recovery.js'
import type { User } from '../users/user.js'
import { FactorAuthority } from './factor-authority.js'

/**
 * Makes a change in the transaction, with the user locked after the account; also returns the detail for the audit
 * log, or null when there was nothing to change.
 */
export type FactorWork<T> = (
  transaction: Db,
  user: User,
) => Promise<{ readonly result: T; readonly detail: AuditEvent['detail'] | null }>

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
    private readonly recovery: AccountRecovery,
    private readonly changes: SessionChanges,
  ) {}

  /** The first factor ends the user's other sessions, which began without it. */
  ofFirst(transaction: Db, actor: SessionActor, user: User): Promise<RecordedChanges> {
    return this.endOthersAndPending(transaction, actor, user, 'first second factor')
  }

  /** Throws `LAST_WAY_IN`. */
  async ofRemovingPassword(
    transaction: Db,
    actor: SessionActor,
    user: User,
    event: AuditEvent,
  ): Promise<RecordedChanges> {
    if (!isEnoughWithoutPassword(await this.factors.findIn(transaction, user.id)))
      throw new ApiError('LAST_WAY_IN')
    return this.endOthersAndPending(transaction, actor, user, 'password removed', event)
  }

  async ofAdding(transaction: Db, { id }: User) {
    const reassessed = await this.factors.reassess(transaction, id)
    return { reassessed, recoveryCodes: await this.recoveryCodes.replaceIfNone(transaction, id) }
  }

  /** The codes. A browser may have been remembered by whoever had the earlier ones. */
  async ofReplacingCodes(transaction: Db, { id }: User): Promise<string[]> {
    await this.factors.forgetDevices(transaction, id)
    return this.recoveryCodes.replace(transaction, id)
  }

  /** Throws `LAST_WAY_IN` and `SECOND_FACTOR_NEEDED`. */
  async ofRemoving(transaction: Db, user: User): Promise<RecordedChanges> {
    const reassessed = await this.factors.reassess(transaction, user.id)
    await this.factors.forgetDevices(transaction, user.id)
    await this.requireEnough(transaction, user)
    return reassessed
  }

  endOthers(
    transaction: Db,
    { userId, sid: keep }: SessionActor,
    event: AuditEvent | null = null,
  ): Promise<RecordedChanges> {
    return this.changes.record(transaction, [{ kind: 'end-all', userId, keep }], event)
  }

  /** Also cancels what may have been started in the other sessions, like a new password. */
  private async endOthersAndPending(
    transaction: Db,
    actor: SessionActor,
    user: User,
    reason: string,
    event: AuditEvent | null = null,
  ): Promise<RecordedChanges> {
    const { client } = actor
    const afterCommit = await this.recovery.cancelPending(transaction, user, { client, reason })
    return { ...(await this.endOthers(transaction, actor, event)), afterCommit }
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
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
    private readonly mails: FactorMails,
  ) {}

  /** Adds a factor, and recovery codes where there are none. */
  async add<T>(actor: SessionActor, factor: FactorName, work: FactorWork<T>): Promise<FactorAdded<T>> {
    // Once, because the answer has recovery codes that nobody can see again.
    return this.changes.commitToleratingOutage(async transaction => {
      const { user, result } = await this.change(transaction, actor, 'factor.add', work)
      const first = user.hasSecondFactor
        ? NOTHING_RECORDED
        : await this.consequences.ofFirst(transaction, actor, user)
      const { reassessed, recoveryCodes } = await this.consequences.ofAdding(transaction, user)
      const mailed = { ...reassessed, afterCommit: await this.mails.added(transaction, actor, factor) }
      return { ...mergeRecorded(first, mailed), result, recoveryCodes, user }
    })
  }

  /**
   * Removes a factor and all remembered devices, and ends the other sessions, which it may have opened. Throws
   * `SECOND_FACTOR_NEEDED` for the last one where the account requires one, and `LAST_WAY_IN` when a user without a
   * password would not be left with enough.
   */
  async remove<T>(
    actor: SessionActor,
    factor: FactorName,
    work: FactorWork<T>,
  ): Promise<{ readonly result: T; readonly user: User }> {
    return this.changes.commitToleratingOutage(async transaction => {
      const { user, result, isChanged } = await this.change(transaction, actor, 'factor.remove', work)
      if (!isChanged) return { ...NOTHING_RECORDED, result, user }
      const ended = await this.consequences.endOthers(transaction, actor)
      const followed = await this.consequences.ofRemoving(transaction, user)
      const afterCommit = await this.mails.removed(transaction, actor, factor)
      return { ...mergeRecorded(ended, { ...followed, afterCommit }), result, user }
    })
  }

  private async change<T>(
    transaction: Db,
    actor: SessionActor,
    action: AuditAction,
    work: FactorWork<T>,
  ): Promise<{ user: User; result: T; isChanged: boolean }> {
    const user = await this.authority.lockWithAccount(transaction, actor)
    const { result, detail } = await work(transaction, user)
    if (detail === null) return { user, result, isChanged: false }
    await this.auditLog.record(transaction, auditEvent(actor, action, detail))
    return { user, result, isChanged: true }
  }
}

/** Whether a user can do without a password: losing one device must not lock them out. */
function isEnoughWithoutPassword({ passkeys, recoveryCodesLeft }: FactorSummary): boolean {
  return passkeys >= 2 || (passkeys === 1 && recoveryCodesLeft > 0)
}
