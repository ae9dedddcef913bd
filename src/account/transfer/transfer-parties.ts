import { Injectable } from '@nestjs/common'
import type { Db } from '../../platform/database/connection.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { Accounts } from '../../users/accounts.js'
import { type PendingTransfer, PendingTransfers } from '../../users/pending/pending-transfers.js'
import type { User } from '../../users/user.js'
import { UserEmails } from '../../users/user-emails.js'
import { Users } from '../../users/users.js'
import { requireOwner } from '../owner.guard.js'

/** The present owner and the future one, and when their account is to be deleted, if it is. */
export interface Parties {
  readonly owner: User
  readonly newOwner: User
  readonly deleteAt: Date | null
}

/** Both parties as they are now; they and the account stay locked until the transaction ends. */
@Injectable()
export class TransferParties {
  constructor(
    private readonly accounts: Accounts,
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly transfers: PendingTransfers,
    private readonly changes: SessionChanges,
  ) {}

  /**
   * Throws like the guards when the caller is no longer the owner, and `NOT_FOUND` when the other user is not an
   * active member of the account.
   */
  async ofRequest(transaction: Db, actor: SessionActor, userId: string): Promise<Parties> {
    const { accountId, userId: ownerId } = actor
    const { users, deleteAt } = await this.lock(transaction, accountId, [ownerId, userId])
    const owner = requireOwner(users.get(ownerId))
    await this.changes.requireNotRevoked(transaction, actor)
    const newOwner = users.get(userId)
    if (!isActiveMember(newOwner, accountId)) throw new ApiError('NOT_FOUND')
    return { owner, newOwner, deleteAt }
  }

  /** Null when the transfer has become void, or no longer the one that is given. */
  async ofPending(transaction: Db, transfer: PendingTransfer): Promise<Parties | null> {
    const { accountId, fromUserId, toUserId } = transfer
    const { users, deleteAt } = await this.lock(transaction, accountId, [fromUserId, toUserId])
    const open = await this.transfers.findOpen(transaction, accountId)
    const [owner, newOwner] = [users.get(fromUserId), users.get(toUserId)]
    return open && isSame(open, transfer) && owner && newOwner ? { owner, newOwner, deleteAt } : null
  }

  /** Whether a change of either's e-mail address can still be undone. If so, that login may be a thief's. */
  isUndoOpen(transaction: Db, { owner, newOwner }: Pick<Parties, 'owner' | 'newOwner'>): Promise<boolean> {
    return this.userEmails.areAnyOpen(transaction, [owner.id, newOwner.id])
  }

  private async lock(transaction: Db, accountId: string, userIds: readonly string[]) {
    const account = await this.accounts.lock(transaction, accountId)
    return { users: await this.users.lockAll(transaction, userIds), deleteAt: account?.deleteAt ?? null }
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
