import { Injectable } from '@nestjs/common'
import { and, count, eq, gt } from 'drizzle-orm'
import { auditEventOf } from '../../audit/audit-event.js'
import { AuditLog } from '../../audit/audit-log.js'
import { Clock } from '../../clock/clock.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { oneTimeTokens } from '../../database/schema.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { OneTimeTokens } from '../../links/one-time-tokens.js'
import type { Permissions } from '../../permissions/permissions.js'
import type { SessionActor } from '../../sessions/actor.js'
import type { Email } from '../../users/email.js'

/** What a new member gets, and who says so. */
export interface InvitationTerms {
  readonly accountId: string
  readonly email: Email
  readonly permissions: Permissions
  /** Null means all. */
  readonly satellites: readonly string[] | null
  /** userId */
  readonly invitedBy: string
}

/** An invitation that has been mailed and is open. */
export interface Invitation extends InvitationTerms {
  readonly id: string
  readonly createdAt: Date
  readonly expiresAt: Date
}

const LIFETIME_SECONDS = 7 * 24 * 60 * 60
/** Each is a mail to somebody who may not know us. */
const MAX_OPEN = 100

/** Open invitations: one-time tokens that name the account they lead to. */
@Injectable()
export class Invitations {
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
  async findOpen(accountId: string, id: string): Promise<Invitation | null> {
    const [row] = await this.database.run(db =>
      db
        .select()
        .from(oneTimeTokens)
        .where(and(this.areOpen(accountId), eq(oneTimeTokens.id, id))),
    )
    return row ? asInvitation(row) : null
  }

  /**
   * Opens an invitation in a transaction with the account locked; replaces an earlier one to the same
   * address. Throws `TOO_MANY_INVITATIONS` when 100 others are open. `token` is for the link.
   */
  async open(
    transaction: Db,
    offer: InvitationTerms,
    client: Client,
  ): Promise<{ readonly invitation: Invitation; readonly token: string }> {
    const { accountId, email, permissions, satellites, invitedBy } = offer
    const isToAddress = and(this.areOpen(accountId), eq(oneTimeTokens.email, email))
    await transaction.delete(oneTimeTokens).where(isToAddress)
    const [others] = await transaction
      .select({ count: count() })
      .from(oneTimeTokens)
      .where(this.areOpen(accountId))
    if ((others?.count ?? 0) >= MAX_OPEN) throw new ApiError('TOO_MANY_INVITATIONS')
    const token = await this.tokens.issue(transaction, {
      purpose: 'invitation',
      accountId,
      email,
      detail: { permissions, satellites, invitedBy },
      lifetimeSeconds: LIFETIME_SECONDS,
    })
    const [row] = await transaction.select().from(oneTimeTokens).where(isToAddress)
    const invitation = asInvitation(row as Row)
    await this.auditLog.record(transaction, {
      action: 'invitation.create',
      outcome: 'ok',
      accountId,
      client,
      detail: { invitation: invitation.id, email, permissions, satellites, by: invitedBy },
    })
    return { invitation, token }
  }

  /** The invitation of a link; throws `INVALID_LINK`. Does not use it up. */
  async find(token: string, client: Client): Promise<Invitation> {
    const found = await this.tokens.find('invitation', token, client)
    if (found) return asInvitation(found)
    this.auditLog.note({
      action: 'invitation.accept',
      outcome: 'failed',
      client,
      detail: { reason: 'invalid link' },
    })
    throw new ApiError('INVALID_LINK')
  }

  /**
   * Uses the link up in the transaction of what it allows; throws `INVALID_LINK`. Of two calls at once one
   * succeeds.
   */
  async consume(transaction: Db, token: string): Promise<Invitation> {
    return asInvitation(await this.tokens.consume(transaction, 'invitation', token))
  }

  /** Withdraws an invitation of the account; false when it has no open one with this id. */
  withdraw(id: string, actor: SessionActor): Promise<boolean> {
    return this.database.transaction(async transaction => {
      const [row] = await transaction
        .delete(oneTimeTokens)
        .where(and(this.areOpen(actor.accountId), eq(oneTimeTokens.id, id)))
        .returning({ email: oneTimeTokens.email })
      if (!row) return false
      const { accountId } = actor
      await this.auditLog.record(
        transaction,
        auditEventOf({ accountId }, actor, 'invitation.withdraw', { invitation: id, ...row }),
      )
      return true
    })
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
  const { permissions, satellites, invitedBy } = detail as Pick<
    InvitationTerms,
    'permissions' | 'satellites' | 'invitedBy'
  >
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
