import { Injectable } from '@nestjs/common'
import { and, eq, gt, isNull, lte } from 'drizzle-orm'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, auditEvent } from '../platform/audit/audit-event.js'
import { AuditLog } from '../platform/audit/audit-log.js'
import type { Db } from '../platform/database/connection.js'
import { Database } from '../platform/database/database.js'
import { operatorSessions, operators } from '../platform/database/schema/operators.js'
import type { Client } from '../platform/http/request.js'
import { cookieValues } from '../platform/http/request.js'
import { Clock, secondsAfter } from '../platform/time.js'
import {
  asSessionId,
  handleOf,
  newSessionId,
  type SessionHandle,
  type SessionId,
} from '../sessions/session.js'
import type { Email } from '../users/email.js'

/** From the login on, whether or not it is used. */
const OPERATOR_SESSION_SECONDS = 8 * 60 * 60

/** An operator's live login. */
export interface OperatorSession {
  readonly sid: SessionHandle
  readonly operatorId: string
  readonly email: Email
  readonly expiresAt: Date
}

/** Logins of operators, kept in the database: there are few, and each request looks up its own. */
@Injectable()
export class OperatorSessions {
  constructor(
    private readonly database: Database,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a session in the transaction of the login, which it records; returns its secret, for the cookie. Also
   * removes expired ones.
   */
  async open(
    transaction: Db,
    operatorId: string,
    client: Client,
    detail?: { readonly passkey: string },
  ): Promise<SessionId> {
    const sessionId = newSessionId()
    const createdAt = this.clock.now()
    const expiresAt = secondsAfter(createdAt, OPERATOR_SESSION_SECONDS)
    await transaction.delete(operatorSessions).where(lte(operatorSessions.expiresAt, createdAt))
    await transaction
      .insert(operatorSessions)
      .values({ sid: handleOf(sessionId), operatorId, createdAt, expiresAt })
    await this.auditLog.record(transaction, auditEvent(actorOf(operatorId, client), 'operator.login', detail))
    return sessionId
  }

  /** Null when it is unknown, has ended or expired, or its operator is disabled. */
  async find(sessionId: SessionId): Promise<OperatorSession | null> {
    const { sid, operatorId, expiresAt } = operatorSessions
    const isLive = and(
      eq(sid, handleOf(sessionId)),
      gt(expiresAt, this.clock.now()),
      isNull(operators.disabledAt),
    )
    const [row] = await this.database.run(db =>
      db
        .select({ sid, operatorId, email: operators.email, expiresAt })
        .from(operatorSessions)
        .innerJoin(operators, eq(operators.id, operatorId))
        .where(isLive),
    )
    return row ? { ...row, sid: row.sid as SessionHandle, email: row.email as Email } : null
  }

  /** Logs the operator out everywhere: one who suspects an attacker in their session has no other way. */
  async endAll({ operatorId }: OperatorSession, client: Client): Promise<void> {
    await this.database.transaction(async transaction => {
      await transaction.delete(operatorSessions).where(eq(operatorSessions.operatorId, operatorId))
      await this.auditLog.record(transaction, auditEvent(actorOf(operatorId, client), 'operator.logout'))
    })
  }
}

function actorOf(id: string, client: Client): Actor {
  return { client, operator: { id, reason: null } }
}

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
