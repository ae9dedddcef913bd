import type { Mail } from '../../mail/mail.js'
import { dayInWords } from '../day-in-words.js'

/** To the owner, who may not be the one who asked; `url` stops the transfer. */
export function transferRequestedMail(site: string, url: string, readyAt: Date): Mail {
  return {
    subject: `Transfer of your account at ${site} requested`,
    site,
    paragraphs: [
      `Somebody (we hope it was you) asked to make a member of your account at ${site} its owner. They have to accept first, and nothing changes before ${dayInWords(readyAt)}.`,
      'If this was not you, stop the transfer with the link below and change your password now.',
    ],
    action: { label: 'Stop the transfer', url },
    footnote:
      'If it was you, you do not need to do anything. You can also cancel the transfer in your account settings.',
  }
}

/** To the owner, once the member has accepted. */
export function transferAcceptedMail(site: string, url: string, readyAt: Date): Mail {
  return {
    subject: `Your account at ${site} will soon have a new owner`,
    site,
    paragraphs: [
      `The member who is to take over your account at ${site} has accepted. They become the owner, and you become a member, on ${dayInWords(readyAt)} at the earliest.`,
      'If you do not want this, stop it with the link below. If you did not ask for it, change your password now as well.',
    ],
    action: { label: 'Stop the transfer', url },
    footnote: 'If this is what you want, you do not need to do anything.',
  }
}

/** To the future owner. */
export function transferOfferMail(site: string, url: string, readyAt: Date): Mail {
  return {
    subject: `You have been asked to take over your team's account at ${site}`,
    site,
    paragraphs: [
      `The owner of your account at ${site} wants to hand it over to you. You would be in charge of payments, settings and the team.`,
      `To accept, follow the link below within 7 days. You become the owner on ${dayInWords(readyAt)} at the earliest.`,
    ],
    action: { label: 'Accept ownership', url },
    footnote: 'If you do not want this, ignore this mail: nothing changes unless you accept.',
  }
}

/** To both. */
export function transferCancelledMail(site: string): Mail {
  return {
    subject: `The transfer of your account at ${site} has been cancelled`,
    site,
    paragraphs: [`Your account at ${site} keeps its owner.`],
  }
}

/** To the previous owner. */
export function becameMemberMail(site: string): Mail {
  return {
    subject: `You are no longer the owner of your account at ${site}`,
    site,
    paragraphs: [
      `A member has taken over your account at ${site}. You are now a member.`,
      'The new owner decides what you may do there.',
    ],
    footnote: 'If you did not ask for this, somebody has your password: change it and contact us.',
  }
}

/** To the new owner. */
export function becameOwnerMail(site: string): Mail {
  return {
    subject: `You are now the owner of your account at ${site}`,
    site,
    paragraphs: [
      `You are now the owner of your account at ${site}, with every permission: payments, settings and the team.`,
    ],
  }
}
