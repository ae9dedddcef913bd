import { Injectable } from '@nestjs/common'
import type { AuditEvent } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { withMinimumDuration } from '../../clock/clock.js'
import { Database } from '../../database/database.js'
import type { Client } from '../../http/client.js'
import { RateLimiter } from '../../rate-limits/rate-limiter.js'
import type { Email } from '../../users/email.js'
import { PasswordPolicy } from '../../users/passwords/password-policy.js'
import { Passwords } from '../../users/passwords/passwords.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { PendingSignUps } from './pending-sign-ups.js'
import { SignUpMails } from './sign-up-mails.js'

/** Who wants an account. */
export interface Applicant {
  readonly email: Email
  readonly password: string
  readonly name: string | null
}

@Injectable()
export class SignUpService {
  constructor(
    private readonly users: Users,
    private readonly policy: PasswordPolicy,
    private readonly passwords: Passwords,
    private readonly pending: PendingSignUps,
    private readonly rateLimiter: RateLimiter,
    private readonly mails: SignUpMails,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Mails a link to the address. If the address has a user, it gets a different mail after the same work,
   * including the row of a link that nobody receives, so that neither answer nor time reveals who has an
   * account. Throws `WEAK_PASSWORD`.
   */
  async signUp(applicant: Applicant, client: Client): Promise<void> {
    this.mails.require()
    await withMinimumDuration(this.mailCounted(applicant, client))
  }

  private async mailCounted(applicant: Applicant, client: Client): Promise<void> {
    const counted = await this.rateLimiter.count({ kind: 'mail', subject: applicant.email, client })
    await counted.refundIfRejected(this.mailLink(applicant, client))
  }

  private async mailLink({ email, password, name }: Applicant, client: Client): Promise<void> {
    await this.policy.require(password, { known: [email, name ?? ''], client, subject: '' })
    const passwordHash = await this.passwords.hash(password, client)
    const known = await this.users.findByEmail(email)
    const token = await this.database.transaction(async transaction => {
      await this.auditLog.record(transaction, eventOf(email, known, client))
      return this.pending.add(transaction, { email, name, passwordHash: known ? null : passwordHash })
    })
    if (known) this.mails.tellKnown(email)
    else this.mails.sendLink(email, token)
  }
}

function eventOf(email: Email, known: User | null, client: Client): AuditEvent {
  const action = 'signup'
  if (!known) return { action, outcome: 'ok', client, detail: { email } }
  const { id: userId, accountId } = known
  return { action, outcome: 'refused', userId, accountId, client, detail: { reason: 'e-mail taken' } }
}
