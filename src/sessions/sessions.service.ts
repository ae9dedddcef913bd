import { Injectable } from '@nestjs/common'
import { AuditLog } from '../audit/audit-log.js'
import { Clock, secondsAfter } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import { effectivePermissions, type Permissions, type Source } from '../permissions/permissions.js'
import { AccessTokens } from '../tokens/access-tokens.js'
import type { PresentedSession } from './presented-session.js'
import type { Session } from './session.js'
import { handleOf, newSessionId, type SessionId } from './session-id.js'
import { SessionStore } from './session-store.js'

/** Whose session it becomes. */
export interface SessionUser {
  readonly userId: string
  readonly accountId: string
  readonly granted: Permissions
}

/** A session with what only its client keeps. */
export interface NewSession {
  readonly session: Session
  readonly sessionId: SessionId
  readonly accessToken: string
}

@Injectable()
export class SessionsService {
  constructor(
    private readonly store: SessionStore,
    private readonly accessTokens: AccessTokens,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** Opens a session under a new identifier; whatever the client presented is never adopted. */
  async open(user: SessionUser, source: Source, client: Client): Promise<NewSession> {
    const sessionId = newSessionId()
    const createdAt = wholeSecond(this.clock.now())
    const session: Session = {
      sid: handleOf(sessionId),
      userId: user.userId,
      accountId: user.accountId,
      source,
      permissions: effectivePermissions(source, user.granted),
      origin: client.origin,
      ip: client.ip,
      userAgent: client.userAgent,
      createdAt,
      lastUsed: createdAt,
      expiresAt: secondsAfter(createdAt, this.settings.sessionTtlSeconds),
      reauthenticatedAt: null,
    }
    await this.store.create(session)
    return { session, sessionId, accessToken: this.accessTokens.issue(session) }
  }

  /** Takes back a session whose login came to nothing; its client has never learnt of it. */
  async discard({ session }: NewSession): Promise<void> {
    await this.store.remove(session.sid)
  }

  /** A new access token for the presented session, in one round trip to the store; throws `SESSION_NOT_FOUND`. */
  async refresh({ sessionId, source }: PresentedSession, client: Client): Promise<string> {
    const session = await this.store.touch(handleOf(sessionId), this.clock.now())
    const refusal = reasonToRefuse(session, source, client)
    if (session && !refusal) return this.accessTokens.issue(session)
    this.noteRefusedRefresh(client, refusal, session)
    throw new ApiError('SESSION_NOT_FOUND')
  }

  /** For the audit log: a refresh that did not get as far as the store, or was refused after it. */
  noteRefusedRefresh(client: Client, reason: string | null, session: Session | null = null): void {
    this.auditLog.note({
      action: 'refresh',
      outcome: 'refused',
      client,
      ...(session && { userId: session.userId, accountId: session.accountId, sid: session.sid }),
      detail: { reason },
    })
  }
}

/** Why a session may not be refreshed like this; null when it may. The client is not told which. */
function reasonToRefuse(session: Session | null, source: Source, client: Client): string | null {
  if (!session) return 'not live'
  if (session.source !== source) return 'other source'
  const isElsewhere = source === 'satellite' && session.origin !== null && client.origin !== null
  return isElsewhere && session.origin !== client.origin ? 'other origin' : null
}

/** Stores keep whole seconds. */
function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000)
}
