import { Injectable } from '@nestjs/common'
import { ApiError } from '../../platform/errors/api-error.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { Users } from '../../users/users.js'
import { newlyGranted, TeamAuthority } from '../team-authority.js'
import { InvitationMails, type InvitationToMail } from './invitation-mails.js'
import { type Invitation, InvitationRecords, type InviteRequest } from './invitation-records.js'

/** Invites people into a team. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly invitations: InvitationRecords,
    private readonly rateLimiter: RateLimiter,
    private readonly mails: InvitationMails,
    private readonly authority: TeamAuthority,
    private readonly users: Users,
  ) {}

  /**
   * Mails an invitation; it replaces an earlier one to the same address. Throws `EMAIL_TAKEN` for a member of
   * the team. A user of another account gets a mail saying that an address can belong to only one account;
   * the inviter does not learn of that. Throws `PLAN_LIMIT_REACHED` when the plan has no seat left, and
   * `TOO_MANY_ATTEMPTS` when the address has received many mails.
   * An open invitation is mailed again with a new link and a full lifetime.
   */
  async invite(actor: SessionActor, request: InviteRequest): Promise<Invitation> {
    this.mails.requireMail()
    const user = await this.users.findByEmail(request.email)
    if (user?.accountId === actor.accountId) throw new ApiError('EMAIL_TAKEN')
    const counted = await this.rateLimiter.countMailBy(actor, request.email, actor.client)
    const sent = await counted.refundIfRejected(this.open(actor, request))
    if (user) this.mails.notifyExistingUser(user, sent)
    else this.mails.invite(sent)
    return sent.invitation
  }

  /** Throws `NOT_FOUND` when the account has no open invitation with this id. */
  async find(accountId: string, id: string): Promise<Invitation> {
    const open = await this.invitations.find(accountId, id)
    if (!open) throw new ApiError('NOT_FOUND')
    return open
  }

  /** The open ones, oldest first. */
  list(accountId: string): Promise<Invitation[]> {
    return this.invitations.list(accountId)
  }

  /** Invalidates the link; throws like {@link find}. */
  async withdraw(actor: SessionActor, id: string): Promise<void> {
    await this.authority.transaction(actor, async transaction => {
      if (!(await this.invitations.withdraw(transaction, actor, id))) throw new ApiError('NOT_FOUND')
    })
  }

  private open(actor: SessionActor, request: InviteRequest): Promise<InvitationToMail> {
    return this.authority.transaction(actor, async (transaction, manager, account) => {
      this.authority.auditRefusals(actor, 'invitation.create', undefined, () =>
        this.authority.requireCanGrant(actor, manager, newlyGranted(null, request.permissions)),
      )
      const opened = await this.invitations.open(transaction, actor, request)
      const { email: inviter, language } = manager
      return { ...opened, inviter, language, accountName: account.name }
    })
  }
}
