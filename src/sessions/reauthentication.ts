import { Injectable } from '@nestjs/common'
import { Clock, secondsAfter } from '../clock/clock.js'
import { Settings } from '../config/settings.js'
import { ApiError } from '../errors/api-error.js'
import type { Session } from './session.js'

/**
 * Whether a session's user has recently entered the password again. A login does not count, because whoever
 * finds an open browser has that.
 */
@Injectable()
export class Reauthentication {
  constructor(
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  /** When the re-authentication of `at` expires. */
  expiresAt(at: Date): Date {
    return secondsAfter(at, this.settings.reauthenticationTtlSeconds)
  }

  /** Whether there is a recent one. */
  isRecent({ reauthenticatedAt }: Session): boolean {
    return reauthenticatedAt !== null && this.clock.now() < this.expiresAt(reauthenticatedAt)
  }

  /** Throws `REAUTHENTICATION_REQUIRED` (401, RFC 9470 §3) when there is no recent one. */
  require(session: Session): void {
    if (this.isRecent(session)) return
    const maxAge = this.settings.reauthenticationTtlSeconds
    throw new ApiError('REAUTHENTICATION_REQUIRED', {
      headers: {
        'WWW-Authenticate': `Bearer error="insufficient_user_authentication", max_age="${maxAge}"`,
      },
    })
  }
}
