import { bearerToken, type Caller } from '@mainstay-auth/verify/token-rules'
import { createParamDecorator, type ExecutionContext, Injectable, SetMetadata } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { ApiError } from '../platform/errors/api-error.js'
import { DocumentedGuard, type SelectiveGuard } from '../platform/http/endpoint.js'
import { requestOf, singleHeader } from '../platform/http/request.js'
import { AccessTokens } from './access-tokens.js'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by {@link JwtGuard}; null on public routes. */
    caller: Caller | null
  }
}

/** Requires a valid access token. Global: every route is closed unless it is `@Public()`. */
@Injectable()
@DocumentedGuard({
  security: 'accessToken',
  refusals: ['ACCESS_TOKEN_REQUIRED', 'INVALID_ACCESS_TOKEN'],
})
export class JwtGuard implements SelectiveGuard {
  constructor(private readonly accessTokens: AccessTokens) {}

  appliesTo(handler: object): boolean {
    return !isPublic(handler)
  }

  canActivate(context: ExecutionContext): boolean {
    if (!this.appliesTo(context.getHandler())) return true
    const request = requestOf(context)
    request.caller = requireCaller(request, this.accessTokens)
    return true
  }
}

/** The caller named in the request's access token; throws `ACCESS_TOKEN_REQUIRED` or `INVALID_ACCESS_TOKEN` (401). */
export function requireCaller(request: FastifyRequest, accessTokens: AccessTokens): Caller {
  const caller = accessTokens.verify(bearerOf(request))
  if (!caller) throw invalidToken(request)
  return caller
}

/** The bearer token in the only Authorization header; throws when there is none, or more than one. */
function bearerOf(request: FastifyRequest): string {
  const header = singleHeader(request, 'authorization')
  if (header.kind === 'absent' || (header.kind === 'one' && header.value === ''))
    throw new ApiError('ACCESS_TOKEN_REQUIRED', { headers: { 'WWW-Authenticate': 'Bearer' } })
  const token = header.kind === 'one' ? bearerToken(header.value) : null
  if (!token) throw invalidToken(request)
  return token
}

/** RFC 6750 §3.1. The client learns that the token is invalid but not why; the log records the refusal. */
function invalidToken(request: FastifyRequest): ApiError {
  request.log.info({ req: request, code: 'INVALID_ACCESS_TOKEN' }, 'access token refused')
  return new ApiError('INVALID_ACCESS_TOKEN', {
    headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
  })
}

const PUBLIC = 'mainstay:public'

/** The only way past {@link JwtGuard}; a test lists every handler that uses it. */
export const Public = (): MethodDecorator => SetMetadata(PUBLIC, true)

/** Whether a handler is {@link Public}. */
export function isPublic(handler: object): boolean {
  return Reflect.getMetadata(PUBLIC, handler) === true
}

/** The {@link Caller} on a route that JwtGuard has let through. */
export const CurrentCaller = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).caller,
)
