import type { Mail } from '../mail/mail.js'

/** To the new address, to confirm it. */
export function confirmEmailMail(site: string, url: string): Mail {
  return {
    subject: `Confirm your new e-mail address for ${site}`,
    site,
    paragraphs: [
      `Somebody, hopefully you, wants to use this e-mail address for an account at ${site}.`,
      'Follow the link below within 24 hours, in the browser where you asked for it or with your password, and you log in with this address from then on.',
    ],
    action: { label: 'Use this e-mail address', url },
    footnote: 'If this was not you, do nothing: the account is not yours, and this address stays free.',
  }
}

/** To a new address that already has a user; `url` leads to the front page. */
export function addressInUseMail(site: string, url: string): Mail {
  return {
    subject: `You have an account at ${site} already`,
    site,
    paragraphs: [
      `Somebody, hopefully you, wanted to use this e-mail address for another account at ${site}. There is one with it already, so nothing has changed.`,
      'Give the account that has it another address first, or choose another one for the new.',
    ],
    action: { label: `Go to ${site}`, url },
    footnote: 'If this was not you, there is nothing to do: whoever it was has learnt nothing.',
  }
}

/** To the old address, with the link that undoes it. */
export function emailChangedMail(site: string, url: string): Mail {
  return {
    subject: `Your e-mail address for ${site} was changed`,
    site,
    paragraphs: [
      `Your account at ${site} has another e-mail address now. You log in with that one, and mails about the account go there.`,
      'If this was not you, follow the link below within 7 days. Your account gets this address back, everybody is logged out, and you choose a new password.',
    ],
    action: { label: 'This was not me', url },
    footnote: 'If it was you, there is nothing to do.',
  }
}

/** To an address that the user has left for an earlier one. */
export function emailRestoredMail(site: string): Mail {
  return {
    subject: `Your e-mail address for ${site} was changed`,
    site,
    paragraphs: [
      `Your account at ${site} has its earlier e-mail address again. You log in with that one, and mails about the account go there.`,
    ],
    footnote: 'If this was not you, ask for a new password with the earlier address.',
  }
}
