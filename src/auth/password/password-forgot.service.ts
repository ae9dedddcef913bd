import { randomUUID } from 'node:crypto'
import { Injectable } from '@nestjs/common'
import type { AuditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { withMinimumDuration } from '../../clock/clock.js'
import { Database } from '../../database/database.js'
import type { Client } from '../../http/client.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { Email } from '../../users/email.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { LoginAttempts } from '../login/login-attempts.js'
import { PasswordMails } from './password-mails.js'
import { PasswordReset } from './password-reset.service.js'

@Injectable()
export class PasswordForgot {
  constructor(
    private readonly users: Users,
    private readonly rateLimiter: RateLimiter,
    private readonly logins: LoginAttempts,
    private readonly passwordReset: PasswordReset,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly mails: PasswordMails,
  ) {}

  /**
   * Mails the user of this address a reset link. Without a user, or for a disabled one, the database does the
   * same work for a link that is neither mailed nor kept, so that neither answer nor time reveals who has an
   * account.
   */
  async mailLink(email: Email, client: Client): Promise<void> {
    this.mails.require()
    const isKnownClient = () => this.logins.isKnownClient(email, client)
    await withMinimumDuration(
      this.rateLimiter.mail(email, client, () => this.mailIfKnown(email, client), isKnownClient),
    )
  }

  private async mailIfKnown(email: Email, client: Client): Promise<void> {
    const user = await this.users.findByEmail(email)
    const receiver = user && !user.disabledAt ? user : null
    if (receiver) return this.mailTo(receiver, client)
    this.auditLog.note(refusalOf(email, user, client))
    await this.issueInVain(email)
  }

  private async mailTo({ id, accountId, email, satellites }: User, client: Client): Promise<void> {
    const token = await this.database.transaction(async transaction => {
      await this.users.lock(transaction, id)
      const event = { action: 'password.forgot', outcome: 'ok', userId: id, accountId, client } as const
      await this.auditLog.record(transaction, event)
      return this.passwordReset.issue(transaction, { id, accountId, email })
    })
    this.mails.sendResetLink(email, token, satellites)
  }

  /** Rolled back, so that strangers cannot fill the disk with links for nobody. */
  private async issueInVain(email: Email): Promise<void> {
    const inVain = new Error('a link for nobody')
    const attempt = this.database.transaction(async transaction => {
      const id = randomUUID()
      await this.users.lock(transaction, id)
      await this.passwordReset.issue(transaction, { id, accountId: id, email })
      throw inVain
    })
    await attempt.catch(error => {
      if (error !== inVain) throw error
    })
  }
}

function refusalOf(email: Email, user: User | null, client: Client): AuditEvent {
  const refused = { action: 'password.forgot', outcome: 'refused', client } as const
  if (!user) return { ...refused, detail: { reason: 'unknown user', email } }
  return { ...refused, userId: user.id, accountId: user.accountId, detail: { reason: 'disabled' } }
}
