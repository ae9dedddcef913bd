import type { Mail } from '../../mail/mail.js'
import { dayInWords } from '../day-in-words.js'

/** To everybody who may change the account's settings; `url` leads to the main site. */
export function deletionAskedMail(site: string, url: string, deleteAt: Date): Mail {
  return {
    subject: `Your account at ${site} will be deleted`,
    site,
    paragraphs: [
      `The owner has asked us to delete your account at ${site} and everything in it. This will happen on ${dayInWords(deleteAt)} at the earliest.`,
      'Until then everything works as usual, and the owner can still cancel the deletion.',
    ],
    action: { label: `Go to ${site}`, url },
    footnote:
      'If you are the owner and did not ask for this, change your password now and cancel the deletion.',
  }
}

export function accountKeptMail(site: string): Mail {
  return {
    subject: `Your account at ${site} will not be deleted`,
    site,
    paragraphs: [`The owner has cancelled the deletion of your account at ${site}.`],
  }
}

export function accountDeletedMail(site: string): Mail {
  return {
    subject: `Your account at ${site} has been deleted`,
    site,
    paragraphs: [
      `At its owner's request, your account at ${site} has been deleted with everything in it. Nobody can log in to it any longer.`,
    ],
  }
}
