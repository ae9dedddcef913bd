import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import { DocumentedGuard } from '../../platform/http/endpoint.js'
import { requestOf } from '../../platform/http/request.js'
import type { Permission } from '../../platform/permissions.js'
import { EnrolmentRefusal } from './enrolment-refusal.js'

const REQUIRED_PERMISSION = 'mainstay:permission'

/** A permission that {@link PermissionGuard} requires. */
export const RequirePermission = (permission: Permission) => SetMetadata(REQUIRED_PERMISSION, permission)

/**
 * Requires the permissions of the handler and of its class, read from the store for this request. Runs after
 * MainSourceGuard or LiveSessionGuard.
 */
@Injectable()
@DocumentedGuard({
  refusals: ['PERMISSION_REQUIRED', 'SECOND_FACTOR_ENROLMENT_REQUIRED', 'DATABASE_UNAVAILABLE'],
})
export class PermissionGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly refusal: EnrolmentRefusal,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { session } = requestOf(context)
    const required = [context.getClass(), context.getHandler()]
      .map(target => this.reflector.get<Permission | undefined>(REQUIRED_PERMISSION, target))
      .filter(permission => permission !== undefined)
    const isAllowed = required.length > 0 && required.every(permission => session?.permissions[permission])
    return isAllowed || this.refusal.refuse(session, 'PERMISSION_REQUIRED')
  }
}
