import { type CanActivate, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import type { FastifyRequest } from 'fastify'
import { clientOf } from '../http/client.js'
import { RateLimiter } from '../rate-limits/rate-limiter.js'

const COUNTS_AS_WRITE = 'countsAsWrite'

/**
 * Marks a GET that writes a row or costs as much as a change; with `false`, a change that must always be
 * possible, such as ending sessions or taking a password out of other hands.
 */
export const CountsAsWrite = (does = true) => SetMetadata(COUNTS_AS_WRITE, does)

/**
 * Limits the changes of a user within the hour. Global, after JwtGuard, because every change leaves rows in
 * an audit log that nobody may delete. Throws `TOO_MANY_ATTEMPTS` (429). Requests that only read are not
 * counted.
 */
@Injectable()
export class WriteLimitGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly rateLimiter: RateLimiter,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>()
    const { caller, method } = request
    const isSaid = this.reflector.get<boolean | undefined>(COUNTS_AS_WRITE, context.getHandler())
    const isWrite = isSaid ?? (method !== 'GET' && method !== 'HEAD')
    if (!caller || !isWrite) return true
    const { sid, userId, accountId } = caller
    const actor = { userId, accountId }
    await this.rateLimiter.count({ kind: 'write', subject: sid, client: clientOf(request), actor })
    return true
  }
}
