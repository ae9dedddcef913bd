import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import { AuditLog } from '../audit/audit-log.js'
import { Clock, secondsAfter } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import type { Db } from '../database/connection.js'
import { ownershipTransfers } from '../database/schema.js'
import type { Client } from '../http/client.js'
import { OneTimeTokens } from '../links/one-time-tokens.js'
import type { User } from './user.js'

/** How long the future owner has to accept; the same as for an invitation. */
export const ACCEPT_WITHIN_SECONDS = 7 * 24 * 60 * 60

/** A transfer that has been requested and not completed. */
export type PendingTransfer = typeof ownershipTransfers.$inferSelect

export interface Cancellation {
  /** Null for the service itself. */
  readonly client: Client | null
  readonly reason: string
}

/** Pending transfers, at most one for each account. Lock the account before you change one. */
@Injectable()
export class PendingTransfers {
  constructor(
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

  /** A new one, which nobody has accepted yet. */
  async open(transaction: Db, owner: User, newOwner: User): Promise<PendingTransfer> {
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
    await transaction.insert(ownershipTransfers).values(transfer)
    return transfer
  }

  async accept(transaction: Db, transfer: PendingTransfer): Promise<PendingTransfer> {
    const acceptedAt = this.clock.now()
    await transaction
      .update(ownershipTransfers)
      .set({ acceptedAt })
      .where(eq(ownershipTransfers.accountId, transfer.accountId))
    return { ...transfer, acceptedAt }
  }

  /** Removes the transfer and its links, without a change of owner; null when there was none. */
  async cancel(
    transaction: Db,
    accountId: string,
    { client, reason }: Cancellation,
  ): Promise<PendingTransfer | null> {
    const cancelled = await this.remove(transaction, accountId)
    if (!cancelled) return null
    await this.auditLog.record(transaction, {
      action: 'account.transfer',
      outcome: 'ok',
      ...{ userId: cancelled.fromUserId, accountId, client },
      detail: { step: 'cancelled', to: cancelled.toUserId, reason },
    })
    return cancelled
  }

  /** Like {@link cancel}, if this user is the owner who requested it. */
  async cancelOf(
    transaction: Db,
    { id, accountId }: Pick<User, 'id' | 'accountId'>,
    cancellation: Cancellation,
  ): Promise<void> {
    const pending = await this.find(transaction, accountId)
    if (pending?.fromUserId === id) await this.cancel(transaction, accountId, cancellation)
  }

  /** Removes the transfer and its links: it is done or cancelled. */
  async remove(transaction: Db, accountId: string): Promise<PendingTransfer | null> {
    const [row] = await transaction
      .delete(ownershipTransfers)
      .where(eq(ownershipTransfers.accountId, accountId))
      .returning()
    await this.tokens.withdrawOfAccount(transaction, ['transfer-accept', 'transfer-stop'], accountId)
    return row ?? null
  }
}
