import { TransferCompletion, type User } from '../../sources.js'
import { passTime } from '../../support/passing-time.js'
import type { SignedIn } from '../../support/people.js'
import { type TestApp } from '../../support/test-app.js'
import { outcome } from './api-calls.js'
import { onMainSite } from './reauthenticate.js'

/** What the settings say by default. */
export const TRANSFER_WAIT_SECONDS = 3 * 24 * 60 * 60

export function requestTransfer(app: TestApp, session: SignedIn, userId: unknown) {
  return onMainSite(app, session, 'POST', '/api/account/transfer', { userId })
}

export function acceptTransfer(app: TestApp, token: string) {
  return follow(app, '/api/account/transfer/accept', token)
}

export function stopTransfer(app: TestApp, token: string) {
  return follow(app, '/api/account/transfer/stop', token)
}

/** The job, whose lease of the run before is over; says how many transfers were done. */
export async function completeTransfers(app: TestApp): Promise<number | null> {
  await passTime(app, 10 * 60)
  return app.get(TransferCompletion).run()
}

/** Asked for and accepted. */
export async function beginTransfer(app: TestApp, session: SignedIn, member: User): Promise<void> {
  const requested = await requestTransfer(app, session, member.id)
  const accepted = await acceptTransfer(app, await app.mailedToken(member.email))
  const answers = `${outcome(requested)}, ${outcome(accepted)}`
  if (answers !== '202, 200') throw new Error(`The transfer was not begun: ${answers}`)
}

/** All the way; days pass. */
export async function transferAccount(app: TestApp, session: SignedIn, member: User): Promise<void> {
  await beginTransfer(app, session, member)
  app.clock.advance(TRANSFER_WAIT_SECONDS)
  const done = await completeTransfers(app)
  if (done !== 1) throw new Error(`${done} transfers were done`)
}

function follow(app: TestApp, path: string, token: string) {
  return app.post(path, { token })
}
