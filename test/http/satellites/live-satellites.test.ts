import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { sql } from 'drizzle-orm'
import {
  permissionsOf,
  RegisteredSatellites,
  Satellites,
  satelliteRemovals,
  type User,
  Users,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, PASSWORD, sendLogin, signIn } from '../../support/people.js'
import { aSatellite, setSatelliteState } from '../../support/satellites.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO, TestApp } from '../../support/test-app.js'
import { onServers, slow } from '../../support/tiers.js'
import { bearer, outcome, readData, refreshByHeader } from '../support/api-calls.js'
import { onMainSite } from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'

const ENDED = '401 SESSION_NOT_FOUND'
const WRONG = '401 INVALID_CREDENTIALS'
const REFUSED_BY_CORS = '403 ORIGIN_NOT_ALLOWED'

let made = 0
/** Of somebody's own domain. */
function aParent(): string {
  made += 1
  return `customers-${made}.test`
}

function anOrigin(): string {
  return `https://shop.${aParent()}`
}

async function logIn(app: TestApp, { email }: Pick<User, 'email'>, origin: string, password = PASSWORD) {
  return sendLogin(app, { email }, { source: 'satellite', password, Origin: origin })
}

async function refresh(app: TestApp, sessionId: string, origin?: string): Promise<string> {
  return outcome(await refreshByHeader(app, sessionId, origin ? { Origin: origin } : {}))
}

async function claimsAfterRefresh(app: TestApp, sessionId: string): Promise<Record<string, unknown>> {
  const { json } = await refreshByHeader(app, sessionId, {})
  return claimsOf((json as { accessToken: string }).accessToken)
}

describe('A registered satellite', () => {
  const app = anApp()
  let owner: User
  let stranger: User
  beforeAll(async () => {
    owner = await anOwner(app)
    stranger = await anOwner(app)
  })

  async function changed(work: (registered: RegisteredSatellites) => Promise<unknown>): Promise<void> {
    await work(app.get(RegisteredSatellites))
    await app.get(Satellites).refresh()
  }

  it('is asked like a listed one: by pages without credentials', async () => {
    const origin = anOrigin()
    const health = { path: '/health/live', headers: { Origin: origin } }
    expect(outcome(await app.request(health))).toBe(REFUSED_BY_CORS)
    await aSatellite(app, owner, origin)
    const { headers } = await app.request(health)
    expect(headers['access-control-allow-origin']).toBe(origin)
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
    const preflight = await app.request({
      method: 'OPTIONS',
      path: '/api/refresh',
      headers: { Origin: origin, 'Access-Control-Request-Method': 'POST' },
    })
    expect(preflight.headers['access-control-allow-headers']).toContain('X-Session-ID')
  })

  it("lets its account's users in, and refuses others with the bytes of a wrong password", async () => {
    const origin = anOrigin()
    await aSatellite(app, owner, origin)
    expect(outcome(await logIn(app, await aMember(app, owner), origin))).toBe('200')
    const ofStranger = await logIn(app, await aMember(app, stranger), origin)
    const wrong = await logIn(app, await aMember(app, owner), origin, 'wrong')
    const body = ({ json }: typeof wrong) => ({ ...json, instance: null, requestId: null })
    expect(outcome(ofStranger)).toBe(WRONG)
    expect(body(ofStranger)).toEqual(body(wrong))
  })

  it('is no place for another account to send its buyers to', async () => {
    const origin = anOrigin()
    await aSatellite(app, owner, origin)
    const pay = async (user: User) => {
      const { accessToken, sessionId } = await signIn(app, user, 'main')
      return outcome(
        await app.post(
          '/api/subscription/create',
          { return: `${origin}/paid` },
          { Origin: MAIN, ...bearer(accessToken), Cookie: `sessionId=${sessionId}` },
        ),
      )
    }
    expect(await pay(stranger)).toBe('400 INVALID_RETURN_URL')
    expect(await pay(owner)).toBe('201')
  })

  it('does not let in members who are invited elsewhere only', async () => {
    const [origin, other] = [anOrigin(), anOrigin()]
    await aSatellite(app, owner, origin)
    await aSatellite(app, owner, other)
    const member = await aMember(app, owner)
    await app.database.transaction(transaction =>
      app.get(Users).setSatellites(transaction, member.id, [other]),
    )
    expect(outcome(await logIn(app, member, origin))).toBe(WRONG)
    expect(outcome(await logIn(app, member, other))).toBe('200')
  })

  it('is named by its access tokens, as are the main site and apps', async () => {
    const origin = anOrigin()
    const { id } = await aSatellite(app, owner, origin)
    const member = await aMember(app, owner)
    const ofSatellite = await signIn(app, member, 'satellite', origin)
    expect(claimsOf(ofSatellite.accessToken)).toMatchObject({ client_id: id })
    expect(await claimsAfterRefresh(app, ofSatellite.sessionId)).toMatchObject({ client_id: id })
    expect(claimsOf((await signIn(app, member, 'main')).accessToken)).toMatchObject({ client_id: 'main' })
    const listed = await signIn(app, member, 'satellite', SHOP_ONE)
    expect(claimsOf(listed.accessToken)).toMatchObject({ client_id: SHOP_ONE })
    const app_ = await sendLogin(app, member, { source: 'satellite', Origin: [] })
    expect(claimsOf(app_.json?.accessToken as string)).toMatchObject({ client_id: 'mobile' })
  })

  it('ends nothing when it is suspended, but nothing goes on there until it is resumed', async () => {
    const origin = anOrigin()
    const satellite = await aSatellite(app, owner, origin)
    const elsewhere = anOrigin()
    await aSatellite(app, owner, elsewhere)
    const member = await aMember(app, owner)
    const here = await signIn(app, member, 'satellite', origin)
    const there = await signIn(app, member, 'satellite', elsewhere)
    await setSatelliteState(app, satellite, 'suspended')
    await app.get(Satellites).refresh()
    expect(await refresh(app, here.sessionId, origin)).toBe(REFUSED_BY_CORS)
    expect(await refresh(app, here.sessionId)).toBe(ENDED)
    expect(outcome(await readData(app, here.accessToken))).toBe('200')
    const sessions = { path: '/api/sessions', headers: bearer(here.accessToken) }
    expect(outcome(await app.request(sessions))).toBe(ENDED)
    expect(await refresh(app, there.sessionId, elsewhere)).toBe('200')
    const refused = await app.auditRows({ sid: claimsOf(here.accessToken).sid })
    expect(refused.at(-1)).toMatchObject({ action: 'refresh', detail: { reason: 'satellite closed' } })
    await setSatelliteState(app, satellite, 'active')
    await app.get(Satellites).refresh()
    expect(await refresh(app, here.sessionId, origin)).toBe('200')
  })

  it('that is suspended is open by no pattern of previews, and neither when it is removed', async () => {
    const parent = aParent()
    const [origin, pattern] = [`https://shop.${parent}`, `https://*.${parent}`]
    await aSatellite(app, owner, pattern, { kind: 'preview' })
    app.clock.advance(1)
    const satellite = await aSatellite(app, owner, origin)
    const member = await aMember(app, owner)
    const { sessionId } = await signIn(app, member, 'satellite', origin)
    await setSatelliteState(app, satellite, 'suspended')
    await app.get(Satellites).refresh()
    expect(await refresh(app, sessionId, origin)).toBe(REFUSED_BY_CORS)
    expect(await refresh(app, sessionId)).toBe(ENDED)
    await changed(registered => app.database.run(db => registered.remove(db, satellite.id)))
    expect(await refresh(app, sessionId, origin)).toBe(ENDED)
    expect(outcome(await logIn(app, member, origin))).toBe(WRONG)
  })

  it('in place of a listed one closes it for everybody when it is suspended', async () => {
    const satellite = await aSatellite(app, owner, SHOP_TWO)
    expect(outcome(await logIn(app, await aMember(app, stranger), SHOP_TWO))).toBe(WRONG)
    await setSatelliteState(app, satellite, 'suspended')
    await app.get(Satellites).refresh()
    expect(outcome(await logIn(app, await aMember(app, stranger), SHOP_TWO))).toBe(REFUSED_BY_CORS)
    await changed(registered => app.database.run(db => registered.remove(db, satellite.id)))
    expect(outcome(await logIn(app, await aMember(app, stranger), SHOP_TWO))).toBe('200')
  })

  it('of several patterns of previews the longest counts, whatever came first', async () => {
    const parent = aParent()
    const [short, long] = [`https://*.${parent}`, `https://shop-*.${parent}`]
    await aSatellite(app, owner, long, { kind: 'preview' })
    await aSatellite(app, owner, short, { kind: 'preview' })
    const at = (host: string) => app.get(Satellites).find(`https://${host}.${parent}`)?.origin
    expect([at('shop-1'), at('store-1')]).toEqual([long, short])
  })

  it('that is removed ends the sessions of its members, and another one does not revive them', async () => {
    const origin = anOrigin()
    const { id } = await aSatellite(app, owner, origin)
    const { sessionId } = await signIn(app, await aMember(app, owner), 'satellite', origin)
    await changed(registered => app.database.run(db => registered.remove(db, id)))
    expect(await refresh(app, sessionId)).toBe(ENDED)
    app.clock.advance(1)
    await aSatellite(app, owner, origin)
    expect(await refresh(app, sessionId, origin)).toBe(ENDED)
  })

  it('that moves to another account takes no session along, there or back', async () => {
    const origin = anOrigin()
    const { id } = await aSatellite(app, owner, origin)
    const { sessionId } = await signIn(app, await aMember(app, owner), 'satellite', origin)
    await changed(registered => app.database.run(db => registered.remove(db, id)))
    app.clock.advance(1)
    const moved = await aSatellite(app, stranger, origin)
    expect(await refresh(app, sessionId, origin)).toBe(ENDED)
    await changed(registered => app.database.run(db => registered.remove(db, moved.id)))
    await aSatellite(app, owner, origin)
    expect(await refresh(app, sessionId, origin)).toBe(ENDED)
  })

  it('bounds what its sessions may do, from their next refresh on', async () => {
    const origin = anOrigin()
    const { id } = await aSatellite(app, owner, origin, { ceiling: permissionsOf(['viewReports']) })
    const { accessToken, sessionId } = await signIn(app, owner, 'satellite', origin)
    const ofToken = ({ permissions }: Record<string, unknown>) => permissions
    expect(ofToken(claimsOf(accessToken))).toEqual(permissionsOf(['viewReports']))
    await changed(registered =>
      app.database.run(db =>
        registered.change(db, id, { ceiling: permissionsOf(['dataEntry', 'viewReports']) }),
      ),
    )
    expect(ofToken(await claimsAfterRefresh(app, sessionId))).toEqual(
      permissionsOf(['dataEntry', 'viewReports']),
    )
  })

  it('decides how long its sessions live, up to what the service allows', async () => {
    const [short, long] = [anOrigin(), anOrigin()]
    await aSatellite(app, owner, short, { sessionSeconds: 3_600 })
    await aSatellite(app, owner, long, { sessionSeconds: 10 * app.settings.sessionTtlSeconds })
    const member = await aMember(app, owner)
    const ofShort = await signIn(app, member, 'satellite', short)
    const ofLong = await signIn(app, member, 'satellite', long)
    app.clock.advance(3_570)
    expect(await refresh(app, ofShort.sessionId, short)).toBe('200')
    app.clock.advance(31)
    expect(await refresh(app, ofShort.sessionId, short)).toBe(ENDED)
    app.clock.advance(app.settings.sessionTtlSeconds - 3_601)
    expect(await refresh(app, ofLong.sessionId, long)).toBe(ENDED)
  })

  it('of previews takes one label, admits those who are named, and gives them eight hours', async () => {
    const pattern = `https://shop-*.previews-${made}.test`
    await aSatellite(app, owner, pattern, { kind: 'preview' })
    const page = pattern.replace('*', 'pr-17')
    const member = await aMember(app, owner)
    expect(outcome(await logIn(app, member, page))).toBe(WRONG)
    await app.database.transaction(transaction =>
      app.get(Users).setSatellites(transaction, member.id, [pattern]),
    )
    for (const origin of [pattern, page.replace('pr-17', 'a.b'), page.replace('shop-', 'x'), `${page}:8443`])
      expect([origin, outcome(await logIn(app, member, origin))]).toEqual([origin, REFUSED_BY_CORS])
    const { sessionId } = await signIn(app, member, 'satellite', page)
    app.clock.advance(8 * 3_600 - 30)
    expect(await refresh(app, sessionId, page)).toBe('200')
    expect(await refresh(app, sessionId, page.replace('pr-17', 'pr-18'))).toBe(ENDED)
    app.clock.advance(31)
    expect(await refresh(app, sessionId, page)).toBe(ENDED)
  })

  it('cannot be given to members of another account', async () => {
    const origin = anOrigin()
    await aSatellite(app, owner, origin)
    const invite = async (manager: User) => {
      const { accessToken, sessionId } = await signIn(app, manager, 'main')
      const member = await aMember(app, manager)
      return outcome(
        await app.request({
          method: 'PUT',
          path: `/api/team/${member.id}/satellites`,
          headers: { Origin: MAIN, ...bearer(accessToken), Cookie: `sessionId=${sessionId}` },
          body: { satellites: [origin] },
        }),
      )
    }
    expect(await invite(owner)).toBe('204')
    expect(await invite(stranger)).toBe('400 UNKNOWN_SATELLITE')
  })
})

describe('Two replicas', () => {
  let first: TestApp
  let second: TestApp
  beforeAll(async () => {
    first = await TestApp.start({ DATABASE_POOL_SIZE: '40' })
    second = await TestApp.start(first.stores)
  })
  afterAll(async () => {
    await second?.stop()
    await first?.stop()
  })

  slow('both learn of a new satellite, and of its suspension, by themselves', async () => {
    const origin = anOrigin()
    const owner = await anOwner(first)
    const satellite = await aSatellite(first, owner, origin)
    await eventually(() => second.get(Satellites).has(origin), { what: 'the other replica' })
    const { sessionId } = await signIn(second, await aMember(first, owner), 'satellite', origin)
    await setSatelliteState(first, satellite, 'suspended')
    for (const replica of [first, second])
      await eventually(async () => (await refresh(replica, sessionId, origin)) === REFUSED_BY_CORS)
    for (const replica of [first, second]) expect(await refresh(replica, sessionId)).toBe(ENDED)
  })

  onServers('change an account and a satellite of it at once, without a deadlock', async () => {
    const owner = await anOwner(first)
    const { id } = await aSatellite(first, owner, anOrigin())
    const session = await signIn(first, owner, 'main')
    const database = first.database
    const registered = first.get(RegisteredSatellites)
    const isWaiting = async () => (await first.query(sql`select from pg_locks where not granted`)).length > 0
    const ofAccount = await database.transaction(async transaction => {
      await registered.findLocked(transaction, owner.accountId, id)
      const answer = onMainSite(first, session, 'PATCH', '/api/account', { handoffRequired: 'everyone' })
      await eventually(isWaiting)
      await registered.change(transaction, id, { name: 'Another name' })
      return { answer }
    })
    expect(outcome(await ofAccount.answer)).toBe('200')
  })

  slow('forget a removed one, without reading all of them again', async () => {
    const owner = await anOwner(first)
    const [gone, stays] = [anOrigin(), anOrigin()]
    const { id } = await aSatellite(first, owner, gone)
    await aSatellite(first, owner, stays)
    const known = second.get(Satellites)
    await eventually(() => known.has(gone) && known.has(stays))
    // It may have read a row that is newer than the version it has noted, and reads that row once more.
    await known.refresh()
    const before = known.find(stays)
    await first.database.run(db => first.get(RegisteredSatellites).remove(db, id))
    await eventually(() => !known.has(gone))
    expect(known.find(stays)).toBe(before)
  })

  slow('that slept for longer than removals are kept read everything anew', async () => {
    const owner = await anOwner(first)
    const origins = [anOrigin(), anOrigin()]
    const ids: string[] = []
    for (const origin of origins) ids.push((await aSatellite(first, owner, origin)).id)
    const known = second.get(Satellites)
    await eventually(() => origins.every(origin => known.has(origin)))
    // As if it were asleep: it does not look before both removals, the first of which is forgotten by the second.
    await first.database.transaction(async db => {
      const registered = first.get(RegisteredSatellites)
      await registered.remove(db, ids[0] as string)
      await db.update(satelliteRemovals).set({ removedAt: new Date(0) })
      await registered.remove(db, ids[1] as string)
    })
    await eventually(() => origins.every(origin => !known.has(origin)))
  })

  slow('miss none of many changes at once', async () => {
    const owner = await anOwner(first)
    const origins = Array.from({ length: 40 }, anOrigin)
    // They queue up for one lock; on a busy machine some wait for longer than a statement may take.
    await Promise.all(origins.map(origin => eventually(() => aSatellite(first, owner, origin))))
    await eventually(() => origins.every(origin => second.get(Satellites).has(origin)))
  })
})

describe('With SATELLITES=registry', () => {
  const app = anApp({ SATELLITES: 'registry' })

  it('the list of the operator counts for nothing', async () => {
    const owner = await anOwner(app)
    expect(outcome(await logIn(app, owner, SHOP_ONE))).toBe(REFUSED_BY_CORS)
    const origin = anOrigin()
    await aSatellite(app, owner, origin)
    expect(outcome(await logIn(app, owner, origin))).toBe('200')
    const manager = await signIn(app, owner, 'main')
    const { json } = await onMainSite(app, manager, 'GET', '/api/team/satellites')
    expect(json.satellites.map((satellite: { origin: string }) => satellite.origin)).toEqual([origin])
  })
})
