import { Injectable, Logger } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { Clock } from '../clock/clock.js'
import { Database } from '../database/database.js'
import { takeLease } from '../database/lease.js'
import { SessionChangeLog } from './session-change-log.js'
import { SessionStore } from './session-store.js'
import { UserSessions } from './user-sessions.js'

const EVERY_MS = 10 * 60 * 1000
/** Shorter than the interval, so that the next run finds it free, whichever replica comes first. */
const LEASE_SECONDS = 9 * 60

/** Clears away what has expired of sessions, on one replica at a time. */
@Injectable()
export class SessionCleanup {
  private readonly logger = new Logger('SessionCleanup')

  constructor(
    private readonly store: SessionStore,
    private readonly userSessions: UserSessions,
    private readonly changes: SessionChangeLog,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Returns how many entries went; null when another replica is at it, or nothing could be cleared. */
  @Interval(EVERY_MS)
  async run(): Promise<number | null> {
    const now = this.clock.now()
    const isOurs = await takeLease(this.database, 'session-cleanup', now, LEASE_SECONDS).catch(
      (error: Error) => this.noteFailure(error),
    )
    if (!isOurs) return null
    const parts = await Promise.all(
      [this.store, this.userSessions, this.changes].map(part =>
        part.removeExpired(now).catch((error: Error) => this.noteFailure(error)),
      ),
    )
    const removed = parts.filter(part => part !== null).reduce((sum, part) => sum + part, 0)
    this.logger.log(`Removed ${removed} expired entries`)
    return removed
  }

  private noteFailure({ message }: Error): null {
    this.logger.error(`A part of the cleanup did not finish, the next one will: ${message}`)
    return null
  }
}
