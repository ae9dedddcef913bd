import { Injectable } from '@nestjs/common'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { SessionActor } from '../../sessions/actor.js'
import type { Email } from '../../users/email.js'
import { Users } from '../../users/users.js'
import { AllowedSatellites } from '../allowed-satellites.js'
import { TeamAuthority } from '../team-authority.js'
import { newlyGranted, requireCanOpen } from '../team-rules.js'
import { InvitationMails } from './invitation-mails.js'
import { type Invitation, Invitations, type InvitationTerms } from './invitations.js'

/** Who is invited, and to what. */
export type InviteRequest = Pick<InvitationTerms, 'email' | 'permissions' | 'satellites'>

interface Opened {
  readonly invitation: Invitation
  readonly token: string
  readonly inviter: Email
  readonly accountName: string | null
}

/** Invites people into a team. */
@Injectable()
export class InvitationsService {
  constructor(
    private readonly invitations: Invitations,
    private readonly rateLimiter: RateLimiter,
    private readonly mails: InvitationMails,
    private readonly authority: TeamAuthority,
    private readonly allowedSatellites: AllowedSatellites,
    private readonly users: Users,
    private readonly database: Database,
  ) {}

  /**
   * Mails an invitation; it replaces an earlier one to the same address. Throws `EMAIL_TAKEN` for a member of
   * the team. A user of another account is mailed that an address belongs to one account; whoever invites
   * them does not learn of it. Throws `TOO_MANY_ATTEMPTS` when the address has received many mails.
   */
  async invite(actor: SessionActor, wish: InviteRequest): Promise<Invitation> {
    this.mails.requireMail()
    this.allowedSatellites.require(wish.satellites)
    const user = await this.users.findByEmail(wish.email)
    if (user?.accountId === actor.accountId) throw new ApiError('EMAIL_TAKEN')
    const counted = await this.rateLimiter.countMailBy(actor, wish.email, actor.client)
    const { invitation, token, inviter, accountName } = await counted.refundIfRejected(
      this.database.transaction(transaction => this.open(transaction, actor, wish)),
    )
    if (user) this.mails.tellUser(invitation, inviter, accountName)
    else this.mails.invite(invitation, inviter, accountName, token)
    return invitation
  }

  /**
   * Mails an open invitation again as if the manager made it now: a new link with a full lifetime replaces
   * the old one. Throws `NOT_FOUND` when the account has no open invitation with this id, and like
   * {@link invite}.
   */
  async resend(actor: SessionActor, id: string): Promise<Invitation> {
    const open = await this.invitations.findOpen(actor.accountId, id)
    if (!open) throw new ApiError('NOT_FOUND')
    const { email, permissions, satellites } = open
    return this.invite(actor, { email, permissions, satellites })
  }

  /** The open ones, oldest first. */
  list(accountId: string): Promise<Invitation[]> {
    return this.invitations.list(accountId)
  }

  /** Invalidates the link; throws `NOT_FOUND` when the account has no open invitation with this id. */
  async withdraw(actor: SessionActor, id: string): Promise<void> {
    if (!(await this.invitations.withdraw(id, actor))) throw new ApiError('NOT_FOUND')
  }

  private async open(transaction: Db, actor: SessionActor, wish: InviteRequest): Promise<Opened> {
    const account = await this.users.lockAccount(transaction, actor.accountId)
    const self = await this.authority.lockManager(transaction, actor)
    this.authority.auditRefusals(actor, 'invitation.create', undefined, () => {
      this.authority.requireCanGrant(actor, self, newlyGranted(null, wish.permissions))
      requireCanOpen(self, 'nothing', wish.satellites)
    })
    const offer = { ...wish, accountId: self.accountId, invitedBy: self.id }
    const opened = await this.invitations.open(transaction, offer, actor.client)
    return { ...opened, inviter: self.email, accountName: account?.name ?? null }
  }
}
