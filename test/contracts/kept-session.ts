import {
  AuditLog,
  accounts,
  Clock,
  type Database,
  type IdleTimeouts,
  type Permissions,
  permissionsOf,
  type ReauthenticationStamp,
  type Session,
  SessionChanges,
  type SessionHandle,
  type SessionStore,
  users,
} from '../sources.js'
import { aSession } from './a-session.js'

export const OWNER = permissionsOf([
  'payments',
  'accountSettings',
  'teamManagement',
  'dataEntry',
  'viewReports',
])

/** What a session may do follows from its user: these are the rows, with that grant, where they are not there yet. */
export async function addUser(
  database: Database,
  { userId, accountId }: Pick<Session, 'userId' | 'accountId'>,
  granted: Permissions,
): Promise<void> {
  const createdAt = new Date()
  await database.run(db => db.insert(accounts).values({ id: accountId, createdAt }).onConflictDoNothing())
  const user = { id: userId, accountId, email: `${userId}@example.com`, role: 'member', granted } as const
  await database.run(db =>
    db
      .insert(users)
      .values({ ...user, createdAt })
      .onConflictDoNothing(),
  )
}

/** Idle timeouts of accounts alone. */
export const TIMEOUTS_OF_ACCOUNTS: IdleTimeouts = {
  leastIdleSeconds: 1_800,
  haveIdleTimeouts: false,
  idleSeconds: (_, ofAccount) => ofAccount,
}

/** A session in the store, of a user of its own unless one is named, who is granted what it may do. */
export async function keptSession(
  database: Database,
  store: SessionStore,
  overrides: Partial<Session> = {},
): Promise<Session> {
  const session = aSession(overrides)
  await addUser(database, session, session.permissions)
  await database.transaction(transaction => store.add(transaction, session))
  return session
}

/** Changes as the service makes them, without an audit log. */
export function changesOn(database: Database, store: SessionStore): SessionChanges {
  return new SessionChanges(database, store, {} as AuditLog, new Clock())
}

/** Ends these in one transaction, and resolves when that may be answered. */
export async function endSessions(
  database: Database,
  store: SessionStore,
  ...sids: SessionHandle[]
): Promise<number> {
  const changes = changesOn(database, store)
  const endings = sids.map(sid => ({ kind: 'end', sid }) as const)
  const { ended } = await changes.commit(transaction => changes.record(transaction, endings, null))
  return ended
}

/** False when it is not live. */
export async function stampSession(
  database: Database,
  store: SessionStore,
  ...of: [SessionHandle, ReauthenticationStamp, Date]
): Promise<boolean> {
  const isStamped = await database.transaction(transaction => store.stampReauthentication(transaction, ...of))
  await store.forget({ sids: [of[0]], userIds: [], accountIds: [] })
  return isStamped
}
