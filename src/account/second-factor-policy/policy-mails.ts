import { Injectable } from '@nestjs/common'
import type { MailLanguage } from '../../mail/language.js'
import type { Mail, SendMails } from '../../mail/mail.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { Db } from '../../platform/database/connection.js'
import { AccountAdmins } from '../../users/notices/account-admins.js'
import type { SecondFactorPolicy } from './policy-rules.js'

/** Mails the administrators of an account about what it requires of its users. */
@Injectable()
export class PolicyMails {
  constructor(
    private readonly admins: AccountAdmins,
    private readonly urls: SiteUrls,
  ) {}

  /** To them, as they are in the transaction of the change. */
  aboutChanged(transaction: Db, accountId: string, policy: SecondFactorPolicy): Promise<SendMails> {
    return this.admins.notice(transaction, accountId, words => changedMail(words, this.urls, policy))
  }
}

function changedMail(words: MailLanguage, { mainSite }: SiteUrls, policy: SecondFactorPolicy): Mail {
  const { secondFactor, secondFactorFrom, paymentStepUpMinutes: minutes } = policy
  const from = secondFactorFrom ? words.phrase('policy.from', { day: words.day(secondFactorFrom) }) : ''
  const payments =
    minutes === null ? words.phrase('policy.payWithout') : words.phrase('policy.payWith', { minutes })
  return words.mail('policyChanged', {
    ...mainSite,
    whom: words.phrase(`policy.${secondFactor}`, { from }),
    payments,
  })
}
