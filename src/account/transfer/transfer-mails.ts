import { Injectable } from '@nestjs/common'
import type { Db } from '../../database/connection.js'
import { OneTimeTokens } from '../../links/one-time-tokens.js'
import type { Mail } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import { UndoTokens } from '../../users/links/undo-tokens.js'
import { ACCEPT_WITHIN_SECONDS, type PendingTransfer } from '../../users/pending-transfers.js'
import type { User } from '../../users/user.js'
import {
  becameMemberMail,
  becameOwnerMail,
  transferAcceptedMail,
  transferCancelledMail,
  transferOfferMail,
  transferRequestedMail,
} from './ownership-transfer.mail.js'
import type { Parties } from './transfer-parties.js'

/**
 * The link outlives the wait, because a transfer waits longer while addresses can come back. It is removed
 * with its transfer.
 */
const STOP_LINK_EXTRA_SECONDS = 30 * 24 * 60 * 60

/** A link that has been issued; mail it once the transaction has committed. */
export interface IssuedLink {
  readonly email: string
  readonly token: string
}

/**
 * The mails about a transfer, and the links in them. What goes to the owner also goes to earlier addresses
 * that can still come back, because the present one may be a thief's.
 */
@Injectable()
export class TransferMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly links: SiteUrls,
    private readonly tokens: OneTimeTokens,
    private readonly undoTokens: UndoTokens,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  /** The owner's present address, and those that can come back. */
  async addressesOf(transaction: Db, { id, email }: User): Promise<string[]> {
    return [...new Set([email, ...(await this.undoTokens.openAddresses(transaction, id))])]
  }

  /** A link by which the owner stops the transfer, for each of their addresses. */
  async issueStopLinks(transaction: Db, owner: User, transfer: PendingTransfer): Promise<IssuedLink[]> {
    const { readyAt, requestedAt } = transfer
    const waitSeconds = Math.ceil((readyAt.getTime() - requestedAt.getTime()) / 1000)
    const { id: userId, accountId } = owner
    const issued: IssuedLink[] = []
    for (const email of await this.addressesOf(transaction, owner)) {
      const lifetimeSeconds = waitSeconds + STOP_LINK_EXTRA_SECONDS
      const token = { purpose: 'transfer-stop', email, userId, accountId, lifetimeSeconds } as const
      issued.push({ email, token: await this.tokens.issue(transaction, token) })
    }
    return issued
  }

  /** The link by which a member becomes the owner. */
  async issueAcceptLink(transaction: Db, { newOwner }: Parties): Promise<IssuedLink> {
    const { id: userId, accountId, email } = newOwner
    const lifetimeSeconds = ACCEPT_WITHIN_SECONDS
    const token = { purpose: 'transfer-accept', email, userId, accountId, lifetimeSeconds } as const
    return { email, token: await this.tokens.issue(transaction, token) }
  }

  sendRequested(stopLinks: readonly IssuedLink[], { readyAt }: PendingTransfer): void {
    this.sendStopLinks(stopLinks, url => transferRequestedMail(this.site, url, readyAt))
  }

  sendOffer({ email, token }: IssuedLink, { readyAt }: PendingTransfer): void {
    const url = this.links.toMainSite('/accept-transfer', token)
    this.mailer.post(email, transferOfferMail(this.site, url, readyAt))
  }

  sendAccepted(stopLinks: readonly IssuedLink[], { readyAt }: PendingTransfer): void {
    this.sendStopLinks(stopLinks, url => transferAcceptedMail(this.site, url, readyAt))
  }

  tellCancelled(addresses: readonly string[]): void {
    for (const address of addresses) this.mailer.post(address, transferCancelledMail(this.site))
  }

  tellDone({ owner, newOwner }: Parties): void {
    this.mailer.post(owner.email, becameMemberMail(this.site))
    this.mailer.post(newOwner.email, becameOwnerMail(this.site))
  }

  private sendStopLinks(stopLinks: readonly IssuedLink[], write: (url: string) => Mail): void {
    for (const { email, token } of stopLinks)
      this.mailer.post(email, write(this.links.toMainSite('/stop-transfer', token)))
  }

  private get site(): string {
    return this.links.siteName(null)
  }
}
