import { Injectable } from '@nestjs/common'
import { languageWanted } from '../../mail/language.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import type { CountedAction } from '../../platform/rate-limits/counted-action.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import { hashToken } from '../../platform/secrets/token-hash.js'
import { withMinimumDuration } from '../../platform/time.js'
import type { Email } from '../../users/email.js'
import { PasswordPolicy } from '../../users/passwords/password-policy.js'
import { Passwords } from '../../users/passwords/passwords.js'
import type { User } from '../../users/user.js'
import { AddressMails } from '../address-mails.js'
import { type PendingSignUp, PendingSignUps } from './pending-sign-ups.js'
import type { SignUpBody } from './sign-up.dto.js'

@Injectable()
export class SignUpService {
  constructor(
    private readonly policy: PasswordPolicy,
    private readonly pending: PendingSignUps,
    private readonly rateLimiter: RateLimiter,
    private readonly mails: AddressMails,
  ) {}

  /**
   * Mails a link to the address. If the address has a user, it gets a different mail after the same work,
   * including the row of a link that nobody receives, so that neither answer nor time reveals who has an
   * account. Throws `WEAK_PASSWORD`.
   */
  async signUp(applicant: SignUpBody, client: Client): Promise<void> {
    this.mails.require()
    await withMinimumDuration(this.mailCounted(applicant, client))
  }

  private async mailCounted(applicant: SignUpBody, client: Client): Promise<void> {
    const counted = await this.rateLimiter.count({ kind: 'mail', subject: applicant.email, client })
    await counted.refundIfRejected(this.mailLink(applicant, client))
  }

  private async mailLink({ email, password, name = '' }: SignUpBody, client: Client): Promise<void> {
    const passwordHash = await this.policy.hash(password, { known: [email, name], client, subject: '' })
    const { token, known } = await this.pending.add({ email, name: name || null, passwordHash }, client)
    if (known) this.mails.notifyAlreadyRegistered(known)
    else this.mails.sendSignUp({ email, language: languageWanted(client.acceptLanguage) }, token)
  }
}

@Injectable()
export class SignUpVerification {
  constructor(
    private readonly pending: PendingSignUps,
    private readonly rateLimiter: RateLimiter,
    private readonly passwords: Passwords,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Creates the account and its owner. The link proves that the caller reads the mailbox; the password proves
   * that they are the one who signed up. With a wrong one (`INVALID_CREDENTIALS`) the link stays valid, until twenty
   * were wrong (`TOO_MANY_ATTEMPTS` from then on). Of two concurrent calls, only one succeeds. Throws `INVALID_LINK`,
   * and `EMAIL_TAKEN` when the address has got a user in the meantime.
   */
  async verify(token: string, password: string, client: Client): Promise<User> {
    const found = await this.pending.find(token, client)
    const counted = await this.countGuess(token, found.email, client)
    const checked = this.requirePassword(found, password, client)
    return counted.checkedBy(checked.then(() => this.pending.complete(token, found, client)))
  }

  /** By the link as well, from however many networks they come: who reads the mail may not know the password. */
  private async countGuess(token: string, email: Email, client: Client): Promise<CountedAction> {
    // The holder of the link owns this mailbox, so other people's failures at this address do not count against
    // them.
    const guess = { kind: 'password', subject: email, client } as const
    const ofAddress = await this.rateLimiter.count(guess, async () => true)
    const ofLink = { kind: 'sign-up password', subject: hashToken(token), client } as const
    // A guess that either refuses is not checked, and so not counted.
    return ofAddress.and(await ofAddress.refundIfRejected(this.rateLimiter.count(ofLink)))
  }

  private async requirePassword(
    { email, passwordHash }: PendingSignUp,
    password: string,
    client: Client,
  ): Promise<void> {
    if (await this.passwords.verify(passwordHash, password, client)) return
    const event = auditEvent({ client }, 'email.verify', { reason: 'wrong password', email })
    this.auditLog.enqueue(event, 'failed')
    throw new ApiError('INVALID_CREDENTIALS')
  }
}
