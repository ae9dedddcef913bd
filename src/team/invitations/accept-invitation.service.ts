import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { OwnerNotices } from '../../users/notices/owner-notices.js'
import { PasswordPolicy } from '../../users/passwords/password-policy.js'
import { requireSeat } from '../../users/plan-seats.js'
import { effectiveGrant, type User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { newlyGranted, requireCanGrant } from '../team-authority.js'
import { type Invitation, InvitationRecords } from './invitation-records.js'
import type { AcceptedAnswer, AcceptInvitationBody } from './invitations.dto.js'

/** Lets invited people join. */
@Injectable()
export class AcceptInvitationService {
  constructor(
    private readonly invitations: InvitationRecords,
    private readonly passwordPolicy: PasswordPolicy,
    private readonly users: Users,
    private readonly notices: OwnerNotices,
    private readonly database: Database,
  ) {}

  /**
   * Uses the link up and creates the invited member; nobody is logged in. Throws `INVALID_LINK`,
   * `EMAIL_TAKEN` when the address has meanwhile joined another account, and `WEAK_PASSWORD` or
   * `PLAN_LIMIT_REACHED`, which leave the link valid.
   */
  async accept({ token, password, ...body }: AcceptInvitationBody, client: Client): Promise<AcceptedAnswer> {
    const name = body.name ?? null
    const invitation = await this.invitations.ofLink(token, client)
    const { id: subject, accountId, email, invitedBy, permissions: granted, satellites } = invitation
    const known = [email, name ?? '']
    const passwordHash = await this.passwordPolicy.hash(password, { known, client, subject })
    const userId = randomUUID()
    const sendOwnerNotice = await this.database.transaction(async transaction => {
      const inviter = await this.requireInviterCanStillAdd(transaction, invitation)
      await this.invitations.accept(transaction, token, userId, client)
      const grant = { role: 'member', granted, satellites } as const
      const joining = { id: userId, accountId, email, name, passwordHash, invitedBy, ...grant }
      const member = await this.users.add(transaction, joining)
      return this.notices.aboutJoined(transaction, member, inviter)
    })
    sendOwnerNotice()
    return { userId, satellites }
  }

  /**
   * The inviter. Throws `INVALID_LINK` unless they could still grant the same now: otherwise a manager about to be
   * removed could leave back doors. Throws `PLAN_LIMIT_REACHED` when the plan has no seat left.
   */
  private async requireInviterCanStillAdd(
    transaction: Db,
    { accountId, invitedBy, permissions }: Invitation,
  ): Promise<User> {
    const { account, user: inviter } = await this.users.lockWithAccount(transaction, {
      id: invitedBy,
      accountId,
    })
    const isManager = inviter?.accountId === accountId && effectiveGrant(inviter).teamManagement
    if (!account || !isManager || inviter.disabledAt) throw new ApiError('INVALID_LINK')
    try {
      requireCanGrant(inviter, newlyGranted(null, permissions))
    } catch (cause) {
      throw new ApiError('INVALID_LINK', { cause })
    }
    await requireSeat(transaction, accountId)
    return inviter
  }
}
