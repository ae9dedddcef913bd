import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { Settings } from '../../platform/config/settings.js'
import { ApiError } from '../../platform/errors/api-error.js'
import { DocumentedGuard } from '../../platform/http/endpoint.js'
import { requestOf } from '../../platform/http/request.js'
import { requireMainOrigin } from '../../sessions/session-cookie.js'

/**
 * Lets strangers sign up only where SIGN_UP is on, and only from the main site. Throws `SIGN_UP_CLOSED`,
 * `MAIN_ORIGIN_REQUIRED` or `CROSS_SITE_REFUSED` (403).
 */
@Injectable()
@DocumentedGuard({ refusals: ['SIGN_UP_CLOSED', 'MAIN_ORIGIN_REQUIRED', 'CROSS_SITE_REFUSED'] })
export class SignUpGuard implements CanActivate {
  constructor(private readonly settings: Settings) {}

  canActivate(context: ExecutionContext): boolean {
    if (!this.settings.isSignUpOpen) throw new ApiError('SIGN_UP_CLOSED')
    requireMainOrigin(requestOf(context), this.settings)
    return true
  }
}
