import { Injectable } from '@nestjs/common'
import { FactorResets } from '../../factors/factor-resets.js'
import { UserFactors } from '../../factors/user-factors.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { ActiveSessions } from '../../sessions/active/active-sessions.js'
import type { User } from '../../users/user.js'
import type { OperatorActor } from '../operator.guard.js'

/** What users log in with, and where they are logged in. */
@Injectable()
export class LoginDetails {
  constructor(
    private readonly factors: UserFactors,
    private readonly resets: FactorResets,
    private readonly sessions: ActiveSessions,
  ) {}

  /** `sites` is null while the session store is down: the rest is still worth seeing. */
  async of({ id, passwordHash, mustEnrol }: User, actor: OperatorActor) {
    const [factors, resets, sites] = await Promise.all([
      this.factors.find(id),
      this.resets.timesOf([id]),
      this.sitesOf(id, actor),
    ])
    const hasPassword = passwordHash !== null
    return { hasPassword, mustEnrol, factors, resetAt: resets.get(id) ?? null, sites }
  }

  private async sitesOf(userId: string, { client }: OperatorActor) {
    try {
      return (await this.sessions.list(userId, null, { language: client.acceptLanguage })).sites
    } catch (error) {
      if (error instanceof ApiError && error.code === 'SESSION_STORE_UNAVAILABLE') return null
      throw error
    }
  }
}
