import type { Caller } from '@mainstay-auth/verify/token-rules'
import { type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common'
import { clientOf, requestOf } from '../http/client.js'
import { DocumentedGuard } from '../http/documented.js'
import type { SelectiveGuard } from '../nest/selective-guard.js'
import { RateLimiter } from '../rate-limits/rate-limiter.js'
import { isPublic } from './jwt.guard.js'

const COUNTS_AS_WRITE = 'mainstay:counts-as-write'

/** Marks a GET that writes a row, or costs as much as a change. */
export const CountsAsWrite = (): MethodDecorator => SetMetadata(COUNTS_AS_WRITE, true)

/**
 * Marks a change that must always be possible, such as ending sessions, or changing a password that somebody
 * else may know.
 */
export const ExemptFromWriteLimit = (): MethodDecorator => SetMetadata(COUNTS_AS_WRITE, false)

/** Whether a request with this method to this handler is a change. */
export function countsAsWrite(handler: object, method: string): boolean {
  return Reflect.getMetadata(COUNTS_AS_WRITE, handler) ?? (method !== 'GET' && method !== 'HEAD')
}

/**
 * Limits a user's changes per hour. Global, after JwtGuard, because every change leaves rows in an audit log
 * that nobody may delete. Throws `TOO_MANY_ATTEMPTS` (429). Requests that only read are not counted.
 */
@Injectable()
@DocumentedGuard({ refusals: ['TOO_MANY_ATTEMPTS'] })
export class WriteLimitGuard implements SelectiveGuard {
  constructor(private readonly rateLimiter: RateLimiter) {}

  appliesTo(handler: object, method: string): boolean {
    return !isPublic(handler) && countsAsWrite(handler, method)
  }

  async canActivate(context: ExecutionContext): Promise<true> {
    const request = requestOf(context)
    const { sid, userId, accountId } = request.caller as Caller
    const actor = { userId, accountId }
    await this.rateLimiter.count({ kind: 'write', subject: sid, client: clientOf(request), actor })
    return true
  }
}
