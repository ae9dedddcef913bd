import { Injectable } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { causeMessage } from '../platform/errors/api-error.js'
import { LeasedJobs } from '../platform/jobs.js'
import { Logger } from '../platform/log.js'
import { SessionStore } from './session-store.js'
import { SessionLinks } from './sessions.js'

const JOB = { name: 'session-cleanup', everyMs: 10 * 60 * 1000 }

/** Removes expired sessions and what belongs to them, on one replica at a time. */
@Injectable()
export class SessionCleanup {
  private readonly logger = new Logger('SessionCleanup')

  constructor(
    private readonly store: SessionStore,
    private readonly links: SessionLinks,
    private readonly jobs: LeasedJobs,
  ) {}

  /**
   * Returns how many entries were removed; null when another replica has removed them. A part that fails does
   * not stop the others.
   */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async now => {
      const parts = await Promise.all(
        [this.store, this.links].map(part =>
          part.removeExpired(now).catch((error: Error) => this.noteFailure(error)),
        ),
      )
      const removed = parts.filter(part => part !== null).reduce((sum, part) => sum + part, 0)
      this.logger.log(`Removed ${removed} expired entries`)
      return removed
    })
  }

  private noteFailure(error: Error): null {
    this.logger.error(`A part of the cleanup did not finish; the next run continues: ${causeMessage(error)}`)
    return null
  }
}
