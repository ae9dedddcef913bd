import { Injectable } from '@nestjs/common'
import { initialGrant, type Role, type User } from '../accounts/user.js'
import { Users } from '../accounts/users.js'
import { AuditLog } from '../audit/audit-log.js'
import type { Db } from '../database/connection.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { Session } from '../sessions/session.js'
import { SessionChanges } from '../sessions/session-changes.js'
import { AccountMails } from './account-mails.js'
import { requireOwner } from './require-owner.js'

/** Who gives, who takes. */
interface Parties {
  readonly giver: User
  readonly taker: User
}

@Injectable()
export class OwnershipTransfer {
  constructor(
    private readonly users: Users,
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
    private readonly mails: AccountMails,
  ) {}

  /**
   * Makes an active member of the account its owner, and the owner a member; both are told by mail. One transaction, so that there
   * is one owner at any moment; of two transfers at once the second comes too late (`OWNER_REQUIRED`). Throws `NOT_FOUND`
   * for who is no such member.
   */
  async transfer(session: Session, userId: string, client: Client): Promise<void> {
    this.mails.require()
    const { userId: by, accountId, sid } = session
    let parties: Parties | undefined
    await this.changes.makeAll(
      [
        // What is taken first: for a moment there may be no session with everything, never two.
        { kind: 'regrant', userId: by, granted: initialGrant('member') },
        { kind: 'regrant', userId, granted: initialGrant('owner') },
      ],
      {
        action: 'account.transfer',
        outcome: 'ok',
        ...{ userId: by, accountId, sid, client },
        detail: { to: userId },
      },
      async transaction => {
        parties = await this.lock(transaction, session, userId)
        await this.setRole(transaction, parties.giver, 'member')
        await this.setRole(transaction, parties.taker, 'owner')
        await this.auditLog.record(transaction, {
          action: 'account.transfer',
          outcome: 'ok',
          ...{ userId, accountId, client },
          detail: { from: by, by },
        })
      },
    )
    if (parties) this.mails.tellTransferred(parties.giver.email, parties.taker.email)
  }

  /** As they are now, and stay until the transaction ends. */
  private async lock(transaction: Db, session: Session, userId: string): Promise<Parties> {
    await this.users.lockAccount(transaction, session.accountId)
    const people = await this.users.lockAll(transaction, [session.userId, userId])
    const giver = requireOwner(people.get(session.userId))
    await this.changes.requireStanding(transaction, session)
    const taker = people.get(userId)
    const isActiveMember =
      taker?.accountId === giver.accountId && taker.role === 'member' && !taker.disabledAt
    if (!isActiveMember) throw new ApiError('NOT_FOUND')
    return { giver, taker }
  }

  /** With what the role has from the start; an owner is at home on every site. */
  private async setRole(transaction: Db, { id }: User, role: Role): Promise<void> {
    await this.users.setRole(transaction, id, role)
    await this.users.setGranted(transaction, id, initialGrant(role))
    if (role === 'owner') await this.users.setSatellites(transaction, id, null)
  }
}
