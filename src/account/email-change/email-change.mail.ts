import type { Mail } from '../../mail/mail.js'

/** To the new address, to confirm it. */
export function confirmEmailMail(site: string, url: string): Mail {
  return {
    subject: `Confirm your new e-mail address for ${site}`,
    site,
    paragraphs: [
      `Somebody (we hope it was you) asked to use this e-mail address for an account at ${site}.`,
      'To confirm, open the link below within 24 hours. Use the browser in which you asked for the change, or have your password ready. From then on you log in with this address.',
    ],
    action: { label: 'Use this e-mail address', url },
    footnote: 'If this was not you, ignore this mail: no account will use this address.',
  }
}

/** To a new address that already has a user; `url` leads to the front page. */
export function addressInUseMail(site: string, url: string): Mail {
  return {
    subject: `You already have an account at ${site}`,
    site,
    paragraphs: [
      `Somebody (we hope it was you) tried to use this e-mail address for an account at ${site}. Another account already uses it, so nothing has changed.`,
      'Either change the address of that account first, or choose a different address.',
    ],
    action: { label: `Go to ${site}`, url },
    footnote: 'If this was not you, you can ignore this mail: nobody was told that you have an account.',
  }
}

/** To the old address, with the link that undoes it. */
export function emailChangedMail(site: string, url: string): Mail {
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
export function emailRestoredMail(site: string): Mail {
  return {
    subject: `Your e-mail address for ${site} has been changed`,
    site,
    paragraphs: [
      `Your account at ${site} uses its previous e-mail address again. You log in with that one, and mails about the account go there.`,
    ],
    footnote: 'If this was not you, request a new password with the previous address.',
  }
}
