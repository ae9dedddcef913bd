import { Injectable } from '@nestjs/common'
import type { Db } from '../../database/connection.js'
import { ApiError } from '../../errors/api-error.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { Session } from '../../sessions/session.js'
import { UndoTokens } from '../../users/links/undo-tokens.js'
import type { PendingTransfer } from '../../users/pending-transfers.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { requireOwner } from '../require-owner.js'

/** The present owner and the future one. */
export interface Parties {
  readonly owner: User
  readonly newOwner: User
}

/** Both parties as they are now; they and the account stay locked until the transaction ends. */
@Injectable()
export class TransferParties {
  constructor(
    private readonly users: Users,
    private readonly undoTokens: UndoTokens,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Throws like the guards when the caller is no longer the owner, and `NOT_FOUND` when the other is not an
   * active member of the account.
   */
  async ofRequest(transaction: Db, session: Session, userId: string): Promise<Parties> {
    const { accountId, userId: ownerId } = session
    const people = await this.hold(transaction, accountId, [ownerId, userId])
    const owner = requireOwner(people.get(ownerId))
    await this.changes.requireNotRevoked(transaction, session)
    const newOwner = people.get(userId)
    if (!isActiveMember(newOwner, accountId)) throw new ApiError('NOT_FOUND')
    return { owner, newOwner }
  }

  /** Null when the one is no longer the owner, or the other no longer an active member of the account. */
  async ofPending(transaction: Db, transfer: PendingTransfer): Promise<Parties | null> {
    const { accountId, fromUserId, toUserId } = transfer
    const people = await this.hold(transaction, accountId, [fromUserId, toUserId])
    const owner = people.get(fromUserId)
    const newOwner = people.get(toUserId)
    const isOwner = owner?.accountId === accountId && owner.role === 'owner' && !owner.disabledAt
    return isOwner && isActiveMember(newOwner, accountId) ? { owner, newOwner } : null
  }

  /** Whether a change of either's e-mail address can still be undone. If so, that login may be a thief's. */
  isUndoOpen(transaction: Db, { owner, newOwner }: Parties): Promise<boolean> {
    return this.undoTokens.areAnyOpen(transaction, [owner.id, newOwner.id])
  }

  private async hold(transaction: Db, accountId: string, userIds: readonly string[]) {
    await this.users.lockAccount(transaction, accountId)
    return this.users.lockAll(transaction, userIds)
  }
}

function isActiveMember(user: User | undefined, accountId: string): user is User {
  return user?.accountId === accountId && user.role === 'member' && !user.disabledAt
}
