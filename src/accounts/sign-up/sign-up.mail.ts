import type { Mail } from '../../mail/mail.js'

/** To confirm a new account; `url` leads to the page that asks for the password again. */
export function signUpMail(site: string, url: string): Mail {
  return {
    subject: `Confirm your e-mail address for ${site}`,
    site,
    paragraphs: [
      `Somebody, hopefully you, signed up at ${site} with this e-mail address.`,
      'To make the account, follow the link below within 24 hours and give the password that you chose. If you have forgotten it, just sign up again.',
    ],
    action: { label: 'Confirm this e-mail address', url },
    footnote: 'If you did not sign up, do nothing: there is no account, and there will be none.',
  }
}

/** To somebody who already has an account; `url` leads to the front page. */
export function knownAddressMail(site: string, url: string): Mail {
  return {
    subject: `You have an account at ${site} already`,
    site,
    paragraphs: [
      `Somebody, hopefully you, tried to sign up at ${site} with this e-mail address, which has an account there already. Nothing has changed.`,
      'Log in with the password that you have. If you have forgotten it, ask for a new one on the login page: the link for it comes to this address.',
    ],
    action: { label: `Go to ${site}`, url },
    footnote: 'If this was not you, there is nothing to do: whoever it was has learnt nothing.',
  }
}
