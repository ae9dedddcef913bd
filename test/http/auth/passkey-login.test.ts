import { webcrypto } from 'node:crypto'
import { beforeAll, describe, expect, it, jest } from '@jest/globals'
import {
  CHALLENGE_SECONDS,
  LoginSessions,
  SessionStore,
  type User,
  Users,
  userHandleOf,
} from '../../sources.js'
import { aChallenge, giveAuthenticator, secondStep } from '../../support/authenticator.js'
import { type Circumstances, SoftwareAuthenticator } from '../../support/passkeys/software-authenticator.js'
import { aMember, anOwner, type SignedIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { outcome, refreshByCookie } from '../support/api-calls.js'
import { heldCall } from '../support/held-call.js'
import {
  addPasskey,
  creationOptions,
  logInWithPasskey,
  passkeyOptions,
  provenPasskeySession,
} from '../support/passkey-calls.js'
import { onMainSite, provenSession } from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'

/** More than the tests do wrong. */
const MANY = {
  ATTEMPTS_PER_ACCOUNT_AND_NETWORK: '100',
  ATTEMPTS_PER_ACCOUNT: '100',
  ATTEMPTS_PER_NETWORK: '1000',
}

const INVALID = '401 PASSKEY_INVALID'

describe('POST /api/login/passkey', () => {
  const app = anApp({
    ...MANY,
    OWNERS_ON_SATELLITES: 'barred',
    PASSKEY_RP_ID: 'main.test',
    PASSKEY_RELATED_ORIGINS: SHOP_ONE,
  })
  let owner: User
  let key: SoftwareAuthenticator
  beforeAll(async () => {
    owner = await anOwner(app)
    key = await aPasskeyOf(owner)
  })

  async function aPasskeyOf(user: User, usual: Circumstances = {}): Promise<SoftwareAuthenticator> {
    const added = await addPasskey(app, await provenSession(app, user), new SoftwareAuthenticator(usual))
    expect(outcome(added)).toBe('201')
    return added.authenticator
  }

  it('opens a session with two factors, on the main site by its cookie', async () => {
    const answer = await logInWithPasskey(app, key.get(await passkeyOptions(app)))
    expect(outcome(answer)).toBe('200')
    expect(Object.keys(answer.json)).toEqual(['accessToken'])
    expect(claimsOf(answer.json.accessToken)).toMatchObject({
      sub: owner.id,
      amr: ['hwk', 'user'],
      acr: 'urn:mainstay:acr:2',
      auth_time: expect.any(Number),
    })
    const sessionId = /^sessionId=([^;]*)/.exec(answer.setCookies[0] ?? '')?.[1] ?? ''
    expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
  })

  it('tells everybody the same options, and stores nothing for them', async () => {
    const options = await passkeyOptions(app)
    expect(options).toEqual({
      challenge: expect.stringMatching(/^[A-Za-z0-9_-]{80,200}$/),
      rpId: 'main.test',
      timeout: CHALLENGE_SECONDS * 1000,
      userVerification: 'required',
      allowCredentials: [],
    })
    expect((await passkeyOptions(app)).challenge).not.toBe(options.challenge)
  })

  describe('refuses with one and the same answer', () => {
    const LIES: readonly (readonly [string, Circumstances])[] = [
      ['another origin', { origin: 'https://evil.test' }],
      ['a subdomain of the main site', { origin: `https://x.${new URL(MAIN).host}` }],
      ['another passkey origin than that of the request', { origin: SHOP_ONE }],
      ['a frame in another site', { crossOrigin: true }],
      [
        'a frame in another site whose browser names it',
        { crossOrigin: true, topOrigin: 'https://evil.test' },
      ],
      ['a named embedder alone', { topOrigin: MAIN }],
      ['another domain', { rpId: 'evil.test' }],
      ['the host where the domain above it is meant', { rpId: new URL(MAIN).host }],
      ['no user verification', { isUserVerified: false }],
      ['what was made to create a passkey', { type: 'webauthn.create' }],
      ['a passkey that suddenly can be backed up', { isBackupEligible: true }],
      ['a backup of what cannot be backed up', { isBackedUp: true }],
      ['no user handle', { userHandle: null }],
      ['the user handle of somebody else', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' }],
    ]
    it.each(LIES)('%s', async (_, lies) => {
      expect(outcome(await logInWithPasskey(app, key.get(await passkeyOptions(app), lies)))).toBe(INVALID)
    })

    it('a challenge that was used', async () => {
      const options = await passkeyOptions(app)
      expect(outcome(await logInWithPasskey(app, key.get(options)))).toBe('200')
      expect(outcome(await logInWithPasskey(app, key.get(options)))).toBe(INVALID)
    })

    it('a challenge that has expired, and takes it until then', async () => {
      const [first, second] = [await passkeyOptions(app), await passkeyOptions(app)]
      app.clock.advance(CHALLENGE_SECONDS - 2)
      expect(outcome(await logInWithPasskey(app, key.get(first)))).toBe('200')
      app.clock.advance(2)
      expect(outcome(await logInWithPasskey(app, key.get(second)))).toBe(INVALID)
    })

    it('a challenge that was not ours, or was changed or respelt', async () => {
      const { challenge, rpId } = await passkeyOptions(app)
      const text = Buffer.from(challenge, 'base64url').toString()
      const later = text.replace(/\.(\d+)\./, (_, expiry) => `.${Number(expiry) + 1000}.`)
      const changed = [later, `${text} `, text.slice(0, -1), 'a'.repeat(40)]
      for (const other of [
        ...changed.map(one => Buffer.from(one).toString('base64url')),
        `${challenge}=`,
        '',
      ])
        expect(outcome(await logInWithPasskey(app, key.get({ challenge: other, rpId })))).toBe(INVALID)
      expect(outcome(await logInWithPasskey(app, key.get({ challenge, rpId })))).toBe('200')
    })

    it('a challenge that was issued to create a passkey', async () => {
      const { challenge } = await creationOptions(app, await provenSession(app, await aMember(app, owner)))
      expect(outcome(await logInWithPasskey(app, key.get({ challenge, rpId: 'main.test' })))).toBe(INVALID)
    })

    it('a signature of another key, or of other data', async () => {
      const options = await passkeyOptions(app)
      const right = key.get(options)
      const { userHandle } = right.response
      const other = new SoftwareAuthenticator().get(options, { userHandle: userHandle ?? '' })
      const forged = { ...right, response: { ...right.response, signature: other.response.signature } }
      expect(outcome(await logInWithPasskey(app, forged))).toBe(INVALID)
      expect(outcome(await logInWithPasskey(app, other))).toBe(INVALID)
      expect(outcome(await logInWithPasskey(app, right))).toBe('200')
    })

    it('one that is unknown, or meant for somebody else, after as many checks as any other (S13)', async () => {
      const checksOf = async (authenticator: SoftwareAuthenticator, lies: Circumstances) => {
        const options = await passkeyOptions(app)
        const response = authenticator.get(options, lies)
        response.response.signature = new SoftwareAuthenticator().get(options).response.signature
        const checks = jest.spyOn(webcrypto.subtle, 'verify')
        try {
          expect(outcome(await logInWithPasskey(app, response))).toBe(INVALID)
          return checks.mock.calls.length
        } finally {
          checks.mockRestore()
        }
      }
      const unknown = new SoftwareAuthenticator()
      expect(await checksOf(key, {})).toBe(1)
      expect(await checksOf(unknown, { userHandle: userHandleOf(owner.id) })).toBe(1)
      expect(await checksOf(key, { userHandle: 'AAAAAAAAAAAAAAAAAAAAAA' })).toBe(1)
    })

    it('a user who is disabled', async () => {
      const member = await aMember(app, owner)
      const theirs = await aPasskeyOf(member)
      await app.database.transaction(transaction =>
        app.get(Users).disable(transaction, [member.id], 'operator'),
      )
      expect(outcome(await logInWithPasskey(app, theirs.get(await passkeyOptions(app))))).toBe(INVALID)
    })

    it('a user who is invited elsewhere only, and an owner on a satellite', async () => {
      const member = await aMember(app, owner)
      const theirs = await aPasskeyOf(member)
      await app.database.transaction(transaction =>
        app.get(Users).setSatellites(transaction, member.id, [SHOP_TWO]),
      )
      for (const one of [theirs, key]) {
        const response = one.get(await passkeyOptions(app), { origin: SHOP_ONE })
        const answer = await logInWithPasskey(app, response, { source: 'satellite' }, { Origin: SHOP_ONE })
        expect(outcome(answer)).toBe(INVALID)
      }
    })
  })

  it('lets a member in at a related origin, and at no other satellite', async () => {
    const theirs = await aPasskeyOf(await aMember(app, owner))
    const at = async (origin: string, headers: Record<string, string>, source = 'satellite') =>
      logInWithPasskey(app, theirs.get(await passkeyOptions(app), { origin }), { source }, headers)
    const answer = await at(SHOP_ONE, { Origin: SHOP_ONE })
    expect(outcome(answer)).toBe('200')
    expect(answer.json).toMatchObject({ sessionId: expect.any(String) })
    expect(outcome(await at(SHOP_TWO, { Origin: SHOP_TWO }))).toBe(INVALID)
    expect(outcome(await at(MAIN, { Origin: SHOP_ONE }))).toBe(INVALID)
    // Its server passes on, without an Origin, what its page was given.
    expect(outcome(await at(SHOP_ONE, {}, 'main'))).toBe(INVALID)
    expect(outcome(await at(SHOP_ONE, {}))).toBe(INVALID)
    expect(outcome(await at(SHOP_ONE, { Origin: SHOP_ONE }, 'main'))).toBe('403 MAIN_ORIGIN_REQUIRED')
    const { json } = await app.request({ path: '/.well-known/webauthn' })
    expect(json).toEqual({ origins: [SHOP_ONE] })
  })

  it('says swk of what may be on several devices, and keeps whether it is', async () => {
    const member = await aMember(app, owner)
    const synced = await aPasskeyOf(member, { isBackupEligible: true })
    const answer = await logInWithPasskey(app, synced.get(await passkeyOptions(app), { isBackedUp: true }))
    expect(claimsOf(answer.json.accessToken)).toMatchObject({ amr: ['swk', 'user'] })
    const session = signedIn(answer)
    const { json } = await onMainSite(app, session, 'GET', '/api/passkeys')
    expect(json).toMatchObject({
      rpId: 'main.test',
      passkeys: [
        { isBackupEligible: true, isBackedUp: true, lastUsedAt: expect.any(String), name: 'Passkey' },
      ],
    })
  })

  it('notes a counter that goes back, and lets its user in', async () => {
    const member = await aMember(app, owner)
    const theirs = await aPasskeyOf(member, {})
    for (const counter of [7, 7, 5, 8, 0])
      expect(outcome(await logInWithPasskey(app, theirs.get(await passkeyOptions(app), { counter })))).toBe(
        '200',
      )
    const rows = await app.auditRows({ userId: member.id, action: 'passkey.counter' })
    expect(rows.map(({ detail }) => detail)).toEqual([
      expect.objectContaining({ counter: 7, before: 7 }),
      expect.objectContaining({ counter: 5, before: 7 }),
      expect.objectContaining({ counter: 0, before: 8 }),
    ])
    expect(rows[0]?.accountId).toBe(member.accountId)
  })

  describe('while the passkey is being removed', () => {
    /** Somebody with two passkeys, in a session of the first, which may remove the second. */
    async function anotherKeyOf(user: User) {
      const first = await aPasskeyOf(user)
      const session = await provenPasskeySession(app, first)
      const { authenticator, json } = await addPasskey(app, session)
      const remove = () => onMainSite(app, session, 'DELETE', `/api/passkeys/${json.passkey.id}`)
      return { session, authenticator, remove }
    }

    const liveSessionsOf = ({ id }: User) => app.get(SessionStore).listByUser(id, app.clock.now())

    // Each step after the signature was found to be right.
    it.each<[string, () => ReturnType<typeof heldCall>]>([
      ['its user is read', () => heldCall(app.get(Users), 'find')],
      ['the session is opened', () => heldCall(app.get(LoginSessions), 'openSession')],
    ])('opens no session when that is done before %s', async (_, hold) => {
      const member = await aMember(app, owner)
      const { authenticator, remove } = await anotherKeyOf(member)
      const response = authenticator.get(await passkeyOptions(app))
      const { begun, release } = hold()
      const login = logInWithPasskey(app, response)
      await begun
      expect(outcome(await remove())).toBe('200')
      release()
      expect(outcome(await login)).toBe(INVALID)
      // That of the first passkey.
      expect(await liveSessionsOf(member)).toHaveLength(1)
    })

    it('completes no login that a password has begun, though another factor stays', async () => {
      const member = await aMember(app, owner)
      const { authenticator, remove } = await anotherKeyOf(member)
      const challenge = await aChallenge(app, member)
      const passkey = authenticator.get(await passkeyOptions(app))
      const { begun, release } = heldCall(app.get(LoginSessions), 'openSession')
      const login = secondStep(app, { challenge, passkey })
      await begun
      expect(outcome(await remove())).toBe('200')
      release()
      expect(outcome(await login)).toBe(INVALID)
      expect(await liveSessionsOf(member)).toHaveLength(1)
    })

    it('is not completed by the code of an app that has just been removed', async () => {
      const member = await aMember(app, owner)
      const { session } = await anotherKeyOf(member)
      const phone = await giveAuthenticator(app, member)
      const challenge = await aChallenge(app, member)
      const { begun, release } = heldCall(app.get(LoginSessions), 'openSession')
      const login = secondStep(app, { challenge, code: phone.code() })
      await begun
      expect(outcome(await onMainSite(app, session, 'DELETE', '/api/second-factor/totp'))).toBe('204')
      release()
      expect(outcome(await login)).toBe('401 SECOND_FACTOR_INVALID')
      expect(await liveSessionsOf(member)).toHaveLength(1)
    })
  })

  it('refuses a body that is not a response', async () => {
    const right = key.get(await passkeyOptions(app))
    const wrong = [
      null,
      'text',
      {},
      { ...right, response: null },
      { ...right, id: 'a/b' },
      { ...right, rawId: 'AAAA' },
      { ...right, type: 'password' },
      { ...right, response: { ...right.response, signature: ['AA'] } },
      { ...right, response: { ...right.response, userHandle: 7 } },
      { ...right, response: { ...right.response, clientDataJSON: 'A'.repeat(9_000) } },
    ]
    for (const response of wrong)
      expect(outcome(await logInWithPasskey(app, response as never))).toBe('400 INVALID_BODY')
    // What can be sent, and not be read.
    for (const clientDataJSON of ['AAAA', 'bnVsbA', 'e30', 'W10', '_____w'])
      expect(
        outcome(await logInWithPasskey(app, { ...right, response: { ...right.response, clientDataJSON } })),
      ).toBe(INVALID)
    for (const authenticatorData of ['AAAA', 'A'.repeat(60)])
      expect(
        outcome(
          await logInWithPasskey(app, { ...right, response: { ...right.response, authenticatorData } }),
        ),
      ).toBe(INVALID)
  })

  function signedIn(answer: Awaited<ReturnType<typeof logInWithPasskey>>): SignedIn {
    const sessionId = /^sessionId=([^;]*)/.exec(answer.setCookies[0] ?? '')?.[1] ?? ''
    return { accessToken: answer.json.accessToken, sessionId, answer }
  }
})
