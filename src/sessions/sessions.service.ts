import { Injectable } from '@nestjs/common'
import { Clock, secondsAfter } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import type { Client } from '../http/client.js'
import { effectivePermissions, limitedTo, type Permissions, type Source } from '../permissions/permissions.js'
import { AccessTokens } from '../tokens/access-tokens.js'
import type { Session } from './session.js'
import { handleOf, newSessionId, type SessionId } from './session-id.js'
import { SessionLimit } from './session-limit.js'
import { SessionStore } from './session-store.js'

/** Whose session it becomes. */
export interface SessionUser {
  readonly userId: string
  readonly accountId: string
  readonly granted: Permissions
  /** The limit by what the account pays for; null: none. */
  readonly entitled: Permissions | null
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
    private readonly limit: SessionLimit,
    private readonly accessTokens: AccessTokens,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /**
   * Opens a session under a new identifier; whatever the client presented is never adopted. A user who then has too
   * many loses those used least lately.
   */
  async open(user: SessionUser, source: Source, client: Client): Promise<NewSession> {
    const sessionId = newSessionId()
    const now = this.clock.now()
    const createdAt = wholeSecond(now)
    const session: Session = {
      sid: handleOf(sessionId),
      userId: user.userId,
      accountId: user.accountId,
      source,
      permissions: effectivePermissions(source, limitedTo(user.entitled, user.granted)),
      origin: client.origin,
      ip: client.ip,
      userAgent: client.userAgent,
      createdAt,
      lastUsed: now,
      expiresAt: secondsAfter(createdAt, this.settings.sessionTtlSeconds),
      reauthenticatedAt: null,
    }
    const opened = { session, sessionId, accessToken: this.accessTokens.issue(session) }
    const count = await this.store.create(session)
    try {
      await this.limit.enforce(user.userId, count, client)
      return opened
    } catch (error) {
      await this.discard(opened)
      throw error
    }
  }

  /** Takes back a session whose login came to nothing; its client has never learnt of it. */
  async discard({ session }: NewSession): Promise<void> {
    await this.store.remove(session.sid)
  }
}

/** Stores keep whole seconds. */
function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000)
}
