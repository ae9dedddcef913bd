import { afterEach, describe, expect, it, jest } from '@jest/globals'
import {
  accounts,
  OneTimeTokenCleanup,
  oneTimeTokens,
  Passwords,
  PERMISSIONS,
  permissionsOf,
  UserAdministration,
  Users,
} from '../../sources.js'
import type { TestResponse } from '../../support/http-request.js'
import { anEmail, anOwner, PASSWORD, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, readData } from '../support/api-calls.js'

const DAY_SECONDS = 24 * 60 * 60
const THEIR_PASSWORD = 'seven quiet otters juggle'

afterEach(() => {
  jest.restoreAllMocks()
})

describe('Sign-up', () => {
  const app = anApp()

  type Headers = Record<string, string>
  const call = (path: string, body: object, headers: Headers = { Origin: MAIN }) =>
    app.post(path, body, headers)
  const signUp = (email: string, more: object = {}, headers?: Headers) =>
    call('/api/signup', { email, password: PASSWORD, ...more }, headers)
  const verify = (token: string, password = PASSWORD, headers?: Headers) =>
    call('/api/signup/verify', { token, password }, headers)
  const find = (email: string) => app.get(Users).findByEmail(email as never)
  const countAccounts = () => app.database.run(db => db.$count(accounts))

  async function tokensOf(email: string) {
    const rows = await app.database.run(db => db.select().from(oneTimeTokens))
    return rows.filter(row => row.email === email && row.purpose === 'sign-up')
  }

  it('makes account and owner when the mailed link is followed with the password, and not before', async () => {
    const email = anEmail()
    const answer = await signUp(email.toUpperCase(), { name: 'Rosa Meadows' })
    expect([answer.status, answer.text, answer.setCookies]).toEqual([202, '', []])
    expect(await find(email)).toBeNull()
    const [mail] = await app.mailsTo(email)
    const token = await app.mailedToken(email)
    expect(mail?.subject).toBe('Confirm your e-mail address for Mainstay')
    expect(mail?.text).toContain(`${MAIN}/verify-email#token=${token}`)
    expect(mail?.text).not.toContain('Rosa')

    const verified = await verify(token)
    expect(outcome(verified)).toBe('201')
    const owner = await find(email)
    expect(verified.json.userId).toBe(owner?.id)
    expect(owner).toMatchObject({
      name: 'Rosa Meadows',
      role: 'owner',
      granted: permissionsOf(PERMISSIONS),
      satellites: null,
      disabledAt: null,
    })
    const { accessToken } = await signIn(app, { email }, 'main')
    expect((await readData(app, accessToken)).status).toBe(200)

    const rows = await app.auditRows()
    expect(rows.filter(row => row.action === 'signup' && row.detail.email === email)).toEqual([
      expect.objectContaining({ outcome: 'ok', userId: null, ip: '127.0.0.1', origin: MAIN }),
    ])
    const made = rows.filter(row => row.userId === owner?.id && row.action !== 'login')
    expect(made).toEqual(
      ['email.verify', 'account.create'].map(action =>
        expect.objectContaining({ action, outcome: 'ok', accountId: owner?.accountId, ip: '127.0.0.1' }),
      ),
    )
    expect(JSON.stringify(rows)).not.toContain(token)
    expect(JSON.stringify(rows)).not.toContain('argon2')
  })

  it('answers the same for an address that has a user, who gets another mail and no link', async () => {
    const owner = await anOwner(app)
    const [known, unknown] = [await signUp(owner.email), await signUp(anEmail())]
    const withoutIds = ({ status, text, headers }: TestResponse) => {
      const { 'x-request-id': _, date: __, ...rest } = headers
      return { status, text, headers: rest }
    }
    expect(withoutIds(known)).toEqual(withoutIds(unknown))
    const mails = await app.mailsTo(owner.email)
    expect(mails.map(({ subject }) => subject)).toEqual(['You already have an account at Mainstay'])
    expect(mails[0]?.text).not.toContain('token')
    expect(mails[0]?.text).toContain(`log in at ${MAIN}/`)
    expect(mails[0]?.text).toContain(`Choose a new password:\n${MAIN}/forgot-password`)
    expect(await find(owner.email)).toEqual(owner)
    expect(await app.auditRows({ userId: owner.id, action: 'signup' })).toEqual([
      expect.objectContaining({ outcome: 'refused', detail: { reason: 'e-mail taken' } }),
    ])
  })

  it('does the same work for an address that has a user', async () => {
    const hash = jest.spyOn(app.get(Passwords), 'hash')
    const owner = await anOwner(app)
    hash.mockClear()
    const stranger = anEmail()
    for (const email of [owner.email, stranger]) await signUp(email)
    expect(hash).toHaveBeenCalledTimes(2)
    const [ofOwner, ofStranger] = [await tokensOf(owner.email), await tokensOf(stranger)]
    expect([ofOwner.length, ofStranger.length]).toEqual([1, 1])
    expect(ofOwner[0]?.detail.passwordHash).toBeNull()
  })

  describe('with the address of another', () => {
    it('gives them nothing: the owner of the mailbox does not have the password, and the link stays good', async () => {
      const email = anEmail()
      await signUp(email, { password: THEIR_PASSWORD })
      const token = await app.mailedToken(email)
      expect(outcome(await verify(token, PASSWORD))).toBe('401 INVALID_CREDENTIALS')
      expect(await find(email)).toBeNull()
      const [refused] = (await app.auditRows()).filter(
        row => row.detail.email === email && row.outcome === 'failed',
      )
      expect(refused).toMatchObject({ action: 'email.verify', detail: { reason: 'wrong password' } })
      expect(outcome(await verify(token, THEIR_PASSWORD))).toBe('201')
    })

    it.each(['before', 'after'])(
      '%s them leaves the password of the owner of the mailbox alone',
      async when => {
        const email = anEmail()
        if (when === 'before') await signUp(email, { password: THEIR_PASSWORD, name: 'Somebody Else' })
        await signUp(email, { name: 'The Owner' })
        const token = await app.mailedToken(email)
        if (when === 'after') await signUp(email, { password: THEIR_PASSWORD, name: 'Somebody Else' })
        const theirs = (await app.mailsTo(email)).map(({ text }) => /#token=(\S+)/.exec(text)?.[1] as string)
        const other = theirs.find(text => text !== token) as string

        expect(outcome(await verify(token, PASSWORD))).toBe('201')
        expect(await find(email)).toMatchObject({ name: 'The Owner' })
        expect(await tokensOf(email)).toEqual([])
        expect(outcome(await verify(other, THEIR_PASSWORD))).toBe('400 INVALID_LINK')
        await signIn(app, { email }, 'main')
      },
    )
  })

  describe('a link', () => {
    it('works once', async () => {
      const email = anEmail()
      await signUp(email)
      const token = await app.mailedToken(email)
      expect(outcome(await verify(token))).toBe('201')
      expect(outcome(await verify(token))).toBe('400 INVALID_LINK')
    })

    it('followed ten times at once makes one account', async () => {
      const email = anEmail()
      await signUp(email)
      const token = await app.mailedToken(email)
      const before = await countAccounts()
      const answers = await Promise.all(Array.from({ length: 10 }, () => verify(token)))
      const outcomes = answers.map(outcome)
      expect(outcomes.filter(it => it === '201')).toHaveLength(1)
      expect(
        outcomes.filter(it => it !== '201' && it !== '409 EMAIL_TAKEN' && it !== '400 INVALID_LINK'),
      ).toEqual([])
      expect(await countAccounts()).toBe(before + 1)
    })

    slow('makes one account when it and another of the same address are followed at once', async () => {
      const email = anEmail()
      for (let each = 0; each < 5; each++) await signUp(email)
      const tokens = (await app.mailsTo(email)).map(({ text }) => /#token=(\S+)/.exec(text)?.[1] as string)
      const before = await countAccounts()
      const answers = (await Promise.all(tokens.map(token => verify(token)))).map(outcome)
      expect(answers.filter(it => it === '201')).toHaveLength(1)
      expect(
        answers.filter(it => it !== '201' && it !== '409 EMAIL_TAKEN' && it !== '400 INVALID_LINK'),
      ).toEqual([])
      expect(await countAccounts()).toBe(before + 1)
    })

    it('works for a day and no longer, and is then cleared away', async () => {
      const [early, late] = [anEmail(), anEmail()]
      await signUp(early)
      await signUp(late)
      app.clock.advance(DAY_SECONDS - 60)
      expect(outcome(await verify(await app.mailedToken(early)))).toBe('201')
      app.clock.advance(60)
      expect(outcome(await verify(await app.mailedToken(late)))).toBe('400 INVALID_LINK')
      expect(await tokensOf(late)).toHaveLength(1)
      const cleanup = app.get(OneTimeTokenCleanup)
      expect(await cleanup.run()).toBeGreaterThanOrEqual(1)
      expect(await tokensOf(late)).toEqual([])
      // The lease is held: another replica has nothing to do.
      expect(await cleanup.run()).toBeNull()
    })

    it('answers 409 when its address has got a user meanwhile', async () => {
      const email = anEmail()
      await signUp(email)
      const token = await app.mailedToken(email)
      const before = await countAccounts()
      await app.get(UserAdministration).createAccount(email, THEIR_PASSWORD)
      expect(outcome(await verify(token))).toBe('409 EMAIL_TAKEN')
      expect(await countAccounts()).toBe(before + 1)
    })

    it('is refused when it was never ours', async () => {
      for (const token of ['', 'x', 'A'.repeat(43), "' or 1=1 --", '\u0000'])
        expect([token, outcome(await verify(token))]).toEqual([token, '400 INVALID_LINK'])
    })
  })

  describe('refuses', () => {
    it('what is no address, password or name, and what nobody may choose', async () => {
      for (const [field, value] of Object.entries({
        password: 'xK9#q2w',
        email: 'rosa@',
        name: 'Rosa\nMeadows',
        role: 'owner',
        granted: { payments: true },
      })) {
        const answer = await signUp(anEmail(), { [field]: value })
        expect(answer.json).toMatchObject({ code: 'INVALID_BODY', errors: [{ field }] })
      }
      for (const body of [{ password: undefined }, { name: '' }])
        expect([body, outcome(await signUp(anEmail(), body))]).toEqual([body, '400 INVALID_BODY'])
    })

    it('an address with letters that are not ASCII, and says so (integration 17)', async () => {
      for (const email of ['müller@example.com', 'rosa@müller.example'])
        expect((await signUp(email)).json.errors).toEqual([
          { field: 'email', code: 'NOT_AN_EMAIL', message: expect.stringContaining('in ASCII only') },
        ])
    })

    it('a password that is easy to guess', async () => {
      const email = anEmail()
      for (const password of ['password1', 'PASSWORD1', 'aaaaaaaaaaaa', 'Mainstay2026', 'www.main.test']) {
        const answer = await signUp(email, { password })
        expect([password, outcome(answer)]).toEqual([password, '400 WEAK_PASSWORD'])
        expect(answer.json.errors).toEqual([
          { field: 'password', code: expect.stringMatching(/^PASSWORD_/), message: expect.any(String) },
        ])
        expect(answer.json.errors[0].message).not.toContain(password)
      }
      expect(await app.mailsTo(email)).toEqual([])
    })

    it('a password that is the address or the name', async () => {
      const email = `rosa.meadows.${anEmail()}`
      for (const more of [
        { password: 'rosa.meadows!' },
        { password: 'Bellflower99', name: 'Bell Bellflower' },
      ])
        expect(outcome(await signUp(email, more))).toBe('400 WEAK_PASSWORD')
    })

    it('a weak password for an address that has a user in the same way', async () => {
      const owner = await anOwner(app)
      expect(outcome(await signUp(owner.email, { password: 'password1' }))).toBe('400 WEAK_PASSWORD')
    })

    it.each<[string, Headers, string]>([
      ['a satellite', { Origin: SHOP_ONE }, '403 MAIN_ORIGIN_REQUIRED'],
      ['another site without Origin', { 'Sec-Fetch-Site': 'cross-site' }, '403 CROSS_SITE_REFUSED'],
      ['an unlisted site', { Origin: 'https://evil.test' }, '403 ORIGIN_NOT_ALLOWED'],
    ])('a request of %s', async (_, headers, refusal) => {
      expect(outcome(await signUp(anEmail(), {}, headers))).toBe(refusal)
      expect(outcome(await verify('A'.repeat(43), PASSWORD, headers))).toBe(refusal)
    })
  })

  it('is open to clients without an Origin', async () => {
    expect(outcome(await signUp(anEmail(), {}, {}))).toBe('202')
  })
})

describe('Sign-up, as it is set', () => {
  slow('can be closed, also for earlier links', async () => {
    const app = await TestApp.start({ SIGN_UP: 'off' })
    try {
      for (const [path, body] of [
        ['/api/signup', { email: anEmail(), password: PASSWORD }],
        ['/api/signup/verify', { token: 'A'.repeat(43), password: PASSWORD }],
      ] as const)
        expect(outcome(await app.post(path, body, {}))).toBe('403 SIGN_UP_CLOSED')
    } finally {
      await app.stop()
    }
  })

  slow('answers 503 to everybody when there is no mail', async () => {
    const app = await TestApp.start({ SMTP_URL: '', MAIL_FROM: '' })
    try {
      for (const email of [anEmail(), (await anOwner(app)).email]) {
        const body = { email, password: PASSWORD }
        expect(outcome(await app.post('/api/signup', body, {}))).toBe('503 MAIL_UNAVAILABLE')
      }
    } finally {
      await app.stop()
    }
  })

  slow('is limited: mails to one address, links from one network, passwords at one link', async () => {
    const app = await TestApp.start({
      MAILS_PER_ADDRESS: '4',
      ATTEMPTS_PER_NETWORK: '20',
      ATTEMPTS_PER_ACCOUNT_AND_NETWORK: '3',
    })
    try {
      const call = (path: string, body: object, localAddress: string) =>
        app
          .request({ method: 'POST', path, headers: { Origin: MAIN }, body, localAddress, timeoutMs: 30_000 })
          .then(outcome)
      const owner = await anOwner(app)
      for (const email of [anEmail(), owner.email]) {
        const outcomes: string[] = []
        for (let each = 0; each < 3; each++)
          outcomes.push(await call('/api/signup', { email, password: PASSWORD }, '127.0.0.5'))
        // From one network half of what the address may get.
        expect(outcomes).toEqual(['202', '202', '429 TOO_MANY_ATTEMPTS'])
        expect(await app.mailsTo(email)).toHaveLength(2)
      }

      const email = anEmail()
      await call('/api/signup', { email, password: PASSWORD }, '127.0.0.6')
      const token = await app.mailedToken(email)
      const guesses: string[] = []
      for (let each = 0; each < 4; each++)
        guesses.push(await call('/api/signup/verify', { token, password: 'wrong' }, '127.0.0.7'))
      expect(guesses).toEqual([...Array(3).fill('401 INVALID_CREDENTIALS'), '429 TOO_MANY_ATTEMPTS'])
      expect(await call('/api/signup/verify', { token, password: PASSWORD }, '127.0.0.8')).toBe('201')

      // Guesses from however many networks end with the link (S10).
      const other = anEmail()
      await call('/api/signup', { email: other, password: PASSWORD }, '127.0.0.9')
      const link = await app.mailedToken(other)
      const spread: string[] = []
      for (let each = 0; each < 21; each++)
        spread.push(
          await call('/api/signup/verify', { token: link, password: 'wrong' }, `127.0.7.${each + 1}`),
        )
      expect(spread).toEqual([...Array(20).fill('401 INVALID_CREDENTIALS'), '429 TOO_MANY_ATTEMPTS'])
      expect(await call('/api/signup/verify', { token: link, password: PASSWORD }, '127.0.0.9')).toMatch(
        /^429/,
      )

      const links: string[] = []
      for (let each = 0; each < 21; each++)
        links.push(
          await call('/api/signup/verify', { token: 'A'.repeat(43), password: PASSWORD }, '127.0.0.9'),
        )
      expect(links).toEqual([...Array(20).fill('400 INVALID_LINK'), '429 TOO_MANY_ATTEMPTS'])
    } finally {
      await app.stop()
    }
  })
})
