import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  LoginAnomalyCheck,
  type Session,
  SessionStore,
  SessionsService,
  type User,
  UserSessions,
  unavailable,
} from '../../sources.js'
import { anOwner, PASSWORD } from '../../support/people.js'
import { MAIN, TestApp } from '../../support/test-app.js'

let app: TestApp
let store: SessionStore
let list: UserSessions
let sessions: SessionsService
let owner: User
beforeAll(async () => {
  app = await TestApp.start()
  store = app.get(SessionStore)
  list = app.get(UserSessions)
  sessions = app.get(SessionsService)
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
    const create = sessions.create.bind(sessions)
    let begun: Session | undefined
    jest.spyOn(sessions, 'create').mockImplementationOnce(async (...args) => {
      const created = await create(...args)
      begun = created.session
      expect([await isStored(begun), await isListed(begun)]).toEqual([true, false])
      return created
    })
    expect(await logIn()).toBe(200)
    expect(await isListed(begun as Session)).toBe(true)
  })

  it('that cannot be stored is not confirmed', async () => {
    jest.spyOn(store, 'create').mockRejectedValue(unavailable('SESSION_STORE_UNAVAILABLE'))
    const confirm = jest.spyOn(sessions, 'confirm')
    expect(await logIn()).toBe(503)
    expect(confirm).not.toHaveBeenCalled()
  })

  /** The session of a login that is refused when everything was written. */
  async function refused(): Promise<Session> {
    let unconfirmed: Session | undefined
    jest.spyOn(app.get(LoginAnomalyCheck), 'notifyOpened').mockImplementationOnce(async session => {
      unconfirmed = session as Session
      expect([await isStored(unconfirmed), await isListed(unconfirmed)]).toEqual([true, true])
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
