import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from '@jest/globals'
import { eq } from 'drizzle-orm'
import { accounts, oneTimeTokens, permissionsOf, UserAdministration, users } from '../../sources.js'
import { aMember, anEmail, anOwner, PASSWORD, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE, SHOP_TWO, TestApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { accept, aManager, closeTo, signInFreshly, team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'

const INVALID_LINK = '400 INVALID_LINK'
const SEVEN_DAYS = 7 * 24 * 60 * 60

describe('invitations', () => {
  const app = anApp()

  async function anAccount() {
    const owner = await anOwner(app)
    return { owner, session: await signIn(app, owner, 'main') }
  }

  function invite(manager: SignedIn, email: string, more: object = {}) {
    return team(app, manager, 'POST', '/invitations', { email, ...more })
  }

  async function open(manager: SignedIn) {
    return (await team(app, manager, 'GET', '/invitations')).json.invitations
  }

  /** Somebody with a link in their mailbox. */
  async function anInvited(more: object = {}) {
    const { owner, session } = await anAccount()
    const email = anEmail()
    const { json, status } = await invite(session, email, more)
    expect(status).toBe(201)
    return { owner, session, email, id: json.id as string, token: await app.mailedToken(email) }
  }

  function join(token: string, more: object = {}) {
    return accept(app, { token, password: PASSWORD, ...more })
  }

  async function setAccountName(accountId: string, name: string) {
    await app.database.run(db => db.update(accounts).set({ name }).where(eq(accounts.id, accountId)))
  }

  async function textTo(email: string) {
    return (await app.mailsTo(email)).at(-1)?.text ?? ''
  }

  describe('inviting', () => {
    it('mails a link that names who invites, and the sites', async () => {
      const { owner, session } = await anAccount()
      await setAccountName(owner.accountId, 'Rose & Sons')
      const email = anEmail()
      const { status, json } = await invite(session, email.toUpperCase(), {
        satellites: [SHOP_ONE, SHOP_TWO],
      })
      expect(status).toBe(201)
      expect(json).toEqual({ id: expect.any(String), email, expiresAt: expect.any(String) })
      const seconds = (Date.parse(json.expiresAt) - app.clock.now().getTime()) / 1000
      expect(Math.abs(seconds - SEVEN_DAYS)).toBeLessThan(30)
      const [mail, ...others] = await app.mailsTo(email)
      expect(others).toEqual([])
      expect(mail?.text).toContain(`${owner.email} has invited you to the team “Rose & Sons” at Mainstay.`)
      expect(mail?.text).toContain('You will have access to shop-one.test and shop-two.test.')
      expect(mail?.text).toMatch(new RegExp(`${MAIN}/accept-invitation#token=[\\w-]{43}\n`))
      expect(mail?.html).toContain('Rose &#38; Sons')
    })

    it.each(['https://evil.example', 'Win at evil.example', 'me@evil.example', 'x'.repeat(61)])(
      'leaves out the name of an account that could mislead: %s',
      async name => {
        const { owner, session } = await anAccount()
        await setAccountName(owner.accountId, name)
        const email = anEmail()
        await invite(session, email)
        expect(await textTo(email)).toContain(`${owner.email} has invited you to their team at Mainstay.`)
      },
    )

    it('keeps only the hash of the token, and is in the audit log', async () => {
      const { owner, token, email, id } = await anInvited()
      const [row] = await app.database.run(db =>
        db.select().from(oneTimeTokens).where(eq(oneTimeTokens.id, id)),
      )
      expect(JSON.stringify(row)).not.toContain(token)
      const rows = await app.auditRows({ accountId: owner.accountId })
      expect(rows.filter(({ action }) => action === 'invitation.create')).toEqual([
        expect.objectContaining({
          outcome: 'ok',
          ip: '127.0.0.1',
          detail: expect.objectContaining({ invitation: id, email, by: owner.id }),
        }),
      ])
      expect(JSON.stringify(rows)).not.toContain(token)
    })

    it.each<[string, object, string]>([
      ['no address', { email: 'nobody' }, 'email'],
      ['permissions that are null', { email: 'a@example.com', permissions: null }, 'permissions'],
      ['no satellite at all', { email: 'a@example.com', satellites: [] }, 'satellites'],
      ['a role', { email: 'a@example.com', role: 'owner' }, 'role'],
    ])('answers 400 for %s', async (_, body, field) => {
      const { session } = await anAccount()
      const answer = await team(app, session, 'POST', '/invitations', body)
      expect(outcome(answer)).toBe('400 INVALID_BODY')
      expect(answer.json.errors).toEqual([expect.objectContaining({ field })])
    })

    it('answers 400 for a satellite that is not listed', async () => {
      const { session } = await anAccount()
      const answer = await invite(session, anEmail(), { satellites: [SHOP_ONE, 'https://evil.example'] })
      expect(outcome(answer)).toBe('400 UNKNOWN_SATELLITE')
      expect(answer.json.errors).toEqual([expect.objectContaining({ field: 'satellites' })])
    })

    it('gives away only what the manager has', async () => {
      const { owner, session } = await anAccount()
      const manager = await aManager(app, owner)
      const permissions = permissionsOf(['accountSettings'])
      expect(outcome(await invite(manager.session, anEmail(), { permissions }))).toBe('403 OWN_RIGHTS')
      await closeTo(app, manager.user, [SHOP_ONE])
      // Limited to satellites, they manage nothing.
      for (const satellites of [null, [SHOP_ONE], [SHOP_TWO]])
        expect(outcome(await invite(manager.session, anEmail(), { satellites }))).toBe(
          '403 PERMISSION_REQUIRED',
        )
      expect(await open(session)).toEqual([])
    })

    it('asks for the password again to give a power', async () => {
      const { owner, session } = await anAccount()
      const wish = { permissions: permissionsOf(['payments']) }
      const email = anEmail()
      app.clock.advance(app.settings.reauthenticationTtlSeconds)
      expect(outcome(await invite(session, email, wish))).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(await app.mailsTo(email)).toEqual([])
      expect(outcome(await invite(await signInFreshly(app, owner), email, wish))).toBe('201')
    })

    it('answers 409 for somebody in the team', async () => {
      const { owner, session } = await anAccount()
      const member = await aMember(app, owner)
      expect(outcome(await invite(session, member.email))).toBe('409 EMAIL_TAKEN')
      expect(await app.mailsTo(member.email)).toEqual([])
    })

    it('does not reveal that somebody is in another account, and tells them', async () => {
      const { session } = await anAccount()
      const stranger = await anOwner(app)
      const unknown = anEmail()
      const answers = [await invite(session, unknown), await invite(session, stranger.email)]
      expect(answers.map(({ status }) => status)).toEqual([201, 201])
      expect(new Set(answers.map(({ json }) => Object.keys(json).join())).size).toBe(1)
      const listed = await open(session)
      expect(listed.map(({ email }: { email: string }) => email)).toEqual([unknown, stranger.email])
      const mail = await textTo(stranger.email)
      expect(mail).toContain('already has an account here')
      expect(mail).not.toContain('#token=')
    })

    slow('again replaces the one before', async () => {
      const { session, email, token } = await anInvited()
      await invite(session, email)
      expect(await open(session)).toHaveLength(1)
      expect(outcome(await join(token))).toBe(INVALID_LINK)
      expect(outcome(await join(await app.mailedToken(email)))).toBe('201')
    })

    it('leaves what another account has sent to the same address', async () => {
      const { email, token } = await anInvited()
      const { session } = await anAccount()
      await invite(session, email)
      expect(outcome(await join(token))).toBe('201')
      expect(outcome(await join(await app.mailedToken(email)))).toBe('409 EMAIL_TAKEN')
    })

    it('has at most 100 open', async () => {
      const { owner, session } = await anAccount()
      const row = (email: string) => ({
        id: randomUUID(),
        hash: randomUUID(),
        purpose: 'invitation',
        email,
        accountId: owner.accountId,
        detail: { permissions: permissionsOf([]), satellites: null, invitedBy: owner.id },
        createdAt: app.clock.now(),
        expiresAt: new Date(app.clock.now().getTime() + 60_000),
      })
      const emails = Array.from({ length: 99 }, anEmail)
      await app.database.run(db => db.insert(oneTimeTokens).values(emails.map(row)))
      const hundredth = anEmail()
      expect(outcome(await invite(session, hundredth))).toBe('201')
      expect(outcome(await invite(session, anEmail()))).toBe('409 TOO_MANY_INVITATIONS')
      expect(outcome(await invite(session, hundredth))).toBe('201')
      app.clock.advance(60)
      expect(outcome(await invite(session, anEmail()))).toBe('201')
    })
  })

  describe('listing and withdrawing', () => {
    it('shows what is open, with what it gives', async () => {
      const { owner, session, email, id } = await anInvited({ satellites: [SHOP_TWO] })
      expect(await open(session)).toEqual([
        {
          id,
          email,
          permissions: permissionsOf(['dataEntry', 'viewReports']),
          satellites: [SHOP_TWO],
          invitedBy: owner.id,
          createdAt: expect.any(String),
          expiresAt: expect.any(String),
        },
      ])
      const other = await anAccount()
      expect(await open(other.session)).toEqual([])
    })

    it('makes a withdrawn link worthless', async () => {
      const { owner, session, id, token, email } = await anInvited()
      expect(outcome(await team(app, session, 'DELETE', `/invitations/${id}`))).toBe('204')
      expect(outcome(await join(token))).toBe(INVALID_LINK)
      expect(await open(session)).toEqual([])
      expect(outcome(await team(app, session, 'DELETE', `/invitations/${id}`))).toBe('404 NOT_FOUND')
      expect(await app.auditRows({ accountId: owner.accountId, action: 'invitation.withdraw' })).toEqual([
        expect.objectContaining({ outcome: 'ok', detail: { invitation: id, email, by: owner.id } }),
      ])
    })

    it('pages 18: is mailed again with a new link, which gives the same', async () => {
      const { session, email, id, token } = await anInvited({ satellites: [SHOP_ONE] })
      const resend = (which: string) => team(app, session, 'POST', `/invitations/${which}/resend`)
      const { status, json } = await resend(id)
      expect(status).toBe(201)
      expect(json).toEqual({ id: expect.any(String), email, expiresAt: expect.any(String) })
      expect(await app.mailsTo(email)).toHaveLength(2)
      expect(outcome(await join(token))).toBe(INVALID_LINK)
      expect(await open(session)).toMatchObject([{ id: json.id, email, satellites: [SHOP_ONE] }])
      expect(outcome(await resend(id))).toBe('404 NOT_FOUND')
      const stranger = await anAccount()
      const foreign = await team(app, stranger.session, 'POST', `/invitations/${json.id}/resend`)
      expect(outcome(foreign)).toBe('404 NOT_FOUND')
      expect(outcome(await join(await app.mailedToken(email)))).toBe('201')
    })

    it("answers the same 404 for another account's, other links and malformed ids", async () => {
      const { id, token } = await anInvited()
      const { owner, session } = await anAccount()
      const reset = randomUUID()
      await app.database.run(db =>
        db.insert(oneTimeTokens).values({
          id: reset,
          hash: randomUUID(),
          purpose: 'password-reset',
          email: owner.email,
          accountId: owner.accountId,
          createdAt: app.clock.now(),
          expiresAt: new Date(app.clock.now().getTime() + 60_000),
        }),
      )
      for (const each of [id, reset, randomUUID(), id.toUpperCase(), 'none', '%00'])
        expect(outcome(await team(app, session, 'DELETE', `/invitations/${each}`))).toBe('404 NOT_FOUND')
      expect(outcome(await join(token))).toBe('201')
    })

    it('requires teamManagement', async () => {
      const { owner } = await anAccount()
      const plain = await signIn(app, await aMember(app, owner), 'main')
      const answers = [
        await invite(plain, anEmail()),
        await team(app, plain, 'GET', '/invitations'),
        await team(app, plain, 'DELETE', `/invitations/${randomUUID()}`),
      ]
      expect(answers.map(outcome)).toEqual(Array(3).fill('403 PERMISSION_REQUIRED'))
    })
  })

  describe('accepting', () => {
    it('makes the member with what was offered, and logs them in with no more', async () => {
      const { owner, session, email, id, token } = await anInvited({ satellites: [SHOP_ONE] })
      const { status, json } = await join(token, { name: 'Zoë Ünal' })
      expect(status).toBe(201)
      expect(json).toEqual({
        userId: expect.any(String),
        satellites: [SHOP_ONE],
        accessToken: expect.any(String),
      })
      expect(claimsOf(json.accessToken).permissions).toEqual(permissionsOf(['dataEntry', 'viewReports']))
      const { users } = (await team(app, session, 'GET')).json
      expect(users).toContainEqual(
        expect.objectContaining({
          userId: json.userId,
          email,
          name: 'Zoë Ünal',
          role: 'member',
          permissions: permissionsOf(['dataEntry', 'viewReports']),
          satellites: [SHOP_ONE],
        }),
      )
      const { accessToken } = await signIn(app, { email }, 'satellite', SHOP_ONE)
      expect(claimsOf(accessToken).accountId).toBe(owner.accountId)
      await expect(signIn(app, { email }, 'satellite', SHOP_TWO)).rejects.toThrow('401')
      const rows = await app.auditRows({ userId: json.userId })
      for (const action of ['invitation.accept', 'user.create'])
        expect(rows.filter(row => row.action === action)).toEqual([
          expect.objectContaining({
            outcome: 'ok',
            accountId: owner.accountId,
            detail: expect.objectContaining({ invitation: id, invitedBy: owner.id }),
          }),
        ])
    })

    it('works for 7 days', async () => {
      const [early, late] = [await anInvited(), await anInvited()]
      app.clock.advance(SEVEN_DAYS - 60)
      expect(outcome(await join(early.token))).toBe('201')
      app.clock.advance(60)
      expect(outcome(await join(late.token))).toBe(INVALID_LINK)
    })

    it('keeps the link good after a weak password', async () => {
      const { token, email } = await anInvited()
      expect(outcome(await join(token, { password: 'short' }))).toBe('400 INVALID_BODY')
      expect(outcome(await join(token, { password: 'password1234' }))).toBe('400 WEAK_PASSWORD')
      expect(outcome(await join(token, { password: email }))).toBe('400 WEAK_PASSWORD')
      expect(outcome(await join(token))).toBe('201')
    })

    it.each<[string, object]>([
      ['no token', { token: undefined }],
      ['a name that turns text around', { name: 'Ann\u202e' }],
      ['a role', { role: 'owner' }],
    ])('answers 400 for %s', async (_, more) => {
      const { token } = await anInvited()
      expect(outcome(await join(token, more))).toBe('400 INVALID_BODY')
      expect(outcome(await join(token))).toBe('201')
    })

    it('answers 409 when the address has found another account meanwhile', async () => {
      const { email, token } = await anInvited()
      await app.get(UserAdministration).createAccount(email as never, PASSWORD)
      expect(outcome(await join(token))).toBe('409 EMAIL_TAKEN')
    })

    it('fails once the inviter has left, lost the permission, or lost what it gives', async () => {
      const { owner } = await anAccount()
      const session = await signInFreshly(app, owner)
      const change: ((userId: string) => [string, string, object?])[] = [
        id => ['DELETE', `/${id}`],
        id => ['POST', `/${id}/disable`],
        id => ['PUT', `/${id}/permissions`, permissionsOf(['dataEntry', 'viewReports'])],
        id => ['PUT', `/${id}/permissions`, permissionsOf(['teamManagement', 'viewReports'])],
        id => ['PUT', `/${id}/satellites`, { satellites: [SHOP_ONE] }],
      ]
      for (const lose of change) {
        const manager = await aManager(app, owner)
        const email = anEmail()
        expect(outcome(await invite(manager.session, email, { satellites: [SHOP_ONE] }))).toBe('201')
        expect(outcome(await team(app, session, ...lose(manager.user.id)))).toBe('204')
        expect(outcome(await join(await app.mailedToken(email)))).toBe(INVALID_LINK)
      }
    })

    it('still fails when the inviter is disabled and enabled again', async () => {
      const { owner } = await anAccount()
      const session = await signInFreshly(app, owner)
      const manager = await aManager(app, owner)
      const email = anEmail()
      expect(outcome(await invite(manager.session, email, { satellites: [SHOP_ONE] }))).toBe('201')
      for (const path of ['disable', 'enable'])
        expect(outcome(await team(app, session, 'POST', `/${manager.user.id}/${path}`))).toBe('204')
      expect(outcome(await join(await app.mailedToken(email)))).toBe(INVALID_LINK)
      expect(await open(session)).toEqual([])
    })

    it('is withdrawn when the inviter is removed', async () => {
      const { owner } = await anAccount()
      const session = await signInFreshly(app, owner)
      const manager = await aManager(app, owner)
      const [byManager, byOwner] = [anEmail(), anEmail()]
      expect(outcome(await invite(manager.session, byManager))).toBe('201')
      expect(outcome(await invite(session, byOwner))).toBe('201')
      expect(outcome(await team(app, session, 'DELETE', `/${manager.user.id}`))).toBe('204')
      expect(await open(session)).toEqual([expect.objectContaining({ email: byOwner })])
    })

    it('fails while the inviter has to enrol in a second factor, and works afterwards', async () => {
      const { owner } = await anAccount()
      const manager = await aManager(app, owner)
      const email = anEmail()
      expect(outcome(await invite(manager.session, email))).toBe('201')
      const token = await app.mailedToken(email)
      const enforce = (secondFactorEnforced: boolean) =>
        app.database.transaction(async db => {
          const required = { secondFactor: 'everyone', secondFactorEnforced } as const
          await db.update(accounts).set(required).where(eq(accounts.id, owner.accountId))
          // A trigger works it out for users who change.
          await db.update(users).set({ mustEnrol: true }).where(eq(users.id, manager.user.id))
        })
      await enforce(true)
      expect(outcome(await join(token))).toBe(INVALID_LINK)
      await enforce(false)
      expect(outcome(await join(token))).toBe('201')
    })

    it('records links that are not good', async () => {
      for (const token of ['x', 'B'.repeat(43)]) expect(outcome(await join(token))).toBe(INVALID_LINK)
      expect(await app.auditRows()).toContainEqual(
        expect.objectContaining({ action: 'invitation.accept', outcome: 'failed' }),
      )
    })
  })

  describe('at once', () => {
    it('two accept: one member, and the other link is worthless', async () => {
      const { session, token } = await anInvited()
      const answers = await Promise.all([join(token), join(token), join(token)])
      expect(answers.map(outcome).sort()).toEqual(['201', INVALID_LINK, INVALID_LINK])
      expect((await team(app, session, 'GET')).json.users).toHaveLength(2)
    })

    slow('accepting and withdrawing: one of the two happens', async () => {
      for (let round = 0; round < 5; round++) {
        const { session, token, id } = await anInvited()
        const [joined, withdrawn] = await Promise.all([
          join(token),
          team(app, session, 'DELETE', `/invitations/${id}`),
        ])
        const outcomes = [outcome(joined), outcome(withdrawn)]
        expect([
          ['201', '404 NOT_FOUND'],
          [INVALID_LINK, '204'],
        ]).toContainEqual(outcomes)
        const users = (await team(app, session, 'GET')).json.users
        expect(users).toHaveLength(outcomes[0] === '201' ? 2 : 1)
      }
    })

    slow('accepting, inviting again and removing who invited end without a failure', async () => {
      const { owner } = await anAccount()
      const session = await signInFreshly(app, owner)
      for (let round = 0; round < 5; round++) {
        const manager = await aManager(app, owner)
        const email = anEmail()
        await invite(manager.session, email)
        const token = await app.mailedToken(email)
        const answers = await Promise.all([
          join(token),
          invite(manager.session, email),
          invite(session, email),
          team(app, session, 'DELETE', `/${manager.user.id}`),
        ])
        expect(answers.every(({ status }) => status < 500)).toBe(true)
        expect(outcome(answers[3] as never)).toBe('204')
      }
    })
  })
})

describe('with limits', () => {
  let app: TestApp
  afterAll(() => app.stop())

  slow('the mails to an address and the guesses at links are counted', async () => {
    app = await TestApp.start({
      MAILS_PER_ADDRESS: '4',
      ATTEMPTS_PER_NETWORK: '3',
    })
    const manager = await signIn(app, await anOwner(app), 'main')
    const email = anEmail()
    const invite = () => team(app, manager, 'POST', '/invitations', { email })
    const invited = [await invite(), await invite(), await invite()]
    expect(invited.map(outcome)).toEqual(['201', '201', '429 TOO_MANY_ATTEMPTS'])
    expect(invited[2]?.headers['retry-after']).toMatch(/^\d+$/)
    const token = await app.mailedToken(email)
    const tries = []
    for (const each of ['C', 'D', 'E', 'F'])
      tries.push(await accept(app, { token: each.repeat(43), password: PASSWORD }))
    expect(tries.map(outcome)).toEqual([...Array(3).fill(INVALID_LINK), '429 TOO_MANY_ATTEMPTS'])
    expect(outcome(await accept(app, { token, password: PASSWORD }))).toBe('201')
  })
})

slow('without mail set up nobody can be invited', async () => {
  const app = await TestApp.start({ SMTP_URL: '', MAIL_FROM: '' })
  try {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const manager = await signIn(app, owner, 'main')
    for (const email of [anEmail(), member.email])
      expect(outcome(await team(app, manager, 'POST', '/invitations', { email }))).toBe(
        '503 MAIL_UNAVAILABLE',
      )
  } finally {
    await app.stop()
  }
})
