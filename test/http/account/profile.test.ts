import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  AuditLog,
  Database,
  type Db,
  type Permissions,
  passkeys,
  permissionsOf,
  recoveryCodes,
  rememberedDevices,
  SessionChanges,
  totpFactors,
  type User,
  UserAdministration,
  UserChanges,
  Users,
} from '../../sources.js'
import { aChallenge, giveAuthenticator, secondStep } from '../../support/authenticator.js'
import type { TestResponse } from '../../support/http-request.js'
import { aMember, anEmail, anOwner, PASSWORD, type SignedIn, signIn } from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { bearer, cookie, logOut, outcome } from '../support/api-calls.js'
import { addPasskey, provenPasskeySession } from '../support/passkey-calls.js'
import { provenSession, reauthenticate, STEP_UP_CHALLENGE } from '../support/reauthenticate.js'
import { accept, team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'

describe('The profile', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.start()
  })
  afterAll(() => app.stop())

  function call(
    { accessToken, sessionId }: SignedIn,
    method = 'GET',
    body?: object,
    path = '/api/profile',
  ): Promise<TestResponse> {
    return app.request({
      method,
      path,
      headers: { Origin: MAIN, ...bearer(accessToken), ...cookie(sessionId) },
      ...(body && { body }),
      timeoutMs: 30_000,
    })
  }

  const exportOf = (session: SignedIn) => call(session, 'GET', undefined, '/api/profile/export')

  it('shows users themselves, as the database has them now', async () => {
    const member = await aMember(app, await anOwner(app))
    const session = await signIn(app, member, 'satellite')
    const granted = permissionsOf(['payments', 'viewReports'])
    await app.app.get(UserAdministration).grant(member, granted)
    const answer = await call(session)
    expect(outcome(answer)).toBe('200')
    expect(answer.json).toEqual({
      userId: member.id,
      accountId: member.accountId,
      email: member.email,
      name: null,
      language: null,
      role: 'member',
      granted,
      satellites: null,
      createdAt: member.createdAt.toISOString(),
      mayChangePassword: true,
    })
  })

  it('says whether there is a password to change', async () => {
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'main')
    await app.app
      .get(Database)
      .transaction(transaction => app.app.get(Users).setPassword(transaction, owner.id, null))
    expect((await call(session)).json.mayChangePassword).toBe(false)
    expect((await call(session, 'PATCH', { name: 'Rosa' })).json.mayChangePassword).toBe(false)
  })

  it('changes the name', async () => {
    const owner = await anOwner(app)
    const session = await signIn(app, owner, 'main')
    const answer = await call(session, 'PATCH', { name: 'Zoë Ångström' })
    expect([outcome(answer), answer.json.name]).toEqual(['200', 'Zoë Ångström'])
    expect((await call(session)).json.name).toBe('Zoë Ångström')
    const rows = (await app.auditRows()).filter(row => row.action === 'profile.change')
    expect(rows.filter(row => row.userId === owner.id)).toEqual([
      expect.objectContaining({ outcome: 'ok', sid: claimsOf(session.accessToken).sid }),
    ])
  })

  it.each([
    ['a hundred characters', 'x'.repeat(100), '200'],
    ['more than a hundred', 'x'.repeat(101), '400 INVALID_BODY'],
    ['none', '', '400 INVALID_BODY'],
    ['spaces alone', '   ', '400 INVALID_BODY'],
    ['a line break', 'Rosa\nBcc: all', '400 INVALID_BODY'],
    ['a NUL', 'Rosa\u0000', '400 INVALID_BODY'],
    ['an override of direction', 'Rosa \u202egnp.exe', '400 INVALID_BODY'],
    ['half a character', 'Rosa \ud83d', '400 INVALID_BODY'],
    ['nothing that can be seen', '\u200b\u2060', '400 INVALID_BODY'],
    ['a number', 7, '400 INVALID_BODY'],
    ['null', null, '400 INVALID_BODY'],
  ])('takes names of %s or not', async (_, name, expected) => {
    const session = await signIn(app, await anOwner(app), 'main')
    expect(outcome(await call(session, 'PATCH', { name }))).toBe(expected)
  })

  it.each([{ role: 'owner' }, { email: 'a@example.com' }, { granted: {} }])(
    'changes only the name: %j',
    async fields => {
      const session = await signIn(app, await anOwner(app), 'main')
      expect(outcome(await call(session, 'PATCH', { name: 'Rosa', ...fields }))).toBe('400 INVALID_BODY')
    },
  )

  it('is not shown to a session that has ended', async () => {
    const session = await signIn(app, await anOwner(app), 'main')
    await logOut(app, session.accessToken)
    for (const answer of [await call(session), await call(session, 'PATCH', { name: 'Rosa' })])
      expect(outcome(answer)).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await exportOf(session))).toBe('401 SESSION_NOT_FOUND')
  })

  describe('exported', () => {
    function grantAs(owner: User, member: User, granted: Permissions) {
      const client = { requestId: 'r', ip: '192.0.2.9', userAgent: 'Owner/1.0', origin: MAIN }
      const grant = (transaction: Db) =>
        app.app.get(UserChanges).grant(transaction, member, granted, { userId: owner.id, client })
      return app.app.get(SessionChanges).commit(grant)
    }

    it('asks for the password first', async () => {
      const answer = await exportOf(await signIn(app, await anOwner(app), 'main'))
      expect(outcome(answer)).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(answer.headers['www-authenticate']).toBe(STEP_UP_CHALLENGE)
    })

    it('is everything about the person, without a secret, and in the audit log', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      await app.request({
        method: 'POST',
        path: '/api/login',
        body: { email: owner.email, password: 'wrong', source: 'main' },
      })
      const session = await provenSession(app, owner)
      const satellite = await signIn(app, owner, 'satellite')
      await mailResetLink(app, owner)
      await grantAs(owner, member, permissionsOf([]))
      const answer = await exportOf(session)
      expect(answer.status).toBe(200)
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(answer.headers['content-disposition']).toBe('attachment; filename="person.json"')
      expect(answer.headers['cache-control']).toBe('no-store')
      const { profile, account, sessions, factors, familiarClients, pendingLinks, auditLog, actions } =
        answer.json
      expect(profile).toMatchObject({ userId: owner.id, email: owner.email, role: 'owner' })
      expect(account).toMatchObject({ accountId: owner.accountId, deleteAt: null })
      expect(sessions.map(({ sid }: { sid: string }) => sid).sort()).toEqual(
        [session, satellite].map(({ accessToken }) => claimsOf(accessToken).sid).sort(),
      )
      expect(sessions.map(({ origin }: { origin: string }) => origin).sort()).toEqual([SHOP_ONE, MAIN].sort())
      expect(factors).toEqual({
        totp: [],
        passkeys: [],
        recoveryCodes: [],
        rememberedDevices: [],
        resets: [],
      })
      expect(Array.isArray(familiarClients)).toBe(true)
      expect(pendingLinks).toContainEqual(
        expect.objectContaining({ purpose: 'password-reset', email: owner.email }),
      )
      const actionsOf = (rows: { action: string; outcome: string }[]) =>
        rows.map(({ action, outcome }) => `${action} ${outcome}`)
      expect(actionsOf(auditLog)).toEqual(
        expect.arrayContaining(['account.create ok', 'login failed', 'login ok', 'person.export ok']),
      )
      expect(actionsOf(actions)).toEqual(['permissions.change ok'])
      expect(answer.text).not.toContain(await app.mailedToken(owner.email))
      expect(answer.text).not.toContain('argon2')
      expect(answer.text).not.toContain(PASSWORD)
      expect(answer.text).not.toMatch(/"(hash|passwordHash|sessionId)"/)
      expect(answer.text).not.toContain(session.sessionId)
    })

    it('has what the person logs in with, and nothing that logs anybody in', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const { authenticator: key, json } = await addPasskey(app, await provenSession(app, member))
      const phone = await giveAuthenticator(app, member)
      const [recoveryCode] = json.recoveryCodes as string[]
      const challenge = await aChallenge(app, member)
      const remembered = await secondStep(app, { challenge, recoveryCode, rememberDevice: true })
      const deviceToken = /__Host-remembered-device=([\w-]{43})/.exec(remembered.setCookies.join('\n'))?.[1]
      const manager = await provenSession(app, owner)
      const reset = await team(app, manager, 'POST', `/${member.id}/second-factor/reset`)
      const answer = await exportOf(await provenPasskeySession(app, key))
      expect(answer.status).toBe(200)
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
      expect(answer.json.factors).toEqual({
        totp: [{ createdAt: time, confirmedAt: time }],
        passkeys: [
          {
            name: 'Passkey',
            rpId: 'www.main.test',
            transports: ['hybrid', 'internal'],
            isBackedUp: false,
            createdAt: time,
            lastUsedAt: time,
          },
        ],
        recoveryCodes: expect.arrayContaining([
          { createdAt: time, usedAt: null },
          { createdAt: time, usedAt: time },
        ]),
        rememberedDevices: [{ name: expect.any(String), createdAt: time, lastUsedAt: time, expiresAt: time }],
        resets: [{ requestedAt: time, resetAt: reset.json.resetAt }],
      })
      expect(answer.json.factors.recoveryCodes).toHaveLength(10)
      for (const secret of [
        ...[phone.secret, key.credentialId, deviceToken, ...json.recoveryCodes],
        ...(await storedSecretsOf(member)),
      ]) {
        expect(secret).toMatch(/^.{16,}$/)
        expect(answer.text).not.toContain(secret)
      }
    })

    /** Seals, hashes and keys in the tables of factors. */
    function storedSecretsOf({ id }: User): Promise<string[]> {
      return app.app.get(Database).run(async db => {
        const [totp, keys, codes, devices] = [
          await db.select().from(totpFactors).where(eq(totpFactors.userId, id)),
          await db.select().from(passkeys).where(eq(passkeys.userId, id)),
          await db.select().from(recoveryCodes).where(eq(recoveryCodes.userId, id)),
          await db.select().from(rememberedDevices).where(eq(rememberedDevices.userId, id)),
        ]
        return [
          ...totp.map(({ secret }) => secret),
          ...keys.map(({ publicKey }) => publicKey),
          ...[...codes, ...devices].map(({ hash }) => hash),
        ]
      })
    }

    it('shows nothing of others: neither their rows nor where a manager was', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      await signIn(app, owner, 'main')
      await grantAs(owner, member, permissionsOf(['viewReports']))
      const answer = await exportOf(await provenSession(app, member))
      expect(answer.json.auditLog.map(({ action }: { action: string }) => action)).toContain(
        'permissions.change',
      )
      expect(answer.json.auditLog.every(({ userId }: { userId: string }) => userId === member.id)).toBe(true)
      expect(answer.json.actions).toEqual([])
      expect(answer.json.account).toEqual({
        accountId: owner.accountId,
        name: null,
        createdAt: expect.any(String),
      })
      expect(answer.text).not.toContain('192.0.2.9')
      expect(answer.text).not.toContain(owner.email)
    })

    it('shows invited users where they accepted, and inviters not', async () => {
      const owner = await anOwner(app)
      const inviter = await signIn(app, owner, 'main')
      const email = anEmail()
      expect(outcome(await team(app, inviter, 'POST', '/invitations', { email }))).toBe('201')
      const token = await app.mailedToken(email)
      const { json } = await accept(app, { token, password: PASSWORD })
      const actionsIn = (answer: TestResponse) =>
        [...answer.json.auditLog, ...answer.json.actions]
          .filter((row: { userId: string }) => row.userId === json.userId)
          .map((row: { action: string; ip: string }) => [row.action, row.ip])
      const ofInviter = await exportOf(await provenSession(app, owner))
      expect(actionsIn(ofInviter)).toEqual([])
      const ofMember = await exportOf(await provenSession(app, { email }))
      expect(actionsIn(ofMember)).toContainEqual(['invitation.accept', '127.0.0.1'])
    })

    it('goes through the audit log in pages', async () => {
      const owner = await anOwner(app)
      const event = { action: 'logout', outcome: 'ok', userId: owner.id, client: null } as const
      await app.app.get(Database).transaction(async transaction => {
        for (let row = 0; row < 1_200; row++) await app.app.get(AuditLog).record(transaction, event)
      })
      const { json } = await exportOf(await provenSession(app, owner))
      const ids = json.auditLog.map(({ id }: { id: number }) => id)
      expect(ids.length).toBeGreaterThan(1_200)
      expect(ids).toEqual([...new Set(ids)].sort((one, other) => (one as number) - (other as number)))
    })

    it('security M2: requires the cookie of a main session', async () => {
      const owner = await anOwner(app)
      const [session, other] = [await provenSession(app, owner), await provenSession(app, owner)]
      const exported = async (headers: Record<string, string>) =>
        outcome(await app.request({ path: '/api/profile/export', headers }))
      const token = bearer(session.accessToken)
      expect(await exported(token)).toBe('403 SESSION_COOKIE_REQUIRED')
      expect(await exported({ ...token, ...cookie(other.sessionId) })).toBe('403 SESSION_MISMATCH')
      expect(await exported({ ...token, ...cookie(session.sessionId) })).toBe('200')
    })

    it('is available to a user of a satellite too', async () => {
      const member = await aMember(app, await anOwner(app))
      const session = await signIn(app, member, 'satellite')
      await reauthenticate(app, session, undefined, { Origin: SHOP_ONE })
      const answer = await app.request({
        path: '/api/profile/export',
        headers: { Origin: SHOP_ONE, ...bearer(session.accessToken) },
      })
      expect([outcome(answer), answer.json.profile.userId]).toEqual(['200', member.id])
    })
  })
})
