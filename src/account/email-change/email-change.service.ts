import { Injectable } from '@nestjs/common'
import { inQuestionSince } from '../../factors/user-factors.js'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { Database } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import { withMinimumDuration } from '../../platform/time.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { Session } from '../../sessions/session.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { Email } from '../../users/email.js'
import { UserEmails } from '../../users/user-emails.js'
import { Users } from '../../users/users.js'
import { AddressMails } from '../address-mails.js'

/** Changes of e-mail addresses in the database. Each is one transaction, with the user's row locked. */
@Injectable()
export class EmailChanges {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly userEmails: UserEmails,
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Returns the token for the link to the new address, the user who asked, and the user who already has that
   * address, if any. If there is one, nobody may get the link. Null, and an earlier link stays valid, when it is
   * the address that the user has.
   */
  async request(actor: SessionActor, email: Email) {
    const known = await this.users.findByEmail(email)
    return this.database.transaction(async transaction => {
      const user = await this.users.lock(transaction, actor.userId)
      if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
      if (user.mustEnrol) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
      await this.changes.requireNotRevoked(transaction, actor)
      await this.auditLog.record(transaction, auditEvent(actor, 'email.change', { step: 'asked' }))
      if (known?.id === user.id) return null
      const token = await this.userEmails.issueChange(transaction, user, email, inQuestionSince(actor))
      return { token, user, known }
    })
  }

  /**
   * Uses up the link; `session` is null if the caller has supplied the password instead. Returns the user with
   * their previous address, and the token of the undo link, or null when there is none. Throws `INVALID_LINK`,
   * `EMAIL_TAKEN`, and `SESSION_NOT_FOUND` for a session that has ended.
   */
  confirm(userId: string, text: string, session: Session | null, client: Client) {
    return this.database.transaction(async transaction => {
      const user = await this.users.lock(transaction, userId)
      const { email, since } = await this.userEmails.consumeChange(transaction, text)
      if (!user || user.disabledAt) throw new ApiError('INVALID_LINK')
      if (user.mustEnrol) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
      if (session) await this.changes.requireNotRevoked(transaction, session)
      const inQuestion = user.hasSecondFactor ? since : earlier(since, session)
      const undoToken = await this.userEmails.change(transaction, user, email, inQuestion)
      const { accountId, email: previous } = user
      const detail = { step: 'confirmed', from: previous, to: email }
      const event = auditEvent({ userId, accountId, client }, 'email.change', detail)
      await this.auditLog.record(transaction, event)
      return { before: user, undoToken }
    })
  }
}

/**
 * The session that asks for a change need not be the one that confirms it. Of a user with a second factor, who has used
 * it to ask, the latter says nothing: they may have logged in there long before they set up what they have now.
 */
function earlier(since: Date, session: Session | null): Date {
  const ofSession = session ? inQuestionSince(session) : since
  return ofSession < since ? ofSession : since
}

@Injectable()
export class EmailChangeService {
  constructor(
    private readonly emailChanges: EmailChanges,
    private readonly rateLimiter: RateLimiter,
    private readonly mails: AddressMails,
  ) {}

  /**
   * Mails a link to the new address and invalidates earlier links. If the address is already taken, it gets a
   * different mail, after the same work, so the caller does not learn of it. The user's own address gets none.
   */
  async request(actor: SessionActor, email: Email): Promise<void> {
    this.mails.require()
    await withMinimumDuration(this.mailCounted(actor, email))
  }

  private async mailCounted(actor: SessionActor, email: Email): Promise<void> {
    const counted = await this.rateLimiter.countMailAboutOneself(actor, email, actor.client)
    await counted.refundIfRejected(this.mailLink(actor, email))
  }

  private async mailLink(actor: SessionActor, email: Email): Promise<void> {
    const requested = await this.emailChanges.request(actor, email)
    if (!requested) return
    const { token, user, known } = requested
    if (known) this.mails.notifyAddressInUse(known)
    else this.mails.sendConfirmation({ ...user, email }, token)
  }
}
