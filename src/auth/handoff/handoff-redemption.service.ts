import { Injectable } from '@nestjs/common'
import { Database } from '../../database/database.js'
import { ApiError } from '../../errors/api-error.js'
import type { Client } from '../../http/client.js'
import type { Session } from '../../sessions/session.js'
import { SessionLinks } from '../../sessions/session-links.js'
import { UserSessions } from '../../sessions/user-sessions.js'
import type { LoginGrounds } from '../login/login-context.js'
import { type LoggedIn, LoginSessions } from '../login/login-sessions.js'
import type { RedeemBody } from './handoff-bodies.dto.js'
import { HandoffCodes, isUsed } from './handoff-codes.js'
import { HandoffEligibility } from './handoff-eligibility.js'
import { HandoffRefusals } from './handoff-refusals.js'

/** What opening a child session depends on besides its user. */
@Injectable()
export class HandoffGrounds {
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
  of(code: string, parent: Session): LoginGrounds {
    return {
      expiresBy: parent.expiresAt,
      detail: { handoffFrom: parent.sid },
      confirm: (child, record) =>
        this.database.transaction(async transaction => {
          await record(transaction)
          const isLive = await this.userSessions.hasLocked(transaction, parent.sid)
          if (!isLive || !(await this.codes.use(transaction, code, child)))
            throw new ApiError('HANDOFF_CODE_INVALID')
          await this.links.add(transaction, child, parent)
        }),
    }
  }
}

/** Logs in on a satellite with a code from the main site. */
@Injectable()
export class HandoffRedemption {
  constructor(
    private readonly codes: HandoffCodes,
    private readonly eligibility: HandoffEligibility,
    private readonly grounds: HandoffGrounds,
    private readonly sessions: LoginSessions,
    private readonly refusals: HandoffRefusals,
  ) {}

  /**
   * Opens a session for the code, which is then used up. Throws `HANDOFF_CODE_INVALID` for anything wrong, which
   * leaves the code usable, and `TOO_MANY_ATTEMPTS` after too many of those. Sending a used code ends the session
   * that it opened, whoever sends it.
   */
  async redeem({ code: text, verifier, deviceId }: RedeemBody, client: Client): Promise<LoggedIn> {
    const code = await this.codes.find(text, client)
    if (!code) return this.refusals.unknown(client)
    if (isUsed(code)) return this.refusals.replayed(code, client)
    const checked = await this.eligibility.check(code, verifier, client)
    if ('refusal' in checked) return this.refusals.wrong(checked.refusal, code, client)
    const context = { source: 'satellite', client, sessionIds: [], deviceId } as const
    try {
      const { user, parent } = checked
      const proof = { methods: parent.amr, at: parent.authTime }
      return await this.sessions.admit(user, proof, context, this.grounds.of(text, parent))
    } catch (error) {
      const isRefusal = error instanceof ApiError && error.status < 500
      throw isRefusal ? new ApiError('HANDOFF_CODE_INVALID') : error
    }
  }
}
