import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  accounts,
  OneTimeTokens,
  RememberedDevices,
  rememberedDevices,
  rotateSecretKeys,
  SecretBox,
  secondsAfter,
  totpFactors,
  type User,
  unavailable,
} from '../../../sources.js'
import { Authenticator, aChallenge, giveAuthenticator, secondStep } from '../../../support/authenticator.js'
import { eventually } from '../../../support/eventually.js'
import { passTime } from '../../../support/passing-time.js'
import {
  aMember,
  anOwner,
  aSignedInOwner,
  PASSWORD,
  type SignedIn,
  sendLogin,
} from '../../../support/people.js'
import { runInProcess } from '../../../support/processes/run-in-process.js'
import { anApp, MAIN } from '../../../support/test-app.js'
import { slow } from '../../../support/tiers.js'
import { outcome, refreshByCookie } from '../../support/api-calls.js'
import { aProvenOwner, onMainSite, provenSession } from '../../support/reauthenticate.js'
import { claimsOf } from '../../support/token-claims.js'

const app = anApp()

const PATH = '/api/second-factor'
const call = (session: SignedIn, method: string, path = '', body?: object) =>
  onMainSite(app, session, method, `${PATH}${path}`, body)
const auditOf = async ({ id }: User) => (await app.auditRows({ userId: id })).map(({ action }) => action)
const subjectsTo = async ({ email }: User) => (await app.mailsTo(email)).map(({ subject }) => subject)

/** Sets an authenticator app up as the page does. */
async function enrol(session: SignedIn) {
  const { json } = await call(session, 'POST', '/totp')
  const phone = new Authenticator(app, json.secret)
  const confirmed = await call(session, 'POST', '/totp/confirm', { code: phone.code() })
  if (confirmed.status !== 200) throw new Error(`confirm answered ${confirmed.text}`)
  return { phone, recoveryCodes: confirmed.json.recoveryCodes as string[], uri: json.uri as string }
}

/** A session of the main site that has used its second factor. */
async function throughBothSteps(
  user: User,
  phone: Authenticator,
  body: object = {},
): Promise<SignedIn & { setCookies: string[] }> {
  app.clock.advance(30)
  const challenge = await aChallenge(app, user)
  const answer = await secondStep(app, { challenge, code: phone.code(), ...body })
  if (answer.status !== 200) throw new Error(`the second step answered ${answer.text}`)
  const sessionId =
    /^sessionId=([^;]*)/.exec(answer.setCookies.find(text => text.startsWith('sessionId=')) ?? '')?.[1] ?? ''
  return { accessToken: answer.json.accessToken, sessionId, answer, setCookies: answer.setCookies }
}

describe('an authenticator app', () => {
  it('counts once it has shown a code; the other sessions end, and there are recovery codes', async () => {
    const user = await aSignedInOwner(app)
    const session = await provenSession(app, user)
    const started = await call(session, 'POST', '/totp')
    expect(started.status).toBe(201)
    const { secret, uri } = started.json
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    expect(uri).toBe(
      `otpauth://totp/Mainstay:${encodeURIComponent(user.email)}?secret=${secret}&issuer=Mainstay`,
    )
    // It does not count yet.
    expect(outcome(await sendLogin(app, user))).toBe('200')

    const phone = new Authenticator(app, secret)
    expect(outcome(await call(session, 'POST', '/totp/confirm', { code: phone.wrongCode() }))).toBe(
      '401 SECOND_FACTOR_INVALID',
    )
    const code = phone.code()
    const { status, json } = await call(session, 'POST', '/totp/confirm', { code })
    expect(status).toBe(200)
    expect(json.recoveryCodes).toHaveLength(10)
    expect(new Set(json.recoveryCodes).size).toBe(10)
    for (const text of json.recoveryCodes)
      expect(text).toMatch(/^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)

    expect(outcome(await refreshByCookie(app, user.sessionId))).toBe('401 SESSION_NOT_FOUND')
    const refreshed = await refreshByCookie(app, session.sessionId)
    expect(claimsOf(refreshed.json.accessToken)).toMatchObject({
      amr: ['pwd', 'otp'],
      acr: 'urn:mainstay:acr:2',
    })
    expect((await call(session, 'GET')).json).toEqual({
      totp: { confirmedAt: expect.any(String) },
      passkeys: 0,
      recoveryCodesLeft: 10,
      hasPassword: true,
      required: false,
      requiredFrom: null,
      mustEnrol: false,
    })
    // The code that confirmed it was used by that.
    const challenge = await aChallenge(app, user)
    expect(outcome(await secondStep(app, { challenge, code }))).toBe('401 SECOND_FACTOR_INVALID')
    expect(await auditOf(user)).toContain('factor.add')
    expect(await subjectsTo(user)).toContain('New authenticator app for Mainstay')
    expect((await app.auditRows()).map(({ detail }) => JSON.stringify(detail)).join()).not.toContain(secret)
  })

  it('is replaced while it is not confirmed, and never once it is', async () => {
    const session = await provenSession(app, await anOwner(app))
    expect(outcome(await call(session, 'POST', '/totp/confirm', { code: '123456' }))).toBe(
      '409 TOTP_NOT_STARTED',
    )
    const first = new Authenticator(app, (await call(session, 'POST', '/totp')).json.secret)
    const second = new Authenticator(app, (await call(session, 'POST', '/totp')).json.secret)
    expect(first.secret).not.toBe(second.secret)
    const confirm = (code: string) => call(session, 'POST', '/totp/confirm', { code })
    expect(outcome(await confirm(first.code()))).toBe('401 SECOND_FACTOR_INVALID')
    expect(outcome(await confirm(second.code()))).toBe('200')
    expect(outcome(await call(session, 'POST', '/totp'))).toBe('409 TOTP_EXISTS')
    expect(outcome(await confirm(second.code(1)))).toBe('409 TOTP_EXISTS')
  })

  it('is confirmed by one of several requests at once', async () => {
    const session = await provenSession(app, await anOwner(app))
    const phone = new Authenticator(app, (await call(session, 'POST', '/totp')).json.secret)
    const code = phone.code()
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => call(session, 'POST', '/totp/confirm', { code })),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ json }) => Array.isArray(json.recoveryCodes))).toHaveLength(1)
  })

  it('goes with its recovery codes and remembered devices; then the password is enough again', async () => {
    const user = await aProvenOwner(app)
    await enrol(user)
    expect(outcome(await call(user, 'DELETE', '/totp'))).toBe('204')
    expect((await call(user, 'GET')).json).toMatchObject({ totp: null, recoveryCodesLeft: 0 })
    expect(outcome(await sendLogin(app, user))).toBe('200')
    expect(await subjectsTo(user)).toContain('Authenticator app removed at Mainstay')
    expect(outcome(await call(user, 'DELETE', '/totp'))).toBe('204')
    expect((await auditOf(user)).filter(action => action === 'factor.remove')).toHaveLength(1)
  })

  it('is removed by one of several requests at once, which alone is recorded and mailed', async () => {
    const user = await aProvenOwner(app)
    await enrol(user)
    const answers = await Promise.all(Array.from({ length: 4 }, () => call(user, 'DELETE', '/totp')))
    expect(answers.map(outcome)).toEqual(Array(4).fill('204'))
    expect((await auditOf(user)).filter(action => action === 'factor.remove')).toHaveLength(1)
    const removed = 'Authenticator app removed at Mainstay'
    expect((await subjectsTo(user)).filter(subject => subject === removed)).toHaveLength(1)
  })

  it('is neither added nor removed, nor are codes replaced, unless the link of the mail about it is stored', async () => {
    const user = await aProvenOwner(app)
    const phone = new Authenticator(app, (await call(user, 'POST', '/totp')).json.secret)
    const changes: [string, () => ReturnType<typeof call>][] = [
      ['New authenticator app', () => call(user, 'POST', '/totp/confirm', { code: phone.code() })],
      ['New recovery codes', () => call(user, 'POST', '/recovery-codes')],
      ['Authenticator app removed', () => call(user, 'DELETE', '/totp')],
    ]
    for (const [subject, change] of changes) {
      const before = (await call(user, 'GET')).json
      const cut = jest
        .spyOn(app.get(OneTimeTokens), 'issue')
        .mockRejectedValueOnce(unavailable('DATABASE_UNAVAILABLE'))
      const refused = await change()
      cut.mockRestore()
      expect(outcome(refused)).toBe('503 DATABASE_UNAVAILABLE')
      expect((await call(user, 'GET')).json).toEqual(before)
      expect(await subjectsTo(user)).not.toContainEqual(expect.stringContaining(subject))
      expect((await change()).status).toBeLessThan(300)
      expect(await subjectsTo(user)).toContainEqual(expect.stringContaining(subject))
    }
    expect(await auditOf(user)).toEqual(
      expect.arrayContaining(['factor.add', 'recovery-codes.create', 'factor.remove']),
    )
  })

  it('stays where the account requires one', async () => {
    const owner = await anOwner(app)
    const user = await aMember(app, owner)
    const session = await provenSession(app, user)
    await enrol(session)
    const from = new Date(app.clock.now().getTime() + 86_400_000)
    await app.database.run(db =>
      db
        .update(accounts)
        .set({ secondFactor: 'everyone', secondFactorFrom: from })
        .where(eq(accounts.id, user.accountId)),
    )
    expect(outcome(await call(session, 'DELETE', '/totp'))).toBe('409 SECOND_FACTOR_NEEDED')
    expect((await call(session, 'GET')).json).toMatchObject({
      totp: { confirmedAt: expect.any(String) },
      required: true,
      requiredFrom: from.toISOString(),
    })
    // It is still asked for.
    expect(outcome(await sendLogin(app, user))).toBe('401 SECOND_FACTOR_REQUIRED')
  })

  it('is neither added nor removed without re-authentication, or by the password alone once there is one', async () => {
    const user = await aSignedInOwner(app)
    app.clock.advance(app.settings.reauthenticationTtlSeconds)
    const calls: [string, string, object?][] = [
      ['POST', '/totp'],
      ['POST', '/totp/confirm', { code: '123456' }],
      ['DELETE', '/totp'],
      ['POST', '/recovery-codes'],
    ]
    for (const [method, path, body] of calls)
      expect(outcome(await call(user, method, path, body))).toBe('401 REAUTHENTICATION_REQUIRED')
    const session = await provenSession(app, user)
    const { phone } = await enrol(session)
    // The thief's browser is remembered; they know the password too.
    const remembered = await throughBothSteps(user, phone, { rememberDevice: true })
    const token = deviceTokenOf(remembered.setCookies)
    const answer = await sendLogin(app, user, { Cookie: `__Host-remembered-device=${token}` })
    const sessionId = /^sessionId=([^;]*)/.exec(answer.setCookies[0] ?? '')?.[1] ?? ''
    const thief = { accessToken: answer.json.accessToken, sessionId, answer }
    await app.post(
      '/api/reauthenticate',
      { password: PASSWORD },
      { Origin: MAIN, Authorization: `Bearer ${thief.accessToken}` },
    )
    for (const [method, path, body] of [calls[0]!, calls[2]!, calls[3]!])
      expect(outcome(await call(thief, method, path, body))).toBe('401 STEP_UP_REQUIRED')
  })
})

describe('recovery codes', () => {
  it('are made anew by somebody who has a factor, and the old ones end', async () => {
    const user = await aProvenOwner(app)
    expect(outcome(await call(user, 'POST', '/recovery-codes'))).toBe('409 SECOND_FACTOR_MISSING')
    const { recoveryCodes: old } = await enrol(user)
    const { status, json } = await call(user, 'POST', '/recovery-codes')
    expect(status).toBe(201)
    expect(json.recoveryCodes).toHaveLength(10)
    expect(json.recoveryCodes.filter((code: string) => old.includes(code))).toEqual([])
    const use = async (recoveryCode: string) =>
      outcome(await secondStep(app, { challenge: await aChallenge(app, user), recoveryCode }))
    expect(await use(old[0]!)).toBe('401 SECOND_FACTOR_INVALID')
    expect(await use(json.recoveryCodes[0])).toBe('200')
    expect(await subjectsTo(user)).toContain('New recovery codes for Mainstay')
    expect(await auditOf(user)).toContain('recovery-codes.create')
  })

  slow('are mailed once a day for a session, which cannot bury that it removed the app', async () => {
    const user = await aProvenOwner(app)
    const { phone } = await enrol(user)
    for (let count = 0; count < 4; count++)
      expect(outcome(await call(user, 'POST', '/recovery-codes'))).toBe('201')
    const mails = async (start: string) =>
      (await subjectsTo(user)).filter(subject => subject?.startsWith(start)).length
    expect(await mails('New recovery codes')).toBe(1)
    const another = await throughBothSteps(user, phone)
    await onMainSite(app, another, 'POST', '/api/reauthenticate', { password: PASSWORD })
    expect(outcome(await call(another, 'POST', '/recovery-codes'))).toBe('201')
    expect(await mails('New recovery codes')).toBe(2)
    // However often they were told of something else.
    expect(outcome(await call(another, 'DELETE', '/totp'))).toBe('204')
    expect(await mails('Authenticator app removed')).toBe(1)
    await enrol(another)
    expect(outcome(await call(another, 'DELETE', '/totp'))).toBe('204')
    expect(await mails('New authenticator app')).toBe(2)
    expect(await mails('Authenticator app removed')).toBe(2)
  })
})

function deviceTokenOf(setCookies: readonly string[]): string {
  const text = setCookies.find(cookie => cookie.startsWith('__Host-remembered-device='))
  return /=([\w-]{43});/.exec(text ?? '')?.[1] ?? ''
}

describe('a remembered device', () => {
  const withDevice = (token: string) => ({ Cookie: `__Host-remembered-device=${token}` })

  async function aRememberedUser() {
    const user = await anOwner(app)
    const phone = await giveAuthenticator(app, user)
    const session = await throughBothSteps(user, phone, { rememberDevice: true })
    return { user, phone, session, token: deviceTokenOf(session.setCookies) }
  }

  it('is not asked for a second factor, and proves none', async () => {
    const { user, session, token } = await aRememberedUser()
    expect(session.setCookies.find(text => text.includes(token))).toBe(
      `__Host-remembered-device=${token}; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Strict`,
    )
    const answer = await sendLogin(app, user, withDevice(token))
    expect(outcome(answer)).toBe('200')
    expect(claimsOf(answer.json.accessToken)).toMatchObject({ amr: ['pwd'], acr: 'urn:mainstay:acr:1' })
    expect(await auditOf(user)).toContain('device.remember')
    expect(JSON.stringify(await app.auditRows())).not.toContain(token)
  })

  it('is one of its user, on the main site, for 30 days that use does not extend', async () => {
    const { user, token } = await aRememberedUser()
    const other = await aRememberedUser()
    const REQUIRED = '401 SECOND_FACTOR_REQUIRED'
    expect(outcome(await sendLogin(app, other.user, withDevice(token)))).toBe(REQUIRED)
    expect(outcome(await sendLogin(app, user, withDevice('x'.repeat(43))))).toBe(REQUIRED)
    expect(
      outcome(
        await sendLogin(app, user, { Cookie: `${withDevice(token).Cookie}; ${withDevice(token).Cookie}` }),
      ),
    ).toBe(REQUIRED)
    const wrong = await sendLogin(app, user, { ...withDevice(token), password: 'a wrong password' })
    expect(outcome(wrong)).toBe('401 INVALID_CREDENTIALS')
    const asApp = await sendLogin(app, user, { source: 'satellite', Origin: [], ...withDevice(token) })
    expect(outcome(asApp)).toBe(REQUIRED)
    app.clock.advance(29 * 86_400)
    expect(outcome(await sendLogin(app, user, withDevice(token)))).toBe('200')
    app.clock.advance(86_400)
    expect(outcome(await sendLogin(app, user, withDevice(token)))).toBe(REQUIRED)
  })

  it('is listed, and forgotten by its user alone', async () => {
    const { user, session, token } = await aRememberedUser()
    const other = await aRememberedUser()
    const headers = {
      ...{ Origin: MAIN, Authorization: `Bearer ${session.accessToken}` },
      Cookie: `sessionId=${session.sessionId}; ${withDevice(token).Cookie}`,
    }
    const list = async () => (await app.request({ path: '/api/remembered-devices', headers })).json.devices
    const [device, ...others] = await list()
    expect(others).toEqual([])
    expect(device).toEqual({
      id: expect.any(String),
      name: expect.any(String),
      createdAt: expect.any(String),
      lastUsedAt: expect.any(String),
      expiresAt: expect.any(String),
      isCurrent: true,
    })
    const forget = async (by: SignedIn, path = '') =>
      outcome(await onMainSite(app, by, 'DELETE', `/api/remembered-devices${path}`))
    expect(await forget(other.session, `/${device.id}`)).toBe('204')
    expect(outcome(await sendLogin(app, user, withDevice(token)))).toBe('200')
    expect(await forget(session, '/not-an-id')).toBe('404 NOT_FOUND')
    expect(await forget(session, `/${device.id}`)).toBe('204')
    expect(await forget(session, `/${device.id}`)).toBe('204')
    expect(await list()).toEqual([])
    expect(outcome(await sendLogin(app, user, withDevice(token)))).toBe('401 SECOND_FACTOR_REQUIRED')
    expect((await auditOf(user)).filter(action => action === 'device.forget')).toHaveLength(1)
    expect(await forget(other.session)).toBe('204')
    expect(outcome(await sendLogin(app, other.user, withDevice(other.token)))).toBe(
      '401 SECOND_FACTOR_REQUIRED',
    )
  })

  slow('is forgotten with a new password', async () => {
    const { user, session, token } = await aRememberedUser()
    const changed = await onMainSite(app, session, 'POST', '/api/password/change', {
      currentPassword: PASSWORD,
      password: 'quite another password',
    })
    expect(changed.status).toBe(204)
    const answer = await sendLogin(app, user, { ...withDevice(token), password: 'quite another password' })
    expect(outcome(answer)).toBe('401 SECOND_FACTOR_REQUIRED')
  })

  it('is forgotten with new recovery codes: whoever had the old ones may have had it remembered', async () => {
    const { user, session, token } = await aRememberedUser()
    expect(outcome(await sendLogin(app, user, withDevice(token)))).toBe('200')
    await onMainSite(app, session, 'POST', '/api/reauthenticate', { password: PASSWORD })
    expect(outcome(await call(session, 'POST', '/recovery-codes'))).toBe('201')
    expect(outcome(await sendLogin(app, user, withDevice(token)))).toBe('401 SECOND_FACTOR_REQUIRED')
  })

  it('that is forgotten while it logs in does not get in; otherwise the login is its latest use', async () => {
    const { user, session, token } = await aRememberedUser()
    const devices = app.get(RememberedDevices)
    app.clock.advance(60)
    const loginAt = app.clock.now()
    expect(outcome(await sendLogin(app, user, withDevice(token)))).toBe('200')
    const [device] = await devices.list(user.id, token)
    expect(device?.lastUsedAt.getTime()).toBeGreaterThanOrEqual(loginAt.getTime())

    const recognize = devices.recognize.bind(devices)
    const recognizing = jest.spyOn(devices, 'recognize').mockImplementationOnce(async (...values) => {
      const recognized = await recognize(...values)
      expect(recognized).toBeTruthy()
      expect(outcome(await onMainSite(app, session, 'DELETE', '/api/remembered-devices'))).toBe('204')
      return recognized
    })
    const logins = async () => (await auditOf(user)).filter(action => action === 'login').length
    const before = await logins()
    expect(outcome(await sendLogin(app, user, withDevice(token)))).toBe('503 TOO_BUSY')
    recognizing.mockRestore()
    expect(await logins()).toBe(before)
    expect(outcome(await sendLogin(app, user, withDevice(token)))).toBe('401 SECOND_FACTOR_REQUIRED')
  })

  it('that has expired is cleared away, and no other', async () => {
    const [old, young] = [await aRememberedUser(), await aRememberedUser()]
    const rowsOf = ({ id }: User) =>
      app.database.run(db => db.select().from(rememberedDevices).where(eq(rememberedDevices.userId, id)))
    const { expiresAt } = (await rowsOf(old.user))[0]!
    const leftSeconds = (expiresAt.getTime() - app.clock.now().getTime()) / 1000
    await app.get(RememberedDevices).removeExpired()
    expect(await rowsOf(old.user)).toHaveLength(1)
    await passTime(app, leftSeconds)
    expect(await app.get(RememberedDevices).removeExpired()).toBeGreaterThanOrEqual(1)
    expect(await rowsOf(old.user)).toEqual([])
    expect(await rowsOf(young.user)).toHaveLength(1)
    expect(outcome(await sendLogin(app, young.user, withDevice(young.token)))).toBe('200')
    // At most once an hour, whichever replica is first.
    expect(await app.get(RememberedDevices).removeExpired()).toBeNull()
  })

  it('of more than 20 is the oldest to be forgotten', async () => {
    const { user, token } = await aRememberedUser()
    const devices = app.get(RememberedDevices)
    for (let number = 0; number < 20; number++) {
      app.clock.advance(1)
      await app.database.transaction(transaction =>
        devices.remember(transaction, user.id, 'Firefox on Linux'),
      )
    }
    expect(await devices.list(user.id, null)).toHaveLength(20)
    expect(outcome(await sendLogin(app, user, withDevice(token)))).toBe('401 SECOND_FACTOR_REQUIRED')
  })
})

describe('a new password while a login waits for its second step', () => {
  it('ends that login', async () => {
    const user = await anOwner(app)
    const phone = await giveAuthenticator(app, user)
    const session = await throughBothSteps(user, phone)
    const challenge = await aChallenge(app, user)
    await onMainSite(app, session, 'POST', '/api/password/change', {
      currentPassword: PASSWORD,
      password: 'quite another password',
    })
    app.clock.advance(30)
    expect(outcome(await secondStep(app, { challenge, code: phone.code() }))).toBe('401 CHALLENGE_EXPIRED')
  })
})

describe('keys of secrets', () => {
  slow('that are retired are dropped once the secrets are sealed anew, at the command line', async () => {
    const user = await anOwner(app)
    const phone = await giveAuthenticator(app, user)
    const sealed = () =>
      app.database.run(db => db.select().from(totpFactors).where(eq(totpFactors.userId, user.id)))
    const [before] = await sealed()
    const { secretsKeysFile } = app.settings
    // As of an hour ago, so that nobody uses the old key any more.
    const { keys } = JSON.parse(await readFile(secretsKeysFile, 'utf8'))
    const hourAgo = secondsAfter(new Date(), -3_600)
    const older = keys.map((key: object) => ({ ...key, createdAt: secondsAfter(hourAgo, -3_600) }))
    await writeFile(secretsKeysFile, JSON.stringify({ keys: older }))
    await rotateSecretKeys(secretsKeysFile, hourAgo)
    await eventually(async () => !app.get(SecretBox).isCurrent(before!.secret), {
      what: 'the new key',
      everyMs: 200,
    })
    await throughBothSteps(user, phone)

    const { dataDir } = app.settings
    const settings = {
      NODE_ENV: 'test',
      DATA_DIR: dataDir,
      ...app.stores,
      SECRETS_KEYS_FILE: secretsKeysFile,
    }
    const done = await runInProcess(['secrets:reseal'], settings)
    expect(done).toMatchObject({
      code: 0,
      output: expect.stringMatching(/anew: \d+; old keys dropped: 1\n$/),
    })
    const [after] = await sealed()
    expect(after!.secret.split('.')[0]).not.toBe(before!.secret.split('.')[0])
    expect(await readFile(secretsKeysFile, 'utf8')).not.toContain(before!.secret.split('.')[0])
    await throughBothSteps(user, phone)
  })
})
