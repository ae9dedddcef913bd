import { afterEach, describe, expect, it, jest } from '@jest/globals'
import {
  AuditLog,
  handleOf,
  LinkLogins,
  LoginSessions,
  permissionsOf,
  type SessionId,
  SessionStore,
  type User,
  UserAdministration,
  Users,
  unavailable,
} from '../../sources.js'
import { giveAuthenticator, secondStep } from '../../support/authenticator.js'
import type { TestResponse } from '../../support/http-request.js'
import {
  aMember,
  anEmail,
  anOwner,
  aSignedInOwner,
  PASSWORD,
  sendLogin,
  signIn,
} from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { aSatellite } from '../../support/satellites.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { cookie, outcome, readData, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { heldCall } from '../support/held-call.js'
import { provenSession } from '../support/reauthenticate.js'
import { closeTo, team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'

const NEW_PASSWORD = 'seven quiet otters juggle'

afterEach(() => {
  jest.restoreAllMocks()
})

type Headers = Record<string, string>

describe('A mailed link with which a password is typed', () => {
  const app = anApp()

  /** Three links that were just mailed, each with what its page sends. */
  const LINKS = {
    'of a sign-up': async () => {
      const email = anEmail()
      await app.post('/api/signup', { email, password: NEW_PASSWORD }, { Origin: MAIN })
      return { path: '/api/signup/verify', email, status: 201 }
    },
    'of an invitation': async () => {
      const email = anEmail()
      const session = await provenSession(app, await anOwner(app))
      const permissions = permissionsOf(['payments', 'viewReports'])
      await team(app, session, 'POST', '/invitations', { email, permissions })
      return { path: '/api/invitations/accept', email, status: 201 }
    },
    'for a new password': async () => {
      const owner = await anOwner(app)
      await mailResetLink(app, owner)
      return { path: '/api/password/reset', email: owner.email as string, status: 200 }
    },
  }
  const KINDS = Object.keys(LINKS) as (keyof typeof LINKS)[]

  async function aLink(kind: keyof typeof LINKS) {
    const { path, email, status } = await LINKS[kind]()
    const body = { token: await app.mailedToken(email), password: NEW_PASSWORD }
    const use = (headers: Headers = { Origin: MAIN }, more: object = {}) =>
      app.post(path, { ...body, ...more }, headers)
    return { path, email, status, use, body }
  }

  /** Of the cookie that was set; those of other domains are cleared beside it. */
  const sessionIdIn = ({ setCookies }: TestResponse) =>
    /^sessionId=([^;]+)/m.exec(setCookies.join('\n'))?.[1] ?? ''
  const find = async (email: string) => (await app.get(Users).findByEmail(email as never)) as User
  const sessionsOf = async (email: string) =>
    app.get(SessionStore).listByUser((await find(email)).id, app.clock.now())

  it.each(KINDS)('%s logs in on the main site as a login there does', async kind => {
    const { email, status, use } = await aLink(kind)
    const answer = await use()
    expect(answer.status).toBe(status)
    expect(answer.json).toEqual(expect.objectContaining({ accessToken: expect.any(String) }))
    expect(answer.json).not.toHaveProperty('sessionId')
    expect(answer.json).not.toHaveProperty('code')
    const afterwards = await sendLogin(app, { email }, { password: NEW_PASSWORD })
    const attributesOf = ({ setCookies }: TestResponse) => setCookies.map(line => line.replace(/=[^;]*/, ''))
    expect(attributesOf(answer)).toEqual(attributesOf(afterwards))
    const sessionId = sessionIdIn(answer)
    expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
    const user = await find(email)
    const session = await app.get(SessionStore).find(handleOf(sessionId as SessionId), app.clock.now())
    expect(session).toMatchObject({ userId: user.id, source: 'main', permissions: user.granted })
    const { json } = await readData(app, answer.json.accessToken)
    expect(json).toMatchObject({ userId: user.id, permissions: user.granted })
    expect(claimsOf(answer.json.accessToken)).toMatchObject({ amr: ['pwd'], source: 'main' })
    const [row] = await app.auditRows({ userId: user.id, action: 'login' })
    expect(row).toMatchObject({
      outcome: 'ok',
      sid: session?.sid,
      detail: { source: 'main', methods: ['pwd'], link: expect.any(String) },
    })
  })

  it.each([
    ['of an invitation', SHOP_ONE],
    ['for a new password', SHOP_ONE],
    ['of an invitation', null],
    ['for a new password', null],
    ['of a sign-up', null],
  ] as const)('%s used at %s opens a session as satellites and apps have', async (kind, origin) => {
    const { email, use } = await aLink(kind)
    const answer = await use(origin ? { Origin: origin } : {}, { deviceId: null })
    expect(answer.setCookies).toEqual([])
    const { sessionId, accessToken, deviceId } = answer.json
    expect(deviceId).toHaveLength(43)
    expect(claimsOf(accessToken)).toMatchObject({ source: 'satellite' })
    const headers: Headers = origin ? { Origin: origin } : {}
    expect(outcome(await refreshByHeader(app, sessionId, headers))).toBe('200')
    const [session] = await sessionsOf(email)
    expect(session).toMatchObject({ source: 'satellite', origin, reauthenticatedAt: null })
    expect(session?.permissions).toMatchObject({
      payments: false,
      accountSettings: false,
      teamManagement: false,
    })
  })

  it.each(KINDS)('%s opens one session, however often it is used', async kind => {
    const { email, status, use } = await aLink(kind)
    const answers = await Promise.all([use(), use()])
    expect(answers.map(outcome).filter(each => each === String(status))).toHaveLength(1)
    expect(outcome(await use())).toBe('400 INVALID_LINK')
    expect(await sessionsOf(email)).toHaveLength(1)
    expect(answers.filter(answer => sessionIdIn(answer))).toHaveLength(1)
  })

  it.each(KINDS)('%s does nothing when it is only looked at', async kind => {
    const { path, body, status, use } = await aLink(kind)
    for (const method of ['GET', 'HEAD', 'OPTIONS', 'PUT'])
      for (const at of [path, `${path}?token=${body.token}&password=${encodeURIComponent(NEW_PASSWORD)}`]) {
        const answer = await app.request({ method, path: at, headers: { Origin: MAIN } })
        expect(answer.setCookies).toEqual([])
        expect(answer.text).not.toContain('accessToken')
      }
    expect((await use()).status).toBe(status)
  })

  it.each(KINDS)(
    '%s replaces the session that the browser had, and adopts none that it presents',
    async kind => {
      const before = await aSignedInOwner(app)
      const planted = '11111111-1111-4111-8111-111111111111'
      const { use } = await aLink(kind)
      const answer = await use({
        Origin: MAIN,
        Cookie: `sessionId=${before.sessionId}; sessionId=${planted}`,
      })
      expect([before.sessionId, planted, '']).not.toContain(sessionIdIn(answer))
      expect(outcome(await refreshByCookie(app, before.sessionId))).toBe('401 SESSION_NOT_FOUND')
      expect(outcome(await refreshByCookie(app, planted))).toBe('401 SESSION_NOT_FOUND')
    },
  )

  it.each(['of an invitation', 'for a new password'] as const)(
    '%s gives another site’s page no main session, whatever it asks for',
    async kind => {
      const { use } = await aLink(kind)
      expect(outcome(await use({ Origin: SHOP_ONE }, { source: 'main' }))).toBe('400 INVALID_BODY')
      const answer = await use({ Origin: SHOP_ONE, Cookie: 'sessionId=11111111-1111-4111-8111-111111111111' })
      expect(answer.setCookies).toEqual([])
      expect(claimsOf(answer.json.accessToken)).toMatchObject({ source: 'satellite' })
    },
  )

  it('of a sign-up asks for the password that was chosen: who reads the mail alone opens nothing', async () => {
    const { email, body, use } = await aLink('of a sign-up')
    const answer = await app.post('/api/signup/verify', { ...body, password: PASSWORD }, { Origin: MAIN })
    expect([outcome(answer), answer.setCookies]).toEqual(['401 INVALID_CREDENTIALS', []])
    expect(await app.get(Users).findByEmail(email as never)).toBeNull()
    expect(outcome(await use())).toBe('201')
  })

  describe('for a new password', () => {
    async function aResetLink(user: User) {
      await mailResetLink(app, user)
      const token = await app.mailedToken(user.email)
      return (headers: Headers = { Origin: MAIN }, password = NEW_PASSWORD) =>
        app.post('/api/password/reset', { token, password }, headers)
    }

    it('ends every session first, and opens its own after that', async () => {
      const owner = await aSignedInOwner(app)
      const others = [await signIn(app, owner, 'main'), await signIn(app, owner, 'satellite')] as const
      const reset = await aResetLink(owner)
      const answer = await reset({ Origin: MAIN, ...cookie(owner.sessionId) })
      for (const { sessionId } of [owner, others[0]])
        expect(outcome(await refreshByCookie(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
      expect(outcome(await refreshByHeader(app, others[1].sessionId))).toBe('401 SESSION_NOT_FOUND')
      const [session, ...more] = await sessionsOf(owner.email)
      expect(more).toEqual([])
      expect(session?.sid).toBe(handleOf(sessionIdIn(answer) as SessionId))
    })

    it('leads a user with a second factor to the second step, and whoever lacks the factor no further', async () => {
      const owner = await anOwner(app)
      const authenticator = await giveAuthenticator(app, owner)
      const reset = await aResetLink(owner)
      const answer = await reset()
      expect([answer.status, answer.setCookies]).toEqual([200, []])
      expect(answer.json).toEqual({
        satellites: null,
        code: 'SECOND_FACTOR_REQUIRED',
        challenge: expect.any(String),
        methods: ['totp'],
      })
      expect(await sessionsOf(owner.email)).toEqual([])
      const { challenge } = answer.json
      const wrong = await secondStep(app, { challenge, code: authenticator.wrongCode() })
      expect(outcome(wrong)).toBe('401 SECOND_FACTOR_INVALID')
      const elsewhere = { challenge, code: authenticator.code() }
      expect(outcome(await secondStep(app, elsewhere, { Origin: SHOP_ONE }))).toBe('401 CHALLENGE_EXPIRED')
      expect(await sessionsOf(owner.email)).toEqual([])
      const right = await secondStep(app, { challenge, code: authenticator.code() })
      expect(outcome(right)).toBe('200')
      expect(claimsOf(right.json.accessToken)).toMatchObject({ amr: ['pwd', 'otp'] })
      expect(await sessionsOf(owner.email)).toHaveLength(1)
    })

    it('lets no remembered browser stand in for the second factor', async () => {
      const owner = await anOwner(app)
      const authenticator = await giveAuthenticator(app, owner)
      const first = await sendLogin(app, owner)
      const { challenge } = first.json
      const step = await secondStep(app, { challenge, code: authenticator.code(), rememberDevice: true })
      const [remembered = ''] = /__Host-remembered-device=[^;]+/.exec(step.setCookies.join('\n')) ?? []
      expect(remembered).not.toBe('')
      const reset = await aResetLink(owner)
      expect((await reset({ Origin: MAIN, Cookie: remembered })).json.code).toBe('SECOND_FACTOR_REQUIRED')
    })

    it('lets the later of two links win: the earlier one opens no session after it', async () => {
      const owner = await anOwner(app)
      const first = await aResetLink(owner)
      const { begun, release } = heldCall(app.get(LinkLogins), 'open')
      const slowly = first()
      await begun
      const second = await aResetLink(owner)
      const latest = await second({ Origin: MAIN }, `${NEW_PASSWORD} too`)
      expect(latest.json).toHaveProperty('accessToken')
      release()
      const answer = await slowly
      expect([outcome(answer), answer.setCookies]).toEqual(['200 INVALID_CREDENTIALS', []])
      const [session, ...more] = await sessionsOf(owner.email)
      expect([session?.sid, more]).toEqual([handleOf(sessionIdIn(latest) as SessionId), []])
    })

    it.each<[string, (user: User) => Promise<unknown>, string]>([
      ['disabled', user => app.get(UserAdministration).disable(user), 'INVALID_CREDENTIALS'],
      [
        'left without a password',
        ({ id }) =>
          app.database.transaction(transaction => app.get(Users).setPassword(transaction, id, null)),
        'INVALID_CREDENTIALS',
      ],
    ])('opens no session for a user who is %s at that very moment', async (_, change, code) => {
      const member = await aMember(app, await anOwner(app))
      const reset = await aResetLink(member)
      const { begun, release } = heldCall(app.get(LinkLogins), 'open')
      const answer = reset()
      await begun
      await change(member)
      release()
      expect((await answer).json).toEqual({ satellites: null, code })
      expect(await app.get(SessionStore).listByUser(member.id, app.clock.now())).toEqual([])
    })

    it('is done, and says so, where no session can be opened', async () => {
      const owner = await anOwner(app)
      const reset = await aResetLink(owner)
      jest
        .spyOn(app.get(LoginSessions), 'openSession')
        .mockRejectedValueOnce(unavailable('DATABASE_UNAVAILABLE'))
      const answer = await reset()
      expect([answer.status, answer.json, answer.setCookies]).toEqual([
        200,
        { satellites: null, code: 'DATABASE_UNAVAILABLE' },
        [],
      ])
      expect(outcome(await sendLogin(app, owner, { password: NEW_PASSWORD }))).toBe('200')
    })

    it('opens a session only where its user may log in', async () => {
      const owner = await anOwner(app)
      const handOffOnly = `https://handoff-${owner.id.slice(0, 8)}.test`
      await aSatellite(app, owner, handOffOnly, { loginMode: 'handoff' })
      const member = await aMember(app, owner)
      const codeAt = async (origin: string) => {
        const reset = await aResetLink(member)
        const { json } = await reset({ Origin: origin }, `${NEW_PASSWORD} ${Math.random()}`)
        return json.code ?? claimsOf(json.accessToken).source
      }
      expect(await codeAt(handOffOnly)).toBe('HANDOFF_REQUIRED')
      await closeTo(app, member, [SHOP_ONE])
      expect(await codeAt(SHOP_TWO)).toBe('INVALID_CREDENTIALS')
      expect(await codeAt(SHOP_ONE)).toBe('satellite')
      expect(await codeAt(MAIN)).toBe('main')
      await closeTo(app, member, [])
      expect(await codeAt(MAIN)).toBe('INVALID_CREDENTIALS')
      await app.get(AuditLog).flush()
      const logins = (await app.auditRows()).filter(
        ({ userId, action, outcome }) => userId === member.id && action === 'login' && outcome !== 'ok',
      )
      const of = (outcome: string, reason: string) => ({
        ...{ outcome, detail: { reason, email: member.email, link: 'password-reset' } },
      })
      const notInvited = of('failed', 'not invited to this site')
      expect(logins).toMatchObject([of('refused', 'hand-off required'), notInvited, notInvited])
    })
  })
})

describe('An owner who may log in on the main site only', () => {
  const app = anApp({ OWNERS_ON_SATELLITES: 'barred' })

  it.each([SHOP_ONE, null])(
    'chooses a password at %s, and is logged in on the main site only',
    async origin => {
      const owner = await anOwner(app)
      await mailResetLink(app, owner)
      const body = { token: await app.mailedToken(owner.email), password: NEW_PASSWORD }
      const answer = await app.post('/api/password/reset', body, origin ? { Origin: origin } : {})
      expect(answer.json).toEqual({ satellites: null, code: 'OWNER_LOGIN_BARRED' })
      expect(outcome(await sendLogin(app, owner, { password: NEW_PASSWORD }))).toBe('200')
    },
  )
})
