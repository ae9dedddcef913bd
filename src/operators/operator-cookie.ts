import type { FastifyReply, FastifyRequest } from 'fastify'
import { cookieValues } from '../platform/http/request.js'
import { asSessionId, type SessionId } from '../sessions/session.js'
import { OPERATOR_SESSION_SECONDS } from './operator-sessions.js'

/** Browsers accept a name with this prefix only over TLS, for this host alone (RFC 6265bis §4.1.3.2). */
const NAME = '__Host-operator'
const ATTRIBUTES = { httpOnly: true, secure: true, sameSite: 'strict', path: '/' } as const

export function setOperatorCookie(reply: FastifyReply, sessionId: SessionId): void {
  reply.setCookie(NAME, sessionId, { ...ATTRIBUTES, maxAge: OPERATOR_SESSION_SECONDS })
}

export function clearOperatorCookie(reply: FastifyReply): void {
  reply.clearCookie(NAME, ATTRIBUTES)
}

/** The session id in the cookie; null without a cookie, with two, or with anything that cannot be ours. */
export function presentedOperatorSession(request: FastifyRequest): SessionId | null {
  const values = cookieValues(request, NAME)
  return values.length === 1 ? asSessionId(values[0] as string) : null
}
