import { Injectable } from '@nestjs/common'
import { inOrder } from '../../mail/mail.js'
import type { AuditEvent } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import type { Client } from '../../platform/http/request.js'
import { mergeRecorded, type RecordedChanges } from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionHandle } from '../../sessions/session.js'
import { PasswordPolicy } from '../../users/passwords/password-policy.js'
import { AccountRecovery } from '../../users/recovery/account-recovery.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { PasswordMails } from './password-mails.js'

/** A new password, and why it may be set. */
export interface PasswordToSet {
  readonly password: string
  /** The only session that survives. */
  readonly keep?: SessionHandle
  readonly client: Client
  readonly event: AuditEvent
  /**
   * Runs in the transaction, with the user as last committed, locked after the account. Throws if the change is
   * not allowed. Returns what it recovers on the way, and the user if that changes them.
   */
  readonly requireAllowed: (
    transaction: Db,
    user: User | null,
  ) => Promise<RecordedChanges & { readonly user?: User }>
}

@Injectable()
export class PasswordSetter {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly users: Users,
    private readonly recovery: AccountRecovery,
    private readonly changes: SessionChanges,
    private readonly mails: PasswordMails,
  ) {}

  /**
   * Gives the user a new password and ends the sessions that the old one may have opened. What was requested
   * under the old password (another address, another owner) is cancelled. Reset links stay valid, because control
   * of the mailbox outranks knowledge of the password. A notice goes to `user.email` and to earlier addresses
   * that the user can still return to. Throws `WEAK_PASSWORD` before anything has changed.
   */
  async set(user: User, { password, keep, client, event, requireAllowed }: PasswordToSet): Promise<void> {
    const known = [user.email, user.name ?? '']
    const passwordHash = await this.policy.hash(password, { known, client, subject: user.id })
    const change = { kind: 'end-all', userId: user.id, ...(keep && { keep }) } as const
    await this.changes.commit(async transaction => {
      const current = await this.recovery.lock(transaction, user)
      const { user: restored = user, ...recovered } = await requireAllowed(transaction, current)
      await this.users.setPassword(transaction, user.id, passwordHash)
      const cancellation = { client, reason: 'new password' }
      const sendTransferNotice = await this.recovery.cancelPending(transaction, user, cancellation)
      const sendPasswordNotice = await this.mails.changedNotice(transaction, restored)
      const ended = await this.changes.record(transaction, [change], event)
      const afterCommit = inOrder(sendPasswordNotice, sendTransferNotice)
      return mergeRecorded({ ...ended, afterCommit }, recovered)
    })
  }
}
