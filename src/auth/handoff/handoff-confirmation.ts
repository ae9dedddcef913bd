import { Injectable } from '@nestjs/common'
import { Database } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Session } from '../../sessions/session.js'
import { SessionLinks } from '../../sessions/session-links.js'
import { UserSessions } from '../../sessions/user-sessions.js'
import type { LoginConfirmation } from '../login/login-context.js'
import { HandoffCodes } from './handoff-codes.js'

/** Uses up a hand-off code, and links the sessions, when the login is recorded. */
@Injectable()
export class HandoffConfirmation {
  constructor(
    private readonly codes: HandoffCodes,
    private readonly userSessions: UserSessions,
    private readonly links: SessionLinks,
    private readonly database: Database,
  ) {}

  /**
   * In one transaction: the code is used up, the parent is live, and the child is linked to it. User, parent and
   * code are locked in the same order as everywhere else. A request that ends the parent waits, and then finds
   * the child.
   */
  prepare(code: string, parent: Session): LoginConfirmation {
    return {
      expiresBy: parent.expiresAt,
      detail: { handoffFrom: parent.sid },
      confirm: (child, record) =>
        this.database.transaction(async transaction => {
          const recorded = await record(transaction)
          const isLive = await this.userSessions.hasLocked(transaction, parent.sid)
          if (!isLive || !(await this.codes.use(transaction, code, child)))
            throw new ApiError('HANDOFF_CODE_INVALID')
          await this.links.add(transaction, child, parent)
          return recorded
        }),
    }
  }
}
