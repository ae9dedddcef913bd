import { BODY_REFUSALS, Documented } from '../http/documented.js'

export const NotMeDocs = () =>
  Documented({
    summary: 'Say that a login was not you',
    description:
      'Takes the token of the link in a mail about a new device or something unusual. Ends all sessions of the user, since ' +
      'somebody else has the password, takes the password away, forgets the device and network in question, and mails a link for ' +
      'a new password to the address that this link was mailed to. If the user has another address since, that one comes back. ' +
      'Invitations, a transfer and a deletion of the account that were under way are called off. The link works once, within 24 ' +
      'hours, also when the session has ended by then.',
    status: 204,
    answer: 'The user is logged out everywhere; the mail with the link for a new password is on its way',
    refusals: [
      ...BODY_REFUSALS,
      'INVALID_LINK',
      'EMAIL_TAKEN',
      'TOO_MANY_ATTEMPTS',
      'MAIL_UNAVAILABLE',
      'DATABASE_UNAVAILABLE',
      'SESSION_STORE_UNAVAILABLE',
    ],
  })
