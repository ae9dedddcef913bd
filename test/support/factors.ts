import { eq } from 'drizzle-orm'
import {
  type AuthMethod,
  accounts,
  authMethods,
  type Db,
  handleOf,
  Reauthentication,
  type SecondFactorRequirement,
  SessionChanges,
  type SessionId,
  SessionStore,
  totpFactors,
  type User,
  UserFactors,
  users,
} from '../sources.js'
import type { SignedIn } from './people.js'
import type { TestApp } from './test-app.js'

/** Factors in the database, for tests of what follows from having them: nobody can use these. */

/** A confirmed authenticator app; live sessions and their permissions follow. */
export function giveTotp(app: TestApp, { id: userId }: Pick<User, 'id'>): Promise<void> {
  const createdAt = app.clock.now()
  return change(app, userId, transaction =>
    transaction.insert(totpFactors).values({ userId, secret: 'sealed', createdAt, confirmedAt: createdAt }),
  )
}

export function takeTotp(app: TestApp, { id: userId }: Pick<User, 'id'>): Promise<void> {
  return change(app, userId, transaction =>
    transaction.delete(totpFactors).where(eq(totpFactors.userId, userId)),
  )
}

/** The user of this session has just used these besides what they had used before. */
export async function prove(
  app: TestApp,
  { sessionId }: Pick<SignedIn, 'sessionId'>,
  ...methods: AuthMethod[]
): Promise<void> {
  const sid = handleOf(sessionId as SessionId)
  const session = await app.get(SessionStore).find(sid, app.clock.now())
  if (!session) throw new Error('This session is not live')
  const reauthentication = app.get(Reauthentication)
  await app
    .get(SessionChanges)
    .commit(transaction => reauthentication.stamp(transaction, session, authMethods(...methods)))
}

/** Required from now on of whoever changes; users who are there already are left as they are. */
export function requireOf(
  app: TestApp,
  { accountId }: Pick<User, 'accountId'>,
  secondFactor: SecondFactorRequirement,
) {
  const policy = {
    secondFactor,
    secondFactorFrom: app.clock.now(),
    secondFactorEnforced: secondFactor !== 'off',
  }
  return app.database.run(db => db.update(accounts).set(policy).where(eq(accounts.id, accountId)))
}

/** As the job does once the days of grace are over; a trigger sets what it has to be. */
export async function markLate(app: TestApp, { id }: Pick<User, 'id'>): Promise<void> {
  await app.database.run(db => db.update(users).set({ mustEnrol: true }).where(eq(users.id, id)))
}

async function change(app: TestApp, userId: string, work: (transaction: Db) => Promise<unknown>) {
  await app.get(SessionChanges).commit(async transaction => {
    await transaction.select().from(users).where(eq(users.id, userId)).for('no key update')
    await work(transaction)
    return app.get(UserFactors).reassess(transaction, userId)
  })
}
