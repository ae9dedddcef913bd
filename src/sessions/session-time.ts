import { Injectable } from '@nestjs/common'
import { Clock, secondsAfter } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import type { Session } from './session.js'

/** The times of a new session. */
@Injectable()
export class SessionTime {
  constructor(
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  ofNewSession(): Pick<Session, 'createdAt' | 'lastUsed' | 'expiresAt'> {
    const now = this.clock.now()
    // Stores keep times in whole seconds.
    const createdAt = new Date(Math.floor(now.getTime() / 1000) * 1000)
    return { createdAt, lastUsed: now, expiresAt: secondsAfter(createdAt, this.settings.sessionTtlSeconds) }
  }
}
