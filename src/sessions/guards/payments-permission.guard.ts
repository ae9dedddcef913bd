import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../errors/api-error.js'
import { DocumentedGuard } from '../../http/documented.js'

/**
 * Requires the permission for payments, read from the session store for this request, not from the token.
 * Runs after MainSourceGuard.
 */
@Injectable()
@DocumentedGuard({ refusals: ['PAYMENTS_PERMISSION_REQUIRED'] })
export class PaymentsPermissionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { session } = context.switchToHttp().getRequest<FastifyRequest>()
    if (!session?.permissions.payments) throw new ApiError('PAYMENTS_PERMISSION_REQUIRED')
    return true
  }
}
