import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  AuditLog,
  type Session,
  SessionStore,
  SessionsService,
  sessions,
  type User,
  unavailable,
} from '../../sources.js'
import { anOwner, sendLogin } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'

const app = anApp()
let owner: User
afterEach(() => void jest.restoreAllMocks())
beforeEach(async () => {
  owner = await anOwner(app)
})

async function logIn(): Promise<number> {
  const { status } = await sendLogin(app, owner)
  return status
}

const isStored = async ({ sid }: Session) =>
  (await app.database.run(db => db.select().from(sessions).where(eq(sessions.sid, sid)))).length > 0

async function logins(): Promise<number> {
  return (await app.auditRows({ userId: owner.id, action: 'login', outcome: 'ok' })).length
}

describe('the session of a login', () => {
  it('is stored with the login, and not before', async () => {
    const service = app.get(SessionsService)
    const add = service.add.bind(service)
    let begun: Session | undefined
    jest.spyOn(service, 'add').mockImplementationOnce(async (transaction, session) => {
      begun = session
      const count = await add(transaction, session)
      // To everybody else.
      if (app.settings.databaseUrl.startsWith('postgres')) expect(await isStored(session)).toBe(false)
      return count
    })
    expect(await logIn()).toBe(200)
    expect(await isStored(begun as Session)).toBe(true)
    expect(await logins()).toBe(1)
  })

  it('that cannot be stored is no login', async () => {
    jest.spyOn(app.get(SessionStore), 'add').mockRejectedValue(unavailable('DATABASE_UNAVAILABLE'))
    expect(await logIn()).toBe(503)
    expect(await logins()).toBe(0)
  })

  it('of which the rest cannot be recorded leaves nothing behind', async () => {
    const added = jest.spyOn(app.get(SessionsService), 'add')
    jest.spyOn(app.get(AuditLog), 'record').mockRejectedValueOnce(unavailable('TOO_BUSY'))
    expect(await logIn()).toBe(503)
    const [[, session]] = added.mock.calls as [Parameters<SessionsService['add']>]
    expect(await isStored(session)).toBe(false)
    expect(await app.get(SessionStore).listByUser(owner.id, app.clock.now())).toEqual([])
    expect(await logins()).toBe(0)
  })
})
