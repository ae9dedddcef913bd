import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { ApiError } from '../../platform/errors/api-error.js'
import { DocumentedGuard } from '../../platform/http/endpoint.js'
import { requestOf } from '../../platform/http/request.js'
import type { Session } from '../session.js'
import { EnrolmentRefusal } from './enrolment-refusal.js'

/**
 * Refuses users who must set up a second factor first, on routes that need no permission but do more than
 * that. Runs after MainSourceGuard or LiveSessionGuard.
 */
@Injectable()
@DocumentedGuard({ refusals: ['SECOND_FACTOR_ENROLMENT_REQUIRED', 'DATABASE_UNAVAILABLE'] })
export class EnrolmentGuard implements CanActivate {
  constructor(private readonly refusal: EnrolmentRefusal) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const session = requestOf(context).session as Session
    // Those users have no permissions, so most sessions cost no query.
    if (Object.values(session.permissions).includes(true)) return true
    if (await this.refusal.mustEnrol(session)) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
    return true
  }
}
