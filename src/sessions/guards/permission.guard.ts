import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../errors/api-error.js'
import type { Permission } from '../../permissions/permissions.js'

const REQUIRED_PERMISSION = 'mainstay:permission'

/** The permission that {@link PermissionGuard} requires. */
export const RequirePermission = (permission: Permission) => SetMetadata(REQUIRED_PERMISSION, permission)

/**
 * Requires a permission, read from the store for this request. Runs after MainSourceGuard or
 * LiveSessionGuard.
 */
@Injectable()
export class PermissionGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const { session } = context.switchToHttp().getRequest<FastifyRequest>()
    const places = [context.getHandler(), context.getClass()]
    const permission = this.reflector.getAllAndOverride<Permission | undefined>(REQUIRED_PERMISSION, places)
    if (!permission || !session?.permissions[permission]) throw new ApiError('PERMISSION_REQUIRED')
    return true
  }
}
