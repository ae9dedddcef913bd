import type { Mail } from '../../mail/mail.js'

/** To choose a new password. */
export function passwordResetMail(site: string, url: string): Mail {
  return {
    subject: `Choose a new password for ${site}`,
    site,
    paragraphs: [
      `Somebody (we hope it was you) asked for a new password for your account at ${site}.`,
      'The link below works once, within 30 minutes. It lets you choose a new password; after that you log in with it.',
    ],
    action: { label: 'Choose a new password', url },
    footnote: 'If you did not ask for this, ignore this mail: your password stays as it is.',
  }
}
