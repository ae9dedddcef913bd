import { afterEach, describe, expect, it, jest } from '@jest/globals'
import {
  ApiError,
  Mailer,
  oneTimeTokens,
  RateLimiter,
  type User,
  UserAdministration,
  UserEmails,
  Users,
} from '../../sources.js'
import { aMember, anEmail, anOwner, aSignedInOwner, PASSWORD, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { closeTo } from '../support/team-calls.js'

const NEW_PASSWORD = 'seven quiet otters juggle'
const HALF_AN_HOUR = 1_800

afterEach(() => {
  jest.restoreAllMocks()
})

describe('A forgotten password', () => {
  const app = anApp()

  const call = (path: string, body: object) => app.post(path, body)
  const forgot = (email: string) => call('/api/password/forgot', { email })
  const reset = (token: string, password = NEW_PASSWORD) => call('/api/password/reset', { token, password })
  const logIn = (email: string, password: string) =>
    call('/api/login', { email, password, source: 'main' }).then(outcome)

  async function linkFor({ email }: User): Promise<string> {
    expect(outcome(await forgot(email))).toBe('202')
    return app.mailedToken(email)
  }

  function rowsOf({ id }: User, action: string) {
    return app.auditRows({ userId: id, action })
  }

  it('is replaced with a mailed link, which ends every session', async () => {
    const owner = await aSignedInOwner(app)
    const satellite = await signIn(app, owner, 'satellite')
    const token = await linkFor(owner)
    const [mail] = await app.mailsTo(owner.email)
    expect(mail?.text).toContain(`${MAIN}/reset-password#token=${token}`)

    const answer = await reset(token)
    expect([answer.status, answer.json.satellites]).toEqual([200, null])
    expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(outcome(await refreshByHeader(app, satellite.sessionId))).toBe('401 SESSION_NOT_FOUND')
    expect(await logIn(owner.email, PASSWORD)).toBe('401 INVALID_CREDENTIALS')
    expect(await logIn(owner.email, NEW_PASSWORD)).toBe('200')
    expect((await app.mailsTo(owner.email)).at(-1)?.subject).toMatch(
      /^Your password for .* has been changed$/,
    )
    expect(await rowsOf(owner, 'password.forgot')).toEqual([expect.objectContaining({ outcome: 'ok' })])
    expect(await rowsOf(owner, 'password.reset')).toEqual([
      expect.objectContaining({ outcome: 'ok', accountId: owner.accountId, ip: '127.0.0.1' }),
    ])
    const log = JSON.stringify(await app.auditRows())
    for (const secret of [token, NEW_PASSWORD]) expect(log).not.toContain(secret)
  })

  it('gives the same response for a known, an unknown and a disabled user, and mails the first alone', async () => {
    const [known, disabled, unknown] = [await anOwner(app), await anOwner(app), anEmail()]
    await app.get(UserAdministration).disable(disabled)
    const tokens = async () => (await app.database.run(db => db.select().from(oneTimeTokens))).length
    const kept = []
    for (const email of [known.email, disabled.email, unknown]) {
      const before = await tokens()
      const answer = await forgot(email)
      expect([answer.status, answer.text]).toEqual([202, ''])
      kept.push((await tokens()) - before)
    }
    // Links for nobody are made like all others, and are not kept: strangers must not fill the disk with them.
    expect(kept).toEqual([1, 0, 0])
    expect(await app.mailsTo(known.email)).toHaveLength(1)
    expect(await app.mailsTo(disabled.email)).toEqual([])
    expect(await app.mailsTo(unknown)).toEqual([])
    const rows = (await app.auditRows()).filter(({ detail }) => detail.email === unknown)
    expect(rows).toEqual([expect.objectContaining({ action: 'password.forgot', outcome: 'refused' })])
  })

  it('mails the stored address, however it was typed', async () => {
    const owner = await anOwner(app)
    expect(outcome(await forgot(` ${owner.email.toUpperCase()} `))).toBe('202')
    expect(await app.mailsTo(owner.email)).toHaveLength(1)
  })

  it('sends a link for half an hour', async () => {
    const owner = await anOwner(app)
    const token = await linkFor(owner)
    app.clock.advance(HALF_AN_HOUR - 5)
    expect(outcome(await reset(token))).toBe('200')
    const late = await linkFor(owner)
    app.clock.advance(HALF_AN_HOUR)
    expect(outcome(await reset(late))).toBe('400 INVALID_LINK')
  })

  it('sends a link that works once, also when it is followed twice at the same moment', async () => {
    const token = await linkFor(await anOwner(app))
    const answers = await Promise.all([reset(token), reset(token, `${NEW_PASSWORD} too`)])
    expect(answers.map(outcome).sort()).toEqual(['200', '400 INVALID_LINK'])
    expect(outcome(await reset(token))).toBe('400 INVALID_LINK')
  })

  it('keeps only the newest link', async () => {
    const owner = await anOwner(app)
    const first = await linkFor(owner)
    const second = await linkFor(owner)
    expect(outcome(await reset(first))).toBe('400 INVALID_LINK')
    expect(outcome(await reset(second))).toBe('200')
  })

  it('keeps the link good when the new password is weak', async () => {
    const owner = await anOwner(app)
    const token = await linkFor(owner)
    const weak = ['password123', owner.email.split('@')[0] as string]
    for (const password of weak) {
      const answer = await reset(token, password)
      expect(outcome(answer)).toBe('400 WEAK_PASSWORD')
      expect(answer.json.errors).toEqual([expect.objectContaining({ field: 'password' })])
    }
    expect(await logIn(owner.email, PASSWORD)).toBe('200')
    expect(outcome(await reset(token))).toBe('200')
  })

  it('is not replaced for a user who was disabled meanwhile', async () => {
    const owner = await anOwner(app)
    const token = await linkFor(owner)
    await app.get(UserAdministration).disable(owner)
    expect(outcome(await reset(token))).toBe('400 INVALID_LINK')
    await app.get(UserAdministration).enable(owner)
    expect(outcome(await reset(token))).toBe('400 INVALID_LINK')
    expect(await logIn(owner.email, PASSWORD)).toBe('200')
  })

  it('is not replaced through a mailbox that is no longer the user’s', async () => {
    const owner = await anOwner(app)
    const token = await linkFor(owner)
    await app.database.transaction(transaction => app.get(UserEmails).set(transaction, owner.id, anEmail()))
    expect(outcome(await reset(token))).toBe('400 INVALID_LINK')
  })

  it('is not replaced with a token or a body that is none', async () => {
    const tokens = ['', 'x', 'x'.repeat(43), `${'x'.repeat(42)}\u0000`, "' or 1=1 --"]
    const bodies: [path: string, body: object][] = [
      ['/api/password/forgot', { email: 'nobody' }],
      ['/api/password/forgot', { email: 'a@example.com', source: 'main' }],
      ['/api/password/reset', { password: NEW_PASSWORD }],
      ['/api/password/reset', { token: 1, password: NEW_PASSWORD }],
      ['/api/password/reset', { token: 'x'.repeat(101), password: NEW_PASSWORD }],
      ['/api/password/reset', { token: 'x'.repeat(43), password: 'seven77' }],
      ['/api/password/reset', { token: 'x'.repeat(43), password: 'x'.repeat(1_025) }],
    ]
    for (const token of tokens)
      expect([token, outcome(await reset(token))]).toEqual([token, '400 INVALID_LINK'])
    for (const [path, body] of bodies)
      expect([body, outcome(await call(path, body))]).toEqual([body, '400 INVALID_BODY'])
  })

  it('is limited: requests by recipient, guesses at links by network, both before any work', async () => {
    const owner = await anOwner(app)
    const find = jest.spyOn(app.get(Users), 'findByEmail')
    const count = jest.spyOn(app.get(RateLimiter), 'count').mockImplementation(async () => {
      throw new ApiError('TOO_MANY_ATTEMPTS')
    })
    expect(outcome(await forgot(owner.email))).toBe('429 TOO_MANY_ATTEMPTS')
    expect(outcome(await reset('x'.repeat(43)))).toBe('429 TOO_MANY_ATTEMPTS')
    expect(count.mock.calls.map(([{ kind, subject }]) => [kind, subject])).toEqual([
      ['mail', owner.email],
      ['link', ''],
    ])
    expect(find).not.toHaveBeenCalled()
  })

  it('answers 503 to everybody alike where no mail can be sent', async () => {
    const owner = await anOwner(app)
    jest.spyOn(app.get(Mailer), 'requireMail').mockImplementation(() => {
      throw new ApiError('MAIL_UNAVAILABLE')
    })
    const answers = [await forgot(owner.email), await forgot(anEmail())]
    expect(answers.map(outcome)).toEqual(Array(2).fill('503 MAIL_UNAVAILABLE'))
  })

  it('tells where the user may log in, which the link does not', async () => {
    const member = await aMember(app, await anOwner(app))
    await closeTo(app, member, [SHOP_ONE])
    const answer = await reset(await linkFor(member))
    expect([answer.status, answer.json.satellites]).toEqual([200, [SHOP_ONE]])
    const [mail] = await app.mailsTo(member.email)
    expect(mail?.text).not.toContain(encodeURIComponent(SHOP_ONE))
  })
})
