import { describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  AuditLog,
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
import {
  aMember,
  anEmail,
  anOwner,
  aSignedInMember,
  aSignedInOwner,
  PASSWORD,
  type SignedIn,
  sendLogin,
  signIn,
} from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, cookie, outcome } from '../support/api-calls.js'
import { addPasskey, provenPasskeySession } from '../support/passkey-calls.js'
import {
  onMainSite,
  provenSession,
  reauthenticate,
  STEP_UP_CHALLENGE,
  staleSession,
} from '../support/reauthenticate.js'
import { accept, team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'

describe('The profile', () => {
  const app = anApp()

  const call = (session: SignedIn, method = 'GET', body?: object, path = '/api/profile') =>
    onMainSite(app, session, method, path, body)
  const exportOf = (session: SignedIn) => call(session, 'GET', undefined, '/api/profile/export')

  it('shows users themselves, as the database has them now', async () => {
    const member = await aSignedInMember(app, await anOwner(app))
    const granted = permissionsOf(['payments', 'viewReports'])
    await app.get(UserAdministration).grant(member, granted)
    const answer = await call(member)
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
    const owner = await aSignedInOwner(app)
    await app.database.transaction(transaction => app.get(Users).setPassword(transaction, owner.id, null))
    expect((await call(owner)).json.mayChangePassword).toBe(false)
    expect((await call(owner, 'PATCH', { name: 'Rosa' })).json.mayChangePassword).toBe(false)
  })

  it('changes the name', async () => {
    const owner = await aSignedInOwner(app)
    const answer = await call(owner, 'PATCH', { name: 'Zoë Ångström' })
    expect([outcome(answer), answer.json.name]).toEqual(['200', 'Zoë Ångström'])
    expect((await call(owner)).json.name).toBe('Zoë Ångström')
    expect(await app.auditRows({ userId: owner.id, action: 'profile.change' })).toEqual([
      expect.objectContaining({ outcome: 'ok', sid: claimsOf(owner.accessToken).sid }),
    ])
  })

  it('takes names of a hundred visible characters in one line, and changes nothing else', async () => {
    const session = await signIn(app, await anOwner(app), 'main')
    const rename = async (body: object) => [body, outcome(await call(session, 'PATCH', body))]
    const longest = { name: 'x'.repeat(100) }
    expect(await rename(longest)).toEqual([longest, '200'])
    const odd = ['Rosa\nBcc: all', 'Rosa\u0000', 'Rosa \u202egnp.exe', 'Rosa \ud83d', '\u200b\u2060']
    const names = ['x'.repeat(101), '', '   ', ...odd, 7, null]
    const fields = [{ role: 'owner' }, { email: 'a@example.com' }, { granted: {} }]
    for (const body of [
      ...names.map(name => ({ name })),
      ...fields.map(field => ({ name: 'Rosa', ...field })),
    ])
      expect(await rename(body)).toEqual([body, '400 INVALID_BODY'])
  })

  describe('exported', () => {
    function grantAs(owner: User, member: User, granted: Permissions) {
      const client = { requestId: 'r', ip: '192.0.2.9', userAgent: 'Owner/1.0', origin: MAIN }
      const grant = (transaction: Db) =>
        app.get(UserChanges).grant(transaction, member, granted, { userId: owner.id, client })
      return app.get(SessionChanges).commit(grant)
    }

    it('asks for the password first', async () => {
      const answer = await exportOf(await staleSession(app, await anOwner(app)))
      expect(outcome(answer)).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(answer.headers['www-authenticate']).toBe(STEP_UP_CHALLENGE)
    })

    it('is everything about the person, without a secret, and in the audit log', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      await sendLogin(app, owner, { password: 'wrong', Origin: [] })
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
      return app.database.run(async db => {
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

    slow('shows invited users where they accepted, and inviters not', async () => {
      const owner = await aSignedInOwner(app)
      const email = anEmail()
      expect(outcome(await team(app, owner, 'POST', '/invitations', { email }))).toBe('201')
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

    slow('goes through the audit log in pages', async () => {
      const owner = await anOwner(app)
      const event = { action: 'logout', outcome: 'ok', userId: owner.id, client: null } as const
      await app.database.transaction(async transaction => {
        for (let row = 0; row < 1_200; row++) await app.get(AuditLog).record(transaction, event)
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
      const member = await aSignedInMember(app, await anOwner(app), 'satellite')
      await reauthenticate(app, member, undefined, { Origin: SHOP_ONE })
      const answer = await app.request({
        path: '/api/profile/export',
        headers: { Origin: SHOP_ONE, ...bearer(member.accessToken) },
      })
      expect([outcome(answer), answer.json.profile.userId]).toEqual(['200', member.id])
    })
  })
})
