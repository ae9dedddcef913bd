import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  authMethods,
  bucketsOf,
  Counters,
  KnownDevices,
  LoginLimits,
  OneTimeTokens,
  oneTimeTokens,
  RememberedDevices,
  recoveryCodes,
  SecondFactorChallenges,
  totpFactors,
  type User,
  unavailable,
} from '../../sources.js'
import {
  type Authenticator,
  aChallenge,
  giveAuthenticator,
  giveRecoveryCodes,
  secondStep,
  spendCodes,
} from '../../support/authenticator.js'
import { aMember, anEmail, anOwner, PASSWORD, sendLogin } from '../../support/people.js'
import { aSatellite } from '../../support/satellites.js'
import { MAIN, SHOP_ONE, TestApp, USUAL_BACKEND } from '../../support/test-app.js'
import { onServers, slow, slowOnServers } from '../../support/tiers.js'
import { bearer, outcome } from '../support/api-calls.js'
import { addPasskey } from '../support/passkey-calls.js'
import { provenSession } from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'

const TRUSTED = { TRUST_PROXY: '127.0.0.1/32', LOGINS_PER_ACCOUNT: '60' }
const from = (ip: string) => ({ 'X-Forwarded-For': ip })

let app: TestApp
/** On the same stores, which an embedded database does not allow. */
let replica: TestApp
beforeAll(async () => {
  app = await TestApp.start(TRUSTED)
  if (USUAL_BACKEND === 'embedded') return
  replica = await TestApp.start({
    ...{ ...TRUSTED, ...app.stores },
    JWT_KEYS_FILE: app.settings.jwtKeysFile,
    SECRETS_KEYS_FILE: app.settings.secretsKeysFile,
  })
})
afterAll(async () => {
  await replica?.stop()
  await app?.stop()
})

async function anEnrolled() {
  const user = await anOwner(app)
  return { user, phone: await giveAuthenticator(app, user), codes: await giveRecoveryCodes(app, user) }
}

describe('a login with a second factor', () => {
  it('takes two steps, and says so in the session', async () => {
    const { user, phone } = await anEnrolled()
    const first = await sendLogin(app, user)
    expect(first).toMatchObject({
      status: 401,
      json: {
        code: 'SECOND_FACTOR_REQUIRED',
        methods: ['totp', 'recovery'],
        challenge: expect.stringMatching(/^[\w-]{43}$/),
      },
      setCookies: [],
    })
    const second = await secondStep(app, { challenge: first.json.challenge, code: phone.code() })
    expect(second.status).toBe(200)
    expect(second.setCookies.map(text => text.split('=')[0]).sort()).toEqual(['__Host-device', 'sessionId'])
    expect(claimsOf(second.json.accessToken)).toMatchObject({
      amr: ['pwd', 'otp'],
      acr: 'urn:mainstay:acr:2',
    })
    expect(Object.keys(second.json)).toEqual(['accessToken'])
  })

  it('takes codes as apps show them, one step early or late, and no others', async () => {
    const { user, phone } = await anEnrolled()
    const tryCode = async (code: string) =>
      outcome(await secondStep(app, { challenge: await aChallenge(app, user), code }))
    expect(await tryCode(phone.code(-2))).toBe('401 SECOND_FACTOR_INVALID')
    expect(await tryCode(phone.code(2))).toBe('401 SECOND_FACTOR_INVALID')
    expect(await tryCode(phone.code(-1))).toBe('200')
    const late = phone.code(1)
    expect(await tryCode(`${late.slice(0, 3)} ${late.slice(3)}`)).toBe('200')
    // The step between them is past.
    expect(await tryCode(phone.code())).toBe('401 SECOND_FACTOR_INVALID')
  })

  it('answers an app, and a satellite that may ask for codes, in the body', async () => {
    const user = await aMember(app, await anOwner(app))
    const phone = await giveAuthenticator(app, user)
    const first = await sendLogin(app, user, { source: 'satellite', Origin: [] })
    expect(first.json).toMatchObject({ code: 'SECOND_FACTOR_REQUIRED', methods: ['totp'] })
    const body = { challenge: first.json.challenge, code: phone.code(), deviceId: null, rememberDevice: true }
    const second = await app.post('/api/login/second-factor', body, {})
    expect(second.json).toEqual({
      accessToken: expect.any(String),
      sessionId: expect.any(String),
      deviceId: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(second.setCookies).toEqual([])
  })

  it('is complete although its device could not be remembered', async () => {
    const { user, phone } = await anEnrolled()
    const challenge = await aChallenge(app, user)
    const failing = jest
      .spyOn(app.get(RememberedDevices), 'remember')
      .mockImplementation(() => Promise.reject(unavailable('DATABASE_UNAVAILABLE')))
    const body = { challenge, code: phone.code(), rememberDevice: true }
    const answer = await secondStep(app, body).finally(() => failing.mockRestore())
    expect(outcome(answer)).toBe('200')
    const cookies = answer.setCookies.map(text => text.split('=')[0])
    expect(cookies).toContain('sessionId')
    expect(cookies).not.toContain('__Host-remembered-device')
  })

  describe('of somebody who has a passkey alone', () => {
    async function withPasskey() {
      const owner = await anOwner(app)
      const user = await aMember(app, owner)
      expect(outcome(await addPasskey(app, await provenSession(app, user)))).toBe('201')
      const origin = `https://${randomUUID()}.test`
      await aSatellite(app, owner, origin, { secondFactor: 'allowed' })
      const logIn = (headers: Record<string, string> = {}) =>
        sendLogin(app, user, { source: 'satellite', Origin: [], ...headers })
      return { user, logIn, origin }
    }

    it('leads from a satellite that may ask for codes to the main site, not to a recovery code', async () => {
      const { user, logIn, origin } = await withPasskey()
      for (const left of ['some', 'none']) {
        if (left === 'none') await spendCodes(app, user.id)
        const answer = await logIn({ Origin: origin })
        expect(outcome(answer)).toBe('403 HANDOFF_REQUIRED')
        expect(answer.json).not.toHaveProperty('challenge')
      }
      await giveAuthenticator(app, user)
      const { json } = await logIn({ Origin: origin })
      expect(json).toMatchObject({ code: 'SECOND_FACTOR_REQUIRED', methods: ['totp'] })
    })

    it('leaves an app, which nobody can hand off, with recovery codes', async () => {
      const { logIn } = await withPasskey()
      const { json } = await logIn()
      expect(json).toMatchObject({ code: 'SECOND_FACTOR_REQUIRED', methods: ['recovery'] })
    })
  })

  it('is refused on pages of satellites, which must not see codes', async () => {
    const user = await aMember(app, await anOwner(app))
    await giveAuthenticator(app, user)
    const answer = await sendLogin(app, user, { source: 'satellite' })
    expect(outcome(answer)).toBe('403 HANDOFF_REQUIRED')
    expect(answer.json).not.toHaveProperty('challenge')
  })
})

describe('a code', () => {
  onServers('counts once: in another login, in another challenge, on another replica', async () => {
    const { user, phone } = await anEnrolled()
    const code = phone.code()
    const [one, other] = [await aChallenge(app, user), await aChallenge(app, user)]
    expect(outcome(await secondStep(app, { challenge: one, code }))).toBe('200')
    expect(outcome(await secondStep(app, { challenge: one, code }))).toBe('401 CHALLENGE_EXPIRED')
    expect(outcome(await secondStep(replica, { challenge: other, code }))).toBe('401 SECOND_FACTOR_INVALID')
  })

  slowOnServers('is won by one of many requests on two replicas', async () => {
    const { user, phone } = await anEnrolled()
    const code = phone.code()
    const challenges = await Promise.all(Array.from({ length: 6 }, () => aChallenge(app, user)))
    const answers = await Promise.all(
      challenges.map((challenge, index) => secondStep(index % 2 ? app : replica, { challenge, code })),
    )
    expect(answers.map(outcome).sort()).toEqual(['200', ...Array(5).fill('401 SECOND_FACTOR_INVALID')])
  })

  onServers.each(['code', 'recoveryCode'] as const)(
    'is not called wrong when the same request has won: %s',
    async kind => {
      const { user, phone, codes } = await anEnrolled()
      const proof = { [kind]: kind === 'code' ? phone.code() : codes[0] }
      const body = { challenge: await aChallenge(app, user), ...proof }
      const limits = app.get(LoginLimits)
      const count = limits.countGuess.bind(limits)
      // The challenge has been found by then, and the factor not yet.
      const counting = jest.spyOn(limits, 'countGuess').mockImplementationOnce(async (...values) => {
        expect(outcome(await secondStep(replica, body))).toBe('200')
        return count(...values)
      })
      expect(outcome(await secondStep(app, body))).toBe('401 CHALLENGE_EXPIRED')
      counting.mockRestore()
      const rows = await app.auditRows({ userId: user.id })
      expect(rows.map(({ outcome: end }) => end)).not.toContain('failed')
    },
  )

  it('is wrong for another user', async () => {
    const [{ user }, { phone, codes }] = [await anEnrolled(), await anEnrolled()]
    const challenge = await aChallenge(app, user)
    expect(outcome(await secondStep(app, { challenge, code: phone.code() }))).toBe(
      '401 SECOND_FACTOR_INVALID',
    )
    expect(outcome(await secondStep(app, { challenge, recoveryCode: codes[0] }))).toBe(
      '401 SECOND_FACTOR_INVALID',
    )
  })
})

describe('a recovery code', () => {
  slow('is won by one of two requests at once on the embedded database, which goes on', async () => {
    const embedded = await TestApp.startOn('embedded')
    try {
      const user = await anOwner(embedded)
      await giveAuthenticator(embedded, user)
      const [recoveryCode] = await giveRecoveryCodes(embedded, user)
      const challenges = [await aChallenge(embedded, user), await aChallenge(embedded, user)]
      const answers = await Promise.all(
        challenges.map(challenge => secondStep(embedded, { challenge, recoveryCode })),
      )
      expect(answers.map(outcome).sort()).toEqual(['200', '401 SECOND_FACTOR_INVALID'])
      expect(await aChallenge(embedded, user)).toEqual(expect.any(String))
    } finally {
      await embedded.stop()
    }
  })

  it('counts once, however it is typed, is recorded and mailed', async () => {
    const { user, codes } = await anEnrolled()
    const typed = ` ${codes[0]!.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l')} `
    const done = await secondStep(app, { challenge: await aChallenge(app, user), recoveryCode: typed })
    expect(outcome(done)).toBe('200')
    expect(claimsOf(done.json.accessToken)).toMatchObject({ amr: ['pwd', 'otp'] })
    const again = await secondStep(app, { challenge: await aChallenge(app, user), recoveryCode: codes[0] })
    expect(outcome(again)).toBe('401 SECOND_FACTOR_INVALID')
    const mails = await app.mailsTo(user.email)
    expect(mails.map(({ subject }) => subject)).toContain('A recovery code was used at Mainstay')
    expect(mails.find(({ text }) => text.includes('recovery'))?.text).toContain('You have 9 left')
    expect(await app.auditRows({ userId: user.id, action: 'recovery-code.use' })).toHaveLength(1)
  })

  it('is not used up unless the link of the mail about it is stored', async () => {
    const { user, codes } = await anEnrolled()
    const told = async () =>
      (await app.mailsTo(user.email)).filter(({ subject }) => subject?.startsWith('A recovery code')).length
    const use = async (challenge: string) =>
      outcome(await secondStep(app, { challenge, recoveryCode: codes[0] }))
    const challenge = await aChallenge(app, user)
    const cut = jest
      .spyOn(app.get(OneTimeTokens), 'issue')
      .mockRejectedValueOnce(unavailable('DATABASE_UNAVAILABLE'))
    expect([await use(challenge), await told()]).toEqual(['503 DATABASE_UNAVAILABLE', 0])
    cut.mockRestore()
    expect([await use(challenge), await told()]).toEqual(['200', 1])
  })

  it('is told after the commit without the database', async () => {
    const { user, codes } = await anEnrolled()
    const challenge = await aChallenge(app, user)
    const database = app.database
    const transaction = database.transaction.bind(database)
    const cut = unavailable('DATABASE_UNAVAILABLE')
    const transactions = jest.spyOn(database, 'transaction')
    transactions.mockImplementationOnce(async work => {
      const result = await transaction(work)
      transactions.mockRejectedValue(cut)
      jest.spyOn(database, 'run').mockRejectedValue(cut)
      return result
    })
    await secondStep(app, { challenge, recoveryCode: codes[0] })
    expect(transactions).toHaveBeenCalled()
    jest.restoreAllMocks()
    const subjects = (await app.mailsTo(user.email)).map(({ subject }) => subject)
    expect(subjects).toContain('A recovery code was used at Mainstay')
  })

  onServers('is won by one of many requests on two replicas', async () => {
    const { user, codes } = await anEnrolled()
    const challenges = await Promise.all(Array.from({ length: 6 }, () => aChallenge(app, user)))
    const answers = await Promise.all(
      challenges.map((challenge, index) =>
        secondStep(index % 2 ? app : replica, { challenge, recoveryCode: codes[3] }),
      ),
    )
    expect(answers.map(outcome).sort()).toEqual(['200', ...Array(5).fill('401 SECOND_FACTOR_INVALID')])
  })
})

describe('a challenge', () => {
  it('is worth nothing from another origin, and stays good for its own', async () => {
    const { user, phone } = await anEnrolled()
    const challenge = await aChallenge(app, user, from('203.0.113.5'))
    const code = phone.code()
    const elsewhere = { ...from('203.0.113.5'), Origin: SHOP_ONE }
    for (let i = 0; i < 6; i++)
      expect(outcome(await secondStep(app, { challenge, code }, elsewhere))).toBe('401 CHALLENGE_EXPIRED')
    expect(outcome(await secondStep(app, { challenge, code }, from('203.0.113.5')))).toBe('200')
  })

  it.each([
    ['203.0.113.5', '198.51.100.77'],
    ['2001:db8:7:1::1', '198.51.100.77'],
  ])('of %s works from %s: a network may have several ways out', async (first, next) => {
    const { user, phone } = await anEnrolled()
    const challenge = await aChallenge(app, user, from(first))
    expect(outcome(await secondStep(app, { challenge, code: phone.code() }, from(next)))).toBe('200')
  })

  it('does not open a session of the main site for an app that began as one', async () => {
    const { user, phone } = await anEnrolled()
    const first = await sendLogin(app, user, { Origin: [] })
    const crossSite = { 'Sec-Fetch-Site': 'cross-site' }
    const second = await app.post(
      '/api/login/second-factor',
      { challenge: first.json.challenge, code: phone.code() },
      crossSite,
    )
    expect(outcome(second)).toBe('403 CROSS_SITE_REFUSED')
  })

  it('is good for five tries, and the user is told once that somebody has their password', async () => {
    const { user, phone } = await anEnrolled()
    for (const round of [1, 2]) {
      const challenge = await aChallenge(app, user, from(`203.0.113.${10 + round}`))
      const guess = (code: string) => secondStep(app, { challenge, code }, from(`203.0.113.${10 + round}`))
      for (let tried = 0; tried < 5; tried++)
        expect(outcome(await guess(phone.wrongCode()))).toBe('401 SECOND_FACTOR_INVALID')
      expect(outcome(await guess(phone.code()))).toBe('401 CHALLENGE_EXPIRED')
    }
    const mails = (await app.mailsTo(user.email)).filter(({ subject }) => subject.startsWith('Login refused'))
    expect(mails).toHaveLength(1)
    expect(mails[0]?.text).toContain('and then a wrong code')
  })

  onServers('accepts no sixth try from simultaneous requests', async () => {
    const { user, phone } = await anEnrolled()
    const challenge = await aChallenge(app, user)
    const answers = await Promise.all(
      Array.from({ length: 9 }, (_, i) =>
        secondStep(i % 2 ? app : replica, { challenge, code: phone.wrongCode() }),
      ),
    )
    expect(answers.map(outcome).filter(text => text === '401 SECOND_FACTOR_INVALID')).toHaveLength(5)
    expect(answers.map(outcome).filter(text => text === '401 CHALLENGE_EXPIRED')).toHaveLength(4)
  })

  it('expires after five minutes', async () => {
    const { user, phone } = await anEnrolled()
    const challenge = await aChallenge(app, user)
    app.clock.advance(301)
    expect(outcome(await secondStep(app, { challenge, code: phone.code() }))).toBe('401 CHALLENGE_EXPIRED')
  })

  it('is in the database as a hash, and without the password or its hash', async () => {
    const { user } = await anEnrolled()
    const challenge = await aChallenge(app, user)
    const rows = await app.database.run(db =>
      db.select().from(oneTimeTokens).where(eq(oneTimeTokens.userId, user.id)),
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(challenge)
    expect(JSON.stringify(rows)).not.toContain('$argon2')
  })

  it('does not count a request that is none as a try', async () => {
    for (const body of [
      {},
      { code: '123456', recoveryCode: '7K3M-9XQ2-VB4N-H8TE' },
      { code: 123456 },
      { code: '1'.repeat(33) },
      { code: '123456', methods: ['pwd', 'otp'] },
    ]) {
      const answer = await secondStep(app, { challenge: 'x'.repeat(43), ...body })
      expect([body, outcome(answer)]).toEqual([body, '400 INVALID_BODY'])
    }
  })
})

describe('strangers', () => {
  it('are told the same for an unknown address and a wrong password, with and without factors', async () => {
    const { user } = await anEnrolled()
    const without = await anOwner(app)
    const answers = await Promise.all(
      [{ email: anEmail() }, user, without].map(someone =>
        sendLogin(app, someone, { password: 'a wrong password' }),
      ),
    )
    for (const answer of answers) {
      expect(outcome(answer)).toBe('401 INVALID_CREDENTIALS')
      expect({ ...answer.json, requestId: '' }).toEqual({ ...answers[0]!.json, requestId: '' })
      expect(Object.keys(answer.headers).sort()).toEqual(Object.keys(answers[0]!.headers).sort())
    }
  })

  it('find no secret in the database, and a secret copied to another user opens nothing', async () => {
    const [{ user, phone, codes }, other] = [await anEnrolled(), await anEnrolled()]
    const dump = JSON.stringify([
      await app.database.run(db => db.select().from(totpFactors)),
      await app.database.run(db => db.select().from(recoveryCodes)),
    ])
    expect(dump).toContain(user.id)
    for (const secret of [phone.secret, ...codes, ...codes.map(code => code.replaceAll('-', ''))])
      expect(dump).not.toContain(secret)

    const [mine] = await app.database.run(db =>
      db.select().from(totpFactors).where(eq(totpFactors.userId, user.id)),
    )
    await app.database.run(db =>
      db.update(totpFactors).set({ secret: mine!.secret }).where(eq(totpFactors.userId, other.user.id)),
    )
    const challenge = await aChallenge(app, other.user)
    expect((await secondStep(app, { challenge, code: phone.code() })).status).toBe(500)
  })
})

describe('guesses at codes', () => {
  it('count like wrong passwords, and a right password between them resets nothing', async () => {
    const { user, phone } = await anEnrolled()
    const here = from('192.0.2.10')
    const { perAccountAndNetwork } = app.settings.rateLimits
    const outcomes: string[] = []
    for (let round = 0; round < perAccountAndNetwork / 5; round++) {
      const challenge = await aChallenge(app, user, here)
      for (let tried = 0; tried < 5; tried++)
        outcomes.push(outcome(await secondStep(app, { challenge, code: phone.wrongCode() }, here)))
    }
    expect(outcomes).toEqual(Array(perAccountAndNetwork).fill('401 SECOND_FACTOR_INVALID'))
    expect(outcome(await sendLogin(app, user, here))).toBe('429 TOO_MANY_ATTEMPTS')
    // From elsewhere the user still gets in, which does not let those in who guessed.
    const away = from('198.51.100.10')
    const challenge = await aChallenge(app, user, away)
    expect(outcome(await secondStep(app, { challenge, code: phone.code() }, away))).toBe('200')
    expect(outcome(await sendLogin(app, user, here))).toBe('429 TOO_MANY_ATTEMPTS')
  })

  slow('from everywhere are as many as one account allows, however many challenges there are', async () => {
    const { user, phone } = await anEnrolled()
    const { perAccount, windowSeconds } = app.settings.rateLimits
    const challenges = app.get(SecondFactorChallenges)
    const guess = async (number: number) => {
      const ip = `100.${64 + (number % 64)}.${number >> 6}.7`
      const client = { requestId: 'test', ip, userAgent: null, origin: MAIN }
      const challenge = await challenges.issue(user, authMethods('pwd'), { source: 'main', client })
      return outcome(await secondStep(app, { challenge, code: phone.wrongCode() }, from(ip)))
    }
    const outcomes: string[] = []
    for (let number = 0; number < 4 * perAccount; number += 10)
      outcomes.push(...(await Promise.all(Array.from({ length: 10 }, (_, i) => guess(number + i)))))
    const checked = outcomes.filter(text => text === '401 SECOND_FACTOR_INVALID').length
    expect(checked).toBe(perAccount)
    expect(outcomes.filter(text => text === '429 TOO_MANY_ATTEMPTS')).toHaveLength(3 * perAccount)

    // Each time it is full the window doubles, up to an hour, so 10,000 guesses, of which each hits one of three codes
    // in a million, take more than a week and find one of them with 3 %.
    const windows = Math.ceil(10_000 / perAccount)
    const hours = (windows * Math.max(windowSeconds, 3_600) - 2 * 3_600) / 3_600
    expect(hours).toBeGreaterThan(7 * 24)
    expect(1 - (1 - 3 / 1_000_000) ** 10_000).toBeLessThan(0.03)
  })
})

describe('what a thief with the password does', () => {
  const PASSWORD_ONLY = from('192.0.2.77')

  slow('resets no limit by logging in with a browser that is remembered', async () => {
    const { user, phone } = await anEnrolled()
    const first = await aChallenge(app, user, PASSWORD_ONLY)
    const remembered = await secondStep(
      app,
      { challenge: first, code: phone.code(), rememberDevice: true },
      PASSWORD_ONLY,
    )
    const token = /__Host-remembered-device=([\w-]{43})/.exec(remembered.setCookies.join('\n'))?.[1]
    const { perAccountAndNetwork } = app.settings.rateLimits
    const challenges = await Promise.all([1, 2, 3].map(() => aChallenge(app, user, PASSWORD_ONLY)))
    const outcomes: string[] = []
    for (const challenge of challenges)
      for (let tried = 0; tried < 4; tried++) {
        outcomes.push(outcome(await secondStep(app, { challenge, code: phone.wrongCode() }, PASSWORD_ONLY)))
        await sendLogin(app, user, { ...PASSWORD_ONLY, Cookie: `__Host-remembered-device=${token}` })
      }
    expect(outcomes.filter(text => text === '401 SECOND_FACTOR_INVALID')).toHaveLength(perAccountAndNetwork)
  })

  slow(
    'has no more guesses with several sessions than with one, once strangers have used up the limit',
    async () => {
      const { user, phone } = await anEnrolled()
      const sessions = [await aSessionOf(user, phone), await aSessionOf(user, phone)]
      const { perAccount, perAccountAndNetwork } = app.settings.rateLimits
      const limiter = app.get(LoginLimits)
      for (let number = 0; number < perAccount; number++) {
        const client = { requestId: 'test', ip: `100.${64 + number}.2.1`, userAgent: null, origin: MAIN }
        await (await limiter.countGuess(user.email, client)).failed()
      }
      const prove = async (accessToken: string, number: number, proof: object) =>
        outcome(
          await app.post('/api/reauthenticate', proof, {
            Origin: MAIN,
            ...bearer(accessToken),
            ...from(`198.18.${number}.1`),
          }),
        )
      const outcomes: string[] = []
      for (let number = 0; number < 2 * perAccountAndNetwork + 2; number++)
        outcomes.push(await prove(sessions[number % 2] as string, number, { code: phone.wrongCode() }))
      expect(outcomes).toEqual([
        ...Array(perAccountAndNetwork).fill('401 SECOND_FACTOR_INVALID'),
        ...Array(perAccountAndNetwork + 2).fill('429 TOO_MANY_ATTEMPTS'),
      ])
      // Each session still has guesses at the password of its own.
      for (const [index, session] of sessions.entries())
        expect(await prove(session, 100 + index, { password: PASSWORD })).toBe('200')
    },
  )

  /** The access token of a session that has used its second factor. */
  async function aSessionOf(user: Pick<User, 'email'>, phone: Authenticator): Promise<string> {
    app.clock.advance(30)
    const challenge = await aChallenge(app, user)
    return (await secondStep(app, { challenge, code: phone.code() })).json.accessToken
  }

  it('tells the user by the first wrong code, from where they have never been', async () => {
    const { user, phone } = await anEnrolled()
    const here = from('203.0.113.200')
    const done = await secondStep(
      app,
      { challenge: await aChallenge(app, user, here), code: phone.code() },
      here,
    )
    expect(outcome(done)).toBe('200')
    const refusals = async () =>
      (await app.mailsTo(user.email)).filter(({ subject }) => subject.startsWith('Login refused')).length
    const wrong = async (challenge: string, headers: Record<string, string>) =>
      outcome(await secondStep(app, { challenge, code: phone.wrongCode() }, headers))
    // Where they have been, two may be their own mistakes.
    const own = await aChallenge(app, user, here)
    for (let tried = 0; tried < 2; tried++) expect(await wrong(own, here)).toBe('401 SECOND_FACTOR_INVALID')
    expect(await refusals()).toBe(0)
    const away = from('198.51.100.200')
    expect(await wrong(await aChallenge(app, user, away), away)).toBe('401 SECOND_FACTOR_INVALID')
    expect(await refusals()).toBe(1)
    expect(await wrong(own, here)).toBe('401 SECOND_FACTOR_INVALID')
    expect(await refusals()).toBe(1)
  })

  it('is answered as ever, and the user mailed, also while their networks cannot be read', async () => {
    const { user, phone } = await anEnrolled()
    const challenge = await aChallenge(app, user)
    const cut = jest
      .spyOn(app.get(KnownDevices), 'knowsNetwork')
      .mockRejectedValueOnce(unavailable('DATABASE_UNAVAILABLE'))
    const answer = await secondStep(app, { challenge, code: phone.wrongCode() })
    expect(cut).toHaveBeenCalledTimes(1)
    cut.mockRestore()
    expect(outcome(answer)).toBe('401 SECOND_FACTOR_INVALID')
    expect((await app.mailsTo(user.email)).map(({ subject }) => subject)).toContain(
      'Login refused at Mainstay',
    )
  })

  it('cannot use up the logins of the account by first steps alone', async () => {
    const { user, phone } = await anEnrolled()
    const { loginsPerAccount } = app.settings.rateLimits
    const limiter = app.get(LoginLimits)
    for (let number = 0; number < loginsPerAccount; number++) {
      const client = { requestId: 'test', ip: `100.${64 + number}.1.1`, userAgent: null, origin: MAIN }
      await (await limiter.countGuess(user.email, client)).partlySucceeded()
    }
    const challenge = await aChallenge(app, user, from('198.51.100.44'))
    expect(outcome(await secondStep(app, { challenge, code: phone.code() }, from('198.51.100.44')))).toBe(
      '200',
    )
  })

  it('counts a login with two steps once where it comes from', async () => {
    const { user, phone } = await anEnrolled()
    const ip = '198.51.100.45'
    const keys = async () => {
      const action = {
        kind: 'password',
        subject: user.email,
        client: { requestId: 't', ip, userAgent: null, origin: MAIN },
      } as const
      const right = bucketsOf(action, app.settings.rateLimits).filter(({ counts }) => counts === 'right')
      const read = await app.get(Counters).read(right)
      return ['account and network', 'account'].map(name => read.find(({ scope }) => scope === name)?.points)
    }
    const challenge = await aChallenge(app, user, from(ip))
    expect(await keys()).toEqual([1, 0])
    expect(outcome(await secondStep(app, { challenge, code: phone.code() }, from(ip)))).toBe('200')
    expect(await keys()).toEqual([1, 1])
  })
})

describe('a login that is too unusual', () => {
  slowOnServers('does not confirm the password by asking for the second factor', async () => {
    const strict = await TestApp.start({
      ...{ ...TRUSTED, ...app.stores, ANOMALY_POLICY: 'notify:1,revoke:1' },
      JWT_KEYS_FILE: app.settings.jwtKeysFile,
      SECRETS_KEYS_FILE: app.settings.secretsKeysFile,
    })
    try {
      const { user, phone } = await anEnrolled()
      const usual = {
        ...from('203.0.113.30'),
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
      }
      const known = await secondStep(
        app,
        { challenge: await aChallenge(app, user, usual), code: phone.code() },
        usual,
      )
      expect(outcome(known)).toBe('200')
      const unusual = { ...from('198.51.100.30'), 'User-Agent': 'curl/8.0' }
      const answer = await sendLogin(strict, user, unusual)
      expect(outcome(answer)).toBe('401 INVALID_CREDENTIALS')
      const wrong = await sendLogin(strict, user, { ...unusual, password: 'a wrong password' })
      expect({ ...answer.json, requestId: '' }).toEqual({ ...wrong.json, requestId: '' })
    } finally {
      await strict.stop()
    }
  })
})
