import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import { DocumentedGuard } from '../platform/http/endpoint.js'
import { requestOf } from '../platform/http/request.js'
import { EnrolmentRefusal } from './enrolment-refusal.js'

/**
 * Requires the permission for payments, read from the database for this request, not from the token.
 * Runs after MainSourceGuard.
 */
@Injectable()
@DocumentedGuard({
  refusals: ['PAYMENTS_PERMISSION_REQUIRED', 'SECOND_FACTOR_ENROLMENT_REQUIRED', 'DATABASE_UNAVAILABLE'],
})
export class PaymentsPermissionGuard implements CanActivate {
  constructor(private readonly refusal: EnrolmentRefusal) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { session } = requestOf(context)
    return session?.permissions.payments || this.refusal.refuse(session, 'PAYMENTS_PERMISSION_REQUIRED')
  }
}
