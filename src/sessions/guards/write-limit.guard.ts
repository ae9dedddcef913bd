import { type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common'
import { DocumentedGuard, type SelectiveGuard } from '../../platform/http/endpoint.js'
import { clientOf, requestOf } from '../../platform/http/request.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import { isPublic } from '../../tokens/jwt.guard.js'
import type { Session } from '../session.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link WriteLimitGuard}, which a class and its method may both ask for. */
    isCountedAsWrite: boolean
  }
}

/** What a change is counted against; null where it must always be possible. */
type WriteBudget = 'write' | 'containment' | null
const WRITE_BUDGET = 'mainstay:write-budget'

/** Marks a GET that writes a row, or costs as much as a change. */
export const CountsAsWrite = (): MethodDecorator => SetMetadata(WRITE_BUDGET, 'write')

/**
 * Marks a change that must always be possible, such as ending sessions, or changing a password that somebody
 * else may know.
 */
export const ExemptFromWriteLimit = (): MethodDecorator => SetMetadata(WRITE_BUDGET, null)

/**
 * Marks a change by which a user contains damage, such as suspending a satellite, disabling a member or enrolling a
 * factor. Each session has an allowance of its own for these, which no other session can use up.
 */
export const ContainsDamage = (): MethodDecorator => SetMetadata(WRITE_BUDGET, 'containment')

/** Whether a request with this method to this handler is a change. */
export function countsAsWrite(handler: object, method: string): boolean {
  return budgetOf(handler, method) !== null
}

function budgetOf(handler: object, method: string): WriteBudget {
  const marked: WriteBudget | undefined = Reflect.getMetadata(WRITE_BUDGET, handler)
  if (marked !== undefined) return marked
  return method === 'GET' || method === 'HEAD' ? null : 'write'
}

/**
 * Limits changes per hour, because every change leaves rows in an audit log that nobody may delete. Runs after
 * the guard that has found the session: a token outlives its session, and that of an ended one must not use up
 * what its user has left. Throws `TOO_MANY_ATTEMPTS` (429). Requests that only read are not counted.
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
    if (request.isCountedAsWrite) return true
    request.isCountedAsWrite = true
    const { sid, source, userId, accountId } = request.session as Session
    await this.rateLimiter.count({
      kind: budgetOf(context.getHandler(), request.method) ?? 'write',
      subject: sid,
      client: clientOf(request),
      actor: { userId, accountId, source },
    })
    return true
  }
}
