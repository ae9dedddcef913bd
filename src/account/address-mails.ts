import { Injectable } from '@nestjs/common'
import { type Recipient } from '../mail/mail.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'

/** The mails that confirm an e-mail address, at a sign-up or a change, and the notices that go with them. */
@Injectable()
export class AddressMails {
  constructor(
    private readonly mailer: Mailer,
    private readonly urls: SiteUrls,
  ) {}

  /** Throws `MAIL_UNAVAILABLE` where mail is not configured. */
  require(): void {
    this.mailer.requireMail()
  }

  /** To confirm a new account; the link leads to the page that asks for the password again. */
  sendSignUp(to: Recipient, token: string): void {
    const url = this.urls.toMainSite('/verify-email', token)
    this.mailer.post(to, words => words.mail('signUp', { site: this.urls.siteName, url }))
  }

  /** To an address that somebody wants to sign up with although it already has a user. */
  notifyAlreadyRegistered(to: Recipient): void {
    const values = {
      site: this.urls.siteName,
      url: this.urls.forgotPassword(),
      frontPage: this.urls.frontPage(),
    }
    this.mailer.post(to, words => words.mail('knownAddress', values))
  }

  /** To the new address, to confirm it. */
  sendConfirmation(to: Recipient, token: string): void {
    const url = this.urls.toMainSite('/confirm-email', token)
    this.mailer.post(to, words => words.mail('confirmEmail', { site: this.urls.siteName, url }))
  }

  /** To an address that a user wants to change to although it already has a user. */
  notifyAddressInUse(to: Recipient): void {
    this.mailer.post(to, words => words.mail('addressInUse', this.urls.mainSite))
  }

  /** To the old address, with a link that undoes the change. */
  sendUndo(to: Recipient, token: string): void {
    const url = this.urls.toMainSite('/undo-email', token)
    this.mailer.post(to, words => words.mail('emailChanged', { site: this.urls.siteName, url }))
  }
}
