import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, it, jest } from '@jest/globals'
import { eq } from 'drizzle-orm'
import {
  ApiError,
  accounts,
  Mailer,
  MailLanguage,
  OwnershipTransferService,
  permissionsOf,
  SERVICE,
  SessionChanges,
  type User,
  UserAdministration,
  UserChanges,
  Users,
} from '../../sources.js'
import { aMember, anEmail, anOwner, PASSWORD, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { heldCall } from '../support/held-call.js'
import {
  aProvenOwner,
  onMainSite,
  provenSession,
  reauthenticate,
  STEP_UP_CHALLENGE,
  staleSession,
} from '../support/reauthenticate.js'
import { aManager, team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'
import {
  acceptTransfer,
  beginTransfer,
  completeTransfers,
  requestTransfer,
  stopTransfer,
  TRANSFER_WAIT_SECONDS,
  transferAccount,
} from '../support/transfer-calls.js'

const ALL = permissionsOf(['payments', 'accountSettings', 'teamManagement', 'dataEntry', 'viewReports'])
const OF_A_MEMBER = permissionsOf(['dataEntry', 'viewReports'])
const NOT_FOUND = '404 NOT_FOUND'
const CANCELLED = /will not be transferred$/
const DAY = 24 * 60 * 60
const WAIT = TRANSFER_WAIT_SECONDS

describe('A transfer of the account', () => {
  const app = anApp()
  afterEach(() => {
    jest.restoreAllMocks()
  })

  const request = (session: SignedIn, userId: unknown) => requestTransfer(app, session, userId)
  const cancel = (session: SignedIn) => onMainSite(app, session, 'DELETE', '/api/account/transfer')
  const pending = async (session: SignedIn) =>
    (await onMainSite(app, session, 'GET', '/api/account')).json.transfer
  const accept = (token: string) => acceptTransfer(app, token)
  const stop = (token: string) => stopTransfer(app, token)
  const runJob = () => completeTransfers(app)
  const begin = (session: SignedIn, member: User) => beginTransfer(app, session, member)
  const transfer = (session: SignedIn, member: User) => transferAccount(app, session, member)

  /** The user moves to another address and gets a link back; returns the new address. */
  async function changeAddress(user: User) {
    const session = await provenSession(app, user)
    const email = anEmail()
    await onMainSite(app, session, 'POST', '/api/email/change', { email })
    const token = await app.mailedToken(email)
    expect(outcome(await onMainSite(app, session, 'POST', '/api/email/confirm', { token }))).toBe('204')
    return email
  }

  const subjects = async ({ email }: Pick<User, 'email'>) =>
    (await app.mailsTo(email)).map(({ subject }) => subject.replace(/ your .*$/, ''))

  /** What the user was mailed about transfers, step by step. */
  async function toldOfTransfer({ email }: Pick<User, 'email'>) {
    const mails = await app.mailsTo(email)
    return mails.flatMap(
      ({ subject }) =>
        /Request to transfer|take over|not be transferred(?: to you)?/.exec(subject)?.[0] ?? [],
    )
  }

  async function standing({ id }: User) {
    const user = await app.get(Users).find(id)
    return { role: user?.role, granted: user?.granted, satellites: user?.satellites }
  }

  async function ownersOf({ accountId }: User) {
    const people = await app.get(Users).listByAccount(accountId, null, 100)
    return people.filter(({ role }) => role === 'owner').map(({ id }) => id)
  }

  async function rowsOf({ accountId }: User) {
    return app.auditRows({ accountId, action: 'account.transfer' })
  }

  it('security H2: is done once the member has accepted and the wait is over, not before', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const session = await provenSession(app, owner)
    const requested = await request(session, member.id)
    expect(outcome(requested)).toBe('202')
    const { userId, requestedAt, readyAt, acceptedAt } = requested.json
    expect([userId, acceptedAt]).toEqual([member.id, null])
    expect(Date.parse(readyAt) - Date.parse(requestedAt)).toBe(WAIT * 1000)
    const { email, name } = member
    expect(await pending(session)).toEqual({ ...requested.json, email, name })
    app.clock.advance(WAIT)
    expect(await runJob()).toBe(0)
    expect(await ownersOf(owner)).toEqual([owner.id])
    const accepted = await accept(await app.mailedToken(member.email))
    expect([outcome(accepted), accepted.json.userId]).toEqual(['200', member.id])
    expect(await ownersOf(owner)).toEqual([owner.id])
    // The owner is mailed a link to stop it, and has half a day to follow it.
    const stopWithin = Date.parse(accepted.json.readyAt) - Date.parse(accepted.json.acceptedAt)
    expect(stopWithin).toBe(DAY * 500)
    const [, notice] = await app.mailsTo(owner.email)
    expect(notice?.text).toContain(MailLanguage.of('en').day(new Date(accepted.json.readyAt)))
    expect(await runJob()).toBe(0)
    app.clock.advance(DAY / 2)
    expect(await runJob()).toBe(1)
    expect(await standing(member)).toEqual({ role: 'owner', granted: ALL, satellites: null })
    expect(await standing(owner)).toEqual({ role: 'member', granted: OF_A_MEMBER, satellites: null })
    expect(await runJob()).toBe(0)
  })

  it('security H2: waits out the days also when it is accepted at once', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    await begin(await provenSession(app, owner), member)
    app.clock.advance(WAIT - 20 * 60)
    expect(await runJob()).toBe(0)
    app.clock.advance(20 * 60)
    expect(await runJob()).toBe(1)
    expect(await ownersOf(owner)).toEqual([member.id])
  })

  it('security H2: is in the audit log of both, step by step', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const session = await provenSession(app, owner)
    await transfer(session, member)
    const { sid } = claimsOf(session.accessToken)
    expect(await rowsOf(owner)).toEqual([
      expect.objectContaining({
        outcome: 'ok',
        ...{ userId: owner.id, sid, origin: MAIN },
        detail: { step: 'requested', to: member.id, readyAt: expect.any(String) },
      }),
      expect.objectContaining({ userId: member.id, detail: { step: 'accepted', from: owner.id } }),
      expect.objectContaining({
        ...{ userId: member.id, sid: null },
        detail: { step: 'done', from: owner.id, by: owner.id },
      }),
      expect.objectContaining({ userId: owner.id, detail: { step: 'done', to: member.id } }),
    ])
  })

  it('security H2: is told to both by mail at every step, and to nobody else', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const { user: manager } = await aManager(app, owner, 'accountSettings')
    await transfer(await provenSession(app, owner), member)
    const site = 'Mainstay'
    expect((await app.mailsTo(owner.email)).map(({ subject }) => subject)).toEqual([
      `Request to transfer your account at ${site}`,
      `Your account at ${site} will soon have a new owner`,
      `Your account at ${site} has a new owner`,
    ])
    expect((await app.mailsTo(member.email)).map(({ subject }) => subject)).toEqual([
      `Will you take over your team’s account at ${site}?`,
      `You are now the owner of your account at ${site}`,
    ])
    expect(await subjects(manager)).toEqual([])
    for (const { email } of [owner, member])
      expect((await app.mailsTo(email)).at(-1)?.text).toContain(`\nGo to Mainstay:\n${MAIN}/\n`)
    const [toOwner] = await app.mailsTo(owner.email)
    expect(toOwner?.text).toContain(`${MAIN}/stop-transfer#token=`)
    expect(toOwner?.text).not.toContain(member.email)
  })

  it('tells the new owner of a deletion that the old one has requested', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const giver = await provenSession(app, owner)
    expect(outcome(await onMainSite(app, giver, 'POST', '/api/account/deletion'))).toBe('200')
    await transfer(giver, member)
    expect((await app.mailsTo(member.email)).at(-1)?.text).toMatch(
      /Its previous owner has requested its deletion: on \d+ \w+ \d{4} \(UTC\)/,
    )
  })

  it('reaches the live sessions of both at their next refresh, which go on', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const giver = await provenSession(app, owner)
    const taker = await signIn(app, member, 'main')
    const takerAtShop = await signIn(app, member, 'satellite')
    await transfer(giver, member)
    const permissionsNow = async (answer: Promise<{ json: { accessToken: string } }>) =>
      claimsOf((await answer).json.accessToken).permissions
    expect(await permissionsNow(refreshByCookie(app, giver.sessionId))).toEqual(OF_A_MEMBER)
    expect(await permissionsNow(refreshByCookie(app, taker.sessionId))).toEqual(ALL)
    expect(await permissionsNow(refreshByHeader(app, takerAtShop.sessionId))).toEqual(OF_A_MEMBER)
  })

  it('takes from the old owner what is the owner’s', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    await transfer(await provenSession(app, owner), member)
    const giver = await provenSession(app, owner)
    expect(outcome(await onMainSite(app, giver, 'GET', '/api/account'))).toBe('403 PERMISSION_REQUIRED')
    expect(outcome(await team(app, giver, 'GET'))).toBe('403 PERMISSION_REQUIRED')
    expect(outcome(await onMainSite(app, giver, 'POST', '/api/account/deletion'))).toBe('403 OWNER_REQUIRED')
    expect(outcome(await request(giver, member.id))).toBe('403 OWNER_REQUIRED')
    const taker = await signIn(app, member, 'main')
    expect(outcome(await team(app, taker, 'POST', `/${owner.id}/disable`))).toBe('204')
  })

  it('opens all sites to the new owner', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const session = await provenSession(app, owner)
    await team(app, session, 'PUT', `/${member.id}/satellites`, { satellites: [SHOP_ONE] })
    await transfer(session, member)
    expect((await standing(member)).satellites).toBeNull()
  })

  describe('security H2: comes to nothing', () => {
    slow('when the owner stops it with the mailed link, of the first mail or the second', async () => {
      for (const isAccepted of [false, true]) {
        const owner = await anOwner(app)
        const member = await aMember(app, owner)
        const session = await provenSession(app, owner)
        expect(outcome(await request(session, member.id))).toBe('202')
        const first = await app.mailedToken(owner.email)
        const offer = await app.mailedToken(member.email)
        if (isAccepted) expect(outcome(await accept(offer))).toBe('200')
        const answers = [await stop(first), await stop(first), await accept(offer)]
        expect(answers.map(outcome)).toEqual(['204', '400 INVALID_LINK', '400 INVALID_LINK'])
        expect(await pending(session)).toBeNull()
        app.clock.advance(WAIT)
        expect(await runJob()).toBe(0)
        expect(await ownersOf(owner)).toEqual([owner.id])
        for (const person of [owner, member])
          expect((await app.mailsTo(person.email)).at(-1)?.subject).toMatch(CANCELLED)
      }
    })

    it('when the owner cancels it, after which there can be another', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      await begin(session, member)
      expect(outcome(await request(session, member.id))).toBe('409 TRANSFER_PENDING')
      expect([outcome(await cancel(session)), outcome(await cancel(session))]).toEqual(['204', NOT_FOUND])
      const manager = await aManager(app, owner, 'accountSettings')
      expect(outcome(await cancel(manager.session))).toBe('403 OWNER_REQUIRED')
      await transfer(session, member)
      expect(await ownersOf(owner)).toEqual([member.id])
    })

    it('when nobody accepts within seven days', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      await request(session, member.id)
      app.clock.advance(7 * DAY)
      expect(outcome(await accept(await app.mailedToken(member.email)))).toBe('400 INVALID_LINK')
      expect(await runJob()).toBe(0)
      expect((await rowsOf(owner)).at(-1)?.detail).toMatchObject({ reason: 'not accepted in time' })
      expect(outcome(await request(await provenSession(app, owner), member.id))).toBe('202')
    })

    it('when an operator disables the owner meanwhile, even if the owner is enabled again', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      await begin(await provenSession(app, owner), member)
      await app.get(UserAdministration).disable(owner)
      await app.get(UserAdministration).enable(owner)
      app.clock.advance(WAIT)
      expect(await runJob()).toBe(0)
      expect(await ownersOf(owner)).toEqual([owner.id])
      for (const person of [owner, member]) {
        const mail = (await app.mailsTo(person.email)).at(-1)
        expect(mail?.subject).toMatch(CANCELLED)
        expect(mail?.text).toContain(`\nGo to Mainstay:\n${MAIN}/\n`)
      }
      expect(outcome(await request(await provenSession(app, owner), member.id))).toBe('202')
    })

    slow('when the owner chooses another password, and both are told', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      await begin(session, member)
      const body = { currentPassword: PASSWORD, password: 'seven quiet otters juggle' }
      const changed = await onMainSite(app, session, 'POST', '/api/password/change', body)
      expect(outcome(changed)).toBe('204')
      expect(await pending(session)).toBeNull()
      for (const person of [owner, member])
        expect((await app.mailsTo(person.email)).at(-1)?.subject).toMatch(CANCELLED)
    })

    it('when the member is removed, at once, and both are told', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      await begin(session, member)
      expect(outcome(await team(app, session, 'DELETE', `/${(await aMember(app, owner)).id}`))).toBe('204')
      expect(await pending(session)).toMatchObject({ userId: member.id })
      expect(outcome(await team(app, session, 'DELETE', `/${member.id}`))).toBe('204')
      for (const person of [owner, member])
        expect((await app.mailsTo(person.email)).at(-1)?.subject).toMatch(CANCELLED)
      const detail = { step: 'cancelled', to: member.id, reason: 'removed' }
      expect((await rowsOf(owner)).at(-1)).toMatchObject({ userId: owner.id, detail })
      const other = await aMember(app, owner)
      expect(outcome(await request(session, other.id))).toBe('202')
    })

    it.each(['a manager', 'an operator'])('when %s disables the member, for good', async by => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      await begin(session, member)
      const operators = app.get(UserAdministration)
      if (by === 'an operator') await operators.disable(member)
      else expect(outcome(await team(app, session, 'POST', `/${member.id}/disable`))).toBe('204')
      expect(await pending(session)).toBeNull()
      for (const person of [owner, member])
        expect((await app.mailsTo(person.email)).at(-1)?.subject).toMatch(CANCELLED)
      const detail = { step: 'cancelled', to: member.id, reason: 'disabled' }
      expect((await rowsOf(owner)).at(-1)).toMatchObject({ userId: owner.id, detail })
      expect(outcome(await stop(await app.mailedToken(owner.email, '/stop-transfer')))).toBe(
        '400 INVALID_LINK',
      )
      await operators.enable(member)
      app.clock.advance(WAIT)
      expect(await runJob()).toBe(0)
      expect(await ownersOf(owner)).toEqual([owner.id])
    })
  })

  describe('that nobody can accept any more', () => {
    /** As releases did that left the transfer as it was. */
    const ways: Record<string, (member: User) => Promise<unknown>> = {
      'its member was removed': member =>
        app
          .get(SessionChanges)
          .commit(transaction => app.get(UserChanges).remove(transaction, member, SERVICE)),
      'its member was disabled': ({ id }) =>
        app.database.run(db => app.get(Users).disable(db, [id], 'account')),
      'its seven days are over': async () => app.clock.advance(7 * DAY),
    }

    /** Requested, with its stop link, and then void. */
    async function aVoidOne(way: string) {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      expect(outcome(await request(await provenSession(app, owner), member.id))).toBe('202')
      const links = { stop: await app.mailedToken(owner.email), accept: await app.mailedToken(member.email) }
      await ways[way]?.(member)
      return { owner, member, links, session: await provenSession(app, owner) }
    }

    it('is left to the deletion of the account when that is due', async () => {
      const { owner, member } = await aVoidOne('its member was disabled')
      await app.database.run(db =>
        db.update(accounts).set({ deleteAt: app.clock.now() }).where(eq(accounts.id, owner.accountId)),
      )
      const mailed = (await app.mailsTo(member.email)).length
      expect(await runJob()).toBe(0)
      expect(await app.mailsTo(member.email)).toHaveLength(mailed)
    })

    it.each(Object.keys(ways))('is not shown, and gives way to another: %s', async way => {
      const { owner, member, links, session } = await aVoidOne(way)
      expect(await pending(session)).toBeNull()
      expect(outcome(await accept(links.accept))).toBe('400 INVALID_LINK')
      const other = await aMember(app, owner)
      expect(outcome(await request(session, other.id))).toBe('202')
      expect(await pending(session)).toMatchObject({ userId: other.id })
      const [, cancelled, asked] = await rowsOf(owner)
      expect(cancelled?.detail).toMatchObject({ step: 'cancelled', to: member.id })
      expect(asked?.detail).toMatchObject({ step: 'requested', to: other.id })
      expect(await toldOfTransfer(owner)).toEqual(['Request to transfer', 'Request to transfer'])
      expect(await toldOfTransfer(other)).toEqual(['take over'])
      const isGone = (await app.get(Users).find(member.id)) === null
      expect(await toldOfTransfer(member)).toEqual(
        isGone ? ['take over'] : ['take over', 'not be transferred to you'],
      )
      expect(outcome(await accept(await app.mailedToken(other.email)))).toBe('200')
      expect(outcome(await cancel(session))).toBe('204')
    })

    slow('keeps its link to stop the other one, in any state', async () => {
      for (const isAccepted of [false, true]) {
        const { owner, links, session } = await aVoidOne('its seven days are over')
        const other = await aMember(app, owner)
        expect(outcome(await request(session, other.id))).toBe('202')
        const [offer, newer] = [await app.mailedToken(other.email), await app.mailedToken(owner.email)]
        if (isAccepted) expect(outcome(await accept(offer))).toBe('200')
        const answers = [await stop(links.stop), await stop(newer), await accept(offer)]
        expect(answers.map(outcome)).toEqual(['204', '400 INVALID_LINK', '400 INVALID_LINK'])
        expect(await pending(session)).toBeNull()
        expect(await toldOfTransfer(owner)).toEqual([
          'Request to transfer',
          'Request to transfer',
          'not be transferred',
        ])
        expect(await toldOfTransfer(other)).toEqual(['take over', 'not be transferred'])
      }
    })

    it('leaves no link to accept, not even where the member is asked again', async () => {
      const { member, links, session } = await aVoidOne('its seven days are over')
      expect(outcome(await request(session, member.id))).toBe('202')
      expect(outcome(await accept(links.accept))).toBe('400 INVALID_LINK')
    })

    slow('leaves its link dead once the other one is done', async () => {
      const { owner, links, session } = await aVoidOne('its member was disabled')
      const other = await aMember(app, owner)
      await transfer(session, other)
      expect(outcome(await stop(links.stop))).toBe('400 INVALID_LINK')
      expect(await ownersOf(owner)).toEqual([other.id])
    })

    it('can be offered to the same member again, who only hears of the new offer', async () => {
      const { owner, member, session } = await aVoidOne('its seven days are over')
      expect(outcome(await request(session, member.id))).toBe('202')
      expect(await toldOfTransfer(owner)).toEqual(['Request to transfer', 'Request to transfer'])
      expect(await toldOfTransfer(member)).toEqual(['take over', 'take over'])
    })

    it.each(Object.keys(ways))('is stopped by its link until the job has run: %s', async way => {
      const { owner, links, session } = await aVoidOne(way)
      expect(outcome(await accept(links.accept))).toBe('400 INVALID_LINK')
      const answers = [await stop(links.stop), await stop(links.stop)]
      expect(answers.map(outcome)).toEqual(['204', '400 INVALID_LINK'])
      expect(await toldOfTransfer(owner)).toEqual(['Request to transfer', 'not be transferred'])
      const detail = { step: 'cancelled', reason: 'stopped by a mailed link' }
      expect((await rowsOf(owner)).at(-1)?.detail).toMatchObject(detail)
      expect(outcome(await cancel(session))).toBe(NOT_FOUND)
      const rows = await rowsOf(owner)
      expect(await runJob()).toBe(0)
      expect(await rowsOf(owner)).toEqual(rows)
      expect(await toldOfTransfer(owner)).toEqual(['Request to transfer', 'not be transferred'])
    })

    it('once stopped, does not come back when what made it void passes', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      await begin(await provenSession(app, owner), member)
      const link = await app.mailedToken(owner.email)
      await ways['its member was disabled']?.(member)
      expect(outcome(await stop(link))).toBe('204')
      await app.get(UserAdministration).enable(member)
      app.clock.advance(WAIT)
      expect(await runJob()).toBe(0)
      expect(await ownersOf(owner)).toEqual([owner.id])
    })

    it('is cancelled by its owner until the job has run', async () => {
      const { owner, links, session } = await aVoidOne('its member was disabled')
      expect([outcome(await cancel(session)), outcome(await cancel(session))]).toEqual(['204', NOT_FOUND])
      expect(outcome(await stop(links.stop))).toBe('400 INVALID_LINK')
      expect(await toldOfTransfer(owner)).toEqual(['Request to transfer', 'not be transferred'])
    })

    it.each(Object.keys(ways))('ends with the next run of the job: %s', async way => {
      const { owner, links } = await aVoidOne(way)
      expect(await runJob()).toBe(0)
      expect((await rowsOf(owner)).at(-1)?.detail).toMatchObject({ step: 'cancelled' })
      expect((await app.mailsTo(owner.email)).at(-1)?.subject).toMatch(CANCELLED)
      expect(outcome(await stop(links.stop))).toBe('400 INVALID_LINK')
      const rows = await rowsOf(owner)
      expect(await runJob()).toBe(0)
      expect(await rowsOf(owner)).toEqual(rows)
    })
  })

  describe('security H2: while a change of e-mail address can be undone', () => {
    it.each(['owner', 'member'] as const)('cannot be requested for the %s', async who => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const user = who === 'owner' ? owner : member
      const moved = { ...user, email: await changeAddress(user) }
      const again = () => provenSession(app, who === 'owner' ? moved : owner)
      expect(outcome(await request(await again(), member.id))).toBe('409 EMAIL_UNDO_OPEN')
      app.clock.advance(7 * DAY)
      expect(outcome(await request(await again(), member.id))).toBe('202')
    })

    it('waits when it was requested before, and its mails go to the old address too', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      expect(outcome(await request(await provenSession(app, owner), member.id))).toBe('202')
      const email = await changeAddress(owner)
      expect(outcome(await accept(await app.mailedToken(member.email)))).toBe('200')
      for (const address of [owner.email, email])
        expect((await app.mailsTo(address)).at(-1)?.subject).toMatch(/will soon have a new owner$/)
      app.clock.advance(WAIT + DAY)
      expect(await runJob()).toBe(0)
      expect(await ownersOf(owner)).toEqual([owner.id])
      expect(outcome(await stop(await app.mailedToken(owner.email)))).toBe('204')
      expect((await app.mailsTo(owner.email)).at(-1)?.subject).toMatch(CANCELLED)
      app.clock.advance(7 * DAY)
      expect(await runJob()).toBe(0)
    })

    slow('lets no other user remove the member, but disable them, and the link works', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      await changeAddress(member)
      const session = await provenSession(app, owner)
      expect(outcome(await team(app, session, 'DELETE', `/${member.id}`))).toBe('409 EMAIL_UNDO_OPEN')
      expect(outcome(await team(app, session, 'POST', `/${member.id}/disable`))).toBe('204')
      const undo = { token: await app.mailedToken(member.email) }
      const undone = await app.post('/api/email/undo', undo, {})
      expect(outcome(undone)).toBe('204')
      expect((await app.get(Users).find(member.id))?.email).toBe(member.email)
      expect(outcome(await team(app, session, 'DELETE', `/${member.id}`))).toBe('204')
    })
  })

  describe('is refused', () => {
    it('without the password', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const answer = await request(await staleSession(app, owner), member.id)
      expect(outcome(answer)).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(answer.headers['www-authenticate']).toBe(STEP_UP_CHALLENGE)
      expect(await ownersOf(owner)).toEqual([owner.id])
    })

    it('to a member, whatever they may do', async () => {
      const owner = await anOwner(app)
      const manager = await aManager(app, owner, 'accountSettings', 'payments')
      await reauthenticate(app, manager.session)
      expect(outcome(await request(manager.session, manager.user.id))).toBe('403 OWNER_REQUIRED')
      expect(outcome(await request(manager.session, owner.id))).toBe('403 OWNER_REQUIRED')
      expect(await ownersOf(owner)).toEqual([owner.id])
    })

    it('to anybody but an active member of the account, the same for all, and nobody is told', async () => {
      const owner = await aProvenOwner(app)
      const stranger = await anOwner(app)
      const theirMember = await aMember(app, stranger)
      const disabled = await aMember(app, owner)
      await team(app, owner, 'POST', `/${disabled.id}/disable`)
      const gone = await aMember(app, owner)
      await team(app, owner, 'DELETE', `/${gone.id}`)
      const answers = []
      for (const id of [stranger.id, theirMember.id, disabled.id, gone.id, randomUUID(), owner.id])
        answers.push(await request(owner, id))
      expect(answers.map(outcome)).toEqual(answers.map(() => NOT_FOUND))
      const bodies = answers.map(({ json }) => JSON.stringify({ ...json, requestId: '' }))
      expect(new Set(bodies).size).toBe(1)
      expect(await ownersOf(owner)).toEqual([owner.id])
      expect(await ownersOf(stranger)).toEqual([stranger.id])
      expect(await app.mailsTo(theirMember.email)).toEqual([])
      expect(await app.mailsTo(owner.email)).toEqual([])
      expect((await rowsOf(owner)).filter(row => row.outcome === 'ok')).toEqual([])
      expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe('200')
    })

    it('to nobody, and to what is no id', async () => {
      const session = await provenSession(app, await anOwner(app))
      for (const userId of [undefined, null, 'somebody', [randomUUID()]])
        expect([userId, outcome(await request(session, userId))]).toEqual([userId, '400 INVALID_BODY'])
    })

    it('where no mail can be sent', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      jest.spyOn(app.get(Mailer), 'requireMail').mockImplementation(() => {
        throw new ApiError('MAIL_UNAVAILABLE')
      })
      expect(outcome(await request(session, member.id))).toBe('503 MAIL_UNAVAILABLE')
      expect(await ownersOf(owner)).toEqual([owner.id])
    })
  })

  describe('at once', () => {
    it('to two members is asked of one of them', async () => {
      const owner = await anOwner(app)
      const members = [await aMember(app, owner), await aMember(app, owner)]
      const session = await provenSession(app, owner)
      const answers = await Promise.all(members.map(({ id }) => request(session, id)))
      expect(answers.map(outcome).sort()).toEqual(['202', '409 TRANSFER_PENDING'])
      const loser = members[answers.findIndex(({ status }) => status === 409)] as User
      expect(await app.mailsTo(loser.email)).toEqual([])
    })

    it('done and stopped: one of the two', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      await begin(await provenSession(app, owner), member)
      app.clock.advance(WAIT)
      const token = await app.mailedToken(owner.email)
      const [done, stopped] = await Promise.all([runJob(), stop(token)])
      expect([
        [1, '400 INVALID_LINK'],
        [0, '204'],
      ]).toContainEqual([done, outcome(stopped)])
      expect(await ownersOf(owner)).toEqual([done === 1 ? member.id : owner.id])
    })

    it('to a member who is disabled while it is being done is not done', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      await begin(session, member)
      app.clock.advance(WAIT)
      const held = heldCall(app.get(SessionChanges), 'commit')
      const running = runJob()
      await held.begun
      await app.get(UserAdministration).disable(member)
      held.release()
      expect(await running).toBe(0)
      expect(await ownersOf(owner)).toEqual([owner.id])
      expect(claimsOf((await refreshByCookie(app, session.sessionId)).json.accessToken).permissions).toEqual(
        ALL,
      )
    })

    it('by a session that is ended during the request is refused', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      const { sid } = claimsOf(session.accessToken) as { sid: never }
      const held = heldCall(app.get(OwnershipTransferService), 'request')
      const answer = request(session, member.id)
      await held.begun
      const { id: userId, accountId } = owner
      await app.get(SessionChanges).end({ sid, userId, accountId }, null, 'stolen')
      held.release()
      expect(outcome(await answer)).toBe('401 SESSION_NOT_FOUND')
      expect(await pending(await signIn(app, owner, 'main'))).toBeNull()
    })
  })
})
