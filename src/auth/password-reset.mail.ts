import type { Mail } from '../mail/mail.js'

/** To choose a new password. */
export function passwordResetMail(site: string, url: string): Mail {
  return {
    subject: `Choose a new password for ${site}`,
    site,
    paragraphs: [
      `Somebody, hopefully you, asked for a new password for your account at ${site}.`,
      'The link below works once, within 30 minutes. It logs nobody in: you choose the new password there and then log in with it.',
    ],
    action: { label: 'Choose a new password', url },
    footnote: 'If you did not ask for this, do nothing: your password stays as it is.',
  }
}
