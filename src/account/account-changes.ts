import { Injectable } from '@nestjs/common'
import { NO_MAILS } from '../mail/mail.js'
import { auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import type { HandoffRequirement } from '../platform/database/schema/columns.js'
import type { AfterCommit } from '../sessions/revocation/recorded-changes.js'
import type { SessionActor } from '../sessions/session-actor.js'
import { type Account, Accounts } from '../users/accounts.js'
import { ActorAuthority } from '../users/actor-authority.js'
import type { AccountBody } from './account.dto.js'
import { HandoffMails } from './handoff-mails.js'

/** Changes of an account by its administrators. */
@Injectable()
export class AccountChanges {
  constructor(
    private readonly accounts: Accounts,
    private readonly authority: ActorAuthority,
    private readonly mails: HandoffMails,
    private readonly database: Database,
    private readonly auditLog: AuditLog,
  ) {}

  /** Fields that the body leaves out stay as they are. */
  async make(actor: SessionActor, { name, handoffRequired }: AccountBody): Promise<void> {
    const detail = { ...(name && { name }), ...(handoffRequired && { handoffRequired }) }
    const sendMails = await this.database.transaction(async transaction => {
      const { account } = await this.authority.lock(transaction, actor, 'accountSettings')
      await this.auditLog.record(transaction, auditEvent(actor, 'account.change', detail))
      if (name) await this.accounts.setName(transaction, actor.accountId, name)
      return handoffRequired ? this.requireHandoffs(transaction, actor, account, handoffRequired) : NO_MAILS
    })
    await sendMails()
  }

  private async requireHandoffs(
    transaction: Db,
    actor: SessionActor,
    before: Account,
    required: HandoffRequirement,
  ): Promise<AfterCommit> {
    await this.accounts.setHandoffRequired(transaction, before.id, required)
    return required === 'everyone' ? NO_MAILS : this.mails.aboutLoosened(transaction, before, required, actor)
  }
}
