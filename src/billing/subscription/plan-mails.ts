import { Injectable } from '@nestjs/common'
import { eq } from 'drizzle-orm'
import type { MailLanguage } from '../../mail/language.js'
import { type Mail, NO_MAILS, type SendMails } from '../../mail/mail.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { Db } from '../../platform/database/connection.js'
import { accounts } from '../../platform/database/schema/accounts.js'
import { Clock } from '../../platform/time.js'
import { AccountAdmins } from '../../users/notices.js'
import { isPaidFor, type KnownSubscription, type SubscriptionState, stateOf } from './subscription-rules.js'
import { Subscriptions } from './subscriptions.js'

/** How an account stands before a change, as far as its people have been told. */
export interface Standing {
  readonly state: SubscriptionState
  /** Whether it has its plan, or had it until a grace period that has just ended. */
  readonly hadPlan: boolean
}

/** An account whose grace period has just ended. */
export const GRACE_ENDED: Standing = { state: 'past_due', hadPlan: true }

/**
 * Mails those who may pay for an account when a payment has failed and when its plan is gone. What is mailed follows from
 * our record before and after a change, under the lock of the account: whoever sees the same again mails nothing.
 */
@Injectable()
export class PlanMails {
  constructor(
    private readonly admins: AccountAdmins,
    private readonly urls: SiteUrls,
    private readonly subscriptions: Subscriptions,
    private readonly clock: Clock,
  ) {}

  /** To be asked before the change, in a transaction that has locked the account. */
  async standingOf(transaction: Db, accountId: string): Promise<Standing> {
    const now = this.clock.now()
    const state = stateOf(await this.subscriptions.find(accountId, transaction), now)
    const [account] = await transaction
      .select({ until: accounts.entitledUntil })
      .from(accounts)
      .where(eq(accounts.id, accountId))
    const until = account?.until ?? null
    return { state, hadPlan: isPaidFor(state) || (until !== null && until <= now) }
  }

  /** The mails that the change since `before` is worth; none for an account that is being deleted. */
  async aboutChange(transaction: Db, accountId: string, before: Standing): Promise<SendMails> {
    const known = await this.subscriptions.find(accountId, transaction)
    const state = stateOf(known, this.clock.now())
    const hasFailed = state === 'past_due' && before.state !== 'past_due'
    const isLost = before.hadPlan && !isPaidFor(state)
    if ((!hasFailed && !isLost) || (await isClosing(transaction, accountId))) return NO_MAILS
    const write = (words: MailLanguage) =>
      hasFailed ? failedMail(words, this.urls, known) : lostMail(words, this.urls, known)
    return this.admins.notice(transaction, accountId, write, 'payments')
  }
}

function failedMail(words: MailLanguage, urls: SiteUrls, { graceUntil }: KnownSubscription): Mail {
  const until = new Date(graceUntil as string)
  const values = { day: words.day(until), time: words.time(until) }
  return words.mail('paymentFailed', { site: urls.siteName, url: urls.billingPage(), ...values })
}

function lostMail(words: MailLanguage, urls: SiteUrls, { status, graceUntil }: KnownSubscription): Mail {
  const reason = graceUntil ? 'unpaid' : status === 'paused' ? 'paused' : 'ended'
  const why = words.phrase(`planLost.${reason}`, { site: urls.siteName })
  return words.mail('planLost', { site: urls.siteName, url: urls.billingPage(), why })
}

async function isClosing(transaction: Db, accountId: string): Promise<boolean> {
  const [account] = await transaction
    .select({ deleteAt: accounts.deleteAt })
    .from(accounts)
    .where(eq(accounts.id, accountId))
  return !account || account.deleteAt !== null
}
