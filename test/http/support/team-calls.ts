import { type Permission, permissionsOf, type User, UserAdministration, Users } from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { aMember, type SignedIn, signIn } from '../../support/people.js'
import { type TestApp } from '../../support/test-app.js'
import { onMainSite, reauthenticate } from './reauthenticate.js'

type Session = Pick<SignedIn, 'accessToken' | 'sessionId'>

/** The calls of the main site's page for teams. */
export function team(app: TestApp, manager: Session, method: string, path = '', body?: object) {
  return onMainSite(app, manager, method, `/api/team${path}`, body)
}

/** A member with these permissions. */
export async function aMemberWith(app: TestApp, owner: User, ...permissions: Permission[]): Promise<User> {
  const member = await aMember(app, owner)
  const granted = permissionsOf(permissions)
  await app.get(UserAdministration).grant(member, granted)
  return { ...member, granted }
}

/** A member who manages the team, and their session. */
export async function aManager(app: TestApp, owner: User, ...others: Permission[]) {
  const user = await aMemberWith(app, owner, 'teamManagement', 'dataEntry', 'viewReports', ...others)
  return { user, session: await signIn(app, user, 'main') }
}

/** A session on the main site whose user has just given the password again. */
export async function signInFreshly(app: TestApp, user: User): Promise<SignedIn> {
  const signedIn = await signIn(app, user, 'main')
  const { status } = await reauthenticate(app, signedIn)
  if (status !== 200) throw new Error(`re-authentication answered ${status}`)
  return signedIn
}

export function accept(app: TestApp, body: object): Promise<TestResponse> {
  return app.post('/api/invitations/accept', body)
}

/** Lets a user log in there alone from now on, as a change that came behind their live session. */
export function closeTo(
  app: TestApp,
  { id }: Pick<User, 'id'>,
  satellites: readonly string[],
): Promise<void> {
  return app.database.transaction(transaction => app.get(Users).setSatellites(transaction, id, satellites))
}
