import { Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { ApiError, causeMessage } from '../../platform/errors/api-error.js'
import { clientOf } from '../../platform/http/request.js'
import { Logger } from '../../platform/log.js'
import { Reauthentication } from '../../sessions/reauthentication.js'
import type { Session } from '../../sessions/session.js'
import { Users } from '../../users/users.js'
import { FACTOR_METHODS, FactorMethods } from '../second-factor/factor-methods.js'
import { CredentialEntryPolicy } from './credential-entry-policy.js'

export const REAUTHENTICATION_METHODS = ['password', ...FACTOR_METHODS] as const
/** How a user can re-authenticate, as named in answers. */
export type ReauthenticationMethod = (typeof REAUTHENTICATION_METHODS)[number]

/** How the users of sessions can re-authenticate. */
@Injectable()
export class ReauthenticationMethods {
  private readonly logger = new Logger('ReauthenticationMethods')

  constructor(
    private readonly users: Users,
    private readonly entryPolicy: CredentialEntryPolicy,
    private readonly factors: FactorMethods,
    private readonly reauthentication: Reauthentication,
  ) {}

  /**
   * What the session's user has, and may use on pages of this origin (null outside browsers). Leaves out the
   * password for a user who would need their second factor again anyway.
   */
  async of(session: Session, origin: string | null): Promise<ReauthenticationMethod[]> {
    const user = await this.users.find(session.userId)
    if (!user) return []
    const context = { ...session, client: { origin } }
    const mayUsePassword = await this.entryPolicy.mayUsePassword(user, context)
    const mayEnterCodes = (await this.entryPolicy.refusalOfCode(user, context)) === null
    const all = await this.factors.of(user.id, origin)
    const factors = all.filter(method => method === 'passkey' || mayEnterCodes)
    // The password would be accepted, but what was refused would then be refused again.
    const isEnough = factors.length === 0 || this.reauthentication.isSecondFactorRecent(session)
    return mayUsePassword && isEnough ? ['password', ...factors] : factors
  }

  /**
   * Adds to a `REAUTHENTICATION_REQUIRED` or `STEP_UP_REQUIRED` how the user can do that. Done here and not where
   * it is thrown: that may be in a transaction, and most requests are not refused. Never rejects.
   */
  async amend(refusal: ApiError, request: FastifyRequest): Promise<ApiError> {
    const isStepUp = refusal.code === 'STEP_UP_REQUIRED'
    if (!(isStepUp || refusal.code === 'REAUTHENTICATION_REQUIRED') || !request.session) return refusal
    try {
      const all = await this.of(request.session, clientOf(request).origin)
      const methods = all.filter(method => !isStepUp || method !== 'password')
      return new ApiError(refusal.code, { ...refusal.options, members: { methods } })
    } catch (error) {
      this.logger.warn(`A refusal is sent without \`methods\`: ${causeMessage(error)}`)
      return refusal
    }
  }
}
