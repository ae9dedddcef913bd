import { Injectable } from '@nestjs/common'
import { Mailer } from '../../mail/mailer.js'
import { SiteUrls } from '../../mail/site-urls.js'
import type { User } from '../../users/user.js'

/** Users without a password need one once their passkeys are gone. */
export type UserOfReset = Pick<User, 'email' | 'language' | 'passwordHash'>

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

  /** `by` is who requested it. */
  sendRequested(to: UserOfReset, token: string, resetAt: Date, by: 'manager' | 'operator' = 'manager'): void {
    const site = this.urls.siteName
    const url = this.urls.toMainSite('/factor-reset', token)
    const claim = by === 'manager' ? 'factorReset.byManager' : 'factorReset.byOperator'
    this.mailer.post(to, words =>
      words.mail('factorResetRequested', {
        ...{ site, url, claim: words.phrase(claim, { site }) },
        ...{ day: words.day(resetAt), time: words.time(resetAt) },
        login: words.phrase(to.passwordHash ? 'factorReset.passwordAlone' : 'factorReset.noPassword'),
      }),
    )
  }

  tellDone(to: UserOfReset): void {
    const login = to.passwordHash ? 'factorReset.logIn' : 'factorReset.choosePassword'
    this.mailer.post(to, words =>
      words.mail('factorResetDone', { site: this.urls.siteName, login: words.phrase(login) }),
    )
  }
}
