import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import type { Recipient } from '../mail/mail.js'
import { Mailer } from '../mail/mailer.js'
import type { MailName } from '../mail/messages/en.js'
import { type MailedPage, SiteUrls } from '../mail/site-urls.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { attemptEach, LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { OneTimeTokens } from '../platform/one-time-tokens.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { NOTHING_RECORDED, SessionChanges } from '../sessions/changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { Accounts } from '../users/accounts.js'
import { ActorAuthority, requireOwner } from '../users/actor-authority.js'
import { UserEmails } from '../users/email-addresses.js'
import {
  ACCEPT_WITHIN_SECONDS,
  PendingAccountChanges,
  type PendingTransfer,
  PendingTransfers,
} from '../users/pending-changes.js'
import { initialGrant, type Role, type User } from '../users/user.js'
import { Users } from '../users/users.js'

/** The present owner and the future one, and when their account is to be deleted, if it is. */
interface Parties {
  readonly owner: User
  readonly newOwner: User
  readonly deleteAt: Date | null
}

/** A link that has been issued; mail it once the transaction has committed. */
interface IssuedLink {
  readonly to: Recipient
  readonly token: string
}

/**
 * A stop link outlives the wait, because a transfer waits longer while address changes can be undone. It is removed
 * with its transfer.
 */
const STOP_LINK_EXTRA_SECONDS = 30 * 24 * 60 * 60

/**
 * The transfer of an account to one of its members: the owner requests it, the member accepts, and once the wait is
 * over {@link TransferCompletion} carries it out; until then the owner can cancel it, or stop it with a mailed link.
 * Mails to the owner also go to earlier addresses that can still be restored, because the present one may be an
 * attacker's.
 */
@Injectable()
export class OwnershipTransferService {
  constructor(
    private readonly database: Database,
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly authority: ActorAuthority,
    private readonly transfers: PendingTransfers,
    private readonly pending: PendingAccountChanges,
    private readonly changes: SessionChanges,
    private readonly tokens: OneTimeTokens,
    private readonly rateLimiter: RateLimiter,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /**
   * Asks an active member to become the owner, and mails the owner a link to stop it. Throws like the guards when the
   * caller is no longer the owner, `NOT_FOUND` for a user who is not an active member of the account,
   * `TOO_MANY_ATTEMPTS`, `TRANSFER_PENDING`, and `EMAIL_UNDO_OPEN` while a change of either's e-mail address can still
   * be undone.
   */
  async request(actor: SessionActor, userId: string): Promise<PendingTransfer> {
    this.mailer.requireMail()
    const counted = await this.rateLimiter.countMailBy(actor, userId, actor.client)
    const opened = await counted.refundIfRejected(this.open(actor, userId))
    const { transfer, stopLinks, acceptLink, sendReplacedNotice } = opened
    sendReplacedNotice()
    this.mailLinks('transferRequested', '/stop-transfer', stopLinks, transfer)
    this.mailLinks('transferOffer', '/accept-transfer', [acceptLink], transfer)
    return transfer
  }

  private open(actor: SessionActor, userId: string) {
    return this.database.transaction(async transaction => {
      const { accountId, userId: ownerId } = actor
      const { users } = await this.lock(transaction, accountId, [ownerId, userId])
      const owner = requireOwner(users.get(ownerId))
      await this.changes.requireNotRevoked(transaction, actor)
      const newOwner = users.get(userId)
      if (!isActiveMember(newOwner, accountId)) throw new ApiError('NOT_FOUND')
      if (await this.isUndoOpen(transaction, owner, newOwner)) throw new ApiError('EMAIL_UNDO_OPEN')
      const opened = await this.pending.openTransfer(transaction, actor, owner, newOwner)
      const stopLinks = await this.issueStopLinks(transaction, owner, opened.transfer)
      const token = await this.tokens.issue(transaction, {
        purpose: 'transfer-accept',
        email: newOwner.email,
        userId,
        accountId,
        lifetimeSeconds: ACCEPT_WITHIN_SECONDS,
      })
      return { ...opened, stopLinks, acceptLink: { to: newOwner, token } }
    })
  }

  /**
   * The member agrees, which uses up the link, and the owner is mailed again how to stop the transfer. `readyAt` of
   * the result is the earliest time at which the member can become the owner. Throws `INVALID_LINK`, and
   * `SECOND_FACTOR_ENROLMENT_REQUIRED`, after which the link still works.
   */
  async accept(text: string, client: Client): Promise<PendingTransfer> {
    const found = await this.tokens.require('transfer-accept', text, client, 'account.transfer')
    this.mailer.requireMail()
    const { transfer, stopLinks } = await this.database.transaction(async transaction => {
      const pending = await this.transfers.find(transaction, found.accountId as string)
      const parties = pending && (await this.lockParties(transaction, pending))
      if (!parties || pending.toUserId !== found.userId) throw new ApiError('INVALID_LINK')
      if (parties.newOwner.mustEnrol) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
      const transfer = await this.transfers.accept(transaction, pending, text, client)
      return { transfer, stopLinks: await this.issueStopLinks(transaction, parties.owner, transfer) }
    })
    this.mailLinks('transferAccepted', '/stop-transfer', stopLinks, transfer)
    return transfer
  }

  /**
   * The owner cancels; owner and member are mailed. Throws `NOT_FOUND` when no transfer is pending, `OWNER_REQUIRED`
   * and `SESSION_NOT_FOUND` for others.
   */
  async cancel(actor: SessionActor): Promise<void> {
    const cancellation = { client: actor.client, reason: 'cancelled by the owner' }
    const sendMails = await this.database.transaction(async transaction => {
      const { id } = await this.authority.lockAsOwner(transaction, actor)
      return this.pending.cancelTransfer(transaction, id, cancellation)
    })
    if (!sendMails) throw new ApiError('NOT_FOUND')
    sendMails()
  }

  /**
   * Cancels by a link, which is used up; owner and member are mailed. The link can do nothing else, because it also
   * goes to addresses that the owner has left. It works until the transfer is cancelled or done, also while that is
   * void, and for the one that replaces it: an owner who follows it must not be left in doubt, and what made it void
   * may pass. Throws `INVALID_LINK`.
   */
  async stop(text: string, client: Client): Promise<void> {
    const found = await this.tokens.require('transfer-stop', text, client, 'account.transfer')
    const accountId = found.accountId as string
    const cancellation = { client, reason: 'stopped by a mailed link' }
    const sendMails = await this.database.transaction(async transaction => {
      await this.accounts.lock(transaction, accountId)
      await this.tokens.consume(transaction, 'transfer-stop', text)
      return this.pending.cancelTransfer(transaction, accountId, cancellation)
    })
    sendMails?.()
  }

  /** Cancels the transfer of the account if it is void; does nothing otherwise. */
  async cancelVoid(accountId: string): Promise<void> {
    const sendMails = await this.database.transaction(async transaction => {
      await this.accounts.lock(transaction, accountId)
      return this.pending.cancelInvalidTransfer(transaction, accountId)
    })
    sendMails()
  }

  /**
   * Makes the owner a member and the member the owner in one transaction, so there is exactly one owner at any
   * time. Mails both. False when it may not happen now: much may have happened since the transfer was read.
   */
  async complete(transfer: PendingTransfer): Promise<boolean> {
    const { isDone } = await this.changes.commit(async transaction => {
      const parties = await this.lockParties(transaction, transfer)
      if (!parties || (await this.isUndoOpen(transaction, parties.owner, parties.newOwner)))
        return { ...NOTHING_RECORDED, isDone: false }
      const { owner, newOwner } = parties
      await this.transfers.complete(transaction, transfer)
      await this.setRole(transaction, owner, 'member')
      await this.setRole(transaction, newOwner, 'owner')
      const recorded = await this.changes.record(
        transaction,
        [
          { kind: 'permissions', userId: owner.id },
          { kind: 'permissions', userId: newOwner.id },
        ],
        auditEvent({ userId: owner.id, accountId: owner.accountId, client: null }, 'account.transfer', {
          step: 'done',
          to: newOwner.id,
        }),
      )
      return { ...recorded, isDone: true, afterCommit: () => this.mailTransferred(parties) }
    })
    return isDone
  }

  /** With the default permissions of the role; an owner may log in at every site. */
  private async setRole(transaction: Db, { id }: User, role: Role): Promise<void> {
    await this.users.setRole(transaction, id, role)
    await this.users.setGranted(transaction, id, initialGrant(role))
    if (role === 'owner') await this.users.setSatellites(transaction, id, null)
  }

  /**
   * Both parties as they are now; they and the account stay locked until the transaction ends. Null when the transfer
   * has become void, or no longer the one that is given.
   */
  private async lockParties(transaction: Db, transfer: PendingTransfer): Promise<Parties | null> {
    const { accountId, fromUserId, toUserId } = transfer
    const { users, deleteAt } = await this.lock(transaction, accountId, [fromUserId, toUserId])
    const open = await this.transfers.findOpen(transaction, accountId)
    const [owner, newOwner] = [users.get(fromUserId), users.get(toUserId)]
    return open && isSame(open, transfer) && owner && newOwner ? { owner, newOwner, deleteAt } : null
  }

  private async lock(transaction: Db, accountId: string, userIds: readonly string[]) {
    const account = await this.accounts.lock(transaction, accountId)
    return { users: await this.users.lockAll(transaction, userIds), deleteAt: account?.deleteAt ?? null }
  }

  /** Whether a change of either's e-mail address can still be undone. If so, that login may be an attacker's. */
  private isUndoOpen(transaction: Db, owner: User, newOwner: User): Promise<boolean> {
    return this.userEmails.areAnyOpen(transaction, [owner.id, newOwner.id])
  }

  /** A link by which the owner stops the transfer, for each of their addresses. */
  private async issueStopLinks(transaction: Db, owner: User, transfer: PendingTransfer) {
    const { readyAt, requestedAt } = transfer
    const waitSeconds = Math.ceil((readyAt.getTime() - requestedAt.getTime()) / 1000)
    const { id: userId, accountId } = owner
    const issued: IssuedLink[] = []
    const lifetimeSeconds = waitSeconds + STOP_LINK_EXTRA_SECONDS
    const purpose = 'transfer-stop'
    for (const to of await this.userEmails.recipientsOf(transaction, owner)) {
      const link = { purpose, userId, accountId, email: to.email, lifetimeSeconds } as const
      issued.push({ to, token: await this.tokens.issue(transaction, link) })
    }
    return issued
  }

  private mailLinks(
    name: MailName,
    page: MailedPage,
    links: readonly IssuedLink[],
    { readyAt }: PendingTransfer,
  ): void {
    const site = this.urls.siteName
    for (const { to, token } of links) {
      const url = this.urls.toMainSite(page, token)
      this.mailer.post(to, words => words.mail(name, { site, url, day: words.day(readyAt) }))
    }
  }

  private mailTransferred({ owner, newOwner, deleteAt }: Parties): void {
    this.mailer.post(owner, words => words.mail('becameMember', this.urls.mainSite))
    this.mailer.post(newOwner, words => {
      const deletion = deleteAt ? words.phrase('becameOwner.deletion', { day: words.day(deleteAt) }) : ''
      return words.mail('becameOwner', { ...this.urls.mainSite, deletion })
    })
  }
}

function isActiveMember(user: User | undefined, accountId: string): user is User {
  return user?.accountId === accountId && user.role === 'member' && !user.disabledAt
}

/** Neither cancelled and requested again, nor accepted, in the meantime. */
function isSame(now: PendingTransfer, then: PendingTransfer): boolean {
  const isSameRequest = now.requestedAt.getTime() === then.requestedAt.getTime()
  const isAsAccepted = now.acceptedAt?.getTime() === then.acceptedAt?.getTime()
  return isSameRequest && isAsAccepted && now.toUserId === then.toUserId
}

/** A transfer, for users who may change the account's settings. */
export function transferAnswer(transfer: PendingTransfer) {
  const { toUserId: userId, requestedAt, readyAt, expiresAt, acceptedAt } = transfer
  return { userId, requestedAt, readyAt, expiresAt, acceptedAt }
}

const JOB = { name: 'ownership-transfers', everyMs: 10 * 60 * 1000 }

/** Completes transfers that are due and cancels void ones, on one replica at a time. */
@Injectable()
export class TransferCompletion {
  private readonly logger = new Logger('TransferCompletion')

  constructor(
    private readonly pending: PendingTransfers,
    private readonly transfers: OwnershipTransferService,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many accounts got a new owner; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    const cancel = ({ accountId }: PendingTransfer) => this.transfers.cancelVoid(accountId)
    const complete = (transfer: PendingTransfer) => this.transfers.complete(transfer)
    const task = ({ accountId }: PendingTransfer) => `complete the transfer of account ${accountId}`
    return this.jobs.run(JOB, async () => {
      await attemptEach(await this.pending.listInvalid(), cancel, task, this.logger)
      return attemptEach(await this.pending.listReady(), complete, task, this.logger)
    })
  }
}
