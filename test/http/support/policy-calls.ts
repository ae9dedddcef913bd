import { PolicyJob, type SecondFactorRequirement, type User } from '../../sources.js'
import { giveTotp, prove } from '../../support/factors.js'
import { passTime } from '../../support/passing-time.js'
import { anOwner, type SignedIn } from '../../support/people.js'
import type { TestApp } from '../../support/test-app.js'
import { outcome } from './api-calls.js'
import { onMainSite, provenSession } from './reauthenticate.js'

const PATH = '/api/account/second-factor'

type Session = Pick<SignedIn, 'accessToken' | 'sessionId'>

export function readPolicy(app: TestApp, session: Session) {
  return onMainSite(app, session, 'GET', PATH)
}

export function changePolicy(app: TestApp, session: Session, body: object) {
  return onMainSite(app, session, 'PUT', PATH, body)
}

/** A session of somebody who has a second factor and has just used it and the password. */
export async function steppedUp(app: TestApp, user: User): Promise<SignedIn> {
  const session = await provenSession(app, user)
  await giveTotp(app, user)
  await prove(app, session, 'otp')
  return session
}

export async function anEnrolledOwner(app: TestApp) {
  const owner = await anOwner(app)
  return { owner, session: await steppedUp(app, owner) }
}

/** At once, as an administrator. */
export async function requireSecondFactor(app: TestApp, session: Session, required: SecondFactorRequirement) {
  const body = { required, graceDays: 0, paymentStepUpMinutes: null }
  const answer = await changePolicy(app, session, body)
  if (answer.status !== 200) throw new Error(`The policy was refused: ${outcome(answer)} ${answer.text}`)
}

/** The job, whose lease of the run before is over; says for how many accounts it has begun. */
export async function enforcePolicies(app: TestApp): Promise<number | null> {
  await passTime(app, 60)
  return app.get(PolicyJob).run()
}
