import { describe, expect, it, jest } from '@jest/globals'
import { type Permission, permissionsOf, RateLimiter, type User, Users } from '../../sources.js'
import { aMember, anEmail, anOwner, PASSWORD, type SignedIn, sendLogin } from '../../support/people.js'
import { anApp, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, refreshByCookie } from '../support/api-calls.js'
import { onMainSite, provenSession, reauthenticate, staleSession } from '../support/reauthenticate.js'
import { accept, aManager, aMemberWith, team } from '../support/team-calls.js'

const ENDED = '401 SESSION_NOT_FOUND'
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1'

describe('what an owner is told about the team', () => {
  const app = anApp({ ANOMALY_POLICY: 'notify:10' })

  const teamMails = async (owner: Pick<User, 'email'>) =>
    (await app.mailsTo(owner.email)).filter(({ subject }) => !/login/i.test(subject))
  const subjects = async (owner: Pick<User, 'email'>) => (await teamMails(owner)).map(mail => mail.subject)
  const isDisabled = async (id: string) => Boolean((await app.get(Users).find(id))?.disabledAt)

  /** The id of somebody who was invited with these permissions, and has accepted. */
  async function aJoined(inviter: SignedIn, permissions: Permission[], satellites: string[] | null = null) {
    const email = anEmail()
    const body = { email, permissions: permissionsOf(permissions), satellites }
    expect(outcome(await team(app, inviter, 'POST', '/invitations', body))).toBe('201')
    const answer = await accept(app, { token: await app.mailedToken(email), password: PASSWORD })
    expect(outcome(answer)).toBe('201')
    return { id: answer.json.userId as string, email }
  }

  slow('tells that somebody has joined who may pay, or manage the account or its team', async () => {
    const owner = await anOwner(app)
    const { user: manager, session } = await aManager(app, owner, 'accountSettings')
    expect(outcome(await reauthenticate(app, session))).toBe('200')
    const { email } = await aJoined(session, ['accountSettings', 'viewReports'])
    const [mail, ...others] = await teamMails(owner)
    expect(others).toEqual([])
    expect(mail?.subject).toBe(`${email} has joined your account at Mainstay`)
    expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain(
      `${email} has accepted the invitation from ${manager.email} to your account at Mainstay, and may now change the account settings.`,
    )
    expect(await subjects(manager)).toEqual([])
  })

  slow('tells nothing when those who join may only do their own work', async () => {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    await aJoined(session, ['dataEntry', 'viewReports'])
    await aJoined(session, ['payments', 'viewReports'], [SHOP_ONE])
    expect(await subjects(owner)).toEqual([])
  })

  it('tells that a member may do more than before, and nothing when they may do less', async () => {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    const member = await aMember(app, owner)
    const grant = async (...permissions: Permission[]) =>
      outcome(await team(app, session, 'PUT', `/${member.id}/permissions`, permissionsOf(permissions)))
    expect(await grant('payments', 'teamManagement', 'dataEntry')).toBe('204')
    expect(await grant('payments', 'teamManagement')).toBe('204')
    expect(await grant('payments', 'viewReports')).toBe('204')
    const [mail, ...others] = await teamMails(owner)
    expect(others).toEqual([])
    expect(mail?.subject).toBe(`${member.email} may do more in your account at Mainstay`)
    expect(mail?.text).toContain('They may now make payments and manage the team.')
    const to = (path: string, body?: object) => team(app, session, 'POST', `/${member.id}${path}`, body)
    expect(outcome(await to('/disable'))).toBe('204')
    expect(await subjects(owner)).toHaveLength(1)
    expect(outcome(await to('/enable'))).toBe('204')
    expect((await teamMails(owner)).at(-1)?.text).toContain('They may now make payments.')
  })

  it('what a member has gained is counted once it is committed, when no lock is held any more', async () => {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    const { id } = await aJoined(session, ['viewReports'], [SHOP_ONE])
    const seen: unknown[] = []
    jest.spyOn(app.get(RateLimiter), 'isAllowed').mockImplementation(async () => {
      const { granted, satellites, disabledAt } = (await app.get(Users).find(id)) as User
      seen.push([granted.payments, satellites, disabledAt])
      return true
    })
    const change = async (method: string, path: string, body?: object) =>
      expect(outcome(await team(app, session, method, `/${id}${path}`, body))).toBe('204')
    await change('PUT', '/permissions', permissionsOf(['payments']))
    await change('PUT', '/satellites', { satellites: null })
    await change('POST', '/disable')
    await change('POST', '/enable')
    jest.restoreAllMocks()
    expect(seen).toEqual([
      [true, null, null],
      [true, null, null],
    ])
    expect(await subjects(owner)).toHaveLength(2)
  })

  it('tells that a limit to satellites was lifted, though only by somebody who could give what it kept back', async () => {
    const owner = await anOwner(app)
    const session = await provenSession(app, owner)
    const { id } = await aJoined(session, ['payments', 'viewReports'], [SHOP_ONE])
    const lift = (by: SignedIn) => team(app, by, 'PUT', `/${id}/satellites`, { satellites: null })
    const { session: manager } = await aManager(app, owner)
    expect(outcome(await lift(manager))).toBe('403 OWN_RIGHTS')
    expect(outcome(await lift(await staleSession(app, owner)))).toBe('401 REAUTHENTICATION_REQUIRED')
    expect(await subjects(owner)).toEqual([])
    expect(outcome(await lift(session))).toBe('204')
    expect((await teamMails(owner)).map(({ text }) => text)).toEqual([
      expect.stringContaining('They may now make payments.'),
    ])
    // Repeating it changes nothing, so it needs nothing.
    expect(outcome(await lift(manager))).toBe('204')
  })

  describe('when somebody is removed', () => {
    const remove = async (by: SignedIn, { id }: { id: string }) =>
      expect(outcome(await team(app, by, 'DELETE', `/${id}`))).toBe('204')
    const textTo = async ({ email }: { email: string }) =>
      (await app.mailsTo(email)).at(-1)?.text.replaceAll(/\s+/g, ' ')

    it('tells them, with the name of the account, and nobody else about a member without powers', async () => {
      const owner = await anOwner(app)
      const session = await provenSession(app, owner)
      const [first, second, third] = [
        await aMember(app, owner),
        await aMember(app, owner),
        await aMember(app, owner),
      ]
      await remove(session, first)
      expect(await subjects(first)).toEqual(['You have been removed from a team at Mainstay'])
      expect(await textTo(first)).toContain('You have been removed from your team at Mainstay.')
      const rename = async (name: string) =>
        expect(outcome(await onMainSite(app, session, 'PATCH', '/api/account', { name }))).toBe('200')
      await rename('Rose & Daughters')
      await remove(session, second)
      expect(await textTo(second)).toContain('from the team “Rose & Daughters” at Mainstay.')
      await rename('win.example/now')
      await remove(session, third)
      expect(await textTo(third)).toContain('You have been removed from your team at Mainstay.')
      expect(await subjects(owner)).toEqual([])
    })

    it('tells the owner of somebody whose powers were taken away first, for a week (38)', async () => {
      const owner = await anOwner(app)
      const { session } = await aManager(app, owner)
      expect(outcome(await reauthenticate(app, session))).toBe('200')
      const takePowers = async ({ id }: { id: string }) =>
        expect(
          outcome(await team(app, session, 'PUT', `/${id}/permissions`, permissionsOf(['dataEntry']))),
        ).toBe('204')
      const [long, lately] = [
        await aMemberWith(app, owner, 'payments'),
        await aMemberWith(app, owner, 'payments'),
      ]
      await takePowers(long)
      app.clock.advance(7 * 24 * 60 * 60 + 1)
      const later = await provenSession(app, owner)
      expect(outcome(await team(app, later, 'PUT', `/${lately.id}/permissions`, permissionsOf([])))).toBe(
        '204',
      )
      await remove(later, lately)
      await remove(later, long)
      expect(await subjects(owner)).toEqual([
        `${lately.email} has been removed from your account at Mainstay`,
      ])
    })

    it('tells the owner of somebody with powers, also if they were disabled or limited before', async () => {
      const owner = await anOwner(app)
      const { user: manager, session } = await aManager(app, owner)
      expect(outcome(await reauthenticate(app, session))).toBe('200')
      const payer = await aMemberWith(app, owner, 'payments', 'viewReports')
      const disabled = await aMemberWith(app, owner, 'accountSettings', 'teamManagement')
      const limited = await aMemberWith(app, owner, 'payments')
      const limit = { satellites: [SHOP_ONE] }
      expect(outcome(await team(app, session, 'POST', `/${disabled.id}/disable`))).toBe('204')
      expect(outcome(await team(app, session, 'PUT', `/${limited.id}/satellites`, limit))).toBe('204')
      for (const member of [payer, disabled, limited]) await remove(session, member)
      expect(await subjects(owner)).toEqual(
        [payer, disabled, limited].map(
          ({ email }) => `${email} has been removed from your account at Mainstay`,
        ),
      )
      const [mail, other] = (await teamMails(owner)).map(({ text }) => text.replaceAll(/\s+/g, ' '))
      expect(mail).toContain(
        `${manager.email} has removed ${payer.email} from your account at Mainstay. They had been given permission to make payments.`,
      )
      expect(other).toContain('permission to change the account settings and manage the team.')
      // Counted for each manager: three an hour.
      await remove(session, await aMemberWith(app, owner, 'payments'))
      expect(await subjects(owner)).toHaveLength(3)
      const own = await aMemberWith(app, owner, 'payments')
      await remove(await provenSession(app, owner), own)
      expect((await subjects(owner)).at(-1)).toContain(own.email)
    })
  })

  describe('after a login that was not theirs', () => {
    const logIn = (email: string, device: string) => sendLogin(app, { email }, { 'User-Agent': device })

    /** What a stranger with the password does, an hour after the user's own invitation. */
    async function aVisit(user: User) {
      const known = await aJoined(await provenSession(app, user), ['dataEntry'])
      app.clock.advance(60 * 60)
      expect((await logIn(user.email, PHONE)).status).toBe(200)
      await app.mailsTo(user.email)
      app.clock.advance(60)
      const puppet = await aJoined(await provenSession(app, user), ['teamManagement', 'viewReports'])
      const puppetsSession = await provenSession(app, { ...user, ...puppet } as User)
      const puppetsPuppet = await aJoined(puppetsSession, ['viewReports'])
      return { known, puppet, puppetsSession, puppetsPuppet }
    }

    const notMe = async (email: string) =>
      app.post('/api/sessions/not-me', { token: await app.mailedToken(email, '/not-me') })

    it('disables whoever was invited with it, and whom these have invited, and tells the owner', async () => {
      const owner = await anOwner(app)
      const { known, puppet, puppetsSession, puppetsPuppet } = await aVisit(owner)
      expect(outcome(await notMe(owner.email))).toBe('204')
      expect(await isDisabled(puppet.id)).toBe(true)
      expect(await isDisabled(puppetsPuppet.id)).toBe(true)
      expect(await isDisabled(known.id)).toBe(false)
      expect(await isDisabled(owner.id)).toBe(false)
      expect(outcome(await refreshByCookie(app, puppetsSession.sessionId))).toBe(ENDED)
      const mail = (await app.mailsTo(owner.email)).find(({ subject }) => subject.startsWith('Members'))
      expect(mail?.subject).toBe('Members of your team have been disabled')
      expect(mail?.text.replaceAll(/\s+/g, ' ')).toContain(
        `invited or given more permissions with it during that time: ${puppet.email} and ${puppetsPuppet.email}.`,
      )
    })

    slow.each<[string, string, string]>([
      ['removed', 'DELETE', ''],
      ['disabled', 'POST', '/disable'],
    ])(
      'disables also whom they have invited whom the stranger has %s in between',
      async (_, method, path) => {
        const owner = await anOwner(app)
        const { puppet, puppetsPuppet } = await aVisit(owner)
        const stranger = await provenSession(app, owner)
        expect(outcome(await team(app, stranger, method, `/${puppet.id}${path}`))).toBe('204')
        expect(outcome(await notMe(owner.email))).toBe('204')
        expect(await isDisabled(puppetsPuppet.id)).toBe(true)
      },
    )

    slow(
      'who was there before is disabled if the stranger allowed them more, or enabled them, also through others',
      async () => {
        const owner = await anOwner(app)
        const before = await provenSession(app, owner)
        const [promoted, enabled, accomplice, lifted, widened, narrowed, reduced, unchanged] = [
          await aMember(app, owner),
          await aMember(app, owner),
          await aMember(app, owner),
          await aJoined(before, ['payments'], [SHOP_ONE]),
          await aJoined(before, ['dataEntry'], [SHOP_ONE]),
          await aJoined(before, ['dataEntry'], [SHOP_ONE, SHOP_TWO]),
          await aMember(app, owner),
          await aMember(app, owner),
        ]
        const change = async (by: SignedIn, { id }: { id: string }, path: string, body?: object) =>
          expect(outcome(await team(app, by, body ? 'PUT' : 'POST', `/${id}${path}`, body))).toBe('204')
        await change(before, enabled, '/disable')
        app.clock.advance(60 * 60)
        expect((await logIn(owner.email, PHONE)).status).toBe(200)
        await app.mailsTo(owner.email)
        app.clock.advance(60)
        const stranger = await provenSession(app, owner)
        const powers = permissionsOf(['teamManagement', 'dataEntry', 'viewReports'])
        await change(stranger, promoted, '/permissions', powers)
        await change(stranger, enabled, '/enable')
        await change(stranger, lifted, '/satellites', { satellites: null })
        await change(stranger, widened, '/satellites', { satellites: [SHOP_TWO, SHOP_ONE] })
        await change(stranger, narrowed, '/satellites', { satellites: [SHOP_TWO] })
        await change(stranger, reduced, '/permissions', permissionsOf(['viewReports']))
        await change(stranger, unchanged, '/enable')
        await change(stranger, unchanged, '/satellites', { satellites: null })
        // Each has theirs from the other now, as far as the last change says.
        const helper = await provenSession(app, promoted)
        await change(helper, accomplice, '/permissions', powers)
        const other = await provenSession(app, accomplice)
        await change(other, promoted, '/permissions', permissionsOf(['teamManagement', 'viewReports']))
        await change(other, promoted, '/permissions', powers)
        expect(outcome(await notMe(owner.email))).toBe('204')
        for (const { id } of [promoted, enabled, accomplice, lifted, widened])
          expect([id, await isDisabled(id)]).toEqual([id, true])
        for (const { id } of [narrowed, reduced, unchanged])
          expect([id, await isDisabled(id)]).toEqual([id, false])
        expect(outcome(await refreshByCookie(app, helper.sessionId))).toBe(ENDED)
      },
    )

    slow('keeps others of the team, and tells the owner what a manager reports', async () => {
      const owner = await anOwner(app)
      const { user: manager } = await aManager(app, owner, 'accountSettings')
      const { puppet } = await aVisit(manager)
      const invitedByOwner = await aJoined(await provenSession(app, owner), ['viewReports'])
      expect(outcome(await notMe(manager.email))).toBe('204')
      expect(await isDisabled(puppet.id)).toBe(true)
      expect(await isDisabled(invitedByOwner.id)).toBe(false)
      expect((await teamMails(owner)).at(-1)?.text).toContain(`${manager.email} has told us`)
    })
  })
})
