import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import type { FastifyRequest } from 'fastify'
import { AttemptLimits } from '../attempts/attempt-limits.js'
import { clientOf } from '../http/client.js'

const COUNTS_AS_WRITE = 'countsAsWrite'

/**
 * Says of a GET that it leaves a row behind or costs as much as a change; with `false` of a change that nobody must be
 * kept from: to end sessions, to take a password out of other hands.
 */
export const CountsAsWrite = (does = true) => SetMetadata(COUNTS_AS_WRITE, does)

/**
 * Has this user not changed too much within the hour? Global, after JwtGuard: whatever a logged-in user changes leaves
 * rows in an audit log that nobody may delete. Throws `TOO_MANY_ATTEMPTS` (429). What only reads is not counted.
 */
@Injectable()
export class WriteLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly attempts: AttemptLimits,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>()
    const { caller, method } = request
    const isSaid = this.reflector.get<boolean | undefined>(COUNTS_AS_WRITE, context.getHandler())
    const isWrite = isSaid ?? (method !== 'GET' && method !== 'HEAD')
    if (!caller || !isWrite) return true
    const { sid, userId, accountId } = caller
    const actor = { userId, accountId }
    await this.attempts.count({ kind: 'write', subject: sid, client: clientOf(request), actor })
    return true
  }
}
