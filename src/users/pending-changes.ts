import { Injectable } from '@nestjs/common'
import {
  type AnyColumn,
  and,
  asc,
  eq,
  getTableColumns,
  gt,
  inArray,
  isNotNull,
  lte,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm'
import type { Recipient } from '../mail/mail.js'
import { inOrder, NO_MAILS, type SendMails } from '../mail/mail.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'
import type { Actor, TargetUser } from '../platform/audit/audit-event.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { accounts, ownershipTransfers, users } from '../platform/database/schema/accounts.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import type { Purpose } from '../platform/one-time-tokens.js'
import { OneTimeTokens, withdrawTokensOfAccount } from '../platform/one-time-tokens.js'
import { Clock, secondsAfter } from '../platform/time.js'
import { Accounts } from './accounts.js'
import { UserEmails } from './email-addresses.js'
import { AccountAdmins } from './notices.js'
import type { Role, User } from './user.js'

/** How long the future owner has to accept; the same as for an invitation. */
export const ACCEPT_WITHIN_SECONDS = 7 * 24 * 60 * 60

/** From the acceptance on, so that the owner has time to stop it. */
const STOP_WITHIN_SECONDS = 12 * 60 * 60

const ALL_LINKS = ['transfer-accept', 'transfer-stop'] as const

/** A transfer that has been requested but not completed. */
export type PendingTransfer = typeof ownershipTransfers.$inferSelect

export interface Cancellation {
  /** Null for the service itself. */
  readonly client: Client | null
  readonly reason: string
  /** For another transfer, which the links that stop this one then stop. */
  readonly isReplaced?: boolean
}

/** Pending transfers, at most one for each account. Lock the account before you change one. */
@Injectable()
export class PendingTransfers {
  constructor(
    private readonly database: Database,
    private readonly tokens: OneTimeTokens,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  async find(db: Db, accountId: string): Promise<PendingTransfer | null> {
    const [row] = await db
      .select()
      .from(ownershipTransfers)
      .where(eq(ownershipTransfers.accountId, accountId))
    return row ?? null
  }

  /** The same, with the address and the name of who becomes the owner; null if it is void. */
  async findOpen(db: Db, accountId: string) {
    const { email, name } = users
    const [row] = await db
      .select({ ...getTableColumns(ownershipTransfers), email, name })
      .from(ownershipTransfers)
      .innerJoin(users, eq(users.id, ownershipTransfers.toUserId))
      .where(and(eq(ownershipTransfers.accountId, accountId), isOpen(this.clock.now())))
    return row ?? null
  }

  /** Accepted, with the waiting period over. Some may have to wait longer, while an address can still be restored. */
  listReady(): Promise<PendingTransfer[]> {
    const { acceptedAt, readyAt } = ownershipTransfers
    return this.list(and(isNotNull(acceptedAt), lte(readyAt, this.clock.now())))
  }

  /** Those that will never be accepted or completed, but for accounts that are about to be deleted with them. */
  listInvalid(): Promise<PendingTransfer[]> {
    const now = this.clock.now()
    return this.list(and(not(isOpen(now)), not(isBeingDeleted(now))))
  }

  /** Creates one that is not accepted yet. Throws `TRANSFER_PENDING` if there is one already. */
  async open(transaction: Db, actor: Actor, owner: User, newOwner: User): Promise<PendingTransfer> {
    const requestedAt = this.clock.now()
    const transfer: PendingTransfer = {
      accountId: owner.accountId,
      fromUserId: owner.id,
      toUserId: newOwner.id,
      requestedAt,
      readyAt: secondsAfter(requestedAt, this.settings.transferWaitSeconds),
      expiresAt: secondsAfter(requestedAt, ACCEPT_WITHIN_SECONDS),
      acceptedAt: null,
    }
    const opened = await transaction
      .insert(ownershipTransfers)
      .values(transfer)
      .onConflictDoNothing()
      .returning({ accountId: ownershipTransfers.accountId })
    if (opened.length === 0) throw new ApiError('TRANSFER_PENDING')
    const detail = { step: 'requested', to: newOwner.id, readyAt: transfer.readyAt }
    await this.auditLog.record(transaction, auditEvent(actor, 'account.transfer', detail))
    return transfer
  }

  /**
   * The future owner accepts, with a link that this uses up. A late acceptance puts `readyAt` off. Throws
   * `INVALID_LINK`.
   */
  async accept(
    transaction: Db,
    transfer: PendingTransfer,
    text: string,
    client: Client,
  ): Promise<PendingTransfer> {
    const { accountId, fromUserId: from, toUserId: userId } = transfer
    await this.tokens.consume(transaction, 'transfer-accept', text)
    const acceptedAt = this.clock.now()
    const earliest = secondsAfter(acceptedAt, STOP_WITHIN_SECONDS)
    const readyAt = transfer.readyAt < earliest ? earliest : transfer.readyAt
    await transaction
      .update(ownershipTransfers)
      .set({ acceptedAt, readyAt })
      .where(eq(ownershipTransfers.accountId, accountId))
    const event = auditEvent({ userId, accountId, client }, 'account.transfer', { step: 'accepted', from })
    await this.auditLog.record(transaction, event)
    return { ...transfer, acceptedAt, readyAt }
  }

  /** Removes the transfer and its links without changing the owner; null when there was none. */
  async cancel(
    transaction: Db,
    accountId: string,
    { client, reason, isReplaced = false }: Cancellation,
  ): Promise<PendingTransfer | null> {
    const cancelled = await this.remove(transaction, accountId, isReplaced ? ['transfer-accept'] : ALL_LINKS)
    if (!cancelled) return null
    const { fromUserId: userId, toUserId: to } = cancelled
    const detail = { step: 'cancelled', to, reason }
    const event = auditEvent({ userId, accountId, client }, 'account.transfer', detail)
    await this.auditLog.record(transaction, event)
    return cancelled
  }

  /** Like {@link cancel}, if the transfer is void. */
  async cancelInvalid(
    transaction: Db,
    accountId: string,
    options: Pick<Cancellation, 'isReplaced'> = {},
  ): Promise<PendingTransfer | null> {
    const pending = await this.find(transaction, accountId)
    if (!pending || (await this.findOpen(transaction, accountId))) return null
    const isLate = !pending.acceptedAt && pending.expiresAt <= this.clock.now()
    const reason = isLate ? 'not accepted in time' : 'one of the two is gone'
    return this.cancel(transaction, accountId, { client: null, reason, ...options })
  }

  /** Like {@link cancel}, for every transfer that would make one of these users the owner. */
  async cancelAllTo(
    transaction: Db,
    targets: readonly TargetUser[],
    reason: string,
  ): Promise<PendingTransfer[]> {
    const { accountId, toUserId } = ownershipTransfers
    const accountIds = [...new Set(targets.map(target => target.accountId))]
    const ids = targets.map(({ id }) => id)
    const pending = await transaction
      .select()
      .from(ownershipTransfers)
      .where(and(inArray(accountId, accountIds), inArray(toUserId, ids)))
    for (const transfer of pending)
      await this.cancel(transaction, transfer.accountId, { client: null, reason })
    return pending
  }

  /** Removes a completed transfer and its links, and records it for the new owner. */
  async complete(transaction: Db, { accountId, fromUserId, toUserId }: PendingTransfer): Promise<void> {
    await this.remove(transaction, accountId, ALL_LINKS)
    const newOwner = { userId: toUserId, accountId, client: null }
    const detail = { step: 'done', from: fromUserId, by: fromUserId }
    await this.auditLog.record(transaction, auditEvent(newOwner, 'account.transfer', detail))
  }

  private async remove(
    transaction: Db,
    accountId: string,
    links: readonly Purpose[],
  ): Promise<PendingTransfer | null> {
    const [row] = await transaction
      .delete(ownershipTransfers)
      .where(eq(ownershipTransfers.accountId, accountId))
      .returning()
    await withdrawTokensOfAccount(transaction, links, accountId)
    return row ?? null
  }

  private list(which: SQL | undefined): Promise<PendingTransfer[]> {
    return this.database.run(db =>
      db.select().from(ownershipTransfers).where(which).orderBy(asc(ownershipTransfers.readyAt)),
    )
  }
}

/** Mails about cancelled changes, to those who were mailed that they were requested. */
@Injectable()
export class CancellationNotices {
  constructor(
    private readonly userEmails: UserEmails,
    private readonly admins: AccountAdmins,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /** A transfer was cancelled: to the owner, also at earlier addresses that can still be restored, and the member. */
  async aboutTransfer(transaction: Db, { fromUserId, toUserId }: PendingTransfer): Promise<SendMails> {
    const found = (await transaction
      .select()
      .from(users)
      .where(inArray(users.id, [fromUserId, toUserId]))) as User[]
    const owner = found.find(({ id }) => id === fromUserId)
    const recipients: Recipient[] = [
      ...(owner ? await this.userEmails.recipientsOf(transaction, owner) : []),
      ...found.filter(({ id }) => id === toUserId),
    ]
    const { mainSite } = this.urls
    return () => {
      for (const to of recipients) this.mailer.post(to, words => words.mail('transferCancelled', mainSite))
    }
  }

  /**
   * A transfer gave way to another: to the member, who learns nothing of the other one. The owner is mailed about that
   * instead.
   */
  async aboutReplacedTransfer(transaction: Db, { toUserId }: PendingTransfer): Promise<SendMails> {
    const [member] = await transaction.select().from(users).where(eq(users.id, toUserId))
    if (!member) return NO_MAILS
    const { siteName: site } = this.urls
    return () => this.mailer.post(member, words => words.mail('transferOfferWithdrawn', { site }))
  }

  /** The deletion of an account was cancelled: to the account's administrators. */
  aboutDeletion(transaction: Db, accountId: string): Promise<SendMails> {
    const { mainSite } = this.urls
    return this.admins.notice(transaction, accountId, words => words.mail('deletionCancelled', mainSite))
  }

  /** To the address that a user has left for an earlier one; without a link, because it may be an attacker's. */
  aboutAddress(left: Recipient): SendMails {
    const { siteName: site } = this.urls
    return () => this.mailer.post(left, words => words.mail('emailRestored', { site }))
  }
}

/**
 * The pending transfers and deletions of accounts. The account must be locked; the mails that are returned go to those
 * who were mailed about what is cancelled.
 */
@Injectable()
export class PendingAccountChanges {
  constructor(
    private readonly accounts: Accounts,
    private readonly transfers: PendingTransfers,
    private readonly notices: CancellationNotices,
  ) {}

  /**
   * Opens a transfer, in place of one that is void. Throws `TRANSFER_PENDING` while another one is open. The links that
   * stop the void one stop the new one, because the owner cannot tell their mails apart. Of the void one only a member
   * who is not asked again is mailed: that it is cancelled would reach the owner together with the mail about the new
   * one, in any order, and if they have to stop the new one, they might believe it.
   */
  async openTransfer(transaction: Db, actor: Actor, owner: User, newOwner: User) {
    const replaced = await this.transfers.cancelInvalid(transaction, owner.accountId, { isReplaced: true })
    const transfer = await this.transfers.open(transaction, actor, owner, newOwner)
    const hasDifferentRecipient = replaced !== null && replaced.toUserId !== newOwner.id
    const sendReplacedNotice = hasDifferentRecipient
      ? await this.notices.aboutReplacedTransfer(transaction, replaced)
      : NO_MAILS
    return { transfer, sendReplacedNotice }
  }

  /** Cancels the pending transfer of the account; null when there is none. */
  async cancelTransfer(
    transaction: Db,
    accountId: string,
    cancellation: Cancellation,
  ): Promise<SendMails | null> {
    const cancelled = await this.transfers.cancel(transaction, accountId, cancellation)
    return cancelled && this.notices.aboutTransfer(transaction, cancelled)
  }

  /** Cancels the pending transfer of the account if it is void: it could neither be accepted nor completed any more. */
  async cancelInvalidTransfer(transaction: Db, accountId: string): Promise<SendMails> {
    const cancelled = await this.transfers.cancelInvalid(transaction, accountId)
    return cancelled ? this.notices.aboutTransfer(transaction, cancelled) : NO_MAILS
  }

  /** Cancels a pending transfer of the account, if the user is the owner who requested it. */
  async cancelTransferBy(
    transaction: Db,
    { id, accountId }: TargetUser,
    cancellation: Cancellation,
  ): Promise<SendMails> {
    const pending = await this.transfers.find(transaction, accountId)
    if (pending?.fromUserId !== id) return NO_MAILS
    return (await this.cancelTransfer(transaction, accountId, cancellation)) ?? NO_MAILS
  }

  /** Cancels the pending transfers that would make one of these members, who must still exist, the owner. */
  async cancelTransfersTo(
    transaction: Db,
    members: readonly TargetUser[],
    reason: string,
  ): Promise<SendMails> {
    const sends: SendMails[] = []
    for (const cancelled of await this.transfers.cancelAllTo(transaction, members, reason))
      sends.push(await this.notices.aboutTransfer(transaction, cancelled))
    return inOrder(...sends)
  }

  /** Cancels a transfer or deletion of the account that is pending, if the user is its owner. */
  async cancelAll(transaction: Db, user: User, actor: Actor, reason: string): Promise<SendMails> {
    if (user.role !== 'owner') return NO_MAILS
    const { accountId } = user
    const sendTransferNotice = await this.cancelTransferBy(transaction, user, {
      client: actor.client,
      reason,
    })
    const isCancelled = await this.accounts.cancelDeletion(transaction, { ...actor, accountId }, { reason })
    if (!isCancelled) return sendTransferNotice
    return inOrder(sendTransferNotice, await this.notices.aboutDeletion(transaction, accountId))
  }
}

/**
 * The pending transfers that can still be accepted or have been, whose owner still owns the account, and whose future
 * owner is an active member of it. All others are void.
 */
function isOpen(now: Date): SQL {
  const { acceptedAt, expiresAt, fromUserId, toUserId } = ownershipTransfers
  const isInTime = or(isNotNull(acceptedAt), gt(expiresAt, now))
  return and(isInTime, isStill('owner', fromUserId), isStill('member', toUserId)) as SQL
}

/** Whether the user is active in the account of the transfer, with this role. */
function isStill(role: Role, userId: AnyColumn): SQL {
  return sql`exists (select from ${users} where ${users.id} = ${userId}
    and ${users.accountId} = ${ownershipTransfers.accountId}
    and ${users.role} = ${role} and ${users.disabledAt} is null)`
}

/** Whether the account of the transfer is due to be deleted: its users go one by one, the transfer with the account. */
function isBeingDeleted(now: Date): SQL {
  return sql`exists (select from ${accounts} where ${accounts.id} = ${ownershipTransfers.accountId}
    and ${lte(accounts.deleteAt, now)})`
}
