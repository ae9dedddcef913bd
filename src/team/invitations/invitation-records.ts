import { Injectable } from '@nestjs/common'
import { and, eq, gt } from 'drizzle-orm'
import { auditEvent, auditEventOf } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import type { Db } from '../../platform/database/connection.js'
import { Database } from '../../platform/database/database.js'
import { oneTimeTokens } from '../../platform/database/schema/platform.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { OneTimeTokens } from '../../platform/one-time-tokens.js'
import type { Permissions } from '../../platform/permissions.js'
import { Clock } from '../../platform/time.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import type { Email } from '../../users/email.js'
import { requireSeat } from '../../users/plan-seats.js'

/** Who is invited, and to what. */
export interface InviteRequest {
  readonly email: Email
  readonly permissions: Permissions
  /** Null means all. */
  readonly satellites: readonly string[] | null
}

/** An invitation that has been mailed and not yet used. */
export interface Invitation extends InviteRequest {
  readonly id: string
  readonly accountId: string
  /** A userId. */
  readonly invitedBy: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

/** How long the link in an invitation works. */
export const INVITATION_DAYS = 7
/** Each is a mail to somebody who may not know us. */
const MAX_OPEN = 100

/** Open invitations: one-time tokens that name the account to join. */
@Injectable()
export class InvitationRecords {
  constructor(
    private readonly tokens: OneTimeTokens,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly auditLog: AuditLog,
  ) {}

  /** The account's invitations, oldest first. */
  async list(accountId: string): Promise<Invitation[]> {
    const rows = await this.database.run(db =>
      db.select().from(oneTimeTokens).where(this.areOpen(accountId)).orderBy(oneTimeTokens.createdAt),
    )
    return rows.map(asInvitation)
  }

  /** The account's invitation with this id; null when none is open. */
  async find(accountId: string, id: string): Promise<Invitation | null> {
    const [row] = await this.database.run(db =>
      db
        .select()
        .from(oneTimeTokens)
        .where(and(this.areOpen(accountId), eq(oneTimeTokens.id, id))),
    )
    return row ? asInvitation(row) : null
  }

  /**
   * Opens an invitation in a transaction that has the account locked; replaces an earlier one to the same
   * address. Throws `TOO_MANY_INVITATIONS` when 100 others are open, and like `requireSeat`. `token` is for the link.
   */
  async open(
    transaction: Db,
    { userId: invitedBy, accountId, client }: SessionActor,
    { email, permissions, satellites }: InviteRequest,
  ): Promise<{ readonly invitation: Invitation; readonly token: string }> {
    const isToAddress = and(this.areOpen(accountId), eq(oneTimeTokens.email, email))
    await transaction.delete(oneTimeTokens).where(isToAddress)
    const others = await transaction.$count(oneTimeTokens, this.areOpen(accountId))
    if (others >= MAX_OPEN) throw new ApiError('TOO_MANY_INVITATIONS')
    await requireSeat(transaction, accountId, others)
    const token = await this.tokens.issue(transaction, {
      purpose: 'invitation',
      accountId,
      email,
      detail: { permissions, satellites, invitedBy },
      lifetimeSeconds: INVITATION_DAYS * 24 * 60 * 60,
    })
    const [row] = await transaction.select().from(oneTimeTokens).where(isToAddress)
    const invitation = asInvitation(row as Row)
    const detail = { invitation: invitation.id, email, permissions, satellites, by: invitedBy }
    await this.auditLog.record(transaction, auditEvent({ accountId, client }, 'invitation.create', detail))
    return { invitation, token }
  }

  /** The invitation that a link belongs to; throws `INVALID_LINK`. Does not use it up. */
  async ofLink(token: string, client: Client): Promise<Invitation> {
    return asInvitation(await this.tokens.require('invitation', token, client, 'invitation.accept'))
  }

  /**
   * Uses the link up in the transaction that makes this user a member; throws `INVALID_LINK`. Of two
   * concurrent calls, only one succeeds.
   */
  async accept(transaction: Db, token: string, userId: string, client: Client): Promise<void> {
    const used = asInvitation(await this.tokens.consume(transaction, 'invitation', token))
    const { id, accountId, invitedBy, permissions, satellites } = used
    const member = { userId, accountId, client }
    // Not `by`: the row says who joined and from where, and that is not the inviter's data.
    const detail = { invitation: id, invitedBy }
    await this.auditLog.recordAll(transaction, [
      auditEvent(member, 'invitation.accept', detail),
      auditEvent(member, 'user.create', { ...detail, permissions, satellites }),
    ])
  }

  /** Withdraws an invitation of the account; false when it has no open one with this id. */
  async withdraw(transaction: Db, actor: SessionActor, id: string): Promise<boolean> {
    const { accountId } = actor
    const [row] = await transaction
      .delete(oneTimeTokens)
      .where(and(this.areOpen(accountId), eq(oneTimeTokens.id, id)))
      .returning({ email: oneTimeTokens.email })
    if (!row) return false
    const detail = { invitation: id, ...row }
    await this.auditLog.record(transaction, auditEventOf({ accountId }, actor, 'invitation.withdraw', detail))
    return true
  }

  private areOpen(accountId: string) {
    return and(
      eq(oneTimeTokens.accountId, accountId),
      eq(oneTimeTokens.purpose, 'invitation'),
      gt(oneTimeTokens.expiresAt, this.clock.now()),
    )
  }
}

type Row = Pick<
  typeof oneTimeTokens.$inferSelect,
  'id' | 'accountId' | 'email' | 'detail' | 'createdAt' | 'expiresAt'
>

function asInvitation({ id, accountId, email, detail, createdAt, expiresAt }: Row): Invitation {
  const { permissions, satellites, invitedBy } = detail as unknown as Invitation
  return {
    id,
    accountId: accountId as string,
    email: email as Email,
    permissions,
    satellites,
    invitedBy,
    createdAt,
    expiresAt,
  }
}
