import { Injectable } from '@nestjs/common'
import { AuditLog } from '../../audit/audit-log.js'
import type { Db } from '../../database/connection.js'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import { OneTimeTokens } from '../../links/one-time-tokens.js'
import { SessionChanges } from '../../sessions/revocation/session-changes.js'
import type { Session } from '../../sessions/session.js'
import type { Email } from '../../users/email.js'
import { UndoTokens } from '../../users/links/undo-tokens.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'

const LIFETIME_SECONDS = 24 * 60 * 60

/** The user's previous address, and the token of the link back to it; null when there is none. */
export interface Undo {
  readonly email: Email
  readonly undoToken: string | null
}

/** Who follows the link: a live session of the user, or null for somebody who has supplied the password. */
export interface Confirmation {
  readonly text: string
  readonly session: Session | null
  readonly client: Client
}

/** Changes of e-mail addresses in the database. Each is one transaction, with the user's row locked. */
@Injectable()
export class EmailChanges {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly tokens: OneTimeTokens,
    private readonly undoTokens: UndoTokens,
    private readonly changes: SessionChanges,
    private readonly auditLog: AuditLog,
  ) {}

  /** The token for the link to the new address; earlier links stop working. */
  request(session: Session, email: Email, client: Client): Promise<string> {
    const { userId, accountId, sid } = session
    return this.database.transaction(async transaction => {
      const user = await this.users.lock(transaction, userId)
      if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
      await this.changes.requireNotRevoked(transaction, session)
      await this.tokens.withdraw(transaction, 'email-change', userId)
      await this.auditLog.record(transaction, {
        action: 'email.change',
        outcome: 'ok',
        ...{ userId, accountId, sid, client },
        detail: { step: 'asked' },
      })
      return this.tokens.issue(transaction, {
        purpose: 'email-change',
        email,
        userId,
        accountId,
        lifetimeSeconds: LIFETIME_SECONDS,
      })
    })
  }

  /**
   * Uses the link up. Throws `INVALID_LINK`, `EMAIL_TAKEN`, and `SESSION_NOT_FOUND` for a session that has
   * ended.
   */
  make(userId: string, { text, session, client }: Confirmation): Promise<Undo> {
    return this.database.transaction(async transaction => {
      const user = await this.users.lock(transaction, userId)
      const { email } = await this.tokens.consume(transaction, 'email-change', text)
      if (!user || user.disabledAt) throw new ApiError('INVALID_LINK')
      if (session) await this.changes.requireNotRevoked(transaction, session)
      const undoToken = await this.replaceAddress(transaction, user, email as Email)
      await this.tokens.withdraw(transaction, 'email-change', userId)
      await this.auditLog.record(transaction, {
        action: 'email.change',
        outcome: 'ok',
        ...{ userId, accountId: user.accountId, client },
        detail: { step: 'confirmed', from: user.email, to: email },
      })
      return { email: user.email, undoToken }
    })
  }

  /**
   * Going back to an address by hand undoes the changes since, just as its link would. There is then no link
   * back to the address that is left, which may be a thief's.
   */
  private async replaceAddress(transaction: Db, user: User, email: Email): Promise<string | null> {
    const turn = await this.undoTokens.turnOf(transaction, user.id, email)
    await this.users.setEmail(transaction, user.id, email)
    if (turn === null) return this.undoTokens.issue(transaction, user)
    await this.undoTokens.closeFrom(transaction, user.id, turn)
    return null
  }
}
