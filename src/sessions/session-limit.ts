import { Injectable } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import type { Client } from '../http/client.js'
import { SessionChanges } from './revocation/session-changes.js'
import { SessionStore } from './stores/session-store.js'
import { UserSessions } from './user-sessions.js'

/** Limits the number of a user's sessions. */
@Injectable()
export class SessionLimit {
  /**
   * By user. A call that arrives before a run starts is served by it, so many logins at once make two runs.
   */
  private readonly awaited = new Map<string, Promise<void>>()
  private readonly underWay = new Map<string, Promise<void>>()

  constructor(
    private readonly store: SessionStore,
    private readonly userSessions: UserSessions,
    private readonly changes: SessionChanges,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /**
   * Ends the least recently used sessions of a user who has more than `MAX_SESSIONS_PER_USER`. All replicas
   * use the same order, so together they end no more than they should.
   */
  async enforce(userId: string, client: Client): Promise<void> {
    // A separate statement: that of the login would miss those recorded while it waited for the user.
    const count = await this.userSessions.count(userId, this.clock.now())
    if (count <= this.settings.maxSessionsPerUser) return
    const run = this.awaited.get(userId) ?? this.afterTheOneUnderWay(userId, client)
    this.awaited.set(userId, run)
    await run
  }

  private async afterTheOneUnderWay(userId: string, client: Client): Promise<void> {
    // Its callers get the error.
    await this.underWay.get(userId)?.catch(() => {})
    const run = this.awaited.get(userId) as Promise<void>
    this.awaited.delete(userId)
    this.underWay.set(userId, run)
    try {
      await this.endSurplus(userId, client)
    } finally {
      this.underWay.delete(userId)
    }
  }

  private async endSurplus(userId: string, client: Client): Promise<void> {
    const live = await this.store.listByUser(userId, this.clock.now())
    const surplus = live.slice(0, Math.max(0, live.length - this.settings.maxSessionsPerUser))
    for (const session of surplus) await this.changes.end(session, client, 'too many sessions')
  }
}
