import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { OneTimeTokens, type User, unavailable } from '../../sources.js'
import { giveRecoveryCodes, spendCodes } from '../../support/authenticator.js'
import { eventually } from '../../support/eventually.js'
import { prove } from '../../support/factors.js'
import {
  type Circumstances,
  cborMap,
  SoftwareAuthenticator,
} from '../../support/passkeys/software-authenticator.js'
import { aMember, anOwner, aSignedInOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { anApp, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow, slowOnServers } from '../../support/tiers.js'
import { outcome, refreshByCookie } from '../support/api-calls.js'
import {
  addPasskey,
  creationOptions,
  logInWithPasskey,
  passkeyOptions,
  passkeySession,
  provenPasskeySession,
} from '../support/passkey-calls.js'
import { onMainSite, provenSession, reauthenticate } from '../support/reauthenticate.js'

const INVALID = '401 PASSKEY_INVALID'

describe('Passkeys of one user', () => {
  const app = anApp({ PASSKEY_RP_ID: 'main.test' })

  const call = (session: SignedIn, method: string, path: string, body?: object) =>
    onMainSite(app, session, method, path, body)
  const listOf = async (session: SignedIn) => (await call(session, 'GET', '/api/passkeys')).json.passkeys

  /** Once: the mail is written after the answer. */
  const isMailed = (user: User, start: string) =>
    eventually(
      async () => {
        const mails = await app.mailsTo(user.email)
        return mails.filter(({ subject }) => subject?.startsWith(start)).length === 1
      },
      { what: start },
    )

  /** Somebody with this many passkeys, in a session that has just used the first. */
  async function aUser(passkeys = 1, member = false) {
    const user = member ? await aMember(app, await anOwner(app)) : await anOwner(app)
    const { authenticator, json } = await addPasskey(app, await provenSession(app, user))
    const session = await provenPasskeySession(app, authenticator)
    for (let more = 1; more < passkeys; more++) expect(outcome(await addPasskey(app, session))).toBe('201')
    return { user, authenticator, session, recoveryCodes: json.recoveryCodes as string[] }
  }

  it('adds the first: recovery codes, other sessions end, a mail, an audit row', async () => {
    const user = await aSignedInOwner(app)
    const session = await provenSession(app, user)
    const options = await creationOptions(app, session)
    expect(options).toMatchObject({
      rp: { id: 'main.test', name: 'Mainstay' },
      user: { id: Buffer.from(user.id.replaceAll('-', ''), 'hex').toString('base64url'), name: user.email },
      pubKeyCredParams: [-7, -8, -257].map(alg => ({ alg, type: 'public-key' })),
      attestation: 'none',
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      excludeCredentials: [],
    })
    const aaguid = Buffer.from('d548826e79b4db40a3d811116f7e8349', 'hex')
    const added = await addPasskey(app, session, new SoftwareAuthenticator({}, aaguid))
    expect(outcome(added)).toBe('201')
    expect(added.json.passkey).toMatchObject({
      name: 'Bitwarden',
      transports: ['hybrid', 'internal'],
      lastUsedAt: null,
    })
    expect(added.json.recoveryCodes).toHaveLength(10)
    expect(outcome(await refreshByCookie(app, user.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await refreshByCookie(app, session.sessionId))).toBe('200')
    const rows = await app.auditRows({ userId: user.id, action: 'factor.add' })
    expect(rows.map(({ detail }) => detail)).toEqual([
      { factor: 'passkey', passkeyId: added.json.passkey.id, name: 'Bitwarden' },
    ])
    await isMailed(user, 'New passkey for')
    // From now on the password is not enough.
    const answer = await sendLogin(app, user)
    expect(outcome(answer)).toBe('401 SECOND_FACTOR_REQUIRED')
    expect(answer.json.methods).toEqual(['passkey', 'recovery'])
  })

  it('completes a login that a password has begun', async () => {
    const { user, authenticator } = await aUser()
    const stranger = await aUser()
    const step = async (key: SoftwareAuthenticator) => {
      const first = await sendLogin(app, user)
      const passkey = key.get(await passkeyOptions(app))
      const body = { challenge: first.json.challenge, passkey }
      return app.post('/api/login/second-factor', body)
    }
    expect(outcome(await step(stranger.authenticator))).toBe(INVALID)
    expect(outcome(await step(authenticator))).toBe('200')
  })

  it('asks a user with a second factor for that, not for the password, before another is added', async () => {
    const { user } = await aUser()
    const [recoveryCode = ''] = await giveRecoveryCodes(app, user)
    const first = await sendLogin(app, user)
    const second = await app.post('/api/login/second-factor', {
      challenge: first.json.challenge,
      recoveryCode,
    })
    const sessionId = /^sessionId=([^;]*)/.exec(second.setCookies[0] ?? '')?.[1] ?? ''
    const session = { accessToken: second.json.accessToken, sessionId, answer: second }
    app.clock.advance(601)
    const refreshed = await refreshByCookie(app, sessionId)
    const later = { ...session, accessToken: refreshed.json.accessToken }
    expect(outcome(await reauthenticate(app, later))).toBe('200')
    for (const [method, path] of [
      ['POST', '/api/passkeys/options'],
      ['DELETE', `/api/passkeys/${randomUUID()}`],
      ['DELETE', '/api/password'],
    ] as const) {
      const refusal = await call(later, method, path)
      expect(outcome(refusal)).toBe('401 STEP_UP_REQUIRED')
      expect(refusal.json.methods).toEqual(['passkey', 'recovery'])
    }
  })

  slow('takes ten and no eleventh, and tells authenticators which there are', async () => {
    const { session } = await aUser(10)
    expect(outcome(await call(session, 'POST', '/api/passkeys/options'))).toBe('409 TOO_MANY_PASSKEYS')
    const passkeys = await listOf(session)
    expect(outcome(await call(session, 'DELETE', `/api/passkeys/${passkeys[9].id}`))).toBe('200')
    const options = await creationOptions(app, session)
    expect(options.excludeCredentials).toHaveLength(9)
    // Two at once for the last place.
    const other = await creationOptions(app, session)
    const answers = await Promise.all(
      [options, other].map(one =>
        call(session, 'POST', '/api/passkeys', { response: new SoftwareAuthenticator().create(one) }),
      ),
    )
    expect(answers.map(outcome).sort()).toEqual(['201', '409 TOO_MANY_PASSKEYS'])
  })

  describe('refuses a new passkey', () => {
    const LIES: readonly (readonly [string, Circumstances])[] = [
      ['of another origin', { origin: 'https://evil.test' }],
      ['of a satellite', { origin: SHOP_ONE }],
      ['of a frame in another site', { crossOrigin: true }],
      ['of another domain', { rpId: 'evil.test' }],
      ['without user verification', { isUserVerified: false }],
      ['that was made to log in', { type: 'webauthn.get' }],
      ['that is backed up and cannot be', { isBackedUp: true }],
    ]
    it.each(LIES)('%s', async (_, lies) => {
      const session = await provenSession(app, await anOwner(app))
      const response = new SoftwareAuthenticator().create(await creationOptions(app, session), lies)
      expect(outcome(await call(session, 'POST', '/api/passkeys', { response }))).toBe(INVALID)
      expect(await listOf(session)).toEqual([])
    })

    it('with a challenge of another session, of a login, used or expired', async () => {
      const user = await anOwner(app)
      const [one, other] = [await provenSession(app, user), await provenSession(app, user)]
      const add = (session: SignedIn, options: { challenge: string }, key = new SoftwareAuthenticator()) => {
        const response = key.create({
          rp: { id: 'main.test', name: '' },
          user: { id: '', name: '', displayName: '' },
          ...options,
        })
        return call(session, 'POST', '/api/passkeys', { response })
      }
      const options = await creationOptions(app, one)
      expect(outcome(await add(other, options))).toBe(INVALID)
      expect(outcome(await add(one, await passkeyOptions(app)))).toBe(INVALID)
      const late = await creationOptions(app, one)
      expect(outcome(await add(one, options))).toBe('201')
      expect(outcome(await add(one, options))).toBe('401 STEP_UP_REQUIRED')
      const fresh = await provenSession(app, await anOwner(app))
      const mine = await creationOptions(app, fresh)
      app.clock.advance(300)
      expect(outcome(await add(fresh, mine))).toBe(INVALID)
      await prove(app, one, 'hwk', 'user')
      expect(outcome(await add(one, late))).toBe(INVALID)
    })

    it('that any user has already', async () => {
      const { authenticator } = await aUser()
      const session = await provenSession(app, await anOwner(app))
      expect(outcome(await addPasskey(app, session, authenticator))).toBe('409 PASSKEY_EXISTS')
    })

    it('with certificates, which could make the service call servers that they name', async () => {
      const session = await provenSession(app, await anOwner(app))
      const chain = { encoded: Buffer.concat([Buffer.from([0x81, 0x41, 0x00])]) }
      for (const [fmt, statement] of [
        [
          'packed',
          cborMap([
            ['alg', -7],
            ['sig', Buffer.alloc(8)],
            ['x5c', chain],
          ]),
        ],
        [
          'fido-u2f',
          cborMap([
            ['sig', Buffer.alloc(8)],
            ['x5c', chain],
          ]),
        ],
        ['tpm', cborMap([])],
        ['none', cborMap([['x5c', chain]])],
      ] as const) {
        const options = await creationOptions(app, session)
        const response = new SoftwareAuthenticator().create(options, {}, { fmt, statement })
        expect(outcome(await call(session, 'POST', '/api/passkeys', { response }))).toBe(INVALID)
      }
    })
  })

  slow('renames and removes only what is the caller’s own', async () => {
    const [mine, theirs] = [await aUser(2), await aUser()]
    const [passkey] = await listOf(mine.session)
    const renamed = await call(mine.session, 'PATCH', `/api/passkeys/${passkey.id}`, { name: 'Blue key' })
    expect(renamed.json).toMatchObject({ id: passkey.id, name: 'Blue key' })
    for (const name of ['', ' x', 'a\u202eb', 'x'.repeat(101), null])
      expect(outcome(await call(mine.session, 'PATCH', `/api/passkeys/${passkey.id}`, { name }))).toBe(
        '400 INVALID_BODY',
      )
    for (const id of [passkey.id, randomUUID(), 'x']) {
      expect(outcome(await call(theirs.session, 'PATCH', `/api/passkeys/${id}`, { name: 'x' }))).toBe(
        '404 NOT_FOUND',
      )
      expect(outcome(await call(theirs.session, 'DELETE', `/api/passkeys/${id}`))).toBe('404 NOT_FOUND')
    }
    const other = await passkeySession(app, mine.authenticator)
    const removed = await call(mine.session, 'DELETE', `/api/passkeys/${passkey.id}`)
    expect(outcome(await refreshByCookie(app, other.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await refreshByCookie(app, mine.session.sessionId))).toBe('200')
    expect(removed.json).toEqual({
      rpId: 'main.test',
      credentialId: mine.authenticator.credentialId,
      userId: Buffer.from(mine.user.id.replaceAll('-', ''), 'hex').toString('base64url'),
      remaining: [expect.any(String)],
    })
    await isMailed(mine.user, 'Passkey removed at')
    expect(outcome(await logInWithPasskey(app, mine.authenticator.get(await passkeyOptions(app))))).toBe(
      INVALID,
    )
  })

  slow(
    'changes neither passkeys nor the password unless the link of the mail about it is stored',
    async () => {
      const { user, session } = await aUser(2)
      const [{ id }] = await listOf(session)
      const changes: [string, () => ReturnType<typeof call>][] = [
        ['New passkey', () => addPasskey(app, session)],
        ['Passkey removed', () => call(session, 'DELETE', `/api/passkeys/${id}`)],
        ['Your password for Mainstay has been removed', () => call(session, 'DELETE', '/api/password')],
      ]
      for (const [start, change] of changes) {
        const mails = async () =>
          (await app.mailsTo(user.email)).filter(({ subject }) => subject?.startsWith(start)).length
        const before = { passkeys: await listOf(session), mails: await mails() }
        const cut = jest
          .spyOn(app.get(OneTimeTokens), 'issue')
          .mockRejectedValueOnce(unavailable('DATABASE_UNAVAILABLE'))
        const refused = await change()
        cut.mockRestore()
        expect(outcome(refused)).toBe('503 DATABASE_UNAVAILABLE')
        expect({ passkeys: await listOf(session), mails: await mails() }).toEqual(before)
        expect((await change()).status).toBeLessThan(300)
        expect(await mails()).toBe(before.mails + 1)
      }
    },
  )

  it('the password alone logs in again once the last factor is gone', async () => {
    const { user, session } = await aUser()
    const [passkey] = await listOf(session)
    expect(outcome(await call(session, 'DELETE', `/api/passkeys/${passkey.id}`))).toBe('200')
    await signIn(app, user, 'main')
  })

  describe('a user without a password', () => {
    it('needs two passkeys, or one and recovery codes', async () => {
      const { user, session } = await aUser()
      expect(outcome(await call(session, 'DELETE', '/api/password'))).toBe('204')
      expect(outcome(await call(session, 'DELETE', '/api/password'))).toBe('204')
      await isMailed(user, 'Your password for Mainstay has been removed')
      const [passkey] = await listOf(session)
      expect(outcome(await call(session, 'DELETE', `/api/passkeys/${passkey.id}`))).toBe('409 LAST_WAY_IN')
      const { json } = await call(session, 'GET', '/api/reauthenticate')
      expect(json.methods).toEqual(['passkey', 'recovery'])
      expect(outcome(await reauthenticate(app, session))).toBe('401 INVALID_CREDENTIALS')
      const answer = await sendLogin(app, user)
      expect(outcome(answer)).toBe('401 INVALID_CREDENTIALS')
    })

    it('cannot give it up without either', async () => {
      const session = await provenSession(app, await anOwner(app))
      expect(outcome(await call(session, 'DELETE', '/api/password'))).toBe('409 LAST_WAY_IN')
    })

    slow('keeps the last of two ways in, however many requests remove one each', async () => {
      const { session } = await aUser(3)
      expect(outcome(await call(session, 'DELETE', '/api/password'))).toBe('204')
      await giveNoCodes(session)
      const passkeys = await listOf(session)
      const answers = await Promise.all(
        passkeys.map(({ id }: { id: string }) => call(session, 'DELETE', `/api/passkeys/${id}`)),
      )
      expect(answers.map(outcome).sort()).toEqual(['200', '409 LAST_WAY_IN', '409 LAST_WAY_IN'])
      expect(await listOf(session)).toHaveLength(2)
    })

    it('keeps one way in when a passkey and the password are removed at once', async () => {
      const { session } = await aUser(2)
      await giveNoCodes(session)
      const [passkey] = await listOf(session)
      const answers = await Promise.all([
        call(session, 'DELETE', `/api/passkeys/${passkey.id}`),
        call(session, 'DELETE', '/api/password'),
      ])
      expect(answers.map(outcome).filter(one => one === '409 LAST_WAY_IN')).toHaveLength(1)
    })

    slow('gets a password back by a mail, which ends no factor and opens no session past them', async () => {
      const { user, session } = await aUser()
      expect(outcome(await call(session, 'DELETE', '/api/password'))).toBe('204')
      const post = (path: string, body: object) => app.post(path, body)
      expect((await post('/api/password/forgot', { email: user.email })).status).toBe(202)
      const token = await app.mailedToken(user.email, '/reset-password')
      const password = 'four words nobody guesses'
      expect((await post('/api/password/reset', { token, password })).status).toBe(200)
      expect(outcome(await post('/api/login', { email: user.email, password, source: 'main' }))).toBe(
        '401 SECOND_FACTOR_REQUIRED',
      )
    })

    async function giveNoCodes(session: SignedIn): Promise<void> {
      const { userId } = (await call(session, 'GET', '/api/profile')).json
      await spendCodes(app, userId)
    }
  })
})

describe('Two services on one database', () => {
  let one: TestApp
  let other: TestApp
  beforeAll(async () => {
    one = await TestApp.start({ PASSKEY_RP_ID: 'main.test' })
    other = await TestApp.start({
      ...one.stores,
      PASSKEY_RP_ID: 'main.test',
      SECRETS_KEYS_FILE: one.settings.secretsKeysFile,
      JWT_KEYS_FILE: one.settings.jwtKeysFile,
    })
  })
  afterAll(async () => {
    await other.stop()
    await one.stop()
  })

  slowOnServers('let one of two simultaneous logins with the same assertion in', async () => {
    const { authenticator } = await addPasskey(one, await provenSession(one, await anOwner(one)))
    for (let round = 0; round < 5; round++) {
      const response = authenticator.get(await passkeyOptions(round % 2 === 0 ? one : other))
      const answers = await Promise.all([one, other].map(app => logInWithPasskey(app, response)))
      expect(answers.map(outcome).sort()).toEqual(['200', INVALID])
    }
  })

  slowOnServers('do not start for another domain while there are passkeys of this one', async () => {
    const start = TestApp.start({ ...one.stores, PASSKEY_RP_ID: 'www.main.test' })
    await expect(start).rejects.toThrow(
      'PASSKEY_RP_ID is www.main.test, but there are passkeys of main.test, which would not work any more: set PASSKEY_RP_ID=main.test',
    )
  })
})
