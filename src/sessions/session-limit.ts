import { Injectable } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import type { Client } from '../http/client.js'
import { SessionChanges } from './session-changes.js'
import { SessionStore } from './session-store.js'
import { UserSessions } from './user-sessions.js'

/** Keeps the number of a user's sessions down. */
@Injectable()
export class SessionLimit {
  /** By user. Who comes before a run has begun is served by it, so that many logins at once make two runs, not many. */
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
   * Ends those used least lately of a user who has more than `MAX_SESSIONS_PER_USER`. Replicas agree on which those
   * are, since the order is the same for all: together they end no more than they should.
   */
  async enforce(userId: string, client: Client): Promise<void> {
    // A statement of its own: that of the login would not see those that were recorded while it waited for the user.
    const count = await this.userSessions.count(userId, this.clock.now())
    if (count <= this.settings.maxSessionsPerUser) return
    const run = this.awaited.get(userId) ?? this.afterTheOneUnderWay(userId, client)
    this.awaited.set(userId, run)
    await run
  }

  private async afterTheOneUnderWay(userId: string, client: Client): Promise<void> {
    // Its own callers hear of its failure.
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
