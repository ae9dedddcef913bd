import { Injectable } from '@nestjs/common'
import { ApiError, isRefusal } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { type LoggedIn, LoginSessions } from '../login/login-sessions.js'
import type { RedeemBody } from './handoff-bodies.dto.js'
import { HandoffCodes, isUsed } from './handoff-codes.js'
import { HandoffConfirmation } from './handoff-confirmation.js'
import { HandoffEligibility } from './handoff-eligibility.js'
import { HandoffRefusals } from './handoff-refusals.js'

/** Logs in on a satellite with a code from the main site. */
@Injectable()
export class HandoffRedemptionService {
  constructor(
    private readonly codes: HandoffCodes,
    private readonly eligibility: HandoffEligibility,
    private readonly confirmation: HandoffConfirmation,
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
      const proof = { methods: parent.amr, inheritedAuthTime: parent.authTime }
      return await this.sessions.admit(user, proof, context, this.confirmation.prepare(text, parent))
    } catch (error) {
      throw isRefusal(error) ? new ApiError('HANDOFF_CODE_INVALID') : error
    }
  }
}
