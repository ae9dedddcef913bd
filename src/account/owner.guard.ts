import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { DocumentedGuard } from '../http/documented.js'
import type { Session } from '../sessions/session.js'
import { Users } from '../users/users.js'
import { requireOwner } from './require-owner.js'

/**
 * Lets only the owner of the account pass, by the database and not by permissions. Runs after
 * MainSourceGuard.
 */
@Injectable()
@DocumentedGuard({ refusals: ['OWNER_REQUIRED', 'SESSION_NOT_FOUND', 'DATABASE_UNAVAILABLE'] })
export class OwnerGuard implements CanActivate {
  constructor(private readonly users: Users) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const session = context.switchToHttp().getRequest<FastifyRequest>().session as Session
    requireOwner(await this.users.find(session.userId))
    return true
  }
}
