import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../errors/api-error.js'
import { DocumentedGuard } from '../../http/documented.js'
import type { Permission } from '../../permissions/permissions.js'

const REQUIRED_PERMISSION = 'mainstay:permission'

/** A permission that {@link PermissionGuard} requires. */
export const RequirePermission = (permission: Permission) => SetMetadata(REQUIRED_PERMISSION, permission)

/**
 * Requires the permissions of the handler and of its class, read from the store for this request. Runs after
 * MainSourceGuard or LiveSessionGuard.
 */
@Injectable()
@DocumentedGuard({ refusals: ['PERMISSION_REQUIRED'] })
export class PermissionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { session } = context.switchToHttp().getRequest<FastifyRequest>()
    const required = [context.getClass(), context.getHandler()]
      .map(target => this.reflector.get<Permission | undefined>(REQUIRED_PERMISSION, target))
      .filter(permission => permission !== undefined)
    const isAllowed = required.length > 0 && required.every(permission => session?.permissions[permission])
    if (!isAllowed) throw new ApiError('PERMISSION_REQUIRED')
    return true
  }
}
