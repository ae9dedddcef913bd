import { Injectable } from '@nestjs/common'
import type { SQL } from 'drizzle-orm'
import type { Client } from '../http/client.js'
import { effectivePermissions, limitedTo, type Permissions, type Source } from '../permissions/permissions.js'
import { AccessTokens } from '../tokens/access-tokens.js'
import type { Session } from './session.js'
import { handleOf, newSessionId, type SessionId } from './session-id.js'
import { SessionLimit } from './session-limit.js'
import { SessionTime } from './session-time.js'
import { SessionStore } from './stores/session-store.js'
import { UserSessions } from './user-sessions.js'

/** The user of the session. */
export interface SessionUser {
  readonly userId: string
  readonly accountId: string
  readonly granted: Permissions
  /** The limit of the account's plan; null means none. */
  readonly entitled: Permissions | null
}

/** A session with its secret, which only the client keeps. */
export interface NewSession {
  readonly session: Session
  readonly sessionId: SessionId
  readonly accessToken: string
}

/**
 * Confirms in the database that the session may be opened: its statement or transaction runs `insert` for the
 * row of the user, by AuditLog.recordIf or similar. Throws when the user has changed meanwhile.
 */
export type ConfirmOpening = (session: Session, insert: (found: SQL) => SQL) => Promise<void>

@Injectable()
export class SessionsService {
  constructor(
    private readonly store: SessionStore,
    private readonly userSessions: UserSessions,
    private readonly limit: SessionLimit,
    private readonly accessTokens: AccessTokens,
    private readonly time: SessionTime,
  ) {}

  /**
   * Opens a session under a new identifier; an identifier presented by the client is never reused. This is
   * the only way to one. The session is first written to the store, where nobody knows its identifier, then
   * added to the user's list by the statement of `confirm`. So whatever ends all of a user's sessions either
   * finds it or prevents its confirmation. Beyond the limit, the least recently used sessions end.
   */
  async open(
    user: SessionUser,
    source: Source,
    client: Client,
    confirm: ConfirmOpening,
  ): Promise<NewSession> {
    const sessionId = newSessionId()
    const session: Session = {
      sid: handleOf(sessionId),
      userId: user.userId,
      accountId: user.accountId,
      source,
      permissions: effectivePermissions(source, limitedTo(user.entitled, user.granted)),
      origin: client.origin,
      ip: client.ip,
      userAgent: client.userAgent,
      ...this.time.ofNewSession(),
      reauthenticatedAt: null,
    }
    const opened = { session, sessionId, accessToken: this.accessTokens.issue(session) }
    await this.store.create(session)
    try {
      await confirm(session, found => this.userSessions.insertFor(session, found))
      await this.limit.enforce(user.userId, client)
      return opened
    } catch (error) {
      await this.discard(opened)
      throw error
    }
  }

  /**
   * Removes a session whose login failed; its client never learnt of it. If that fails, the session is
   * unreachable.
   */
  async discard({ session }: NewSession): Promise<void> {
    await Promise.allSettled([this.store.remove(session.sid), this.userSessions.forget(session.sid)])
  }
}
