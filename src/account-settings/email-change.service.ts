import { Injectable } from '@nestjs/common'
import type { Email } from '../accounts/email.js'
import { Users } from '../accounts/users.js'
import { AttemptLimits } from '../attempts/attempt-limits.js'
import type { Client } from '../http/client.js'
import { notBefore } from '../http/not-before.js'
import type { Session } from '../sessions/session.js'
import { EmailChangeMails } from './email-change-mails.js'
import { EmailChanges } from './email-changes.js'
import { MailedLinks } from './mailed-links.js'

@Injectable()
export class EmailChangeService {
  constructor(
    private readonly users: Users,
    private readonly emailChanges: EmailChanges,
    private readonly links: MailedLinks,
    private readonly attempts: AttemptLimits,
    private readonly mails: EmailChangeMails,
  ) {}

  /**
   * Mails a link to the new address; a link of before is worthless. Where the address is somebody's already they get another
   * mail, after the same work: the caller does not learn of it.
   */
  async ask(session: Session, email: Email, client: Client): Promise<void> {
    this.mails.require()
    await notBefore(this.attempts.mailBy(session, email, client, () => this.mailLink(session, email, client)))
  }

  private async mailLink(session: Session, email: Email, client: Client): Promise<void> {
    const known = await this.users.findByEmail(email)
    const token = await this.emailChanges.ask(session, email, client)
    if (known) this.mails.tellInUse(email)
    else this.mails.sendConfirmation(email, token)
  }

  /**
   * Gives the user the address that the link was mailed to, and tells the old one how to undo it. Throws `INVALID_LINK`,
   * and `EMAIL_TAKEN` when the address has got another user meanwhile.
   */
  async confirm(text: string, client: Client): Promise<void> {
    this.mails.require()
    const link = { purpose: 'email-change', text, action: 'email.change', client } as const
    const { id } = await this.links.userOf(link)
    const { email, undoToken } = await this.emailChanges.make(id, text, client)
    this.mails.sendUndo(email, undoToken)
  }
}
