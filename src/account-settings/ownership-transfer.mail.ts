import type { Mail } from '../mail/mail.js'

/** To who was the owner. */
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

export function becameOwnerMail(site: string): Mail {
  return {
    subject: `You are the owner of your account at ${site}`,
    site,
    paragraphs: [
      `The owner of your account at ${site} has made you the owner. You may do everything there now: payments, settings and the team.`,
    ],
  }
}
