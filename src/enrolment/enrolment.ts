import { Injectable } from '@nestjs/common'
import type { RegistrationResponseJSON } from '@simplewebauthn/server'
import { FactorMails, type FactorName } from '../factors/factor-mails.js'
import { PasskeyRegistration } from '../factors/passkey-registration.js'
import { type Passkey, Passkeys, userHandleOf } from '../factors/passkeys.js'
import { RecoveryCodes } from '../factors/recovery-codes.js'
import { RememberedDevices } from '../factors/remembered-devices.js'
import { TotpFactors } from '../factors/totp.js'
import { type FactorSummary, requireEnoughFactors, UserFactors } from '../factors/user-factors.js'
import { PasskeyChallenges } from '../factors/webauthn.js'
import { type AuditAction, type AuditEvent, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import {
  followedBy,
  mergeRecorded,
  NOTHING_RECORDED,
  type RecordedChanges,
  SessionChanges,
} from '../sessions/changes.js'
import { Reauthentication } from '../sessions/reauthentication.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { authMethods } from '../tokens/access-tokens.js'
import { AccountRecovery } from '../users/recovery.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'

/**
 * Makes a change in the transaction, with the user locked after the account; also returns the detail for the audit
 * log, or null when there was nothing to change, and what it has changed in sessions.
 */
type FactorWork<T> = (transaction: Db, user: User) => Promise<FactorChange<T>>

interface FactorChange<T> {
  readonly result: T
  readonly detail: AuditEvent['detail'] | null
  readonly recorded?: RecordedChanges
}

interface FactorAdded<T> {
  readonly result: T
  /** New ones, to be shown once; null when the user already had some. */
  readonly recoveryCodes: readonly string[] | null
}

/**
 * Changes what a user logs in with, each time in one transaction with everything that follows from it.
 * ReauthenticationGuard has already asked the user for a second factor, if they have one. All methods but
 * {@link forgetDevices} throw like {@link lock}.
 */
@Injectable()
export class FactorChanges {
  constructor(
    private readonly users: Users,
    private readonly factors: UserFactors,
    private readonly recoveryCodes: RecoveryCodes,
    private readonly devices: RememberedDevices,
    private readonly recovery: AccountRecovery,
    private readonly changes: SessionChanges,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly mails: FactorMails,
  ) {}

  /**
   * The user, locked until the transaction ends. Throws `SESSION_NOT_FOUND` when the session has ended: a first
   * factor ends the sessions that could not have used it.
   */
  async lock(transaction: Db, actor: SessionActor): Promise<User> {
    return this.requireLive(transaction, actor, await this.users.lock(transaction, actor.userId))
  }

  /** Adds a factor, and recovery codes where there are none. */
  async add<T>(actor: SessionActor, factor: FactorName, work: FactorWork<T>): Promise<FactorAdded<T>> {
    // Once, because the answer has recovery codes that cannot be shown again.
    return this.changes.commit(async transaction => {
      const user = await this.lockWithAccount(transaction, actor)
      const { result, recorded } = await this.change(transaction, actor, user, 'factor.add', work)
      // The first factor ends the user's other sessions, which began without it.
      const first = user.hasSecondFactor
        ? NOTHING_RECORDED
        : await this.endOthersAndPending(transaction, actor, user, 'first second factor')
      const reassessed = await this.factors.reassess(transaction, user.id)
      const recoveryCodes = await this.recoveryCodes.replaceIfNone(transaction, user.id)
      const mailed = { ...reassessed, afterCommit: await this.mails.added(transaction, actor, factor) }
      return { ...mergeRecorded(mergeRecorded(first, recorded), mailed), result, recoveryCodes }
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
  ): Promise<{ readonly result: T }> {
    return this.changes.commit(async transaction => {
      const user = await this.lockWithAccount(transaction, actor)
      const { result, isChanged } = await this.change(transaction, actor, user, 'factor.remove', work)
      if (!isChanged) return { ...NOTHING_RECORDED, result }
      const ended = await this.endOthers(transaction, actor)
      const reassessed = await this.factors.reassess(transaction, user.id)
      await this.factors.forgetDevices(transaction, user.id)
      await this.requireEnough(transaction, user)
      const afterCommit = await this.mails.removed(transaction, actor, factor)
      return { ...mergeRecorded(ended, { ...reassessed, afterCommit }), result }
    })
  }

  /**
   * Removes the user's password, ends their other sessions, which it may have opened, and cancels what may have been
   * started with it; does nothing when they have none. Throws `LAST_WAY_IN`.
   */
  async removePassword(actor: SessionActor): Promise<void> {
    await this.changes.commit(async transaction => {
      const user = await this.lockWithAccount(transaction, actor)
      if (user.passwordHash === null) return NOTHING_RECORDED
      if (!isEnoughWithoutPassword(await this.factors.findIn(transaction, user.id)))
        throw new ApiError('LAST_WAY_IN')
      const event = auditEvent(actor, 'password.remove')
      const ended = await this.endOthersAndPending(transaction, actor, user, 'password removed', event)
      await this.users.setPassword(transaction, user.id, null)
      return followedBy(ended, await this.mails.passwordRemoved(transaction, actor))
    })
  }

  /** New recovery codes in place of the user's. Throws `SECOND_FACTOR_MISSING` for a user who has no factor. */
  async replaceRecoveryCodes(actor: SessionActor): Promise<string[]> {
    const { codes, mail } = await this.database.transaction(async transaction => {
      const user = await this.lock(transaction, actor)
      if (!user.hasSecondFactor) throw new ApiError('SECOND_FACTOR_MISSING')
      await this.auditLog.record(transaction, auditEvent(actor, 'recovery-codes.create'))
      const mail = await this.mails.recoveryCodesMade(transaction, actor)
      // A browser may have been remembered by an attacker who had the earlier codes.
      await this.factors.forgetDevices(transaction, user.id)
      return { codes: await this.recoveryCodes.replace(transaction, user.id), mail }
    })
    mail()
    return codes
  }

  /** Forgets one remembered browser, or all; ignores an id that is unknown or another user's. Safe to repeat. */
  async forgetDevices(actor: SessionActor, id?: string): Promise<void> {
    await this.database.transaction(async transaction => {
      const forgotten = await this.devices.forget(transaction, actor.userId, id)
      const events = forgotten.map(device => auditEvent(actor, 'device.forget', { id: device.id }))
      await this.auditLog.recordAll(transaction, events)
    })
  }

  /** Like {@link lock}, with the account locked first: for what cancels a transfer of it. */
  private async lockWithAccount(transaction: Db, actor: SessionActor): Promise<User> {
    const { userId: id, accountId } = actor
    const { user } = await this.users.lockWithAccount(transaction, { id, accountId })
    return this.requireLive(transaction, actor, user)
  }

  private async requireLive(transaction: Db, actor: SessionActor, user: User | null): Promise<User> {
    if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
    await this.changes.requireNotRevoked(transaction, actor)
    return user
  }

  private async change<T>(
    transaction: Db,
    actor: SessionActor,
    user: User,
    action: AuditAction,
    work: FactorWork<T>,
  ): Promise<{ result: T; isChanged: boolean; recorded: RecordedChanges }> {
    const { result, detail, recorded = NOTHING_RECORDED } = await work(transaction, user)
    if (detail !== null) await this.auditLog.record(transaction, auditEvent(actor, action, detail))
    return { result, isChanged: detail !== null, recorded }
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

  private endOthers(
    transaction: Db,
    { userId, sid: keep }: SessionActor,
    event: AuditEvent | null = null,
  ): Promise<RecordedChanges> {
    return this.changes.record(transaction, [{ kind: 'end-all', userId, keep }], event)
  }

  private async requireEnough(transaction: Db, user: User): Promise<void> {
    const left = await this.factors.findIn(transaction, user.id)
    if (user.passwordHash === null && !isEnoughWithoutPassword(left)) throw new ApiError('LAST_WAY_IN')
    const count = left.passkeys + (left.totpConfirmedAt === null ? 0 : 1)
    await requireEnoughFactors(transaction, user.id, count)
  }
}

/** Whether a user can do without a password: losing one device must not lock them out. */
function isEnoughWithoutPassword({ passkeys, recoveryCodesLeft }: FactorSummary): boolean {
  return passkeys >= 2 || (passkeys === 1 && recoveryCodesLeft > 0)
}

const APP = 'authenticator app'
const APP_DETAIL = { factor: 'totp' }

/** Adds and removes authenticator apps. */
@Injectable()
export class TotpEnrolmentService {
  constructor(
    private readonly totp: TotpFactors,
    private readonly factorChanges: FactorChanges,
    private readonly reauthentication: Reauthentication,
    private readonly database: Database,
  ) {}

  /**
   * A new secret, without effect yet, which replaces one that was never confirmed, and the user's e-mail address.
   * Throws `TOTP_EXISTS`, and like {@link FactorChanges.lock}.
   */
  begin(actor: SessionActor): Promise<{ secret: string; email: string }> {
    return this.database.transaction(async transaction => {
      const { id, email } = await this.factorChanges.lock(transaction, actor)
      return { secret: await this.totp.begin(transaction, id), email }
    })
  }

  /**
   * Puts the secret into effect once the user's app has shown a code from it; this session has then used it too.
   * Returns recovery codes when there were none. Throws `SECOND_FACTOR_INVALID`, `TOTP_NOT_STARTED`,
   * `TOTP_EXISTS`, and like {@link FactorChanges.add}.
   */
  async confirm(actor: SessionActor, code: string): Promise<readonly string[] | null> {
    const { recoveryCodes } = await this.factorChanges.add(actor, APP, async (transaction, { id }) => {
      if (!(await this.totp.confirm(transaction, id, code))) throw new ApiError('SECOND_FACTOR_INVALID')
      const recorded = await this.reauthentication.stamp(transaction, actor, authMethods('otp'))
      return { result: null, detail: APP_DETAIL, recorded }
    })
    return recoveryCodes
  }

  /** Does nothing when there is none. Throws like {@link FactorChanges.remove}. */
  async remove(actor: SessionActor): Promise<void> {
    await this.factorChanges.remove(actor, APP, async (transaction, { id }) => {
      const isRemoved = await this.totp.remove(transaction, id)
      return { result: null, detail: isRemoved ? APP_DETAIL : null }
    })
  }
}

/** A user's own passkeys. */
@Injectable()
export class PasskeyEnrolmentService {
  constructor(
    private readonly passkeys: Passkeys,
    private readonly challenges: PasskeyChallenges,
    private readonly registration: PasskeyRegistration,
    private readonly factorChanges: FactorChanges,
    private readonly users: Users,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  list({ userId }: SessionActor): Promise<Passkey[]> {
    return this.database.run(db => this.passkeys.listOf(db, userId))
  }

  /** Options for a new passkey. Throws `TOO_MANY_PASSKEYS`, and `SESSION_NOT_FOUND` when the user is gone. */
  async creationOptions(actor: SessionActor, siteName: string) {
    const user = await this.users.find(actor.userId)
    if (!user) throw new ApiError('SESSION_NOT_FOUND')
    const existing = await this.database.run(async db => {
      await this.passkeys.requireRoom(db, user.id)
      return this.passkeys.listOf(db, user.id)
    })
    return this.registration.options(user, actor.sid, siteName, existing)
  }

  /**
   * Adds the passkey that the user's authenticator has made from options of this session. Throws
   * `PASSKEY_INVALID`, `TOO_MANY_PASSKEYS`, `PASSKEY_EXISTS`, and like {@link FactorChanges.add}.
   */
  async add(
    actor: SessionActor,
    response: RegistrationResponseJSON,
    name: string | undefined,
  ): Promise<{ passkey: Passkey; recoveryCodes: readonly string[] | null }> {
    const { passkey, challenge, expiresAt } = await this.registration.verify(response, actor, name)
    const added = await this.factorChanges.add(actor, 'passkey', async transaction => {
      if (!(await this.challenges.use(transaction, challenge, expiresAt)))
        throw new ApiError('PASSKEY_INVALID')
      const result = await this.passkeys.add(transaction, passkey)
      return { result, detail: passkeyDetail(result) }
    })
    return { passkey: added.result, recoveryCodes: added.recoveryCodes }
  }

  /** Throws `NOT_FOUND`. */
  async rename(actor: SessionActor, id: string, name: string): Promise<Passkey> {
    const renamed = await this.database.transaction(async transaction => {
      const passkey = await this.passkeys.rename(transaction, { id, userId: actor.userId }, name)
      const detail = passkeyDetail({ id, name })
      if (passkey) await this.auditLog.record(transaction, auditEvent(actor, 'factor.change', detail))
      return passkey
    })
    if (!renamed) throw new ApiError('NOT_FOUND')
    return renamed
  }

  /**
   * Removes a passkey; returns what browsers' signal API takes. Throws `NOT_FOUND`, and like
   * {@link FactorChanges.remove}.
   */
  async remove(actor: SessionActor, id: string) {
    const { userId } = actor
    const { result } = await this.factorChanges.remove(actor, 'passkey', async transaction => {
      const removed = await this.passkeys.remove(transaction, { id, userId })
      if (!removed) throw new ApiError('NOT_FOUND')
      const left = await this.passkeys.listOf(transaction, userId)
      return { result: { removed, left }, detail: passkeyDetail(removed) }
    })
    const { removed, left } = result
    return {
      rpId: removed.rpId,
      credentialId: removed.credentialId,
      userId: userHandleOf(userId),
      remaining: left.map(({ credentialId }) => credentialId),
    }
  }
}

function passkeyDetail({ id: passkeyId, name }: { readonly id: string; readonly name: string }) {
  return { factor: 'passkey', passkeyId, name }
}
