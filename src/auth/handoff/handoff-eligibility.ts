import { Injectable } from '@nestjs/common'
import type { Client } from '../../platform/http/request.js'
import { Clock } from '../../platform/time.js'
import type { Session } from '../../sessions/session.js'
import { SessionStore } from '../../sessions/stores/session-store.js'
import type { User } from '../../users/user.js'
import { Users } from '../../users/users.js'
import { type HandoffCode, isVerifier } from './handoff-codes.js'
import { HandoffDestinations } from './handoff-destinations.js'

/** Who is to be logged in on a satellite, and by which session of the main site. */
export interface EligibleHandoff {
  readonly user: User
  readonly parent: Session
}

/** Whether a code may be redeemed now; what was true when it was issued may have changed. */
@Injectable()
export class HandoffEligibility {
  constructor(
    private readonly destinations: HandoffDestinations,
    private readonly users: Users,
    private readonly sessions: SessionStore,
    private readonly clock: Clock,
  ) {}

  /** Who logs in with the code; or why nobody may, for the audit log. */
  async check(
    code: HandoffCode,
    verifier: string,
    client: Client,
  ): Promise<EligibleHandoff | { readonly refusal: string }> {
    if (client.origin !== code.origin) return { refusal: 'other origin' }
    if (!isVerifier(verifier, code)) return { refusal: 'wrong verifier' }
    const user = await this.users.find(code.userId)
    if (!user || user.disabledAt) return { refusal: 'disabled' }
    if (!this.destinations.isOpen(user, code.origin)) return { refusal: 'satellite closed to its user' }
    const parent = await this.sessions.find(code.parentSid, this.clock.now())
    return parent ? { user, parent } : { refusal: 'main session ended' }
  }
}
