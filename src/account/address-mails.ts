import { Injectable } from '@nestjs/common'
import type { Mail } from '../mail/mail.js'
import { Mailer } from '../mail/mailer.js'
import { SiteUrls } from '../mail/site-urls.js'

/** The mails that confirm an e-mail address, at a sign-up or a change, and what follows from that. */
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

  sendSignUp(email: string, token: string): void {
    this.mailer.post(email, signUpMail(this.site, this.urls.toMainSite('/verify-email', token)))
  }

  /** To an address that somebody wants to sign up with, and that has a user. */
  tellKnown(email: string): void {
    this.mailer.post(email, knownAddressMail(this.site, this.urls))
  }

  sendConfirmation(email: string, token: string): void {
    this.mailer.post(email, confirmEmailMail(this.site, this.urls.toMainSite('/confirm-email', token)))
  }

  /** To an address that a user wants to change to, and that has a user. */
  tellInUse(email: string): void {
    this.mailer.post(email, addressInUseMail(this.site, this.urls.frontPage()))
  }

  sendUndo(email: string, token: string): void {
    this.mailer.post(email, emailChangedMail(this.site, this.urls.toMainSite('/undo-email', token)))
  }

  /** Without a link to undo it: the user has gone back to an earlier address of theirs. */
  tellRestored(email: string): void {
    this.mailer.post(email, emailRestoredMail(this.site))
  }

  private get site(): string {
    return this.urls.siteName(null)
  }
}

/** To confirm a new account; `url` leads to the page that asks for the password again. */
function signUpMail(site: string, url: string): Mail {
  return {
    subject: `Confirm your e-mail address for ${site}`,
    site,
    paragraphs: [
      `Thank you for signing up at ${site}. One step is left: follow the link below within 24 hours and enter the password that you chose.`,
      'If you have forgotten it, just sign up again.',
    ],
    action: { label: 'Confirm this e-mail address', url },
    footnote: 'Was this not you? Then ignore this mail: no account will be created.',
  }
}

/** To somebody who already has an account. */
function knownAddressMail(site: string, urls: SiteUrls): Mail {
  return {
    subject: `You already have an account at ${site}`,
    site,
    paragraphs: [
      `This e-mail address was just used to sign up at ${site}, but you already have an account there. Nothing has changed.`,
      `If you know your password, log in at ${urls.frontPage()}. If you have forgotten it, choose a new one:`,
    ],
    action: { label: 'Choose a new password', url: urls.forgotPassword() },
    footnote: 'Was this not you? Then ignore this mail: nobody was told that you have an account.',
  }
}

/** To the new address, to confirm it. */
function confirmEmailMail(site: string, url: string): Mail {
  return {
    subject: `Confirm your new e-mail address for ${site}`,
    site,
    paragraphs: [
      `We were asked to use this e-mail address for an account at ${site}.`,
      'To confirm, follow the link below within 24 hours, in the browser in which you asked for the change or with your password at hand. From then on you log in with this address.',
    ],
    action: { label: 'Use this e-mail address', url },
    footnote: 'Was this not you? Then ignore this mail: no account will use this address.',
  }
}

/** To a new address that already has a user; `url` leads to the front page. */
function addressInUseMail(site: string, url: string): Mail {
  return {
    subject: `You already have an account at ${site}`,
    site,
    paragraphs: [
      `We were asked to use this e-mail address for an account at ${site}, but another account already uses it. Nothing has changed.`,
      'You can change the address of that account first, or choose a different one.',
    ],
    action: { label: `Go to ${site}`, url },
    footnote: 'Was this not you? Then ignore this mail: nobody was told that you have an account.',
  }
}

/** To the old address, with the link that undoes it. */
function emailChangedMail(site: string, url: string): Mail {
  return {
    subject: `Your e-mail address for ${site} has been changed`,
    site,
    paragraphs: [
      `The e-mail address of your account at ${site} has been changed. You now log in with the new address, and mails about the account go there.`,
      'If this was not you, follow the link below within 7 days. It restores this address and logs everybody out; then you choose a new password.',
    ],
    action: { label: 'This was not me', url },
    footnote: 'If it was you, you do not need to do anything.',
  }
}

/** To an address that the user has left for an earlier one. */
function emailRestoredMail(site: string): Mail {
  return {
    subject: `Your e-mail address for ${site} has been changed`,
    site,
    paragraphs: [
      `Your account at ${site} uses its previous e-mail address again. You log in with that one, and mails about the account go there.`,
    ],
    footnote: 'If this was not you, request a new password with the previous address.',
  }
}
