import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  ApiError,
  type Email,
  Mailer,
  OneTimeTokens,
  oneTimeTokens,
  RateLimiter,
  type User,
  UserAdministration,
  UserEmails,
  Users,
  users,
} from '../../sources.js'
import { Authenticator } from '../../support/authenticator.js'
import type { TestResponse } from '../../support/http-request.js'
import { anEmail, anOwner, PASSWORD, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { mailResetLink } from '../../support/reset-link.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { onServers, slow } from '../../support/tiers.js'
import { UNCOUNTED } from '../../support/uncounted.js'
import { bearer, cookie, outcome, refreshByCookie } from '../support/api-calls.js'
import {
  aProvenOwner,
  onMainSite,
  provenSession,
  STEP_UP_CHALLENGE,
  staleSession,
} from '../support/reauthenticate.js'
import { claimsOf } from '../support/token-claims.js'
import { untilWaiting } from '../support/waiting-statements.js'

const NEW_PASSWORD = 'seven quiet otters juggle'
const DAY = 24 * 60 * 60

afterEach(() => {
  jest.restoreAllMocks()
})

describe('A change of the e-mail address', () => {
  const app = anApp()

  const ask = (session: SignedIn, email: string) =>
    onMainSite(app, session, 'POST', '/api/email/change', { email })
  const confirm = (token: string, password = PASSWORD) => follow('/api/email/confirm', { token, password })
  const undo = (token: string) => follow('/api/email/undo', { token })

  function follow(path: string, body: object): Promise<TestResponse> {
    return app.post(path, body)
  }

  async function logIn(email: string, password = PASSWORD): Promise<string> {
    return outcome(await sendLogin(app, { email }, { password }))
  }

  async function linkTo(session: SignedIn, email: string): Promise<string> {
    expect(outcome(await ask(session, email))).toBe('202')
    return app.mailedToken(email)
  }

  /** All the way; the token of the link back, which the address of before was mailed. */
  async function change(session: SignedIn, before: string, after: string): Promise<string> {
    expect(outcome(await confirm(await linkTo(session, after)))).toBe('204')
    return app.mailedToken(before)
  }

  const strangerOf = async ({ accessToken }: SignedIn) =>
    (await app.get(Users).find(claimsOf(accessToken).userId as string)) as User

  const emailOf = async ({ id }: User) => (await app.get(Users).find(id))?.email

  function rowsOf({ id }: User, action: string) {
    return app.auditRows({ userId: id, action })
  }

  it('is confirmed from the new address, and the old one is told', async () => {
    const owner = await aProvenOwner(app)
    const email = anEmail()
    const answer = await ask(owner, ` ${email.toUpperCase()} `)
    expect([answer.status, answer.text]).toEqual([202, ''])
    expect(await emailOf(owner)).toBe(owner.email)
    expect(await app.mailsTo(owner.email)).toEqual([])
    const [mail] = await app.mailsTo(email)
    expect(mail?.text).toContain(`${MAIN}/confirm-email#token=`)

    const confirmed = await confirm(await app.mailedToken(email))
    expect([confirmed.status, confirmed.text, confirmed.setCookies]).toEqual([204, '', []])
    expect(await emailOf(owner)).toBe(email)
    expect(await logIn(owner.email)).toBe('401 INVALID_CREDENTIALS')
    expect(await logIn(email)).toBe('200')
    expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe('200')
    const [notice] = await app.mailsTo(owner.email)
    expect(notice?.text).toContain(`${MAIN}/undo-email#token=`)
    expect(notice?.text).not.toContain(email)
    const { sid } = claimsOf(owner.accessToken)
    expect(await rowsOf(owner, 'email.change')).toEqual([
      expect.objectContaining({ outcome: 'ok', sid, detail: { step: 'asked' } }),
      expect.objectContaining({
        outcome: 'ok',
        detail: { step: 'confirmed', from: owner.email, to: email },
      }),
    ])
  })

  it('asks for the password first', async () => {
    const session = await staleSession(app, await anOwner(app))
    const answer = await ask(session, anEmail())
    expect(outcome(answer)).toBe('401 REAUTHENTICATION_REQUIRED')
    expect(answer.headers['www-authenticate']).toBe(STEP_UP_CHALLENGE)
  })

  it('gives the same response, with the same work, for an address that is taken', async () => {
    const other = await anOwner(app)
    const session = await provenSession(app, await anOwner(app))
    const tokens = async () => (await app.database.run(db => db.select().from(oneTimeTokens))).length
    const free = await ask(session, anEmail())
    const before = await tokens()
    const taken = await ask(session, other.email)
    expect([taken.status, taken.text]).toEqual([free.status, free.text])
    // The link of before is gone, another is there.
    expect(await tokens()).toBe(before)
    const [mail] = await app.mailsTo(other.email)
    expect(mail?.subject).toBe('You already have an account at Mainstay')
    expect(mail?.text).not.toContain('#token=')
  })

  it('to the current address changes nothing, mails nothing and leaves the earlier link', async () => {
    const owner = await aProvenOwner(app)
    const token = await linkTo(owner, anEmail())
    expect(outcome(await ask(owner, owner.email))).toBe('202')
    expect(await app.mailsTo(owner.email)).toEqual([])
    expect(outcome(await confirm(token))).toBe('204')
  })

  it('sends a link that works once, for a day', async () => {
    const owner = await anOwner(app)
    const email = anEmail()
    const late = await linkTo(await provenSession(app, owner), anEmail())
    app.clock.advance(DAY)
    expect(outcome(await confirm(late))).toBe('400 INVALID_LINK')
    const token = await linkTo(await provenSession(app, owner), email)
    app.clock.advance(DAY - 5)
    const answers = await Promise.all([confirm(token), confirm(token)])
    expect(answers.map(outcome).sort()).toEqual(['204', '400 INVALID_LINK'])
    expect(await emailOf(owner)).toBe(email)
  })

  it('keeps only the newest link', async () => {
    const session = await provenSession(app, await anOwner(app))
    const first = await linkTo(session, anEmail())
    const second = await linkTo(session, anEmail())
    expect(outcome(await confirm(first))).toBe('400 INVALID_LINK')
    expect(outcome(await confirm(second))).toBe('204')
  })

  it('fails when the address is taken meanwhile', async () => {
    const owner = await anOwner(app)
    const email = anEmail()
    const token = await linkTo(await provenSession(app, owner), email)
    const other = await anOwner(app)
    await app.database.transaction(transaction => app.get(UserEmails).set(transaction, other.id, email))
    expect(outcome(await confirm(token))).toBe('409 EMAIL_TAKEN')
    expect(await emailOf(owner)).toBe(owner.email)
    expect(await app.mailsTo(owner.email)).toEqual([])
  })

  slow('succeeds for only one of several users who ask for the same address at once', async () => {
    const email = anEmail()
    const tokens: string[] = []
    for (let user = 0; user < 4; user++)
      tokens.push(await linkTo(await provenSession(app, await anOwner(app)), email))
    const answers = await Promise.all(tokens.map(token => confirm(token)))
    expect(answers.map(outcome).sort()).toEqual(['204', ...Array(3).fill('409 EMAIL_TAKEN')])
  })

  it('fails for a user who was disabled meanwhile', async () => {
    const owner = await anOwner(app)
    const token = await linkTo(await provenSession(app, owner), anEmail())
    await app.get(UserAdministration).disable(owner)
    expect(outcome(await confirm(token))).toBe('400 INVALID_LINK')
    expect(await emailOf(owner)).toBe(owner.email)
  })

  slow.each(['reset', 'change'])('fails once the password was set anew (%s)', async how => {
    const owner = await aProvenOwner(app)
    const token = await linkTo(owner, anEmail())
    if (how === 'reset') {
      await mailResetLink(app, owner)
      const reset = { token: await app.mailedToken(owner.email), password: NEW_PASSWORD }
      expect(outcome(await follow('/api/password/reset', reset))).toBe('200')
    } else {
      const session = await provenSession(app, owner)
      const body = { currentPassword: PASSWORD, password: NEW_PASSWORD }
      expect(outcome(await onMainSite(app, session, 'POST', '/api/password/change', body))).toBe('204')
    }
    expect(outcome(await confirm(token))).toBe('400 INVALID_LINK')
    expect(await emailOf(owner)).toBe(owner.email)
  })

  slow(
    'security M1: leaves a link for a new password good that went to the old address, which brings that back',
    async () => {
      const owner = await anOwner(app)
      await mailResetLink(app, owner)
      const token = await app.mailedToken(owner.email)
      const thief = await provenSession(app, owner)
      const email = anEmail()
      const toOwner = await change(thief, owner.email, email)
      await mailResetLink(app, { ...owner, email })
      const answer = await follow('/api/password/reset', { token, password: NEW_PASSWORD })
      expect(outcome(answer)).toBe('200')
      expect(await emailOf(owner)).toBe(owner.email)
      expect(outcome(await refreshByCookie(app, thief.sessionId))).toBe('401 SESSION_NOT_FOUND')
      expect([await logIn(owner.email, NEW_PASSWORD), await logIn(owner.email)]).toEqual([
        '200',
        '401 INVALID_CREDENTIALS',
      ])
      expect(outcome(await undo(toOwner))).toBe('400 INVALID_LINK')
      expect((await app.mailsTo(email)).at(-1)?.text).toContain('uses its previous e-mail address again')
      const ofThief = { token: await app.mailedToken(email), password: PASSWORD }
      expect(outcome(await follow('/api/password/reset', ofThief))).toBe('400 INVALID_LINK')
    },
  )

  describe('security M5: is confirmed', () => {
    it('by a session of the user, or by the password, not by the link alone', async () => {
      const owner = await aProvenOwner(app)
      const email = anEmail()
      const token = await linkTo(owner, email)
      const byLink = await follow('/api/email/confirm', { token })
      expect(outcome(byLink)).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(outcome(await confirm(token, 'a password of nobody'))).toBe('401 INVALID_CREDENTIALS')
      // The victim whose address a stranger puts on an account of theirs is logged in somewhere else, if at all.
      const victim = await signIn(app, await anOwner(app), 'main')
      const body = { token }
      const byVictim = await onMainSite(app, victim, 'POST', '/api/email/confirm', body)
      expect(outcome(byVictim)).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(await emailOf(owner)).toBe(owner.email)
      expect(outcome(await onMainSite(app, owner, 'POST', '/api/email/confirm', body))).toBe('204')
      expect(await emailOf(owner)).toBe(email)
    })

    it('by token and cookie of one live main session', async () => {
      const owner = await aProvenOwner(app)
      const satellite = await signIn(app, owner, 'satellite')
      const body = { token: await linkTo(owner, anEmail()) }
      const call = (headers: Record<string, string>) =>
        app.post('/api/email/confirm', body, headers).then(outcome)
      expect(await call(bearer('x'))).toBe('401 INVALID_ACCESS_TOKEN')
      expect(await call(bearer(owner.accessToken))).toBe('403 SESSION_COOKIE_REQUIRED')
      expect(await call({ ...bearer(satellite.accessToken), ...cookie(satellite.sessionId) })).toBe(
        '403 MAIN_SOURCE_REQUIRED',
      )
      expect(await call(cookie(owner.sessionId))).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(await call({ ...bearer(owner.accessToken), ...cookie(owner.sessionId) })).toBe('204')
    })

    it('back to an earlier address, after which the one between cannot return', async () => {
      const owner = await aProvenOwner(app)
      const between = anEmail()
      await change(owner, owner.email, between)
      expect(outcome(await confirm(await linkTo(owner, owner.email)))).toBe('204')
      const mails = await app.mailsTo(between)
      expect(mails.map(({ text }) => text.includes('/undo-email'))).toEqual([false, false])
      expect(mails.at(-1)?.text).toContain('uses its previous e-mail address again')
      expect(outcome(await undo(await app.mailedToken(owner.email)))).toBe('400 INVALID_LINK')
      expect(await emailOf(owner)).toBe(owner.email)
    })
  })

  it('security H2: leaves the old address to its user while they can return to it', async () => {
    const owner = await aProvenOwner(app)
    await change(owner, owner.email, anEmail())
    const stranger = await provenSession(app, await anOwner(app))
    expect(outcome(await confirm(await linkTo(stranger, owner.email)))).toBe('409 EMAIL_TAKEN')
    app.clock.advance(7 * DAY)
    const later = await provenSession(app, { email: (await strangerOf(stranger)).email })
    expect(outcome(await confirm(await linkTo(later, owner.email)))).toBe('204')
  })

  it('lets the old address know of new factors and passwords while it can be undone, by the link that it has', async () => {
    const owner = await aProvenOwner(app)
    const email = anEmail()
    const token = await change(owner, owner.email, email)
    const call = async (path: string, body = {}) =>
      expect((await onMainSite(app, owner, 'POST', path, body)).status).toBeLessThan(300)
    const { secret } = (await onMainSite(app, owner, 'POST', '/api/second-factor/totp')).json
    await call('/api/second-factor/totp/confirm', { code: new Authenticator(app, secret).code() })
    await call('/api/password/change', { currentPassword: PASSWORD, password: NEW_PASSWORD })
    const news = ['New authenticator app for Mainstay', 'Your password for Mainstay has been changed']
    const newsTo = async (address: string) =>
      (await app.mailsTo(address)).filter(({ subject }) => news.includes(subject as string))
    expect((await newsTo(email)).map(({ subject }) => subject).sort()).toEqual(news)
    expect((await newsTo(email)).some(({ text }) => text.includes('IP address'))).toBe(true)
    const told = await newsTo(owner.email)
    expect(told.map(({ subject }) => subject).sort()).toEqual(news)
    // One of their own would let in whoever has got the mailbox since.
    for (const { text } of told) {
      expect(text).not.toContain('http')
      expect(text).not.toContain('IP address')
      expect(text).toContain(
        'open our e-mail “Your e-mail address for Mainstay has been changed” and follow its link “This was not me”',
      )
    }
    expect(outcome(await undo(token))).toBe('204')
    expect(await emailOf(owner)).toBe(owner.email)
    expect((await app.get(Users).find(owner.id))?.hasSecondFactor).toBe(false)
  })

  it.each([
    ['German', 'de', 'en', 'Your password for Mainstay has been changed'],
    ['the language of the service', null, 'de', 'Ihr Passwort für Mainstay wurde geändert'],
  ])(
    'writes to the old address in %s if the mail that it has was, and quotes that',
    async (_, first, later, changed) => {
      const owner = await aProvenOwner(app)
      const speak = (language: string) => onMainSite(app, owner, 'PATCH', '/api/profile', { language })
      if (first) expect(outcome(await speak(first))).toBe('200')
      const email = anEmail()
      await change(owner, owner.email, email)
      const [undo] = await app.mailsTo(owner.email)
      expect(outcome(await speak(later))).toBe('200')
      const { secret } = (await onMainSite(app, owner, 'POST', '/api/second-factor/totp')).json
      const code = new Authenticator(app, secret).code()
      await onMainSite(app, owner, 'POST', '/api/second-factor/totp/confirm', { code })
      const passwords = { currentPassword: PASSWORD, password: NEW_PASSWORD }
      expect(outcome(await onMainSite(app, owner, 'POST', '/api/password/change', passwords))).toBe('204')
      const told = (await app.mailsTo(owner.email)).slice(1)
      expect(told).toHaveLength(2)
      const quoted = first ? `„${undo?.subject}“` : `“${undo?.subject}”`
      for (const { text } of told) expect(text.replaceAll(/\s+/g, ' ')).toContain(quoted)
      const subjects = (await app.mailsTo(email)).map(({ subject }) => subject)
      expect(subjects).toContain(changed)
    },
  )

  it('writes to an old address with several links in the language of its earliest mail', async () => {
    const owner = await anOwner(app)
    await app.database.transaction(async transaction => {
      const earlier = { 'before@example.test': ['en', 'de', 'en'], 'unknown@example.test': [null, 'en'] }
      const links = Object.entries(earlier).flatMap(([email, languages]) =>
        languages.map(language => ({ email, detail: { language } })),
      )
      for (const [turn, { email, detail }] of links.entries())
        await app.get(OneTimeTokens).issue(transaction, {
          purpose: 'email-undo',
          email,
          userId: owner.id,
          accountId: owner.accountId,
          detail: { turn: turn + 9, since: app.clock.now().toISOString(), ...detail },
          lifetimeSeconds: DAY,
        })
      const german = { ...owner, language: 'de' }
      expect(await app.get(UserEmails).recipientsOf(transaction, german)).toEqual([
        { email: owner.email, language: 'de' },
        { email: 'before@example.test', language: 'en' },
        { email: 'unknown@example.test', language: null },
      ])
    })
  })

  slow('lets the three earliest addresses know, however many a thief has left', async () => {
    const owner = await anOwner(app)
    const addresses = [owner.email, anEmail(), anEmail(), anEmail(), anEmail()]
    const thief = await provenSession(app, owner)
    for (const [turn, email] of addresses.slice(1).entries())
      await change(thief, addresses[turn] as string, email)
    const before = await Promise.all(addresses.map(async address => (await app.mailsTo(address)).length))
    await onMainSite(app, thief, 'POST', '/api/password/change', {
      currentPassword: PASSWORD,
      password: NEW_PASSWORD,
    })
    const { secret } = (await onMainSite(app, thief, 'POST', '/api/second-factor/totp')).json
    const code = new Authenticator(app, secret).code()
    await onMainSite(app, thief, 'POST', '/api/second-factor/totp/confirm', { code })
    const after = await Promise.all(addresses.map(async address => (await app.mailsTo(address)).length))
    expect(after.map((count, index) => count - (before[index] as number))).toEqual([2, 2, 2, 0, 2])
  })

  it('does not tell the old address once it cannot be undone', async () => {
    const owner = await anOwner(app)
    const email = anEmail()
    await change(await provenSession(app, owner), owner.email, email)
    app.clock.advance(7 * DAY)
    const session = await provenSession(app, { email })
    const before = (await app.mailsTo(owner.email)).length
    const { secret } = (await onMainSite(app, session, 'POST', '/api/second-factor/totp')).json
    const code = new Authenticator(app, secret).code()
    const path = '/api/second-factor/totp/confirm'
    expect(outcome(await onMainSite(app, session, 'POST', path, { code }))).toBe('200')
    const passwords = { currentPassword: PASSWORD, password: NEW_PASSWORD }
    expect(outcome(await onMainSite(app, session, 'POST', '/api/password/change', passwords))).toBe('204')
    expect(await app.mailsTo(owner.email)).toHaveLength(before)
  })

  describe('undone', () => {
    it('brings the old address back, ends every session and begins anew with a new password', async () => {
      const owner = await aProvenOwner(app)
      const email = anEmail()
      const token = await change(owner, owner.email, email)
      const answer = await undo(token)
      expect([answer.status, answer.text, answer.setCookies]).toEqual([204, '', []])
      expect(await emailOf(owner)).toBe(owner.email)
      expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe('401 SESSION_NOT_FOUND')
      // Whoever changed it had the password.
      expect(await logIn(owner.email)).toBe('401 INVALID_CREDENTIALS')
      expect(await logIn(email)).toBe('401 INVALID_CREDENTIALS')
      const reset = { token: await app.mailedToken(owner.email), password: NEW_PASSWORD }
      expect(outcome(await follow('/api/password/reset', reset))).toBe('200')
      expect(await logIn(owner.email, NEW_PASSWORD)).toBe('200')
      expect(await rowsOf(owner, 'email.undo')).toEqual([expect.objectContaining({ outcome: 'ok' })])
      const left = (await app.mailsTo(email)).at(-1)?.text
      expect(left).toContain('uses its previous e-mail address again')
      expect(left).not.toContain('#token=')
    })

    it.each([
      ['German', 'de', 'en', /^Wählen Sie ein neues Passwort für/, /^Ihr Passwort für .+ wurde geändert$/],
      ['the service’s', null, 'de', /^Choose a new password for/, /^Your password for .+ has been changed$/],
    ])(
      'goes on in the language of the mail with the link: %s',
      async (_, first, later, resetLink, passwordChanged) => {
        const owner = await aProvenOwner(app)
        const speak = (language: string) => onMainSite(app, owner, 'PATCH', '/api/profile', { language })
        if (first) expect(outcome(await speak(first))).toBe('200')
        const email = anEmail()
        const token = await change(owner, owner.email, email)
        expect(outcome(await speak(later))).toBe('200')
        expect(outcome(await onMainSite(app, owner, 'POST', '/api/account/deletion'))).toBe('200')
        const before = await app.mailsTo(owner.email)
        expect(outcome(await undo(token))).toBe('204')
        const reset = { token: await app.mailedToken(owner.email), password: NEW_PASSWORD }
        expect(outcome(await follow('/api/password/reset', reset))).toBe('200')
        const subjects = (await app.mailsTo(owner.email)).slice(before.length).map(({ subject }) => subject)
        const deletionCancelled = first
          ? /^Ihr Konto bei .+ wird nicht gelöscht$/
          : /^Your account at .+ will not be/
        for (const expected of [resetLink, passwordChanged, deletionCancelled])
          expect(subjects).toContainEqual(expect.stringMatching(expected))
        expect((await app.get(Users).find(owner.id))?.language).toBe(first)
        // The address that is left reads what was chosen for it.
        const left = (await app.mailsTo(email)).at(-1)?.subject
        expect(left).toMatch(first ? /^Your e-mail address for/ : /^Ihre E-Mail-Adresse für/)
      },
    )

    it('teaches the service no language that it did not know', async () => {
      const owner = await anOwner(app)
      const token = await change(await provenSession(app, owner), owner.email, anEmail())
      expect(outcome(await undo(token))).toBe('204')
      expect((await app.get(Users).find(owner.id))?.language).toBeNull()
    })

    it('goes on in the language of the undoing mail after a link for a new password', async () => {
      const owner = await aProvenOwner(app)
      const speak = (language: string) => onMainSite(app, owner, 'PATCH', '/api/profile', { language })
      expect(outcome(await speak('de'))).toBe('200')
      await mailResetLink(app, owner)
      const token = await app.mailedToken(owner.email)
      await change(owner, owner.email, anEmail())
      expect(outcome(await speak('en'))).toBe('200')
      expect(outcome(await follow('/api/password/reset', { token, password: NEW_PASSWORD }))).toBe('200')
      expect((await app.mailsTo(owner.email)).at(-1)?.subject).toMatch(/^Ihr Passwort für .+ wurde geändert$/)
    })

    slow('works after a thief has changed the address twice, which the thief cannot undo', async () => {
      const owner = await aProvenOwner(app)
      const [second, third] = [anEmail(), anEmail()]
      const toOwner = await change(owner, owner.email, second)
      const toThief = await change(owner, second, third)
      expect(outcome(await undo(toOwner))).toBe('204')
      expect(await emailOf(owner)).toBe(owner.email)
      expect(outcome(await undo(toThief))).toBe('400 INVALID_LINK')
      expect(await emailOf(owner)).toBe(owner.email)
    })

    slow('from every address in between, the later one first', async () => {
      const owner = await aProvenOwner(app)
      const [second, third] = [anEmail(), anEmail()]
      const toFirst = await change(owner, owner.email, second)
      const toSecond = await change(owner, second, third)
      expect(outcome(await undo(toSecond))).toBe('204')
      expect(await emailOf(owner)).toBe(second)
      expect(outcome(await undo(toFirst))).toBe('204')
      expect(await emailOf(owner)).toBe(owner.email)
    })

    it('invalidates the thief’s next link as well', async () => {
      const owner = await aProvenOwner(app)
      const token = await change(owner, owner.email, anEmail())
      const next = await linkTo(owner, anEmail())
      await undo(token)
      expect(outcome(await confirm(next))).toBe('400 INVALID_LINK')
    })

    it('works for seven days, once', async () => {
      const owner = await anOwner(app)
      const email = anEmail()
      const token = await change(await provenSession(app, owner), owner.email, email)
      app.clock.advance(7 * DAY - 5)
      const answers = await Promise.all([undo(token), undo(token)])
      expect(answers.map(outcome).sort()).toEqual(['204', '400 INVALID_LINK'])

      const other = await anOwner(app)
      const late = await change(await provenSession(app, other), other.email, anEmail())
      app.clock.advance(7 * DAY)
      expect(outcome(await undo(late))).toBe('400 INVALID_LINK')
    })

    it('fails when the old address has become somebody else’s', async () => {
      const owner = await anOwner(app)
      const email = anEmail()
      const session = await provenSession(app, owner)
      const token = await change(session, owner.email, email)
      const other = await anOwner(app)
      // The service itself keeps it free; an operator with SQL need not.
      await app.database.run(db => db.update(users).set({ email: owner.email }).where(eq(users.id, other.id)))
      expect(outcome(await undo(token))).toBe('409 EMAIL_TAKEN')
      expect(await logIn(email)).toBe('200')
      expect(outcome(await refreshByCookie(app, session.sessionId))).toBe('200')
    })
  })

  // An embedded database has one transaction at a time.
  onServers('keeps the old address free from somebody who waits for it', async () => {
    const owner = await anOwner(app)
    const { database, users, emails } = {
      database: app.database,
      users: app.get(Users),
      emails: app.get(UserEmails),
    }
    let taking: Promise<unknown> = Promise.resolve()
    await database.transaction(async transaction => {
      const locked = (await users.lock(transaction, owner.id)) as User
      await emails.change(transaction, locked, anEmail() as Email, app.clock.now())
      taking = expect(app.get(UserAdministration).createAccount(owner.email, PASSWORD)).rejects.toMatchObject(
        {
          code: 'EMAIL_TAKEN',
        },
      )
      await untilWaiting(app)
    })
    await taking
  })

  it('takes only links for its own purpose', async () => {
    const owner = await aProvenOwner(app)
    const token = await linkTo(owner, anEmail())
    expect(outcome(await undo(token))).toBe('400 INVALID_LINK')
    await mailResetLink(app, owner)
    expect(outcome(await confirm(await app.mailedToken(owner.email)))).toBe('400 INVALID_LINK')
    expect(outcome(await confirm('x'.repeat(43)))).toBe('400 INVALID_LINK')
    expect(outcome(await follow('/api/email/confirm', { token: 7 }))).toBe('400 INVALID_BODY')
    expect(outcome(await follow('/api/email/confirm', { token, password: null }))).toBe('400 INVALID_BODY')
    expect(outcome(await ask(owner, 'nobody'))).toBe('400 INVALID_BODY')
    const failed = await app.auditRows({ outcome: 'failed' })
    expect(failed.map(({ action }) => action)).toEqual(expect.arrayContaining(['email.change', 'email.undo']))
  })

  it('is limited: by recipient, and by network for links', async () => {
    const session = await provenSession(app, await anOwner(app))
    const email = anEmail()
    const count = jest.spyOn(app.get(RateLimiter), 'count').mockImplementation(async ({ kind }) => {
      if (kind !== 'write') throw new ApiError('TOO_MANY_ATTEMPTS')
      return UNCOUNTED
    })
    const answers = [await ask(session, email), await confirm('x'), await undo('x')]
    expect(answers.map(outcome)).toEqual(Array(3).fill('429 TOO_MANY_ATTEMPTS'))
    expect(count.mock.calls.map(([{ kind, subject }]) => [kind, subject])).toEqual([
      ['write', claimsOf(session.accessToken).sid],
      ['sent mail', email],
      ['link', ''],
      ['link', ''],
    ])
  })

  it('answers 503 where no mail can be sent, because the old address has to be told', async () => {
    const owner = await aProvenOwner(app)
    const token = await linkTo(owner, anEmail())
    jest.spyOn(app.get(Mailer), 'requireMailServer').mockImplementation(() => {
      throw new ApiError('MAIL_UNAVAILABLE')
    })
    const answers = [await ask(owner, anEmail()), await confirm(token), await undo(token)]
    expect(answers.map(outcome)).toEqual(Array(3).fill('503 MAIL_UNAVAILABLE'))
    expect(await emailOf(owner)).toBe(owner.email)
  })
})
