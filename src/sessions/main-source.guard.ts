import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { Settings } from '../platform/config/settings.js'
import { ApiError } from '../platform/errors/api-error.js'
import { DocumentedGuard } from '../platform/http/endpoint.js'
import { requestOf } from '../platform/http/request.js'
import { Clock } from '../platform/time.js'
import { asSessionId, handleOf, type Session, type SessionId } from './session.js'
import { acceptedCookies, sessionIdsOfSeveral } from './session-cookie.js'
import { SessionStore } from './session-store.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Read from the store for this request by MainSourceGuard or LiveSessionGuard; null elsewhere. */
    session: Session | null
  }
}

/** Requires a live main-site session whose cookie and access token belong together. */
@Injectable()
@DocumentedGuard({
  security: 'sessionCookie',
  refusals: [
    'SESSION_NOT_FOUND',
    'CROSS_SITE_REFUSED',
    'SESSION_COOKIE_REQUIRED',
    'MAIN_SOURCE_REQUIRED',
    'SESSION_MISMATCH',
    'DATABASE_UNAVAILABLE',
  ],
})
export class MainSourceGuard implements CanActivate {
  constructor(
    private readonly store: SessionStore,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = requestOf(context)
    const session = await this.liveSession(request)
    if (session.source !== 'main') throw new ApiError('MAIN_SOURCE_REQUIRED')
    if (session.sid !== request.caller?.sid) throw new ApiError('SESSION_MISMATCH')
    request.session = session
    return true
  }

  private async liveSession(request: FastifyRequest): Promise<Session> {
    const cookies = acceptedCookies(request, this.settings)
    if (cookies.length === 0) throw new ApiError('SESSION_COOKIE_REQUIRED')
    const isOfCaller = (sessionId: SessionId) => handleOf(sessionId) === request.caller?.sid
    const sessionId =
      cookies.length === 1 ? asSessionId(cookies[0] as string) : sessionIdsOfSeveral(cookies).find(isOfCaller)
    const session = sessionId && (await this.store.find(handleOf(sessionId), this.clock.now()))
    if (!session) throw new ApiError('SESSION_NOT_FOUND')
    return session
  }
}
