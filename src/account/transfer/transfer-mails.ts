import { Injectable } from '@nestjs/common'
import type { Db } from '../../database/connection.js'
import { OneTimeTokens } from '../../links/one-time-tokens.js'
import { type Mail, utcDay } from '../../mail/mail.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import { ACCEPT_WITHIN_SECONDS, type PendingTransfer } from '../../users/pending-transfers.js'
import type { User } from '../../users/user.js'
import { UserEmails } from '../../users/user-emails.js'
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
    for (const email of await this.userEmails.addressesOf(transaction, owner)) {
      const lifetimeSeconds = waitSeconds + STOP_LINK_EXTRA_SECONDS
      const token = { purpose: 'transfer-stop', email, userId, accountId, lifetimeSeconds } as const
      issued.push({ email, token: await this.tokens.issue(transaction, token) })
    }
    return issued
  }

  /** The link by which a member becomes the owner. */
  async issueAcceptLink(transaction: Db, { id: userId, accountId, email }: User): Promise<IssuedLink> {
    const lifetimeSeconds = ACCEPT_WITHIN_SECONDS
    const token = { purpose: 'transfer-accept', email, userId, accountId, lifetimeSeconds } as const
    return { email, token: await this.tokens.issue(transaction, token) }
  }

  sendRequested(stopLinks: readonly IssuedLink[], { readyAt }: PendingTransfer): void {
    this.sendStopLinks(stopLinks, url => transferRequestedMail(this.site, url, readyAt))
  }

  sendOffer({ email, token }: IssuedLink, { readyAt }: PendingTransfer): void {
    const url = this.urls.toMainSite('/accept-transfer', token)
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
      this.mailer.post(email, write(this.urls.toMainSite('/stop-transfer', token)))
  }

  private get site(): string {
    return this.urls.siteName(null)
  }
}

/** To the owner, who may not be the one who asked; `url` stops the transfer. */
function transferRequestedMail(site: string, url: string, readyAt: Date): Mail {
  return {
    subject: `Transfer of your account at ${site} requested`,
    site,
    paragraphs: [
      `We were asked to make a member of your account at ${site} its owner. They have to accept first, and nothing changes before ${utcDay(readyAt)}.`,
      'If this was not you, stop the transfer with the link below and change your password now.',
    ],
    action: { label: 'Stop the transfer', url },
    footnote:
      'If it was you, you do not need to do anything. You can also cancel the transfer in your account settings.',
  }
}

/** To the owner, once the member has accepted. */
function transferAcceptedMail(site: string, url: string, readyAt: Date): Mail {
  return {
    subject: `Your account at ${site} will soon have a new owner`,
    site,
    paragraphs: [
      `The member who is to take over your account at ${site} has accepted. They become the owner, and you become a member, on ${utcDay(readyAt)} at the earliest.`,
      'If you do not want this, stop it with the link below. If you did not ask for it, change your password now as well.',
    ],
    action: { label: 'Stop the transfer', url },
    footnote: 'If this is what you want, you do not need to do anything.',
  }
}

/** To the future owner. */
function transferOfferMail(site: string, url: string, readyAt: Date): Mail {
  return {
    subject: `You have been asked to take over your team's account at ${site}`,
    site,
    paragraphs: [
      `The owner of your account at ${site} wants to hand it over to you. You would be in charge of payments, settings and the team.`,
      `To accept, follow the link below within 7 days. You become the owner on ${utcDay(readyAt)} at the earliest.`,
    ],
    action: { label: 'Accept ownership', url },
    footnote: 'If you do not want this, ignore this mail: nothing changes unless you accept.',
  }
}

/** To both. */
function transferCancelledMail(site: string): Mail {
  return {
    subject: `The transfer of your account at ${site} has been cancelled`,
    site,
    paragraphs: [`Your account at ${site} keeps its owner.`],
  }
}

/** To the previous owner. */
function becameMemberMail(site: string): Mail {
  return {
    subject: `You are no longer the owner of your account at ${site}`,
    site,
    paragraphs: [
      `A member has taken over your account at ${site}. You are now a member.`,
      'The new owner decides what you may do there.',
    ],
    footnote: 'If you did not ask for this, somebody has your password: change it and contact us.',
  }
}

/** To the new owner. */
function becameOwnerMail(site: string): Mail {
  return {
    subject: `You are now the owner of your account at ${site}`,
    site,
    paragraphs: [
      `You are now the owner of your account at ${site}, with every permission: payments, settings and the team.`,
    ],
  }
}
