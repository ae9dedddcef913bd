import { Injectable } from '@nestjs/common'
import { NO_MAILS } from '../mail/mail.js'
import { SiteUrls } from '../mail/site-urls.js'
import { Settings } from '../platform/config/settings.js'
import type { Db } from '../platform/database/connection.js'
import { HANDOFF_REQUIREMENTS, type HandoffRequirement } from '../platform/database/schema/columns.js'
import type { Client } from '../platform/http/request.js'
import { RateLimiter } from '../platform/rate-limits/rate-limiter.js'
import type { AfterCommit } from '../sessions/revocation/recorded-changes.js'
import type { Account } from '../users/accounts.js'
import { AccountAdmins } from '../users/notices/account-admins.js'

/** Mails the administrators of an account about who may type their password on satellites. */
@Injectable()
export class HandoffMails {
  constructor(
    private readonly admins: AccountAdmins,
    private readonly urls: SiteUrls,
    private readonly rateLimiter: RateLimiter,
    private readonly settings: Settings,
  ) {}

  /**
   * To them, as they are in the transaction of the change, if hand-offs are now required of fewer people than `before`.
   * Mailed three times an hour for each requirement, counted after the commit: a slow Redis must not hold locks.
   */
  async aboutLoosened(
    transaction: Db,
    before: Pick<Account, 'id' | 'handoffRequired'>,
    required: Exclude<HandoffRequirement, 'everyone'>,
    { client }: { readonly client: Client },
  ): Promise<AfterCommit> {
    const [now, then] = [this.effectOf(required), this.effectOf(before.handoffRequired)]
    if (!isFewer(now, then)) return NO_MAILS
    const send = await this.admins.notice(transaction, before.id, words =>
      words.mail('handoffLoosened', {
        site: this.urls.siteName,
        url: this.urls.satellitesPage(),
        whom: words.phrase(`handoff.${now}`),
      }),
    )
    const counted = { kind: 'power notice', subject: `${before.id} hand-offs ${required}`, client } as const
    return async () => {
      if (await this.rateLimiter.isAllowed(counted)) send()
    }
  }

  /** With OWNERS_ON_SATELLITES=barred, owners are handed off whatever the account requires. */
  private effectOf<T extends HandoffRequirement>(required: T): T | 'owners' {
    return required === 'none' && !this.settings.mayOwnersUseSatellites ? 'owners' : required
  }
}

function isFewer(one: HandoffRequirement, other: HandoffRequirement): boolean {
  return HANDOFF_REQUIREMENTS.indexOf(one) < HANDOFF_REQUIREMENTS.indexOf(other)
}
