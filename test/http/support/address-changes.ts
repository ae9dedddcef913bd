import type { Email } from '../../sources.js'
import { anEmail, type SignedIn } from '../../support/people.js'
import { MAIN, type TestApp } from '../../support/test-app.js'
import { outcome } from './api-calls.js'
import { onMainSite } from './reauthenticate.js'

/** Where a change of address has led, and the token of the link back, which the address of before was mailed. */
export interface ChangedAddress {
  readonly email: Email
  readonly undo: string
}

/** Changes the address from `email` to a new one, in a session that has just given the password again. */
export async function changeAddress(
  app: TestApp,
  session: SignedIn,
  { email: before }: { readonly email: string },
): Promise<ChangedAddress> {
  const email = anEmail()
  const asked = await onMainSite(app, session, 'POST', '/api/email/change', { email })
  const body = { token: await app.mailedToken(email, '/confirm-email') }
  const confirmed = await onMainSite(app, session, 'POST', '/api/email/confirm', body)
  if (confirmed.status !== 204) throw new Error(`${outcome(asked)}, then ${outcome(confirmed)}`)
  return { email, undo: await app.mailedToken(before, '/undo-email') }
}

/** Follows the link back. */
export async function undoAddress(app: TestApp, { undo: token }: ChangedAddress): Promise<string> {
  const headers = { Origin: MAIN }
  return outcome(await app.post('/api/email/undo', { token }, headers))
}
