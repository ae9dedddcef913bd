import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { aStamp } from '../../contracts/a-session.js'
import { stampSession } from '../../contracts/kept-session.js'
import {
  type DeviceId,
  handleOf,
  hashToken,
  KnownDevices,
  knownDevices,
  LoginAnomalyCheck,
  Passwords,
  type SessionId,
  SessionStore,
  type Source,
  type User,
  UserAdministration,
  Users,
  users,
} from '../../sources.js'
import { giveTotp } from '../../support/factors.js'
import type { TestResponse } from '../../support/http-request.js'
import { cityRecord, mmdbFile } from '../../support/mmdb-file.js'
import { aMember, anEmail, anOwner, PASSWORD, sendLogin } from '../../support/people.js'
import { MAIN, SHOP_ONE, TestApp, USUAL_BACKEND } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { callsWithin } from '../support/calls-within.js'
import { onMainSite, reauthenticate } from '../support/reauthenticate.js'
import { untilCopied } from '../support/until-copied.js'

const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/'
const WINDOWS = `${CHROME}140.0.0.0 Safari/537.36`
const WINDOWS_UPDATED = `${CHROME}141.0.0.0 Safari/537.36`
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Mobile/15E148 Safari/604.1'

const NEW_PASSWORD = 'quite another password indeed'

const HOME = '203.0.113.7'
const NEXT_DOOR = '203.0.113.99'
const NEW_YORK = '198.51.100.7'
const OFFICE = '192.0.2.7'
const MOBILE = '2001:db8:1:2::7'

const QUARTER_OF_AN_HOUR = 900
const DAY = 24 * 3600

/** What a request comes from. */
interface From {
  ip?: string
  userAgent?: string
  /** The value of the device cookie. */
  device?: string
}

let folder: string
let geoIpFile: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mainstay-geoip-'))
  geoIpFile = join(folder, 'cities.mmdb')
  const zurich = cityRecord('Zürich', 'Switzerland', 47.3769, 8.5417)
  const networks = {
    '203.0.113.0/24': zurich,
    '192.0.2.0/24': zurich,
    '198.51.100.0/24': cityRecord('New York', 'United States', 40.7128, -74.006),
  }
  await writeFile(geoIpFile, mmdbFile(networks))
})
afterAll(() => rm(folder, { recursive: true }))

describe('anomalies', () => {
  let app: TestApp
  afterAll(() => app?.stop())
  afterEach(() => {
    jest.restoreAllMocks()
  })

  async function start(environment: Record<string, string> = {}): Promise<void> {
    await app?.stop()
    app = await startApp(environment)
  }

  function headersOf({ ip = HOME, userAgent = WINDOWS }: From): Record<string, string> {
    return { 'X-Forwarded-For': ip, 'User-Agent': userAgent }
  }

  function tryLogin(user: Pick<User, 'email'>, from: From = {}, source: Source = 'main') {
    const device = from.device !== undefined && { Cookie: `__Host-device=${from.device}` }
    return sendLogin(app, user, { source, ...headersOf(from), ...device })
  }

  /** The sessionId. */
  async function logIn(user: Pick<User, 'email'>, from: From = {}, source: Source = 'main') {
    const answer = await tryLogin(user, from, source)
    expect(outcome(answer)).toBe('200')
    const inCookie = /^sessionId=([^;]*)/.exec(answer.setCookies[0] ?? '')?.[1]
    return (answer.json.sessionId ?? inCookie) as SessionId
  }

  /** The device id that the browser has after logging in. */
  async function deviceOf(user: Pick<User, 'email'>, from: From = {}): Promise<string> {
    const answer = await tryLogin(user, from)
    expect(outcome(answer)).toBe('200')
    return deviceCookieOf(answer)
  }

  function refresh(sessionId: SessionId, from: From = {}): Promise<TestResponse> {
    const headers = { Origin: MAIN, Cookie: `sessionId=${sessionId}`, ...headersOf(from) }
    return app.post('/api/refresh', undefined, headers)
  }

  function notMe(token: string): Promise<TestResponse> {
    const headers = { Origin: MAIN, ...headersOf({ ip: MOBILE }) }
    return app.post('/api/sessions/not-me', { token }, headers)
  }

  async function anomaliesOf({ id }: User) {
    const rows = await app.auditRows({ userId: id, action: 'session.anomaly' })
    return rows.map(({ outcome, detail, sid, ip }) => ({ outcome, sid, ip, ...detail }))
  }

  async function subjectsTo({ email }: User): Promise<string[]> {
    return (await app.mailsTo(email)).map(({ subject }) => subject)
  }

  function sessionOf(sessionId: SessionId) {
    return app.get(SessionStore).find(handleOf(sessionId), app.clock.now())
  }

  describe('as usual', () => {
    beforeAll(() => start())

    describe('a login', () => {
      it('is no news when it is the first of a user', async () => {
        const user = await anOwner(app)
        await logIn(user)
        expect(await subjectsTo(user)).toEqual([])
        expect(await anomaliesOf(user)).toEqual([])
      })

      it('mails about a new device once, and never again', async () => {
        const user = await anOwner(app)
        await logIn(user)
        const sessionId = await logIn(user, { userAgent: IPHONE })
        await logIn(user, { userAgent: IPHONE })
        await logIn(user)
        expect(await subjectsTo(user)).toEqual(['New login at Mainstay: Safari on iPhone'])
        expect(await anomaliesOf(user)).toEqual([
          {
            outcome: 'ok',
            sid: handleOf(sessionId),
            ip: HOME,
            at: 'login',
            score: 40,
            reasons: ['new device'],
            actions: ['log'],
          },
        ])
      })

      it('counts as a later one after more than 400 days, and is mailed', async () => {
        const user = await anOwner(app)
        await logIn(user)
        app.clock.advance(401 * DAY)
        await logIn(user, { ip: NEW_YORK, userAgent: IPHONE })
        expect(await subjectsTo(user)).toEqual([expect.stringMatching(/^New login/)])
      })

      slow('mails nothing about the first one after a reset link', async () => {
        const user = await anOwner(app)
        const headers = { Origin: MAIN, ...headersOf({}) }
        const post = (path: string, body: object) => app.post(path, body, headers)
        await post('/api/password/forgot', { email: user.email })
        const token = await app.mailedToken(user.email)
        expect(outcome(await post('/api/password/reset', { token, password: PASSWORD }))).toBe('200')
        await logIn(user)
        expect((await subjectsTo(user)).filter(subject => subject.startsWith('New login'))).toEqual([])
      })

      it('mails the name of a new device, place, time and site', async () => {
        const user = await anOwner(app)
        await logIn(user)
        await logIn(user, { userAgent: IPHONE }, 'satellite')
        const [mail] = await app.mailsTo(user.email)
        expect(mail?.subject).toBe('New login at shop-one.test: Safari on iPhone')
        const day = app.clock.now().toLocaleDateString('en-GB', {
          ...{ day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' },
        } as const)
        expect(mail?.text).toContain('Device: Safari on iPhone\nPlace: in or near Zürich, Switzerland\n')
        expect(mail?.text).toMatch(new RegExp(`Time: ${day}, \\d\\d:\\d\\d UTC\\n`))
        expect(mail?.text).toMatch(/This was not me:\s+https:\/\/www\.main\.test\/not-me#token=[\w-]{43}\n/)
        expect(mail?.html).toContain('https://www.main.test/not-me#token=')
      })

      it('mentions no place that is not known', async () => {
        const user = await anOwner(app)
        await logIn(user)
        await logIn(user, { userAgent: IPHONE, ip: MOBILE })
        expect((await app.mailsTo(user.email))[0]?.text).toContain('Device: Safari on iPhone\nTime: ')
      })

      it('does not count a newer browser version or the next address as new', async () => {
        const user = await anOwner(app)
        await logIn(user)
        await logIn(user, { userAgent: WINDOWS_UPDATED, ip: NEXT_DOOR })
        expect(await subjectsTo(user)).toEqual([])
        expect(await anomaliesOf(user)).toEqual([])
      })

      it('only logs a new network of a known device, once', async () => {
        const user = await anOwner(app)
        const device = await deviceOf(user)
        for (let times = 0; times < 2; times++) await logIn(user, { ip: OFFICE, device })
        expect(await subjectsTo(user)).toEqual([])
        expect(await anomaliesOf(user)).toMatchObject([{ score: 20, reasons: ['new network'] }])
      })

      it('counts a distance faster than anybody travels for more, and not the next day', async () => {
        const hasty = await anOwner(app)
        const patient = await anOwner(app)
        const devices = { hasty: await deviceOf(hasty), patient: await deviceOf(patient) }
        app.clock.advance(3600)
        await logIn(hasty, { ip: NEW_YORK, device: devices.hasty })
        app.clock.advance(DAY)
        await logIn(patient, { ip: NEW_YORK, device: devices.patient })
        expect(await anomaliesOf(hasty)).toMatchObject([
          { score: 55, reasons: ['new network', 'impossible speed'] },
        ])
        expect(await anomaliesOf(patient)).toMatchObject([{ score: 20, reasons: ['new network'] }])
      })

      it('says so when it comes from the other address family', async () => {
        const user = await anOwner(app)
        const device = await deviceOf(user)
        await logIn(user, { ip: MOBILE, device })
        expect(await anomaliesOf(user)).toMatchObject([
          { score: 25, reasons: ['new network', 'changed address family'] },
        ])
      })

      it('teaches nothing when the password is wrong', async () => {
        const user = await anOwner(app)
        await logIn(user)
        await sendLogin(app, user, { password: 'wrong', ...headersOf({ userAgent: IPHONE, ip: NEW_YORK }) })
        expect(await app.get(KnownDevices).knowsNetwork(user.id, NEW_YORK)).toBe(false)
        expect(await subjectsTo(user)).toEqual([])
        await logIn(user, { userAgent: IPHONE, ip: NEW_YORK })
        expect(await subjectsTo(user)).toHaveLength(1)
      })

      it('on a device of another user is still a stranger, also in the same account', async () => {
        const owner = await anOwner(app)
        const member = await aMember(app, owner)
        for (const user of [owner, member]) await logIn(user)
        await logIn(owner, { userAgent: IPHONE })
        await logIn(member, { userAgent: IPHONE })
        expect(await subjectsTo(member)).toHaveLength(1)
      })

      it('mails about one of many simultaneous logins on a new device', async () => {
        const user = await anOwner(app)
        await logIn(user)
        await Promise.all(Array.from({ length: 8 }, () => logIn(user, { userAgent: IPHONE })))
        expect(await subjectsTo(user)).toHaveLength(1)
      })

      it('runs no statement of its own where everything is known', async () => {
        const user = await anOwner(app)
        const device = await deviceOf(user)
        const check = jest.spyOn(app.get(LoginAnomalyCheck), 'notifyOpened')
        await logIn(user, { device })
        const watch = () =>
          app
            .get(LoginAnomalyCheck)
            .notifyOpened(...(check.mock.calls[0] as Parameters<LoginAnomalyCheck['notifyOpened']>))
        expect(await callsWithin(app.database, 'run', watch)).toBe(0)
      })

      slow('sends at most ten mails a day, whatever somebody with the password does', async () => {
        const user = await anOwner(app)
        await logIn(user)
        for (let number = 0; number < 12; number++)
          await logIn(user, { userAgent: `App${'x'.repeat(number)}/1` })
        expect(await subjectsTo(user)).toHaveLength(10)
        app.clock.advance(DAY)
        await logIn(user, { userAgent: 'Another/1' })
        expect(await subjectsTo(user)).toHaveLength(11)
      })

      slow('mails an address whatever was mailed to an earlier one, perhaps a thief’s', async () => {
        const user = await anOwner(app)
        await logIn(user)
        for (let number = 0; number < 10; number++)
          await logIn(user, { userAgent: `App${'x'.repeat(number)}/1` })
        const email = anEmail()
        await app.database.run(db => db.update(users).set({ email }).where(eq(users.id, user.id)))
        await logIn({ email }, { userAgent: 'Another/1' })
        expect(await subjectsTo({ ...user, email })).toHaveLength(1)
      })
    })

    describe('known devices', () => {
      it.each([
        [NEXT_DOOR, true],
        [`::ffff:${HOME}`, true],
        [OFFICE, false],
        ['2001:db8:1:ffff::1', true],
        ['2001:db8:2::1', false],
      ])('know the network of %s: %s', async (ip, isKnown) => {
        const user = await anOwner(app)
        await logIn(user)
        await logIn(user, { ip: MOBILE })
        expect(await app.get(KnownDevices).knowsNetwork(user.id, ip)).toBe(isKnown)
        const stranger = await anOwner(app)
        expect(await app.get(KnownDevices).knowsNetwork(stranger.id, ip)).toBe(false)
      })

      it('are forgotten after 400 days without a login from there', async () => {
        const user = await anOwner(app)
        await logIn(user)
        app.clock.advance(399 * DAY)
        await logIn(user, { userAgent: IPHONE, ip: OFFICE })
        expect(await valuesOf(user)).toContain('203.0.113.0/24')
        app.clock.advance(2 * DAY)
        await logIn(user, { userAgent: IPHONE, ip: OFFICE })
        expect(await valuesOf(user)).toEqual(['192.0.2.0/24', 'Safari on iPhone'])
      })

      slow('count as new when they are seen again after more than 400 days', async () => {
        const user = await anOwner(app)
        await logIn(user)
        app.clock.advance(401 * DAY)
        expect(await app.get(KnownDevices).knowsNetwork(user.id, HOME)).toBe(false)
        await logIn(user)
        await logIn(user)
        expect(await subjectsTo(user)).toEqual(['New login at Mainstay: Chrome on Windows'])
        expect(await app.get(KnownDevices).knowsNetwork(user.id, HOME)).toBe(true)
        app.clock.advance(401 * DAY)
        await Promise.all(Array.from({ length: 8 }, () => logIn(user)))
        expect(await subjectsTo(user)).toHaveLength(2)
      })

      it('that are remembered again after more than 400 days are among what is new since then', async () => {
        const user = await anOwner(app)
        await logIn(user)
        app.clock.advance(401 * DAY)
        const since = app.clock.now()
        await app.database.transaction(async transaction => {
          await app.get(KnownDevices).rememberNetwork(transaction, user.id, HOME)
          await app.get(KnownDevices).forgetSince(transaction, user.id, since)
        })
        expect(await app.get(KnownDevices).knowsNetwork(user.id, HOME)).toBe(false)
      })

      it('are forgotten with the user who is removed', async () => {
        const [user, other] = [await anOwner(app), await anOwner(app)]
        for (const each of [user, other]) await logIn(each)
        await app.database.transaction(db => app.get(KnownDevices).forgetUsers(db, [user.id]))
        expect(await rowsOf(user)).toEqual([])
        expect(await rowsOf(other)).toHaveLength(3)
      })
    })

    /** As a login does, in its transaction. */
    function remember(userId: string, origin: Parameters<KnownDevices['compare']>[1]) {
      const known = app.get(KnownDevices)
      return app.database.transaction(transaction => known.remember(transaction, userId, origin))
    }

    async function rowsOf({ id }: User) {
      const rows = await app.database.run(db => db.select().from(knownDevices))
      return rows.filter(({ userId }) => userId === id)
    }

    async function valuesOf(user: User): Promise<string[]> {
      const rows = (await rowsOf(user)).filter(({ kind }) => kind !== 'device id')
      return rows.map(({ value }) => value).sort()
    }

    describe('security M6: a device id', () => {
      it('is mailed about once when it is unknown, of a known kind, on a new network', async () => {
        const user = await anOwner(app)
        await logIn(user)
        const device = await deviceOf(user, { ip: OFFICE })
        await logIn(user, { ip: NEW_YORK, device })
        await logIn(user, { ip: OFFICE })
        expect(await subjectsTo(user)).toEqual(['New login at Mainstay: Chrome on Windows'])
        expect((await app.mailsTo(user.email))[0]?.text).toContain(
          'from a device that you have not used before',
        )
        expect((await anomaliesOf(user))[0]).toMatchObject({
          score: 40,
          reasons: ['new network', 'new device id'],
        })
      })

      it('spares the mailbox a new network of a known device, and is kept', async () => {
        const user = await anOwner(app)
        const device = await deviceOf(user)
        for (const ip of [OFFICE, MOBILE]) expect(await deviceOf(user, { ip, device })).toBe(device)
        expect(await subjectsTo(user)).toEqual([])
      })

      it('is no news when it is unknown on a known network', async () => {
        const user = await anOwner(app)
        const device = await deviceOf(user)
        expect(await deviceOf(user, { ip: NEXT_DOOR })).not.toBe(device)
        expect(await subjectsTo(user)).toEqual([])
        expect(await anomaliesOf(user)).toEqual([])
      })

      it('comes as a cookie of its own, for this host alone, beside that of the session', async () => {
        const { setCookies } = await tryLogin(await anOwner(app))
        expect(setCookies).toHaveLength(2)
        const [pair, ...attributes] = setCookies[1]!.split('; ')
        expect(pair).toMatch(/^__Host-device=[\w-]{43}$/)
        expect(attributes.sort()).toEqual([
          'HttpOnly',
          'Max-Age=31536000',
          'Path=/',
          'SameSite=Lax',
          'Secure',
        ])
      })

      it.each([
        ['made up', () => 'A'.repeat(43)],
        ['too long', (own: string) => `${own}A`],
        ['far too long', () => 'A'.repeat(2_000)],
        ['of other letters', (own: string) => `${own.slice(1)}*`],
        ['one of two cookies', (own: string) => `${own}; __Host-device=${own}`],
        ['empty', () => ''],
      ])('counts for nothing when it is %s, and is replaced', async (_, presented) => {
        const user = await anOwner(app)
        const own = await deviceOf(user)
        const device = presented(own)
        const given = await deviceOf(user, { ip: OFFICE, device })
        expect(given).toMatch(/^[\w-]{43}$/)
        expect([own, device]).not.toContain(given)
        expect(await subjectsTo(user)).toHaveLength(1)
      })

      it('is kept when it belongs to another user of the browser, and is as new', async () => {
        const [user, other] = [await anOwner(app), await anOwner(app)]
        const device = await deviceOf(other)
        await logIn(user)
        expect(await deviceOf(user, { ip: OFFICE, device })).toBe(device)
        expect(await subjectsTo(user)).toHaveLength(1)
        await logIn(user, { ip: NEW_YORK, device })
        expect(await subjectsTo(user)).toHaveLength(1)
      })

      slow('is forgotten by "this was not me": the next login with it is mailed again', async () => {
        const user = await anOwner(app)
        await logIn(user)
        app.clock.advance(60)
        const device = await deviceOf(user, { ip: OFFICE })
        expect(outcome(await notMe(await app.mailedToken(user.email)))).toBe('204')
        expect((await rowsOf(user)).filter(({ kind }) => kind === 'device id')).toEqual([])
        const headers = { Origin: MAIN, ...headersOf({}) }
        const body = { token: await app.mailedToken(user.email), password: PASSWORD }
        await app.post('/api/password/reset', body, headers)
        await logIn(user, { ip: NEW_YORK, device })
        expect((await subjectsTo(user)).filter(subject => subject.startsWith('New login'))).toHaveLength(2)
      })

      slow('is still new to a simultaneous login that only compares it, and afterwards', async () => {
        const known = app.get(KnownDevices)
        for (let round = 0; round < 10; round++) {
          const user = await anOwner(app)
          await remember(user.id, { device: 'Chrome on Windows', ip: HOME, deviceId: undefined })
          const strange = { device: 'Safari on iPhone', ip: NEW_YORK, deviceId: undefined }
          const all = await Promise.all([
            known.compare(user.id, strange),
            remember(user.id, strange),
            known.compare(user.id, { ...strange, ip: OFFICE }),
          ])
          expect(all[1].known).toMatchObject({ device: false, network: false })
          expect(await known.knowsNetwork(user.id, OFFICE)).toBe(false)
        }
      })

      slow(
        'may have any name; of more than 50 names those seen least lately go, and no network',
        async () => {
          const user = await anOwner(app)
          for (let count = 0; count < 53; count++) {
            app.clock.advance(1)
            await remember(user.id, {
              device: `Browser ${count}`,
              ip: `198.51.${count}.1`,
              deviceId: undefined,
            })
          }
          const rows = await rowsOf(user)
          const devices = rows.filter(({ kind }) => kind === 'device').map(({ value }) => value)
          expect(devices.sort()).toEqual(
            Array.from({ length: 50 }, (_, count) => `Browser ${count + 3}`).sort(),
          )
          expect(rows.filter(({ kind }) => kind === 'network')).toHaveLength(53)
        },
      )

      slow('is kept as a hash; of more than 50 those seen least lately go', async () => {
        const user = await anOwner(app)
        const from = { device: 'Chrome on Windows', ip: HOME, deviceId: null }
        const given: DeviceId[] = []
        for (let count = 0; count < 53; count++) {
          app.clock.advance(1)
          const { deviceId } = await remember(user.id, from)
          given.push(deviceId as DeviceId)
        }
        const kept = (await rowsOf(user)).filter(({ kind }) => kind === 'device id')
        expect(kept.map(({ value }) => value).sort()).toEqual(given.slice(3).map(hashToken).sort())
        for (const id of given.slice(0, 3))
          expect(await remember(user.id, { ...from, deviceId: id })).not.toMatchObject({
            deviceId: id,
          })
        const last = given.at(-1) as DeviceId
        expect(await remember(user.id, { ...from, deviceId: last })).toMatchObject({
          deviceId: last,
          known: { deviceId: true },
        })
      })

      describe('of a satellite or an app', () => {
        function logInElsewhere({ email }: User, ip: string, deviceId?: unknown) {
          const headers = { Origin: SHOP_ONE, ...headersOf({ ip }) }
          const body = { email, password: PASSWORD, source: 'satellite', deviceId }
          return app.post('/api/login', body, headers)
        }

        it('comes in the body when a client asks for one, and is not answered again when sent back', async () => {
          const user = await anOwner(app)
          const first = await logInElsewhere(user, HOME, null)
          expect(first.setCookies).toEqual([])
          const { deviceId } = first.json
          expect(deviceId).toMatch(/^[\w-]{43}$/)
          const second = await logInElsewhere(user, OFFICE, deviceId)
          expect(Object.keys(second.json).sort()).toEqual(['accessToken', 'sessionId'])
          expect(await subjectsTo(user)).toEqual([])
          const forged = await logInElsewhere(user, NEW_YORK, 'A'.repeat(43))
          expect(forged.json.deviceId).toMatch(/^(?!A{43})[\w-]{43}$/)
          expect(await subjectsTo(user)).toEqual(['New login at shop-one.test: Chrome on Windows'])
        })

        it('is not given to a client that stores none, which is a stranger on every new network', async () => {
          const user = await anOwner(app)
          for (const ip of [HOME, OFFICE, OFFICE])
            expect(Object.keys((await logInElsewhere(user, ip)).json)).not.toContain('deviceId')
          expect(await subjectsTo(user)).toHaveLength(1)
          expect((await rowsOf(user)).map(({ kind }) => kind)).not.toContain('device id')
        })

        it('is not read from the cookie of the main site', async () => {
          const user = await anOwner(app)
          const device = await deviceOf(user)
          const answer = await tryLogin(user, { ip: OFFICE, device }, 'satellite')
          expect(answer.setCookies).toEqual([])
          expect(await subjectsTo(user)).toHaveLength(1)
        })

        it('is refused with 400 when malformed', async () => {
          const user = await anOwner(app)
          const malformed = [42, 'A'.repeat(42), 'A'.repeat(44), '', ['A'.repeat(43)], `${'A'.repeat(42)}=`]
          for (const deviceId of malformed)
            expect([deviceId, outcome(await logInElsewhere(user, HOME, deviceId))]).toEqual([
              deviceId,
              '400 INVALID_BODY',
            ])
        })
      })
    })

    describe('a refresh', () => {
      it('makes one call of the store and none of the database where nothing has changed', async () => {
        const sessionId = await logIn(await anOwner(app))
        await untilCopied(app, sessionId, () => refresh(sessionId))
        await app.auditRows()
        const store = app.get(SessionStore)
        const touch = jest.spyOn(store, 'touch')
        const names = ['find', 'updateClient', 'stampReauthentication', 'voidAuthentication'] as const
        const others = names.map(name => jest.spyOn(store, name))
        const statements = await callsWithin(app.database, 'run', async () => {
          for (const ip of [HOME, NEXT_DOOR]) {
            const headers = { Origin: MAIN, Cookie: `sessionId=${sessionId}`, ...headersOf({ ip }) }
            const answer = await app.app.inject({ method: 'POST', url: '/api/refresh', headers })
            expect(answer.statusCode).toBe(200)
          }
        })
        expect(touch).toHaveBeenCalledTimes(2)
        for (const other of others) expect(other).not.toHaveBeenCalled()
        expect(statements).toBe(USUAL_BACKEND === 'embedded' ? 2 : 0)
      })

      it('logs a new network once, and not at each refresh that follows', async () => {
        const user = await anOwner(app)
        const sessionId = await logIn(user)
        for (let times = 0; times < 3; times++) {
          app.clock.advance(QUARTER_OF_AN_HOUR)
          expect(outcome(await refresh(sessionId, { ip: OFFICE }))).toBe('200')
        }
        expect(await anomaliesOf(user)).toEqual([
          {
            outcome: 'ok',
            sid: handleOf(sessionId),
            ip: OFFICE,
            at: 'refresh',
            score: 10,
            reasons: ['changed network'],
            actions: ['log'],
          },
        ])
        expect(await sessionOf(sessionId)).toMatchObject({ ip: OFFICE })
      })

      it('logs one of many simultaneous refreshes from another network', async () => {
        const user = await anOwner(app)
        const sessionId = await logIn(user)
        const answers = await Promise.all(
          Array.from({ length: 10 }, () => refresh(sessionId, { ip: OFFICE, userAgent: IPHONE })),
        )
        expect(new Set(answers.map(outcome))).toEqual(new Set(['200']))
        expect(await anomaliesOf(user)).toHaveLength(1)
        expect(await subjectsTo(user)).toHaveLength(1)
      })

      it('counts a browser update as nothing unusual, and notes it', async () => {
        const user = await anOwner(app)
        const sessionId = await logIn(user)
        expect(outcome(await refresh(sessionId, { userAgent: WINDOWS_UPDATED }))).toBe('200')
        expect(await anomaliesOf(user)).toEqual([])
        expect((await sessionOf(sessionId))?.userAgent).toContain('Chrome/141')
      })

      it('continues without a mail as a phone changes between Wi-Fi and mobile network', async () => {
        const user = await anOwner(app)
        const sessionId = await logIn(user, { userAgent: IPHONE })
        for (const ip of [MOBILE, HOME, MOBILE, HOME, MOBILE]) {
          app.clock.advance(QUARTER_OF_AN_HOUR)
          expect(outcome(await refresh(sessionId, { ip, userAgent: IPHONE }))).toBe('200')
        }
        expect(await subjectsTo(user)).toEqual([])
      })

      it('measures the speed from the use before it', async () => {
        const user = await anOwner(app)
        const sessionId = await logIn(user)
        app.clock.advance(DAY)
        await refresh(sessionId)
        app.clock.advance(QUARTER_OF_AN_HOUR)
        await refresh(sessionId, { ip: NEW_YORK })
        app.clock.advance(DAY)
        await refresh(sessionId)
        expect(await anomaliesOf(user)).toMatchObject([
          { ip: NEW_YORK, score: 45, reasons: ['changed network', 'impossible speed'] },
          { ip: HOME, score: 10, reasons: ['changed network'] },
        ])
      })

      it('mails about another kind of device and network once a day, and requires a new proof', async () => {
        const user = await anOwner(app)
        const sessionId = await logIn(user)
        const now = app.clock.now()
        await stampSession(app.database, app.get(SessionStore), handleOf(sessionId), aStamp(now), now)
        const stolen = { ip: OFFICE, userAgent: IPHONE }
        expect(outcome(await refresh(sessionId, stolen))).toBe('200')
        expect(await sessionOf(sessionId)).toMatchObject({ reauthenticatedAt: null })
        for (const from of [{}, stolen, {}, stolen]) await refresh(sessionId, from)
        expect(await subjectsTo(user)).toEqual(['Unusual activity at Mainstay'])
        expect(await anomaliesOf(user)).toHaveLength(5)
        expect((await anomaliesOf(user))[0]).toMatchObject({
          score: 60,
          actions: ['log', 'notify', 'reauthenticate'],
        })
        expect((await app.mailsTo(user.email))[0]?.text).toContain(
          'Device: Safari on iPhone\nPlace: in or near Zürich, Switzerland\n',
        )
      })

      it('keeps the re-authentication below that score', async () => {
        const sessionId = await logIn(await anOwner(app))
        const now = new Date(Math.floor(app.clock.now().getTime() / 1000) * 1000)
        await stampSession(app.database, app.get(SessionStore), handleOf(sessionId), aStamp(now), now)
        await refresh(sessionId, { ip: MOBILE })
        expect(await sessionOf(sessionId)).toMatchObject({ reauthenticatedAt: now })
      })
    })

    describe('"this was not me"', () => {
      it('forgets all that was first used since the first login that was mailed and not reported', async () => {
        const user = await anOwner(app)
        await logIn(user)
        app.clock.advance(60)
        await logIn(user, { userAgent: IPHONE, ip: NEW_YORK })
        const first = await app.mailedToken(user.email)
        app.clock.advance(60)
        await logIn(user, { userAgent: IPHONE, ip: OFFICE })
        expect(outcome(await notMe(first))).toBe('204')
        const known = app.get(KnownDevices)
        expect(
          await Promise.all([HOME, NEW_YORK, OFFICE].map(ip => known.knowsNetwork(user.id, ip))),
        ).toEqual([true, false, false])
      })

      it('ends all sessions of the user, starts a reset and forgets device and network', async () => {
        const user = await anOwner(app)
        const own = await logIn(user)
        app.clock.advance(60)
        const stolen = await logIn(user, { userAgent: IPHONE, ip: NEW_YORK })
        const answer = await notMe(await app.mailedToken(user.email))
        expect([outcome(answer), answer.text]).toEqual(['204', ''])
        for (const sessionId of [own, stolen])
          expect(outcome(await refresh(sessionId))).toBe('401 SESSION_NOT_FOUND')
        expect((await app.mailsTo(user.email)).at(-1)?.text).toContain('/reset-password#token=')
        expect(await app.get(KnownDevices).knowsNetwork(user.id, NEW_YORK)).toBe(false)
        expect(await app.get(KnownDevices).knowsNetwork(user.id, HOME)).toBe(true)
        expect(await app.auditRows({ userId: user.id, action: 'session.revoke' })).toMatchObject([
          { outcome: 'ok', sid: handleOf(stolen), ip: MOBILE, detail: { reason: 'not me' } },
        ])
        // Whoever comes from there is a stranger again.
        expect(outcome(await reset(await app.mailedToken(user.email), PASSWORD))).toBe('200')
        await logIn(user, { userAgent: IPHONE, ip: NEW_YORK })
        expect((await subjectsTo(user)).at(-1)).toBe('New login at Mainstay: Safari on iPhone')
      })

      it('security M1: takes the password away at once', async () => {
        const { user } = await aStolenSession()
        expect(outcome(await notMe(await app.mailedToken(user.email)))).toBe('204')
        expect(outcome(await tryLogin(user))).toBe('401 INVALID_CREDENTIALS')
        expect((await app.get(Users).find(user.id))?.passwordHash).toBeNull()
      })

      it('security M1: brings the address back that it was mailed to, and mails the new password there', async () => {
        const { user, token, theirs } = await aStolenAddress()
        const before = await app.mailsTo(theirs)
        expect(outcome(await notMe(token))).toBe('204')
        expect((await app.get(Users).find(user.id))?.email).toBe(user.email)
        const [told, ...others] = (await app.mailsTo(theirs)).slice(before.length)
        expect(others).toEqual([])
        expect(told?.text).toContain('uses its previous e-mail address again')
        expect(told?.text).not.toContain('#token=')
        expect(outcome(await reset(await app.mailedToken(user.email), NEW_PASSWORD))).toBe('200')
      })

      slow('security M1: does nothing for a thief at an address that was taken back', async () => {
        const { user, token, theirs } = await aStolenAddress()
        await logIn({ ...user, email: theirs }, { userAgent: 'curl/8.5.0', ip: NEW_YORK })
        const ofThief = await app.mailedToken(theirs)
        expect(outcome(await notMe(token))).toBe('204')
        expect(outcome(await reset(await app.mailedToken(user.email), NEW_PASSWORD))).toBe('200')
        expect(outcome(await notMe(ofThief))).toBe('400 INVALID_LINK')
        expect((await app.get(Users).find(user.id))?.email).toBe(user.email)
        expect(outcome(await sendLogin(app, user, { password: NEW_PASSWORD }))).toBe('200')
      })

      it('returns the account to a disabled user, but mails no new password', async () => {
        const { user, sessionId } = await aStolenSession()
        const token = await app.mailedToken(user.email)
        await app.get(UserAdministration).disable(user)
        const before = await subjectsTo(user)
        expect(outcome(await notMe(token))).toBe('204')
        expect(await subjectsTo(user)).toEqual(before)
        await app.get(UserAdministration).enable(user)
        expect(outcome(await refresh(sessionId))).toBe('401 SESSION_NOT_FOUND')
        expect(outcome(await tryLogin(user))).toBe('401 INVALID_CREDENTIALS')
        expect((await app.get(Users).find(user.id))?.passwordHash).toBeNull()
      })

      it('works once', async () => {
        const { user } = await aStolenSession()
        const token = await app.mailedToken(user.email)
        const answers = await Promise.all([notMe(token), notMe(token), notMe(token)])
        expect(answers.map(outcome).sort()).toEqual(['204', '400 INVALID_LINK', '400 INVALID_LINK'])
        expect(outcome(await notMe(token))).toBe('400 INVALID_LINK')
        expect((await subjectsTo(user)).length).toBe(2)
      })

      it('works for seven days, also when the session has ended', async () => {
        const late = await aStolenSession()
        const inTime = await aStolenSession()
        const tokens = [await app.mailedToken(late.user.email), await app.mailedToken(inTime.user.email)]
        await app.get(UserAdministration).endSessions(inTime.user)
        app.clock.advance(7 * DAY - 60)
        expect(outcome(await notMe(tokens[1] as string))).toBe('204')
        app.clock.advance(61)
        expect(outcome(await notMe(tokens[0] as string))).toBe('400 INVALID_LINK')
      })

      it('refuses a token or a body that is none', async () => {
        for (const token of ['', 'x', 'A'.repeat(43), 'A'.repeat(100)])
          expect([token, outcome(await notMe(token))]).toEqual([token, '400 INVALID_LINK'])
        for (const body of [{}, { token: 1 }, { token: 'A'.repeat(101) }, { token: 'A', more: 1 }])
          expect([body, outcome(await app.post('/api/sessions/not-me', body))]).toEqual([
            body,
            '400 INVALID_BODY',
          ])
      })

      it('accepts no link for another purpose, and its own link serves no other', async () => {
        const { user } = await aStolenSession()
        const token = await app.mailedToken(user.email)
        const headers = { Origin: MAIN }
        const body = { token, password: 'quite another password indeed' }
        const reset = await app.post('/api/password/reset', body, headers)
        expect(outcome(reset)).toBe('400 INVALID_LINK')
        expect(outcome(await notMe(token))).toBe('204')
        expect(outcome(await notMe(await app.mailedToken(user.email)))).toBe('400 INVALID_LINK')
      })

      function reset(token: string, password: string): Promise<TestResponse> {
        const headers = { Origin: MAIN, ...headersOf({}) }
        const body = { token, password }
        return app.post('/api/password/reset', body, headers)
      }

      /** The thief has given the user an address of theirs; `token` is of the mail that told the user of the thief's login. */
      async function aStolenAddress() {
        const { user, sessionId } = await aStolenSession()
        const token = await app.mailedToken(user.email)
        const theirs = anEmail()
        const { accessToken } = (await refresh(sessionId, { userAgent: IPHONE })).json
        const session = { accessToken, sessionId }
        await reauthenticate(app, session)
        await onMainSite(app, session, 'POST', '/api/email/change', { email: theirs })
        const body = { token: await app.mailedToken(theirs) }
        expect(outcome(await onMainSite(app, session, 'POST', '/api/email/confirm', body))).toBe('204')
        return { user, token, theirs }
      }

      async function aStolenSession() {
        const user = await anOwner(app)
        await logIn(user)
        return { user, sessionId: await logIn(user, { userAgent: IPHONE }) }
      }
    })
  })

  describe('where the policy revokes', () => {
    beforeAll(() => start({ ANOMALY_POLICY: 'notify:90,revoke:90', LOG_LEVEL: 'error' }))

    it('a session that moves too fast to be the same person ends', async () => {
      const user = await anOwner(app)
      const sessionId = await logIn(user)
      app.clock.advance(QUARTER_OF_AN_HOUR)
      const answer = await refresh(sessionId, { ip: NEW_YORK, userAgent: IPHONE })
      expect(outcome(answer)).toBe('401 SESSION_NOT_FOUND')
      expect(answer.json.accessToken).toBeUndefined()
      expect(outcome(await refresh(sessionId))).toBe('401 SESSION_NOT_FOUND')
      expect(await anomaliesOf(user)).toMatchObject([
        { outcome: 'refused', at: 'refresh', score: 95, actions: ['log', 'notify', 'revoke'] },
      ])
      const rows = await app.auditRows({ userId: user.id })
      expect(rows.find(({ action }) => action === 'session.revoke')).toMatchObject({
        sid: handleOf(sessionId),
        ip: NEW_YORK,
        detail: { reason: 'anomaly' },
      })
      expect(rows.find(({ action }) => action === 'refresh')).toMatchObject({
        outcome: 'refused',
        detail: { reason: 'anomaly' },
      })
      const [mail] = await app.mailsTo(user.email)
      expect(mail?.subject).toBe('Unusual activity at Mainstay')
      expect(mail?.text).toContain('We have ended that session.')
      expect(outcome(await notMe(await app.mailedToken(user.email)))).toBe('204')
    })

    slow('gives none of many simultaneous refreshes a token', async () => {
      const sessionId = await logIn(await anOwner(app))
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => refresh(sessionId, { ip: NEW_YORK, userAgent: IPHONE })),
      )
      expect(new Set(answers.map(outcome))).toEqual(new Set(['401 SESSION_NOT_FOUND']))
    })

    it('keeps a session below that score', async () => {
      const sessionId = await logIn(await anOwner(app))
      expect(outcome(await refresh(sessionId, { ip: NEW_YORK }))).toBe('200')
      expect(outcome(await refresh(sessionId, { ip: MOBILE, userAgent: IPHONE }))).toBe('200')
    })

    slow('does not reveal by the limits that the password of a refused login was right', async () => {
      const user = await anOwner(app)
      await logIn(user)
      app.clock.advance(QUARTER_OF_AN_HOUR)
      const far = { ip: NEW_YORK, userAgent: IPHONE }
      const most = app.settings.rateLimits.perAccountAndNetwork
      for (let count = 0; count < most; count++)
        expect(outcome(await tryLogin(user, far))).toBe('401 INVALID_CREDENTIALS')
      expect(outcome(await tryLogin(user, far))).toBe('429 TOO_MANY_ATTEMPTS')
    })

    it('does not reveal by its time that the password of a refused login was right', async () => {
      const user = await anOwner(app)
      await logIn(user)
      app.clock.advance(QUARTER_OF_AN_HOUR)
      const passwords = app.get(Passwords)
      const verify = passwords.verify.bind(passwords)
      const far = { ip: NEW_YORK, userAgent: IPHONE }
      for (const isRight of [true, false]) {
        let verifiedAt = Number.NaN
        jest.spyOn(passwords, 'verify').mockImplementationOnce(async (...args) => {
          await verify(...args)
          verifiedAt = performance.now()
          return isRight
        })
        expect(outcome(await tryLogin(user, far))).toBe('401 INVALID_CREDENTIALS')
        // Timers may fire a millisecond early.
        expect(performance.now() - verifiedAt).toBeGreaterThan(98)
      }
    })

    slow('admits none of many simultaneous logins, nor says that the password is right', async () => {
      const user = await anOwner(app)
      await logIn(user)
      app.clock.advance(QUARTER_OF_AN_HOUR)
      const far = { ip: NEW_YORK, userAgent: IPHONE }
      const answers = await Promise.all(Array.from({ length: 8 }, () => tryLogin(user, far)))
      expect(new Set(answers.map(outcome))).toEqual(new Set(['401 INVALID_CREDENTIALS']))
      expect(await app.get(SessionStore).listByUser(user.id, app.clock.now())).toHaveLength(1)
      await giveTotp(app, user)
      const firstSteps = await Promise.all(Array.from({ length: 8 }, () => tryLogin(user, far)))
      expect(firstSteps.filter(answer => outcome(answer) !== '429 TOO_MANY_ATTEMPTS').map(outcome)).toEqual(
        expect.not.arrayContaining(['200', '401 SECOND_FACTOR_REQUIRED']),
      )
    })

    it('refuses a login as if the password were wrong until it can be admitted', async () => {
      const user = await anOwner(app)
      const own = await logIn(user)
      app.clock.advance(QUARTER_OF_AN_HOUR)
      const far = { ip: NEW_YORK, userAgent: IPHONE }
      for (let times = 0; times < 2; times++) {
        const answer = await tryLogin(user, far)
        expect(outcome(answer)).toBe('401 INVALID_CREDENTIALS')
        expect(answer.setCookies).toEqual([])
      }
      expect(await app.get(SessionStore).listByUser(user.id, app.clock.now())).toHaveLength(1)
      expect(outcome(await refresh(own))).toBe('200')
      const [mail] = await app.mailsTo(user.email)
      expect(mail?.subject).toBe('Login refused at Mainstay: Safari on iPhone')
      expect(mail?.text).toContain('The login was refused.')
      app.clock.advance(DAY)
      expect(outcome(await tryLogin(user, far))).toBe('200')
    })
  })
})

function deviceCookieOf({ setCookies }: TestResponse): string {
  const line = setCookies.find(text => text.startsWith('__Host-device='))
  return /=([^;]*)/.exec(line ?? '')?.[1] ?? ''
}

function startApp(environment: Record<string, string>): Promise<TestApp> {
  return TestApp.start({ TRUST_PROXY: '127.0.0.1', GEOIP_FILE: geoIpFile, ...environment })
}
