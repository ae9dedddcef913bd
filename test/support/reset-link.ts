import { PasswordMails, type User } from '../sources.js'
import type { TestApp } from './test-app.js'

/** Mails a link for a new password, without the request for it and its limits. */
export async function mailResetLink(
  app: TestApp,
  user: Pick<User, 'id' | 'accountId' | 'email'>,
): Promise<void> {
  const mails = app.get(PasswordMails)
  const recipient = { ...user, language: null, disabledAt: null }
  const mailLink = await app.database.transaction(transaction => mails.resetLinkTo(transaction, recipient))
  mailLink()
}
