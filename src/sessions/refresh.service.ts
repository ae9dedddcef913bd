import { Injectable } from '@nestjs/common'
import { AuditLog } from '../audit/audit-log.js'
import { Clock } from '../clock/clock.js'
import { ApiError } from '../errors/api-error.js'
import type { Client } from '../http/client.js'
import type { Source } from '../permissions/permissions.js'
import { AccessTokens } from '../tokens/access-tokens.js'
import type { PresentedSession } from './presented-session.js'
import type { Session } from './session.js'
import { handleOf } from './session-id.js'
import { SessionStore } from './session-store.js'
import { UseWatch } from './use-watch.js'

@Injectable()
export class RefreshService {
  constructor(
    private readonly store: SessionStore,
    private readonly accessTokens: AccessTokens,
    private readonly watch: UseWatch,
    private readonly auditLog: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * A new access token for the presented session; throws `SESSION_NOT_FOUND`. One round trip to the store, and never
   * the database, unless the client has changed.
   */
  async refresh({ sessionId, source }: PresentedSession, client: Client): Promise<string> {
    const session = await this.store.touch(handleOf(sessionId), this.clock.now())
    const refusal = reasonToRefuse(session, source, client)
    if (session && !refusal && (await this.watch.mayGoOn(session, client)))
      return this.accessTokens.issue(session)
    this.noteRefusal(client, refusal ?? 'anomaly', session)
    throw new ApiError('SESSION_NOT_FOUND')
  }

  /** For the audit log: a refresh that did not get as far as the store, or was refused after it. */
  noteRefusal(client: Client, reason: string, session: Session | null = null): void {
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
