import { Injectable } from '@nestjs/common'
import type { FactorReset } from '../../factors/factor-resets.js'
import type { Actor } from '../../platform/audit/audit-event.js'
import type { Client } from '../../platform/http/request.js'
import { RateLimiter } from '../../platform/rate-limits/rate-limiter.js'
import type { User } from '../../users/user.js'
import { FactorResetMails } from './factor-reset-mails.js'

/** A pending reset, and the link to it that is to be mailed to its user. */
export interface RequestedReset {
  readonly reset: FactorReset
  readonly user: User
  readonly token: string
}

/** Requests of resets that somebody else makes, each mailed to its user, who can stop it or do it at once. */
@Injectable()
export class FactorResetRequests {
  constructor(
    private readonly rateLimiter: RateLimiter,
    private readonly mails: FactorResetMails,
  ) {}

  /**
   * Mails what `open` commits, and returns when the reset will happen. Counted as a mail, unless `client` is null,
   * at the command line. Throws `MAIL_UNAVAILABLE`, `TOO_MANY_ATTEMPTS`, and what `open` throws.
   */
  async request(
    actor: Actor,
    userId: string,
    client: Client | null,
    open: () => Promise<RequestedReset>,
  ): Promise<Date> {
    this.mails.require()
    const counted = client && (await this.rateLimiter.countMailBy(actor, userId, client))
    const opened = open()
    const requested = await (counted ? counted.refundIfRejected(opened) : opened)
    this.mails.sendRequested(requested)
    return requested.reset.resetAt
  }
}
