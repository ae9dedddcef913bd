import { Injectable } from '@nestjs/common'
import { FactorResets } from '../../factors/factor-resets.js'
import { Database } from '../../platform/database/database.js'
import { ApiError } from '../../platform/errors/api-error.js'
import type { Client } from '../../platform/http/request.js'
import { type FollowedLink, MailedLinks } from '../../users/mailed-links.js'
import { Users } from '../../users/users.js'
import { FactorResetCompletion } from './factor-reset-completion.js'

const linkOf = (text: string, client: Client): FollowedLink => ({
  purpose: 'factor-reset',
  text,
  action: 'factors.reset',
  client,
})

/** What users can do with the link that is mailed to them when somebody wants to reset their factors. */
@Injectable()
export class FactorResetLinksService {
  constructor(
    private readonly links: MailedLinks,
    private readonly users: Users,
    private readonly resets: FactorResets,
    private readonly completion: FactorResetCompletion,
    private readonly database: Database,
  ) {}

  /**
   * Resets the factors now. Throws `INVALID_LINK`, also for a link to an address that is no longer the
   * user's, and for a link from the previous release, which can only stop what an operator was about to do.
   */
  async confirm(text: string, client: Client): Promise<void> {
    const { user, token } = await this.links.find(linkOf(text, client))
    if (token.email !== user.email || token.detail.operator) throw new ApiError('INVALID_LINK')
    const outcome = await this.completion.complete(user, { userId: user.id, client })
    if (outcome !== 'done') throw new ApiError('INVALID_LINK')
  }

  /** Stops the reset. Throws `INVALID_LINK`. */
  async stop(text: string, client: Client): Promise<void> {
    const { user, token } = await this.links.find(linkOf(text, client))
    if (token.detail.operator === 'code') throw new ApiError('INVALID_LINK')
    await this.database.transaction(async transaction => {
      await this.users.lock(transaction, user.id)
      await this.resets.lock(transaction, user.id)
      // Of two concurrent requests, only one succeeds.
      await this.links.consume(transaction, linkOf(text, client))
      await this.resets.stop(transaction, user, { userId: user.id, client })
    })
  }
}
