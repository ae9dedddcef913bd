import type { Mail } from '../mail/mail.js'
import { dayInWords } from './day-in-words.js'

/** To everybody who may change the account's settings; `url` leads to the main site. */
export function deletionAskedMail(site: string, url: string, deleteAt: Date): Mail {
  return {
    subject: `Your account at ${site} is going to be deleted`,
    site,
    paragraphs: [
      `The owner has asked us to delete your account at ${site} with everything in it. That happens on ${dayInWords(deleteAt)}.`,
      'Until then everything works as usual, and the owner can keep the account after all.',
    ],
    action: { label: `Go to ${site}`, url },
    footnote:
      'If you are the owner and this was not you, choose a new password at once and keep the account.',
  }
}

export function accountKeptMail(site: string): Mail {
  return {
    subject: `Your account at ${site} stays`,
    site,
    paragraphs: [`The owner has decided to keep your account at ${site}. It will not be deleted.`],
  }
}

export function accountDeletedMail(site: string): Mail {
  return {
    subject: `Your account at ${site} was deleted`,
    site,
    paragraphs: [
      `As its owner asked, your account at ${site} was deleted with everything in it. Nobody can log in to it any more.`,
    ],
  }
}
