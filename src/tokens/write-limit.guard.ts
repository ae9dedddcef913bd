import type { Caller } from '@mainstay-auth/verify/token-rules'
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { clientOf, requestOf } from '../http/client.js'
import { DocumentedGuard } from '../http/documented.js'
import { HandlerMark } from '../http/handler-mark.js'
import { RateLimiter } from '../rate-limits/rate-limiter.js'

const writeMark = new HandlerMark<boolean>()

/** Marks a GET that writes a row, or costs as much as a change. */
export const CountsAsWrite = () => writeMark.set(true)

/**
 * Marks a change that must always be possible, such as ending sessions, or changing a password that somebody
 * else may know.
 */
export const ExemptFromWriteLimit = () => writeMark.set(false)

/** Whether a request with this method to this handler is a change. */
export function countsAsWrite(handler: object, method: string): boolean {
  return writeMark.of(handler) ?? (method !== 'GET' && method !== 'HEAD')
}

/**
 * Limits a user's changes per hour. Global, after JwtGuard, because every change leaves rows in an audit log
 * that nobody may delete. Throws `TOO_MANY_ATTEMPTS` (429). Requests that only read are not counted.
 */
@Injectable()
@DocumentedGuard({ refusals: ['TOO_MANY_ATTEMPTS'] })
export class WriteLimitGuard implements CanActivate {
  constructor(private readonly rateLimiter: RateLimiter) {}

  /** Returns a promise only when there is something to count; otherwise every request would pay for the wait. */
  canActivate(context: ExecutionContext): true | Promise<true> {
    const request = requestOf(context)
    const { caller, method } = request
    if (!caller || !countsAsWrite(context.getHandler(), method)) return true
    return this.count(request, caller)
  }

  private async count(request: FastifyRequest, { sid, userId, accountId }: Caller): Promise<true> {
    const actor = { userId, accountId }
    await this.rateLimiter.count({ kind: 'write', subject: sid, client: clientOf(request), actor })
    return true
  }
}
