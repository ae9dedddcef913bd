import type { Mail } from '../mail/mail.js'

/** Tells the user of a new password, which somebody else may have set. */
export function passwordChangedMail(site: string): Mail {
  return {
    subject: `Your password for ${site} was changed`,
    site,
    paragraphs: [
      `Your account at ${site} has a new password. Whoever was logged in elsewhere was logged out.`,
    ],
    footnote: `If this was not you, ask for a new password on the login page of ${site} at once: the link for it comes to this address.`,
  }
}
