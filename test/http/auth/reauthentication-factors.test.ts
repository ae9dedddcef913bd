import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { SessionStore, Users, unavailable } from '../../sources.js'
import { giveAuthenticator, giveRecoveryCodes } from '../../support/authenticator.js'
import type { SoftwareAuthenticator } from '../../support/passkeys/software-authenticator.js'
import { aMember, anOwner, PASSWORD, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { bearer, outcome } from '../support/api-calls.js'
import { addPasskey, passkeyOptions, passkeySession } from '../support/passkey-calls.js'
import { aProvenOwner, onMainSite, provenSession } from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'

describe('Re-authentication with any factor', () => {
  const app = anApp({
    PASSKEY_RP_ID: 'main.test',
    PASSKEY_RELATED_ORIGINS: SHOP_ONE,
    TRUST_PROXY: '127.0.0.1',
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })

  const prove = (session: SignedIn, proof: object) =>
    onMainSite(app, session, 'POST', '/api/reauthenticate', proof)
  const ask = (session: SignedIn) => onMainSite(app, session, 'GET', '/api/profile/export')

  async function userWithPasskey() {
    const user = await anOwner(app)
    const { authenticator } = await addPasskey(app, await provenSession(app, user))
    return { user, authenticator, session: await passkeySession(app, authenticator) }
  }

  it('says which factors the user has, in the refusal and on request', async () => {
    const { user, session } = await userWithPasskey()
    app.clock.advance(app.settings.reauthenticationTtlSeconds)
    const refusal = await ask(session)
    expect(outcome(refusal)).toBe('401 REAUTHENTICATION_REQUIRED')
    // A password alone proves less than a second factor, which was last given at the login.
    expect(refusal.json.methods).toEqual(['passkey', 'recovery'])
    await giveAuthenticator(app, user)
    const { json } = await onMainSite(app, session, 'GET', '/api/reauthenticate')
    expect(json).toEqual({ methods: ['totp', 'passkey', 'recovery'] })
  })

  it('takes a passkey of the user, each challenge once', async () => {
    const { authenticator, session } = await userWithPasskey()
    const passkey = authenticator.get(await passkeyOptions(app))
    expect(outcome(await prove(session, { passkey }))).toBe('200')
    expect(outcome(await prove(session, { passkey }))).toBe('401 PASSKEY_INVALID')
    expect(outcome(await ask(session))).toBe('200')
    // Where the browser was told which credential to use, it need not say whose that is.
    const named = authenticator.get(await passkeyOptions(app), { userHandle: null })
    expect(outcome(await prove(session, { passkey: named }))).toBe('200')
  })

  it('refuses the passkey of another user', async () => {
    const [mine, theirs] = [await userWithPasskey(), await userWithPasskey()]
    const options = await passkeyOptions(app)
    const { userHandle } = mine.authenticator.get(options).response
    for (const lies of [{}, { userHandle: null }, { userHandle: userHandle ?? null }]) {
      const passkey = theirs.authenticator.get(options, lies)
      expect(outcome(await prove(mine.session, { passkey }))).toBe('401 PASSKEY_INVALID')
    }
    // They used nothing up.
    expect(outcome(await prove(theirs.session, { passkey: theirs.authenticator.get(options) }))).toBe('200')
    app.clock.advance(app.settings.reauthenticationTtlSeconds)
    expect(outcome(await ask(mine.session))).toBe('401 REAUTHENTICATION_REQUIRED')
  })

  it('takes a code and a recovery code, each once, and says so in the next token', async () => {
    const user = await aProvenOwner(app)
    const authenticatorApp = await giveAuthenticator(app, user)
    const [recoveryCode = ''] = await giveRecoveryCodes(app, user)
    expect(outcome(await prove(user, { code: '000000' }))).toBe('401 SECOND_FACTOR_INVALID')
    const code = authenticatorApp.code()
    expect(outcome(await prove(user, { code }))).toBe('200')
    expect(outcome(await prove(user, { code }))).toBe('401 SECOND_FACTOR_INVALID')
    expect(outcome(await prove(user, { recoveryCode }))).toBe('200')
    expect(outcome(await prove(user, { recoveryCode }))).toBe('401 SECOND_FACTOR_INVALID')
    const { json } = await app.post('/api/refresh', undefined, {
      Origin: MAIN,
      Cookie: `sessionId=${user.sessionId}`,
    })
    expect(claimsOf(json.accessToken)).toMatchObject({ amr: ['pwd', 'otp'], acr: 'urn:mainstay:acr:2' })
  })

  describe('when the session cannot be stamped', () => {
    const failToStamp = () =>
      jest
        .spyOn(app.get(SessionStore), 'stampReauthentication')
        .mockRejectedValueOnce(unavailable('DATABASE_UNAVAILABLE'))
    const UNAVAILABLE = '503 DATABASE_UNAVAILABLE'
    const USED = '401 SECOND_FACTOR_INVALID'
    const CODE_USED = 'A recovery code was used at Mainstay'

    async function enrolled() {
      const user = await anOwner(app)
      const [session, other] = [await provenSession(app, user), await provenSession(app, user)]
      const code = (await giveAuthenticator(app, user)).code()
      const [recoveryCode = ''] = await giveRecoveryCodes(app, user)
      return { user, session, other, code, recoveryCode }
    }

    it('uses up no code, and says nothing of it', async () => {
      const { user, session, other, code, recoveryCode } = await enrolled()
      const rows = await app.auditRows()
      for (const proof of [{ code }, { recoveryCode }]) {
        failToStamp()
        expect(outcome(await prove(session, proof))).toBe(UNAVAILABLE)
      }
      expect(await app.auditRows()).toEqual(rows)
      expect((await app.mailsTo(user.email)).map(({ subject }) => subject)).not.toContain(CODE_USED)
      for (const proof of [{ code }, { recoveryCode }]) {
        expect(outcome(await prove(session, proof))).toBe('200')
        expect(outcome(await prove(session, proof))).toBe(USED)
        expect(outcome(await prove(other, proof))).toBe(USED)
      }
      expect((await app.mailsTo(user.email)).map(({ subject }) => subject)).toContain(CODE_USED)
    })

    it('uses up none either because the session has ended', async () => {
      const { session, other, recoveryCode } = await enrolled()
      jest.spyOn(app.get(SessionStore), 'stampReauthentication').mockResolvedValueOnce(false)
      expect(outcome(await prove(session, { recoveryCode }))).toBe('401 SESSION_NOT_FOUND')
      expect(outcome(await prove(other, { recoveryCode }))).toBe('200')
    })
  })

  it('takes a code from one of several requests', async () => {
    const user = await anOwner(app)
    const session = await provenSession(app, user)
    const [recoveryCode = ''] = await giveRecoveryCodes(app, user)
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, async () => outcome(await prove(session, { recoveryCode }))),
    )
    expect(outcomes.sort()).toEqual(['200', ...Array(3).fill('401 SECOND_FACTOR_INVALID')])
  })

  it('a wrong code from where the user has never logged in is mailed to them, once a day', async () => {
    const user = await anOwner(app)
    const { accessToken } = await signIn(app, user, 'main')
    const phone = await giveAuthenticator(app, user)
    const wrong = (ip: string) =>
      app.post(
        '/api/reauthenticate',
        { code: phone.wrongCode() },
        { Origin: MAIN, ...bearer(accessToken), 'X-Forwarded-For': ip },
      )
    const mails = async () =>
      (await app.mailsTo(user.email)).filter(({ subject }) => subject === 'Wrong code at Mainstay')
    expect(outcome(await wrong('127.0.0.1'))).toBe('401 SECOND_FACTOR_INVALID')
    expect(await mails()).toHaveLength(0)
    for (const ip of ['203.0.113.77', '198.51.100.77'])
      expect(outcome(await wrong(ip))).toBe('401 SECOND_FACTOR_INVALID')
    expect(await mails()).toHaveLength(1)
    // Somebody who has only the mailbox must not get rid of the factor by the link.
    const token = await app.mailedToken(user.email)
    const report = await app.post('/api/sessions/not-me', { token }, {})
    expect(outcome(report)).toBe('204')
    expect(await app.get(Users).find(user.id)).toMatchObject({ hasSecondFactor: true })
  })

  it('a wrong code is not mailed from a session that has just given a right one, which may be a code sent twice', async () => {
    const user = await anOwner(app)
    const session = await provenSession(app, user)
    const phone = await giveAuthenticator(app, user)
    const code = phone.code()
    expect(outcome(await prove(session, { code }))).toBe('200')
    const wrong = await app.post(
      '/api/reauthenticate',
      { code },
      { Origin: MAIN, ...bearer(session.accessToken), 'X-Forwarded-For': '203.0.113.78' },
    )
    expect(outcome(wrong)).toBe('401 SECOND_FACTOR_INVALID')
    const subjects = (await app.mailsTo(user.email)).map(({ subject }) => subject)
    expect(subjects).not.toContain('Wrong code at Mainstay')
  })

  it('a right password or code does not reset what limits guesses at the others', async () => {
    const user = await aProvenOwner(app)
    const authenticatorApp = await giveAuthenticator(app, user)
    const outcomes: string[] = []
    for (let guess = 0; guess < 30; guess++) {
      outcomes.push(outcome(await prove(user, { code: authenticatorApp.wrongCode() })))
      if (guess % 9 === 8) await prove(user, { password: PASSWORD })
      if (guess === 12) await prove(user, { code: authenticatorApp.code() })
    }
    // Ten of everybody's, and ten of the session's own.
    expect(outcomes.filter(one => one === '401 SECOND_FACTOR_INVALID').length).toBeLessThanOrEqual(20)
    expect(outcomes.slice(-10)).toEqual(Array(10).fill('429 TOO_MANY_ATTEMPTS'))
  })

  it('takes exactly one proof', async () => {
    const { session, authenticator } = await userWithPasskey()
    const passkey = authenticator.get(await passkeyOptions(app))
    const bodies = [
      {},
      { code: '123456', passkey },
      { code: null },
      { code: null, recoveryCode: 'x' },
      { passkey: null },
    ]
    for (const body of bodies) expect(outcome(await prove(session, body))).toBe('400 INVALID_BODY')
    expect(outcome(await prove(session, { passkey }))).toBe('200')
  })

  it('takes no codes on a satellite, but a passkey where passkeys work', async () => {
    const member = await aMember(app, await anOwner(app))
    const { authenticator } = await addPasskey(app, await provenSession(app, member))
    const session = await satelliteSession(authenticator)
    const [recoveryCode = ''] = await giveRecoveryCodes(app, member)
    const headers = { Origin: SHOP_ONE, ...bearer(session.accessToken) }
    const ways = await app.request({ path: '/api/reauthenticate', headers })
    expect(ways.json).toEqual({ methods: ['password', 'passkey'] })
    const at = (body: object, from = headers) => app.post('/api/reauthenticate', body, from)
    expect(outcome(await at({ recoveryCode }))).toBe('403 HANDOFF_REQUIRED')
    expect(outcome(await at({ recoveryCode }, { Origin: MAIN, ...bearer(session.accessToken) }))).toBe(
      '403 HANDOFF_REQUIRED',
    )
    const passkey = authenticator.get(await passkeyOptions(app), { origin: SHOP_ONE })
    expect(outcome(await at({ passkey }))).toBe('200')
  })

  async function satelliteSession(authenticator: SoftwareAuthenticator): Promise<SignedIn> {
    const response = authenticator.get(await passkeyOptions(app), { origin: SHOP_ONE })
    const body = { response, source: 'satellite' }
    const answer = await app.post('/api/login/passkey', body, { Origin: SHOP_ONE })
    return { ...answer.json, answer }
  }
})
