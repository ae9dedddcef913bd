import { Injectable } from '@nestjs/common'
import type { FactorReset } from '../../factors/factor-resets.js'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { User } from '../../users/user.js'

/** Users without a password need one once their passkeys are gone. */
export type UserOfReset = Pick<User, 'email' | 'language' | 'passwordHash' | 'disabledAt'>

interface ResetToMail {
  readonly user: UserOfReset
  /** Of the link. */
  readonly token: string
  readonly reset: Pick<FactorReset, 'resetAt' | 'requestedBy'>
}

/** Mails to users whose factors somebody else resets. */
@Injectable()
export class FactorResetMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured: without a mail nobody could stop the reset. */
  require(): void {
    this.mailer.requireMail()
  }

  sendRequested({ user, token, reset: { resetAt, requestedBy } }: ResetToMail): void {
    const site = this.urls.siteName
    const url = this.urls.toMainSite('/factor-reset', token)
    const byOperator = user.disabledAt ? 'factorReset.whileDisabled' : 'factorReset.byOperator'
    const claim = requestedBy === null ? byOperator : 'factorReset.byManager'
    this.mailer.post(user, words =>
      words.mail('factorResetRequested', {
        site,
        url,
        claim: words.phrase(claim, { site }),
        day: words.day(resetAt),
        time: words.time(resetAt),
        login: words.phrase(user.passwordHash ? 'factorReset.passwordAlone' : 'factorReset.noPassword'),
      }),
    )
  }

  notifyReset(to: UserOfReset): void {
    const [login, otherwise] = to.passwordHash
      ? (['factorReset.logIn', 'factorReset.changePassword'] as const)
      : (['factorReset.choosePassword', 'factorReset.setPassword'] as const)
    this.mailer.post(to, words =>
      words.mail('factorResetDone', {
        ...this.urls.mainSite,
        login: words.phrase(login),
        otherwise: words.phrase(otherwise),
      }),
    )
  }
}
