import { Body, Controller, Get, HttpCode, Injectable, Param, Post, Query } from '@nestjs/common'
import { ApiExcludeController } from '@nestjs/swagger'
import { inArray } from 'drizzle-orm'
import { type FailedMail, FailedMails } from '../mail/failed-mails.js'
import { Mailer } from '../mail/mailer.js'
import { type Actor, auditEvent, auditEventOf } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import { Database } from '../platform/database/database.js'
import { users } from '../platform/database/schema/accounts.js'
import { ApiError, unavailable } from '../platform/errors/api-error.js'
import { type Age, AgeCursor, PageLimit } from '../platform/http/paging.js'
import { type Client, IdInPath } from '../platform/http/request.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import { CountsAsWrite } from '../sessions/guards.js'
import {
  CurrentOperatorActor,
  ForOperators,
  type OperatorActor,
  ReasonBody,
  withReason,
} from './operator.guard.js'

const DEFAULT_PAGE = 50

class FailedMailsQuery {
  @PageLimit(DEFAULT_PAGE)
  limit: number = DEFAULT_PAGE

  @AgeCursor()
  after?: Age
}

type Recipient = Pick<typeof users.$inferSelect, 'id' | 'accountId' | 'email'>

/** Mails that could not be sent, and resending them, in the console or at the command line. */
@Injectable()
export class FailedMailService {
  constructor(
    private readonly failedMails: FailedMails,
    private readonly mailer: Mailer,
    private readonly rateLimiter: RateLimiter,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** A page, newest first. For the console, viewing them is recorded first; a null actor is the command line. */
  async list({ limit, after }: FailedMailsQuery, actor: OperatorActor | null) {
    const { rows, next } = await this.failedMails.page(limit, after)
    const recipients = await this.recipientsOf(rows)
    if (actor && rows.length > 0) await this.recordView([...recipients.values()], actor)
    return { mails: rows.map(mail => shownMail(mail, recipients.get(mail.to))), next }
  }

  /**
   * Sends it now, once, to its original address. Throws `NOT_FOUND` when it is gone, was sent or has expired;
   * `INVALID_LINK` when its link no longer works; `MAIL_BEING_SENT` while another request is sending it;
   * `MAIL_UNAVAILABLE` when the mail server does not accept it, which keeps it; and `TOO_MANY_ATTEMPTS`,
   * which does not apply to the command line (no client).
   */
  async resend(id: string, actor: Actor, client: Client | null = null): Promise<void> {
    this.mailer.requireMail()
    const failed = await this.failedMails.find(id)
    if (!failed) throw new ApiError('NOT_FOUND')
    if (!failed.isLinkGood) throw new ApiError('INVALID_LINK')
    const counted = client && (await this.rateLimiter.countMailBy(actor, failed.to, client))
    const claimed = this.claim(failed, actor)
    await (counted ? counted.refundIfRejected(claimed) : claimed)
    await this.deliver(failed)
  }

  /** Together with the audit log row that says who resends it, and why. */
  private async claim(failed: FailedMail, actor: Actor): Promise<void> {
    const recipient = (await this.recipientsOf([failed])).get(failed.to)
    const detail = { subject: failed.mail.subject }
    const event = recipient
      ? auditEventOf(recipient, actor, 'mail.resend', detail)
      : auditEvent(actor, 'mail.resend', { ...detail, email: failed.to })
    await this.database.transaction(async transaction => {
      if (!(await this.failedMails.claim(transaction, failed.id))) throw new ApiError('MAIL_BEING_SENT')
      await this.auditLog.record(transaction, event)
    })
  }

  private async deliver({ id, to, mail }: FailedMail): Promise<void> {
    try {
      await this.mailer.deliver(to, mail)
    } catch (error) {
      await this.failedMails.release(id, error as Error)
      throw unavailable('MAIL_UNAVAILABLE', error)
    }
    await this.failedMails.remove(id)
  }

  /** The users who have these addresses now, by address. */
  private async recipientsOf(mails: readonly FailedMail[]): Promise<ReadonlyMap<string, Recipient>> {
    if (mails.length === 0) return new Map()
    const { id, accountId, email } = users
    const addresses = [...new Set(mails.map(({ to }) => to))]
    const found = await this.database.run(db =>
      db.select({ id, accountId, email }).from(users).where(inArray(email, addresses)),
    )
    return new Map(found.map(user => [user.email, user]))
  }

  private async recordView(recipients: readonly Recipient[], actor: OperatorActor): Promise<void> {
    const detail = { list: 'failed mails', users: recipients.map(({ id }) => id) }
    await this.database.transaction(transaction =>
      this.auditLog.record(transaction, auditEvent(actor, 'operator.list', detail)),
    )
  }
}

/** Never the content: its link would let the reader in. */
function shownMail(
  { id, to, mail, failedAt, expiresAt, lastError, isLinkGood }: FailedMail,
  recipient?: Recipient,
) {
  const { subject } = mail
  return { id, to, userId: recipient?.id ?? null, subject, failedAt, expiresAt, lastError, isLinkGood }
}

/** Mails that could not be sent. */
@ApiExcludeController()
@Controller('api/operator/mails')
export class OperatorMailsController {
  constructor(private readonly mails: FailedMailService) {}

  @ForOperators()
  @CountsAsWrite()
  @Get()
  list(@Query() query: FailedMailsQuery, @CurrentOperatorActor() actor: OperatorActor) {
    return this.mails.list(query, actor)
  }

  @ForOperators()
  @Post(':id/resend')
  @HttpCode(204)
  async resend(
    @Param('id', IdInPath) id: string,
    @Body() { reason }: ReasonBody,
    @CurrentOperatorActor() actor: OperatorActor,
  ): Promise<void> {
    await this.mails.resend(id, withReason(actor, reason), actor.client)
  }
}
