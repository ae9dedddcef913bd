import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { ApiError } from '../../platform/errors/api-error.js'
import { DocumentedGuard } from '../../platform/http/endpoint.js'
import { requestOf } from '../../platform/http/request.js'
import { Clock } from '../../platform/time.js'
import type { SessionHandle } from '../session.js'
import { SessionTerms } from '../session-terms.js'
import { SessionStore } from '../stores/session-store.js'

/**
 * Requires the session of the access token to be live, and its satellite to be open to it. A token outlives
 * its session by up to 15 minutes, so anything that makes a change, or shows more than the token says, asks
 * the store.
 */
@Injectable()
@DocumentedGuard({ refusals: ['SESSION_NOT_FOUND', 'DATABASE_UNAVAILABLE', 'SESSION_STORE_UNAVAILABLE'] })
export class LiveSessionGuard implements CanActivate {
  constructor(
    private readonly store: SessionStore,
    private readonly terms: SessionTerms,
    private readonly clock: Clock,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context)
    request.session = await this.store.find(request.caller?.sid as SessionHandle, this.clock.now())
    if (!request.session || !this.terms.mayContinue(request.session)) throw new ApiError('SESSION_NOT_FOUND')
    return true
  }
}
