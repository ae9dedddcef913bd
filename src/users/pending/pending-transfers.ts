import { Injectable } from '@nestjs/common'
import { and, asc, eq, getTableColumns, inArray, isNotNull, lte, not, type SQL } from 'drizzle-orm'
import { type Actor, auditEvent, type TargetUser } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Settings } from '../../platform/config/settings.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { ownershipTransfers, users } from '../../platform/database/schema/accounts.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { OneTimeTokens, type Purpose, withdrawTokensOfAccount } from '../../platform/one-time-tokens.js'
import { Clock, secondsAfter } from '../../platform/time.js'
import type { User } from '../user.js'
import { isBeingDeleted, isOpen } from './open-transfer.js'

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

  /** Creates one that nobody has accepted yet. Throws `TRANSFER_PENDING` if there is one already. */
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
