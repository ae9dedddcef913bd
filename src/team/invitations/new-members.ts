import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import { Clock } from '../../clock/clock.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import type { NewUser } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { newlyGranted, requireCanGrant, requireCanOpen } from '../team-rules.js'
import { type Invitation, Invitations } from './invitations.js'

/** Somebody who has followed their link and chosen a password. */
export interface NewMember {
  readonly id: string
  readonly invitation: Invitation
  readonly token: string
  readonly name: string | null
  readonly passwordHash: string
  readonly client: Client
}

/** Creates members from invitations. */
@Injectable()
export class NewMembers {
  constructor(
    private readonly users: Users,
    private readonly invitations: Invitations,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /** Uses the link up and creates the member, both or neither; throws `INVALID_LINK` or `EMAIL_TAKEN`. */
  async join(newcomer: NewMember): Promise<void> {
    const { invitation, token } = newcomer
    await this.database.transaction(async transaction => {
      await this.requireStillMeant(transaction, invitation)
      await this.invitations.consume(transaction, token)
      await this.users.add(transaction, this.memberOf(newcomer))
      await this.record(transaction, newcomer)
    })
  }

  /**
   * Throws `INVALID_LINK` unless the inviter could still give the same now: otherwise a manager who is about
   * to be removed could leave doors open.
   */
  private async requireStillMeant(transaction: Db, invitation: Invitation): Promise<void> {
    const { accountId, invitedBy, permissions, satellites } = invitation
    const account = await this.users.lockAccount(transaction, accountId)
    const inviter = await this.users.lock(transaction, invitedBy)
    const isManager =
      inviter?.accountId === accountId && !inviter.disabledAt && inviter.granted.teamManagement
    if (!account || !isManager) throw new ApiError('INVALID_LINK')
    try {
      requireCanGrant(inviter, newlyGranted(null, permissions))
      requireCanOpen(inviter, 'nothing', satellites)
    } catch (cause) {
      throw new ApiError('INVALID_LINK', { cause })
    }
  }

  private memberOf({ id, invitation, name, passwordHash }: NewMember): NewUser {
    return {
      id,
      accountId: invitation.accountId,
      email: invitation.email,
      name,
      role: 'member',
      granted: invitation.permissions,
      satellites: invitation.satellites,
      passwordHash,
      disabledAt: null,
      createdAt: this.clock.now(),
    }
  }

  private async record(transaction: Db, { id, invitation, client }: NewMember): Promise<void> {
    const { id: invitationId, accountId, invitedBy, permissions, satellites } = invitation
    const event = { outcome: 'ok', userId: id, accountId, client } as const
    // Not `by`: the row is about who joined and from where, which is not the inviter's data.
    const detail = { invitation: invitationId, invitedBy }
    await this.auditLog.record(transaction, { ...event, action: 'invitation.accept', detail })
    await this.auditLog.record(transaction, {
      ...event,
      action: 'user.create',
      detail: { ...detail, permissions, satellites },
    })
  }
}
