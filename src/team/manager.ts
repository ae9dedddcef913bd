import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import type { FastifyRequest } from 'fastify'
import { type Client, clientOf } from '../http/client.js'
import type { Session } from '../sessions/session.js'

/** The manager who makes this request. */
export interface Manager {
  readonly session: Session
  readonly client: Client
}

/** Use it after MainSourceGuard. */
export const CurrentManager = createParamDecorator((_: unknown, context: ExecutionContext): Manager => {
  const request = context.switchToHttp().getRequest<FastifyRequest>()
  return { session: request.session as Session, client: clientOf(request) }
})
