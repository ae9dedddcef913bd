import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import { languageWanted } from '../../mail/language.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import type { Client } from '../../platform/http/request.js'
import { withMinimumDuration } from '../../platform/time.js'
import type { Email } from '../../users/email.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { LoginLimits } from '../login/login-limits.js'
import { PasswordMails } from './password-mails.js'

@Injectable()
export class PasswordForgotService {
  constructor(
    private readonly limits: LoginLimits,
    private readonly users: Users,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly mails: PasswordMails,
  ) {}

  /**
   * Mails the user of this address a reset link. Without a user, or for a disabled one, the database does the
   * same work for a link that is neither mailed nor kept, so that neither answer nor time reveals who has an
   * account.
   */
  async request(email: Email, client: Client): Promise<void> {
    this.mails.require()
    await withMinimumDuration(this.mailCounted(email, client))
  }

  private async mailCounted(email: Email, client: Client): Promise<void> {
    const counted = await this.limits.countMail(email, client)
    await counted.refundIfRejected(this.mailIfKnown(email, client))
  }

  private async mailIfKnown(email: Email, client: Client): Promise<void> {
    const user = await this.users.findByEmail(email)
    if (user && !user.disabledAt) return this.mailTo(user, client)
    const actor = { ...(user && { userId: user.id, accountId: user.accountId }), client }
    const detail = user ? { reason: 'disabled' } : { reason: 'unknown user', email }
    this.auditLog.enqueue(auditEvent(actor, 'password.forgot', detail), 'refused')
    await this.issueDummyLink(email)
  }

  private async mailTo(user: User, client: Client): Promise<void> {
    const { id: userId, accountId } = user
    const language = user.language ?? languageWanted(client.acceptLanguage)
    const mailLink = await this.database.transaction(async transaction => {
      await this.users.lock(transaction, userId)
      await this.auditLog.record(transaction, auditEvent({ userId, accountId, client }, 'password.forgot'))
      return this.mails.resetLinkTo(transaction, { ...user, language }, user)
    })
    mailLink()
  }

  /** Rolled back, so that strangers cannot fill the disk with links for nobody. */
  private async issueDummyLink(email: Email): Promise<void> {
    await this.database.rolledBack(async transaction => {
      const id = randomUUID()
      await this.users.lock(transaction, id)
      await this.mails.issueResetLink(transaction, { id, accountId: id, email })
    })
  }
}
