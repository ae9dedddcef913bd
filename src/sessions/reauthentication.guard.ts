import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { Reauthentication } from './reauthentication.js'
import type { Session } from './session.js'

/** Has the user of this session lately proved again who they are? Stands behind MainSourceGuard or LiveSessionGuard. */
@Injectable()
export class ReauthenticationGuard implements CanActivate {
  constructor(private readonly reauthentication: Reauthentication) {}

  canActivate(context: ExecutionContext): boolean {
    this.reauthentication.require(context.switchToHttp().getRequest<FastifyRequest>().session as Session)
    return true
  }
}
