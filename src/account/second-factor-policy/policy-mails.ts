import { Injectable } from '@nestjs/common'
import type { SecondFactorRequirement } from '../../database/second-factor-requirement.js'
import { type Mail, utcDay } from '../../mail/mail.js'
import { SiteUrls } from '../../mail/site-urls.js'
import { PeopleInCharge } from '../../users/people-in-charge.js'
import type { SecondFactorPolicy } from './policy-rules.js'

const WHOM: Readonly<Record<SecondFactorRequirement, string>> = {
  off: 'Nobody has to have a second factor.',
  payments: 'Whoever may pay has to have a second factor',
  managers: 'The owner and whoever may pay or manage the account or its team have to have a second factor',
  everyone: 'Everybody has to have a second factor',
}

/** Mails to those in charge of an account about what it requires of its users. */
@Injectable()
export class PolicyMails {
  constructor(
    private readonly people: PeopleInCharge,
    private readonly urls: SiteUrls,
  ) {}

  tellChanged(accountId: string, policy: SecondFactorPolicy): Promise<void> {
    return this.people.mail(accountId, changedMail(this.urls.siteName(null), policy))
  }
}

function changedMail(site: string, policy: SecondFactorPolicy): Mail {
  const { secondFactor, secondFactorFrom, paymentStepUpMinutes } = policy
  const when =
    secondFactorFrom && ` from ${utcDay(secondFactorFrom)} on. Without one they can then do nothing else.`
  return {
    subject: `Second factors in your account at ${site}`,
    site,
    paragraphs: [
      `Somebody who may change the settings of your account at ${site} has changed what it requires.`,
      WHOM[secondFactor] + (when ?? ''),
      paymentStepUpMinutes === null
        ? 'Payments need no second factor.'
        : `Payments need a second factor that was used in the last ${paymentStepUpMinutes} minutes.`,
    ],
    footnote: 'Your account settings show who has set one up. If you did not expect this, look there now.',
  }
}
