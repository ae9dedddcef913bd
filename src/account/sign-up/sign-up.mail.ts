import type { Mail } from '../../mail/mail.js'

/** To confirm a new account; `url` leads to the page that asks for the password again. */
export function signUpMail(site: string, url: string): Mail {
  return {
    subject: `Confirm your e-mail address for ${site}`,
    site,
    paragraphs: [
      `Somebody (we hope it was you) signed up at ${site} with this e-mail address.`,
      'To create the account, follow the link below within 24 hours and enter the password that you chose. If you have forgotten it, sign up again.',
    ],
    action: { label: 'Confirm this e-mail address', url },
    footnote: 'If you did not sign up, ignore this mail: no account will be created.',
  }
}

/** To somebody who already has an account; `url` leads to the front page. */
export function knownAddressMail(site: string, url: string): Mail {
  return {
    subject: `You already have an account at ${site}`,
    site,
    paragraphs: [
      `Somebody (we hope it was you) tried to sign up at ${site} with this e-mail address, which already has an account there. Nothing has changed.`,
      'Log in with your password. If you have forgotten it, use "Forgot your password?" on the login page; the link comes to this address.',
    ],
    action: { label: `Go to ${site}`, url },
    footnote: 'If this was not you, you can ignore this mail: nobody was told that you have an account.',
  }
}
