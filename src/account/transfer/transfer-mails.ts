import { Injectable } from '@nestjs/common'
import { type Recipient } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import type { MailName } from '../../mail/messages/translated.js'
import { type MailedPage, SiteUrls } from '../../mail/site-urls.js'
import type { Db } from '../../platform/database/connection.js'
import { OneTimeTokens } from '../../platform/one-time-tokens.js'
import { ACCEPT_WITHIN_SECONDS, type PendingTransfer } from '../../users/pending/pending-transfers.js'
import type { User } from '../../users/user.js'
import { UserEmails } from '../../users/user-emails.js'
import type { Parties } from './transfer-parties.js'

/**
 * The link outlives the wait, because a transfer waits longer while address changes can be undone. It is removed
 * with its transfer.
 */
const STOP_LINK_EXTRA_SECONDS = 30 * 24 * 60 * 60

/** A link that has been issued; mail it once the transaction has committed. */
export interface IssuedLink {
  readonly to: Recipient
  readonly token: string
}

/**
 * The mails about a transfer, and the links in them. Mails to the owner also go to earlier addresses that can
 * still be restored, because the present one may be a thief's.
 */
@Injectable()
export class TransferMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
    private readonly tokens: OneTimeTokens,
    private readonly userEmails: UserEmails,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  /** A link by which the owner stops the transfer, for each of their addresses. */
  async issueStopLinks(transaction: Db, owner: User, transfer: PendingTransfer): Promise<IssuedLink[]> {
    const { readyAt, requestedAt } = transfer
    const waitSeconds = Math.ceil((readyAt.getTime() - requestedAt.getTime()) / 1000)
    const { id: userId, accountId } = owner
    const issued: IssuedLink[] = []
    const lifetimeSeconds = waitSeconds + STOP_LINK_EXTRA_SECONDS
    const purpose = 'transfer-stop'
    for (const to of await this.userEmails.recipientsOf(transaction, owner)) {
      const link = { purpose, userId, accountId, email: to.email, lifetimeSeconds } as const
      issued.push({ to, token: await this.tokens.issue(transaction, link) })
    }
    return issued
  }

  /** The link by which a member becomes the owner. */
  async issueAcceptLink(transaction: Db, member: User): Promise<IssuedLink> {
    const { id: userId, accountId, email } = member
    const lifetimeSeconds = ACCEPT_WITHIN_SECONDS
    const token = { purpose: 'transfer-accept', email, userId, accountId, lifetimeSeconds } as const
    return { to: member, token: await this.tokens.issue(transaction, token) }
  }

  /** To the owner, who may not be the one who asked. */
  sendRequested(stopLinks: readonly IssuedLink[], { readyAt }: PendingTransfer): void {
    this.sendAll('transferRequested', '/stop-transfer', stopLinks, readyAt)
  }

  /** To the future owner. */
  sendOffer(acceptLink: IssuedLink, { readyAt }: PendingTransfer): void {
    this.sendAll('transferOffer', '/accept-transfer', [acceptLink], readyAt)
  }

  /** To the owner, once the member has accepted. */
  sendAccepted(stopLinks: readonly IssuedLink[], { readyAt }: PendingTransfer): void {
    this.sendAll('transferAccepted', '/stop-transfer', stopLinks, readyAt)
  }

  notifyTransferred({ owner, newOwner, deleteAt }: Parties): void {
    this.mailer.post(owner, words => words.mail('becameMember', this.urls.mainSite))
    this.mailer.post(newOwner, words => {
      const deletion = deleteAt ? words.phrase('becameOwner.deletion', { day: words.day(deleteAt) }) : ''
      return words.mail('becameOwner', { ...this.urls.mainSite, deletion })
    })
  }

  private sendAll(name: MailName, page: MailedPage, links: readonly IssuedLink[], readyAt: Date): void {
    const site = this.urls.siteName
    for (const { to, token } of links) {
      const url = this.urls.toMainSite(page, token)
      this.mailer.post(to, words => words.mail(name, { site, url, day: words.day(readyAt) }))
    }
  }
}
