import { Injectable } from '@nestjs/common'
import { FactorResets } from '../factors/factor-resets.js'
import type { Actor } from '../platform/audit/audit-event.js'
import { Database } from '../platform/database/database.js'
import { ApiError } from '../platform/errors/api-error.js'
import type { Client } from '../platform/http/request.js'
import { FactorResetRequests } from '../team/factor-reset.js'
import { Users } from '../users/users.js'

/**
 * Factor resets requested by operators, in the console or at the command line, with the same delay as a
 * manager's; owners included.
 */
@Injectable()
export class OperatorFactorResets {
  constructor(
    private readonly database: Database,
    private readonly users: Users,
    private readonly resets: FactorResets,
    private readonly requests: FactorResetRequests,
  ) {}

  /**
   * Mails the user, who can stop it or do it at once, and returns when it will happen; asking again only mails
   * a new link, in place of the earlier one. Throws `NOT_FOUND` for users who are gone, disabled by their account, or
   * without a second factor, `EMAIL_UNDO_OPEN` while a change of their address can be undone, `MAIL_UNAVAILABLE`, and
   * `TOO_MANY_ATTEMPTS`, which does not apply to the command line.
   */
  request(userId: string, actor: Actor, client: Client | null = null): Promise<Date> {
    return this.requests.requestByOperator(actor, userId, client)
  }

  /** Throws `NOT_FOUND` when none is pending. */
  async cancel(userId: string, actor: Actor): Promise<void> {
    await this.database.transaction(async transaction => {
      const user = await this.users.lock(transaction, userId)
      const isCancelled = user && (await this.resets.cancel(transaction, user, actor, 'cancelled'))
      if (!isCancelled) throw new ApiError('NOT_FOUND')
    })
  }
}
