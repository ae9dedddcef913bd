import type { Mail } from '../../mail/mail.js'
import { dayInWords } from '../day-in-words.js'

/** To the owner, who may not be the one who asked; `url` stops the transfer. */
export function transferRequestedMail(site: string, url: string, readyAt: Date): Mail {
  return {
    subject: `Your account at ${site} is to get another owner`,
    site,
    paragraphs: [
      `Somebody, hopefully you, asked that a member of your account at ${site} becomes its owner. They have to accept first, and nothing changes before ${dayInWords(readyAt)}.`,
      'If this was not you, stop it with the link below, and choose a new password at once.',
    ],
    action: { label: 'Stop the transfer', url },
    footnote: 'If it was you, there is nothing to do. You can cancel it in the settings of your account too.',
  }
}

/** To the owner, once the member has accepted. */
export function transferAcceptedMail(site: string, url: string, readyAt: Date): Mail {
  return {
    subject: `Your account at ${site} gets another owner soon`,
    site,
    paragraphs: [
      `The member who is to own your account at ${site} has accepted. From ${dayInWords(readyAt)} on they are the owner, and you are a member.`,
      'If you do not want this, stop it with the link below. If you did not ask for it, choose a new password at once, too.',
    ],
    action: { label: 'Stop the transfer', url },
    footnote: 'If this is what you want, there is nothing to do.',
  }
}

/** To the future owner. */
export function transferOfferMail(site: string, url: string, readyAt: Date): Mail {
  return {
    subject: `You are to own your team's account at ${site}`,
    site,
    paragraphs: [
      `The owner of your account at ${site} wants you to be its owner: you would be in charge of payments, settings and the team.`,
      `Accept with the link below, within 7 days. You are the owner then, but not before ${dayInWords(readyAt)}.`,
    ],
    action: { label: 'Accept the account', url },
    footnote: 'If you do not want this, do nothing: without you nothing changes.',
  }
}

/** To both. */
export function transferCancelledMail(site: string): Mail {
  return {
    subject: `The transfer of your account at ${site} is cancelled`,
    site,
    paragraphs: [`Your account at ${site} keeps its owner. The transfer that was under way is off.`],
  }
}

/** To the previous owner. */
export function becameMemberMail(site: string): Mail {
  return {
    subject: `You are no longer the owner of your account at ${site}`,
    site,
    paragraphs: [
      `A member of your account at ${site} is its owner now, and you are a member.`,
      'What you may do there is up to the new owner.',
    ],
    footnote: 'If this was not you, somebody has your password: choose a new one, and get in touch with us.',
  }
}

/** To the new owner. */
export function becameOwnerMail(site: string): Mail {
  return {
    subject: `You are the owner of your account at ${site}`,
    site,
    paragraphs: [
      `You are the owner of your account at ${site} now. You may do everything there: payments, settings and the team.`,
    ],
  }
}
