import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import { safeName } from '../../mail/layout.js'
import { type SendMails } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { Db } from '../../platform/database/connection.js'
import { accounts } from '../../platform/database/schema/accounts.js'
import type { Client } from '../../platform/http/request.js'
import type { AfterCommit } from '../../sessions/revocation/recorded-changes.js'
import { OwnerNotices } from '../../users/notices/owner-notices.js'
import { PendingAccountChanges } from '../../users/pending/pending-account-changes.js'
import type { User } from '../../users/user.js'
import type { ManagerAndMember } from '../team-authority.js'

/** What else happens when a member is removed. */
@Injectable()
export class RemovalConsequences {
  constructor(
    private readonly pending: PendingAccountChanges,
    private readonly notices: OwnerNotices,
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /**
   * Cancels a pending transfer of the account to the member, who must still exist. Returns the mails: to them, to
   * whoever was told of the transfer, and to the owner ({@link OwnerNotices.aboutRemoved}).
   */
  async follow(
    transaction: Db,
    both: ManagerAndMember,
    by: { readonly client: Client },
  ): Promise<AfterCommit> {
    const tellMember = await this.mailTo(transaction, both.member)
    const sendCancelled = await this.pending.cancelTransfersTo(transaction, [both.member], 'removed')
    const sendOwnerNotice = await this.notices.aboutRemoved(transaction, both, by)
    return async () => {
      tellMember()
      sendCancelled()
      await sendOwnerNotice()
    }
  }

  /** Without a link: they have no login any more. */
  private async mailTo(transaction: Db, member: User): Promise<SendMails> {
    const [account] = await transaction
      .select({ name: accounts.name })
      .from(accounts)
      .where(eq(accounts.id, member.accountId))
    const team = account?.name ? safeName(account.name) : null
    const { siteName: site } = this.urls
    return () =>
      this.mailer.post(member, words => {
        const removal = team
          ? words.phrase('removal.fromNamedTeam', { site, team })
          : words.phrase('removal.fromTeam', { site })
        return words.mail('removedFromTeam', { site, removal })
      })
  }
}
