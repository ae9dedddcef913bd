import { randomBytes } from 'node:crypto'
import {
  authMethods,
  type Client,
  Database,
  type NewSession,
  type Session,
  type SessionHandle,
  SessionsService,
  type Source,
  secondsAfter,
  type User,
  UserSessions,
} from '../sources.js'
import type { TestApp } from './test-app.js'

/** A session without its login. */
export async function openSession(
  app: TestApp,
  user: User,
  source: Source,
  client: Client,
): Promise<NewSession> {
  const sessions = app.get(SessionsService)
  const proof = { methods: authMethods('pwd') }
  const opened = await sessions.create({ ...user, userId: user.id }, { source, client }, proof)
  await listRow(app, opened.session)
  const live = await app.get(UserSessions).sidsOf(user.id, opened.session.createdAt)
  await sessions.endSurplus(user.id, live.length, client)
  return opened
}

/** A session in the list of the user's alone, which expires so many seconds from now. */
export async function listSession(
  app: TestApp,
  { id: userId }: Pick<User, 'id'>,
  seconds = 24 * 60 * 60,
): Promise<SessionHandle> {
  const sid = randomBytes(32).toString('base64url') as SessionHandle
  const session = { sid, userId, expiresAt: secondsAfter(app.clock.now(), seconds) } as Session
  await listRow(app, session)
  return sid
}

/** The row of a session, without what a login checks. */
export async function listRow({ app }: TestApp, session: Session): Promise<void> {
  await app.get(Database).run(db => app.get(UserSessions).add(db, session))
}
