import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { DocumentedGuard } from '../../platform/http/endpoint.js'
import { requestOf } from '../../platform/http/request.js'
import { Reauthentication } from '../reauthentication.js'
import type { Session } from '../session.js'

/**
 * Requires the user of this session to have re-authenticated recently, with a second factor if they have one.
 * Runs after MainSourceGuard or LiveSessionGuard.
 */
@Injectable()
@DocumentedGuard({ refusals: ['REAUTHENTICATION_REQUIRED', 'STEP_UP_REQUIRED', 'DATABASE_UNAVAILABLE'] })
export class ReauthenticationGuard implements CanActivate {
  constructor(private readonly reauthentication: Reauthentication) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { session } = requestOf(context)
    await this.reauthentication.requireLookingUpFactor(session as Session)
    return true
  }
}
