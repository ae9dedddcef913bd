import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { DocumentedGuard } from '../../http/documented.js'
import { Reauthentication } from '../reauthentication.js'
import type { Session } from '../session.js'

/**
 * Requires the user of this session to have re-authenticated recently. Runs after MainSourceGuard or
 * LiveSessionGuard.
 */
@Injectable()
@DocumentedGuard({ refusals: ['REAUTHENTICATION_REQUIRED'] })
export class ReauthenticationGuard implements CanActivate {
  constructor(private readonly reauthentication: Reauthentication) {}

  canActivate(context: ExecutionContext): boolean {
    this.reauthentication.require(context.switchToHttp().getRequest<FastifyRequest>().session as Session)
    return true
  }
}
