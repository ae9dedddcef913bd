import { Injectable } from '@nestjs/common'
import { PasswordProof } from '../../auth/reauthentication/password-proof.js'
import { withMinimumDuration } from '../../clock/clock.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { Session } from '../../sessions/session.js'
import type { Email } from '../../users/email.js'
import { MailedLinks } from '../../users/links/mailed-links.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { EmailChangeMails } from './email-change-mails.js'
import { EmailChanges } from './email-changes.js'

/** What proves that whoever follows the link is the user. */
export interface ConfirmationProof {
  readonly session: Session | null
  readonly password: string | undefined
}

@Injectable()
export class EmailChangeService {
  constructor(
    private readonly users: Users,
    private readonly emailChanges: EmailChanges,
    private readonly links: MailedLinks,
    private readonly rateLimiter: RateLimiter,
    private readonly passwordProof: PasswordProof,
    private readonly mails: EmailChangeMails,
  ) {}

  /**
   * Mails a link to the new address and invalidates earlier links. If the address is already taken, it gets a
   * different mail, after the same work, so the caller does not learn of it.
   */
  async request(session: Session, email: Email, client: Client): Promise<void> {
    this.mails.require()
    await withMinimumDuration(this.mailCounted(session, email, client))
  }

  private async mailCounted(session: Session, email: Email, client: Client): Promise<void> {
    const counted = await this.rateLimiter.countMailBy(session, email, client)
    await counted.refundIfRejected(this.mailLink(session, email, client))
  }

  private async mailLink(session: Session, email: Email, client: Client): Promise<void> {
    const known = await this.users.findByEmail(email)
    const token = await this.emailChanges.request(session, email, client)
    if (known) this.mails.tellInUse(email)
    else this.mails.sendConfirmation(email, token)
  }

  /**
   * Gives the user the address that the link went to, and tells the old address how to undo it. The link
   * alone proves nothing: somebody may have entered a stranger's address. So it takes a live session of the
   * user, or the password. Throws `REAUTHENTICATION_REQUIRED` without either, `INVALID_CREDENTIALS`,
   * `INVALID_LINK`, and `EMAIL_TAKEN` when another user has taken the address in the meantime.
   */
  async confirm(text: string, proof: ConfirmationProof, client: Client): Promise<void> {
    this.mails.require()
    const link = { purpose: 'email-change', text, action: 'email.change', client } as const
    const user = await this.links.userOf(link)
    const session = proof.session?.userId === user.id ? proof.session : null
    if (!session) await this.requirePassword(user, proof.password, client)
    const { email, undoToken } = await this.emailChanges.make(user.id, { text, session, client })
    if (undoToken) this.mails.sendUndo(email, undoToken)
    else this.mails.tellRestored(email)
  }

  private async requirePassword(user: User, password: string | undefined, client: Client): Promise<void> {
    if (password === undefined) throw new ApiError('REAUTHENTICATION_REQUIRED')
    await this.passwordProof.ofUser(user, password, { action: 'email.change', client })
  }
}
