import { createParamDecorator, type ExecutionContext } from '@nestjs/common'
import type { Actor } from '../platform/audit/audit-event.js'
import { type Client, clientOf, requestOf } from '../platform/http/request.js'
import type { Session } from './session.js'

/** Who makes this request, according to their live session, and from where. */
export interface SessionActor extends Session, Actor {
  readonly sid: Session['sid']
  readonly userId: string
  readonly accountId: string
  readonly client: Client
}

/**
 * The session that MainSourceGuard or LiveSessionGuard has read from the store for this request, and its
 * client.
 */
export const CurrentActor = createParamDecorator((_: unknown, context: ExecutionContext): SessionActor => {
  const request = requestOf(context)
  return { ...(request.session as Session), client: clientOf(request) }
})

/** The session that MainSourceGuard or LiveSessionGuard has read from the store for this request. */
export const CurrentSession = createParamDecorator(
  (_: unknown, context: ExecutionContext) => requestOf(context).session,
)
