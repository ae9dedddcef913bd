import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import type { Db } from '../../platform/database/connection.js'
import { NOTHING_RECORDED, type RecordedChanges } from '../../sessions/revocation/recorded-changes.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import { type PendingTransfer, PendingTransfers } from '../../users/pending/pending-transfers.js'
import { initialGrant, type Role, type User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { TransferMails } from './transfer-mails.js'
import { type Parties, TransferParties } from './transfer-parties.js'

/** Makes the change of owner. */
@Injectable()
export class OwnerChange {
  constructor(
    private readonly transfers: PendingTransfers,
    private readonly parties: TransferParties,
    private readonly users: Users,
    private readonly changes: SessionChanges,
    private readonly mails: TransferMails,
  ) {}

  /**
   * Makes the owner a member and the member the owner in one transaction, so there is exactly one owner at any
   * time. Mails both. False when it may not happen now: much may have happened since the transfer was read.
   */
  async complete(transfer: PendingTransfer): Promise<boolean> {
    const { isDone } = await this.changes.commit(async transaction => {
      const parties = await this.parties.ofPending(transaction, transfer)
      if (!parties || (await this.parties.isUndoOpen(transaction, parties)))
        return { ...NOTHING_RECORDED, isDone: false }
      await this.swap(transaction, transfer, parties)
      const recorded = await this.recordGrants(transaction, parties)
      return { ...recorded, isDone: true, afterCommit: () => this.mails.notifyTransferred(parties) }
    })
    return isDone
  }

  private async swap(
    transaction: Db,
    transfer: PendingTransfer,
    { owner, newOwner }: Parties,
  ): Promise<void> {
    await this.transfers.complete(transaction, transfer)
    await this.setRole(transaction, owner, 'member')
    await this.setRole(transaction, newOwner, 'owner')
  }

  private recordGrants(transaction: Db, { owner, newOwner }: Parties): Promise<RecordedChanges> {
    return this.changes.record(
      transaction,
      [
        // Revokes before it grants: for a moment nobody's sessions may have full permissions, but never both
        // users'.
        { kind: 'set-permissions', userId: owner.id, granted: initialGrant('member') },
        { kind: 'set-permissions', userId: newOwner.id, granted: initialGrant('owner') },
      ],
      auditEvent({ userId: owner.id, accountId: owner.accountId, client: null }, 'account.transfer', {
        step: 'done',
        to: newOwner.id,
      }),
    )
  }

  /** With the default permissions of the role; an owner may log in at every site. */
  private async setRole(transaction: Db, { id }: User, role: Role): Promise<void> {
    await this.users.setRole(transaction, id, role)
    await this.users.setGranted(transaction, id, initialGrant(role))
    if (role === 'owner') await this.users.setSatellites(transaction, id, null)
  }
}
