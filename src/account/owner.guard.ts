import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { ApiError } from '../platform/errors/api-error.js'
import { DocumentedGuard } from '../platform/http/endpoint.js'
import { requestOf } from '../platform/http/request.js'
import type { Session } from '../sessions/session.js'
import type { User } from '../users/user.js'
import { Users } from '../users/users.js'

/**
 * Lets only the owner of the account pass, according to the database, not to permissions. Runs after
 * MainSourceGuard.
 */
@Injectable()
@DocumentedGuard({
  refusals: [
    'OWNER_REQUIRED',
    'SECOND_FACTOR_ENROLMENT_REQUIRED',
    'SESSION_NOT_FOUND',
    'DATABASE_UNAVAILABLE',
  ],
})
export class OwnerGuard implements CanActivate {
  constructor(private readonly users: Users) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const session = requestOf(context).session as Session
    requireOwner(await this.users.find(session.userId))
    return true
  }
}

/**
 * Throws `OWNER_REQUIRED` (403) for a member, `SECOND_FACTOR_ENROLMENT_REQUIRED` (403) for a user who must set
 * one up first, `SESSION_NOT_FOUND` for a user who has been removed or disabled since they logged in.
 */
export function requireOwner(user: User | null | undefined): User {
  if (!user || user.disabledAt) throw new ApiError('SESSION_NOT_FOUND')
  if (user.mustEnrol) throw new ApiError('SECOND_FACTOR_ENROLMENT_REQUIRED')
  if (user.role !== 'owner') throw new ApiError('OWNER_REQUIRED')
  return user
}
