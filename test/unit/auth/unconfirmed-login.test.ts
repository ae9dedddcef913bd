import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  LoginRecords,
  type Session,
  SessionStore,
  type User,
  UserSessions,
  unavailable,
} from '../../sources.js'
import { anOwner, PASSWORD } from '../../support/people.js'
import { MAIN, TestApp } from '../../support/test-app.js'

let app: TestApp
let store: SessionStore
let list: UserSessions
let records: LoginRecords
let owner: User
beforeAll(async () => {
  app = await TestApp.start()
  store = app.app.get(SessionStore)
  list = app.app.get(UserSessions)
  records = app.app.get(LoginRecords)
})
afterAll(() => app.stop())
afterEach(() => void jest.restoreAllMocks())
beforeEach(async () => {
  owner = await anOwner(app)
})

async function logIn(): Promise<number> {
  const body = { email: owner.email, password: PASSWORD, source: 'main' }
  const { status } = await app.request({
    method: 'POST',
    path: '/api/login',
    headers: { Origin: MAIN },
    body,
  })
  return status
}

const isStored = async ({ sid }: Session) => (await store.find(sid, app.clock.now())) !== null
const isListed = async ({ sid }: Session) => (await list.sidsOf(owner.id, app.clock.now())).includes(sid)

describe('the session of a login', () => {
  it('is stored before it is confirmed, and listed after that', async () => {
    const confirm = records.confirm.bind(records)
    const seen: boolean[] = []
    jest.spyOn(records, 'confirm').mockImplementationOnce(async (session, login) => {
      seen.push(await isStored(session), await isListed(session))
      const recorded = await confirm(session, login)
      seen.push(await isListed(session))
      return recorded
    })
    expect(await logIn()).toBe(200)
    expect(seen).toEqual([true, false, true])
  })

  it('that cannot be stored is not confirmed', async () => {
    jest.spyOn(store, 'create').mockRejectedValue(unavailable('SESSION_STORE_UNAVAILABLE'))
    const confirm = jest.spyOn(records, 'confirm')
    expect(await logIn()).toBe(503)
    expect(confirm).not.toHaveBeenCalled()
  })

  /** The session of a login that is refused when everything was written. */
  async function refused(): Promise<Session> {
    const confirm = records.confirm.bind(records)
    let unconfirmed: Session | undefined
    jest.spyOn(records, 'confirm').mockImplementationOnce(async (session, login) => {
      await confirm(session, login)
      unconfirmed = session
      expect([await isStored(session), await isListed(session)]).toEqual([true, true])
      throw unavailable('TOO_BUSY')
    })
    expect(await logIn()).toBe(503)
    return unconfirmed as Session
  }

  it('that is not confirmed leaves nothing behind', async () => {
    const session = await refused()
    expect([await isStored(session), await isListed(session)]).toEqual([false, false])
  })

  it('that is not confirmed leaves nothing in one place when the other cannot be reached', async () => {
    jest.spyOn(store, 'remove').mockRejectedValue(unavailable('SESSION_STORE_UNAVAILABLE'))
    expect(await isListed(await refused())).toBe(false)
    jest.restoreAllMocks()
    jest.spyOn(list, 'forget').mockRejectedValue(unavailable('DATABASE_UNAVAILABLE'))
    expect(await isStored(await refused())).toBe(false)
  })
})
