import { aSession } from '../contracts/a-session.js'
import {
  authMethods,
  type Client,
  type EntitledUser,
  type NewSession,
  type Session,
  type SessionHandle,
  SessionStore,
  SessionsService,
  type Source,
  secondsAfter,
  type User,
  Users,
} from '../sources.js'
import type { TestApp } from './test-app.js'

/** A session without its login. */
export async function openSession(
  app: TestApp,
  { id }: Pick<User, 'id'>,
  source: Source,
  client: Client,
): Promise<NewSession> {
  const sessions = app.get(SessionsService)
  const user = (await app.get(Users).find(id)) as EntitledUser
  const opened = sessions.create({ ...user, userId: id }, { source, client }, { methods: authMethods('pwd') })
  const count = await app.database.run(db => sessions.add(db, opened.session))
  await sessions.endSurplus(id, count, client)
  return opened
}

/** A session that nobody has opened, which expires so many seconds from now. */
export function listSession(
  app: TestApp,
  { id: userId, accountId }: Pick<User, 'id' | 'accountId'>,
  seconds = 24 * 60 * 60,
): Promise<SessionHandle> {
  return listRow(app, { userId, accountId, expiresAt: secondsAfter(app.clock.now(), seconds) })
}

/** The row of a session, without what a login checks; what is not given is as in {@link aSession}. */
export async function listRow(app: TestApp, given: Partial<Session>): Promise<SessionHandle> {
  const session = aSession(given)
  await app.database.run(db => app.get(SessionStore).add(db, session))
  return session.sid
}
