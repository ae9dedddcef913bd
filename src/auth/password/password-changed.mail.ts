import type { Mail } from '../../mail/mail.js'

/** Tells the user of a new password, which somebody else may have set. */
export function passwordChangedMail(site: string): Mail {
  return {
    subject: `Your password for ${site} has been changed`,
    site,
    paragraphs: [`Your account at ${site} has a new password. All other sessions have been ended.`],
    footnote: `If this was not you, request a new password on the login page of ${site} now: the link comes to this address.`,
  }
}
