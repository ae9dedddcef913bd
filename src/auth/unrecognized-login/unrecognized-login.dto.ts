import { BODY_REFUSALS, Documented } from '../../platform/http/endpoint.js'

export const UnrecognizedLoginDocs = () =>
  Documented({
    summary: 'Report a login that was not yours',
    description:
      'Takes the token of the link in a mail about a new device or something unusual. Somebody else has the password, so ' +
      'it ends all sessions of the user, removes the password, forgets the device and network in question, and mails a link for ' +
      "a new password to the address that this link went to. If the user's address has been changed since, it is changed back. " +
      'Invitations, a transfer and a deletion of the account that were pending are cancelled; members who have joined by an ' +
      'invitation of the user since that login, or whom the user has enabled or allowed more, are disabled. The link works ' +
      'once, within seven days, even if the session has ended by then.',
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
