import { Injectable } from '@nestjs/common'
import { earliest } from '../../anomalies/unrecognized-login-tokens.js'
import { inOrder, NO_MAILS, type SendMails } from '../../mail/mail.js'
import type { TargetUser } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import {
  followedBy,
  NOTHING_RECORDED,
  type RecordedChanges,
} from '../../sessions/revocation/recorded-changes.js'
import type { Email } from '../email.js'
import { CancellationNotices } from '../notices/cancellation-notices.js'
import type { Cancellation } from '../pending/pending-transfers.js'
import type { User } from '../user.js'
import { UserEmails } from '../user-emails.js'
import { Users } from '../users.js'
import { AccountCleanup } from './account-cleanup.js'
import { TakeoverCleanup } from './takeover-cleanup.js'

/** The address that a user returns to, and what must be undone. */
export interface RestoreTarget {
  readonly address: Email
  /** The change that replaced the address; null if it was never replaced. */
  readonly sequence: number | null
  /** Since when somebody else may have been using the login; null when nothing indicates that. */
  readonly since: Date | null
  /**
   * The user's language when the link, or the one that undoes the change, was mailed: null if they had none. Undefined
   * when nothing indicates that somebody else has changed it.
   */
  readonly language: string | null | undefined
}

/** What a recovery has recorded, and the user as it leaves them. */
export interface Recovered extends RecordedChanges {
  readonly user: User
}

/** Restores to users what somebody with their password may have taken. Call {@link lock} before any other method. */
@Injectable()
export class AccountRecovery {
  constructor(
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly cleanup: TakeoverCleanup,
    private readonly accountCleanup: AccountCleanup,
    private readonly notices: CancellationNotices,
  ) {}

  /** The user as last committed, locked after their account; null when they no longer exist. */
  async lock(transaction: Db, target: TargetUser): Promise<User | null> {
    return (await this.users.lockWithAccount(transaction, target)).user
  }

  /**
   * Whether a link that was mailed to `address` may still act for the user: it is their address, or a change
   * away from it can be undone. Throws `INVALID_LINK` otherwise, because the mailbox may be a thief's.
   * `reported` is when a session began that the user says was not theirs, and their language when they were asked.
   */
  async restoreTargetFor(
    transaction: Db,
    user: User,
    address: Email,
    reported: Pick<RestoreTarget, 'since' | 'language'> = { since: null, language: undefined },
  ): Promise<RestoreTarget> {
    const left = await this.userEmails.openChangeFrom(transaction, user.id, address)
    if (left === null && user.email !== address) throw new ApiError('INVALID_LINK')
    const { sequence = null, since = null } = left ?? {}
    const first = earliest([since, reported.since])
    const { language = left?.language } = reported
    return { address, sequence, since: first, language }
  }

  /**
   * Gives the user the address, and the language that they had when the link was mailed: whoever has chosen another
   * since, or logged in first with a browser in another, may be a thief. Removes the password and cancels whatever may
   * have been started with it: other addresses, other passwords, invitations, resets of others' factors and, for an
   * owner, a transfer or the deletion of the account. Factors added since `since` are removed, older ones stay;
   * members invited since are disabled, and satellites activated since are suspended. The caller must end the user's
   * sessions, and apply what is returned. Throws `EMAIL_TAKEN`.
   */
  async recover(
    transaction: Db,
    user: User,
    { address, sequence, since, language = user.language }: RestoreTarget,
    client: Client,
  ): Promise<Recovered> {
    const actor = { userId: user.id, client }
    if (user.email !== address) await this.userEmails.set(transaction, user.id, address)
    if (language !== user.language) await this.users.setLanguage(transaction, user.id, language)
    await this.users.setPassword(transaction, user.id, null)
    if (sequence !== null) await this.userEmails.closeFrom(transaction, user.id, sequence)
    const sendAddressNotice = user.email === address ? NO_MAILS : this.notices.aboutAddress(user)
    const sendAccountNotice = await this.cleanup.cancelAllPending(transaction, user, actor, 'recovered')
    const stranger = await this.cleanup.removeAllSince(transaction, user.id, since)
    const disabled = stranger
      ? await this.accountCleanup.closeSince(transaction, { ...user, email: address }, stranger, actor)
      : NOTHING_RECORDED
    const recorded = followedBy(disabled, inOrder(sendAddressNotice, sendAccountNotice))
    return { ...recorded, user: { ...user, email: address, language, passwordHash: null } }
  }

  /** {@link recover} to the address of a mailed undo link, which this uses up. Also throws `INVALID_LINK`. */
  async recoverByLink(transaction: Db, user: User, text: string, client: Client): Promise<Recovered> {
    return this.recover(transaction, user, await this.userEmails.consume(transaction, text), client)
  }

  /** Cancels what was started with a password that no longer lets anybody in: see {@link TakeoverCleanup.cancelPending}. */
  cancelPending(transaction: Db, user: User, cancellation: Cancellation): Promise<SendMails> {
    return this.cleanup.cancelPending(transaction, user, cancellation)
  }
}
