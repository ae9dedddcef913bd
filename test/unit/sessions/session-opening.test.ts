import { afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals'
import {
  authMethods,
  type EntitledUser,
  handleOf,
  type Proof,
  permissionsOf,
  type Session,
  SessionStore,
  SessionsService,
  type Source,
  secondsAfter,
  Users,
  unavailable,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { listRow } from '../../support/open-session.js'
import { anOwner } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'

const LIMIT = 3
const LIFETIME = 7_200
const CLIENT = { requestId: 'a', ip: '192.0.2.1', userAgent: 'curl/8.5.0', origin: null }
const PASSWORD: Proof = { methods: authMethods('pwd') }
const OUT_OF_REACH = unavailable('DATABASE_UNAVAILABLE')

const app = anApp({
  LOG_LEVEL: 'silent',
  MAX_SESSIONS_PER_USER: String(LIMIT),
  SESSION_TTL_SECONDS: String(LIFETIME),
})
let sessions: SessionsService
let store: SessionStore
let owner: EntitledUser
beforeAll(async () => {
  sessions = app.get(SessionsService)
  store = app.get(SessionStore)
})
afterEach(() => void jest.restoreAllMocks())
beforeEach(async () => {
  owner = (await app.get(Users).find((await anOwner(app)).id)) as EntitledUser
})

describe('a new session', () => {
  interface Wanted {
    readonly source?: Source
    readonly origin?: string
    readonly proof?: Proof
    readonly expiresBy?: Date
  }

  function open({ source = 'main', origin = MAIN, proof = PASSWORD, expiresBy }: Wanted = {}) {
    const client = { ...CLIENT, origin }
    return sessions.create({ ...owner, userId: owner.id }, { source, client }, proof, expiresBy)
  }

  const secondsOf = ({ createdAt, expiresAt }: Session) => (expiresAt.getTime() - createdAt.getTime()) / 1000

  it('is of its user, at their site, from now on', async () => {
    const before = app.clock.now()
    const { session, sessionId, accessToken } = open({ source: 'satellite', origin: SHOP_ONE })
    const { createdAt, lastUsed, expiresAt, ...rest } = session
    expect(rest).toEqual({
      idleSeconds: null,
      sid: handleOf(sessionId),
      userId: owner.id,
      accountId: owner.accountId,
      source: 'satellite',
      permissions: permissionsOf(['dataEntry', 'viewReports']),
      origin: SHOP_ONE,
      ip: CLIENT.ip,
      userAgent: CLIENT.userAgent,
      reauthenticatedAt: null,
      amr: authMethods('pwd'),
      authTime: createdAt,
    })
    expect(lastUsed.getTime()).toBeGreaterThanOrEqual(before.getTime())
    expect(lastUsed.getTime() - createdAt.getTime()).toBeLessThan(1000)
    expect(createdAt).toEqual(new Date(Math.floor(lastUsed.getTime() / 1000) * 1000))
    expect(secondsOf(session)).toBe(LIFETIME)
    const [, payload] = accessToken.split('.')
    expect(JSON.parse(Buffer.from(payload as string, 'base64url').toString())).toMatchObject({
      sid: session.sid,
    })
    const add = () => app.database.transaction(transaction => sessions.add(transaction, session))
    expect(await store.find(session.sid, app.clock.now())).toBeNull()
    expect(await add()).toBe(1)
    expect(await store.find(session.sid, app.clock.now())).toMatchObject(rest)
    await expect(add()).rejects.toThrow()
  })

  it.each([
    ['ends then', -1_000],
    ['does not last longer for that', 1_000],
  ])('that has to end by a certain time %s', (_, difference) => {
    const expiresBy = secondsAfter(app.clock.now(), LIFETIME + difference)
    const { session } = open({ expiresBy })
    if (difference < 0) expect(session.expiresAt).toEqual(expiresBy)
    else expect(secondsOf(session)).toBe(LIFETIME)
  })

  it('inherits the time of its login from the session that it was handed off from', () => {
    const inheritedAuthTime = secondsAfter(app.clock.now(), -600)
    const { session } = open({ proof: { ...PASSWORD, inheritedAuthTime } })
    expect(session.authTime).toEqual(inheritedAuthTime)
  })
})

describe('the limit of a user’s sessions', () => {
  /** Sessions, whatever the limit, in the order of login, each last used so many seconds after it began. */
  async function opened(...usedAfter: number[]): Promise<Session[]> {
    const made: Session[] = []
    for (const seconds of usedAfter) {
      const context = { source: 'main', client: { ...CLIENT, origin: MAIN } } as const
      const { session } = sessions.create({ ...owner, userId: owner.id }, context, PASSWORD)
      await listRow(app, session)
      await store.touch(session.sid, secondsAfter(session.createdAt, seconds))
      made.push(session)
    }
    return made
  }

  const end = (count: number) => sessions.endSurplus(owner.id, count, CLIENT)
  const live = async () => (await store.listByUser(owner.id, app.clock.now())).map(({ sid }) => sid)
  const sidsOf = (some: (Session | undefined)[]) => some.map(session => session?.sid)

  it('ends none where some have ended since they were counted', async () => {
    const [one, two] = await opened(10, 20)
    await end(LIMIT + 1)
    expect(await live()).toEqual(sidsOf([one, two]))
  })

  it('does not ask for them until it is exceeded', async () => {
    jest.spyOn(store, 'listByUser').mockRejectedValue(OUT_OF_REACH)
    await end(LIMIT)
    await expect(end(LIMIT + 1)).rejects.toBe(OUT_OF_REACH)
  })

  describe('for logins at once', () => {
    /** How often the store was asked for a user's sessions, and how often at the same time. */
    let asked: number
    let listed: number
    let atOnce: number
    let most: number
    /** How many of the next answers fail. */
    let failures: number
    /** Lets those go on that are held back, and all later ones. */
    let goOn: () => void

    beforeEach(() => {
      asked = listed = atOnce = most = failures = 0
      const gate = new Promise<void>(resolve => {
        goOn = resolve
      })
      const listByUser = store.listByUser.bind(store)
      jest.spyOn(store, 'listByUser').mockImplementation(async (userId, now) => {
        asked++
        most = Math.max(most, ++atOnce)
        const found = await listByUser(userId, now)
        listed++
        await gate
        atOnce--
        if (failures-- > 0) throw OUT_OF_REACH
        return found
      })
    })

    /** Until what can begin has begun. */
    const settled = async () => {
      for (let turn = 0; turn < 5; turn++) await app.database.ping()
      await eventually(() => listed === asked, { everyMs: 2 })
    }

    it('asks it once more for all that arrive while that goes on, and ends what is too many by then', async () => {
      await opened(10, 20, 30, 40)
      const logins = [end(4)]
      await settled()
      const late = await opened(50, 60)
      logins.push(end(5), end(6))
      await settled()
      logins.push(end(6))
      goOn()
      await Promise.all(logins)
      expect([asked, most]).toEqual([2, 1])
      jest.restoreAllMocks()
      const left = await live()
      expect(left).toHaveLength(LIMIT)
      expect(left.slice(-2)).toEqual(sidsOf(late))
    })

    it('lets no user wait for another', async () => {
      const first = end(4)
      await settled()
      const second = sessions.endSurplus((await anOwner(app)).id, 4, CLIENT)
      await settled()
      expect([asked, most]).toEqual([2, 2])
      goOn()
      await Promise.all([first, second])
    })

    it('lets a failure be that of those who waited for it', async () => {
      await opened(10, 20, 30, 40)
      failures = 1
      const first = end(4)
      first.catch(() => {})
      await settled()
      const second = end(4)
      goOn()
      await expect(first).rejects.toBe(OUT_OF_REACH)
      await second
      expect([asked, most]).toEqual([2, 1])
      jest.restoreAllMocks()
      expect(await live()).toHaveLength(LIMIT)
    })
  })
})
