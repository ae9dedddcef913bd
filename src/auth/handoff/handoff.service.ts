import { Injectable } from '@nestjs/common'
import { auditEvent } from '../../platform/audit/audit-event.js'
import { AuditLog } from '../../platform/audit/audit-log.js'
import { ApiError, type ErrorCode } from '../../platform/errors/api-error.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import type { SessionActor } from '../../sessions/session-actor.js'
import { SessionLinks } from '../../sessions/session-links.js'
import type { HandoffDestinationAnswer } from './handoff.dto.js'
import type { HandoffBody } from './handoff-bodies.dto.js'
import { HandoffCodes } from './handoff-codes.js'
import { type HandoffAccess, HandoffDestinations } from './handoff-destinations.js'

const REFUSALS: Readonly<Record<Exclude<HandoffAccess, 'allowed'>, ErrorCode>> = {
  not_invited: 'NOT_INVITED',
  suspended: 'SATELLITE_SUSPENDED',
  access_denied: 'HANDOFF_DISABLED',
}

/** Hands a session of the main site off to satellites. */
@Injectable()
export class HandoffService {
  constructor(
    private readonly destinations: HandoffDestinations,
    private readonly codes: HandoffCodes,
    private readonly links: SessionLinks,
    private readonly rateLimiter: RateLimiter,
    private readonly auditLog: AuditLog,
  ) {}

  /** Throws `SATELLITE_NOT_FOUND`; `SESSION_NOT_FOUND` when the user is gone. */
  async describe({ userId }: SessionActor, origin: string): Promise<Omit<HandoffDestinationAnswer, 'iss'>> {
    const { user, destination } = await this.destinations.find(userId, origin)
    const isKnown = await this.links.isKnown(userId, origin)
    return { ...destination, email: user.email, isKnown }
  }

  /**
   * A code for the page of this satellite that holds the challenge's verifier. Throws `SATELLITE_NOT_FOUND`,
   * `NOT_INVITED`, `SATELLITE_SUSPENDED`, `HANDOFF_DISABLED` or `TOO_MANY_ATTEMPTS`.
   */
  async issueCode(actor: SessionActor, { satellite, challenge }: HandoffBody): Promise<string> {
    const { sid, client } = actor
    const { user, destination } = await this.destinations.find(actor.userId, satellite)
    if (destination.access !== 'allowed') {
      const detail = { satellite, reason: destination.access }
      this.auditLog.enqueue(auditEvent(actor, 'handoff.code', detail), 'refused')
      throw new ApiError(REFUSALS[destination.access])
    }
    const counted = await this.rateLimiter.count({ kind: 'handoff', subject: sid, client, actor })
    return counted.refundIfRejected(this.codes.issue(actor, user, satellite, challenge))
  }
}
