import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals'
import { AccountsService } from '../../src/accounts/accounts.service.js'
import type { User } from '../../src/accounts/user.js'
import { Users } from '../../src/accounts/users.js'
import { ApiError } from '../../src/errors/api-error.js'
import { Mailer } from '../../src/mail/mailer.js'
import { permissionsOf } from '../../src/permissions/permissions.js'
import { SessionChanges } from '../../src/sessions/session-changes.js'
import { aMember, anOwner, type SignedIn, signIn } from '../support/people.js'
import { BACKENDS, MAIN, SHOP_ONE, TestApp } from '../support/test-app.js'
import { bearer, cookie, outcome, refreshByCookie, refreshByHeader } from './api-calls.js'
import { heldCall } from './held-call.js'
import { onMainSite, provenSession, reauthenticate, STEP_UP_CHALLENGE } from './reauthenticate.js'
import { aManager, team } from './team-calls.js'
import { claimsOf } from './token-claims.js'

const ALL = permissionsOf(['payments', 'accountSettings', 'teamManagement', 'dataEntry', 'viewReports'])
const OF_A_MEMBER = permissionsOf(['dataEntry', 'viewReports'])
const NOT_FOUND = '404 NOT_FOUND'

describe.each(BACKENDS)('A transfer of the account, on %s', backend => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.start(backend, { LOG_LEVEL: 'silent' })
  })
  afterEach(() => {
    jest.restoreAllMocks()
  })
  afterAll(() => app.stop())

  const transfer = (session: SignedIn, userId: unknown) =>
    onMainSite(app, session, 'POST', '/api/account/transfer', { userId })

  async function standing({ id }: User) {
    const user = await app.app.get(Users).find(id)
    return { role: user?.role, granted: user?.granted, satellites: user?.satellites }
  }

  async function ownersOf({ accountId }: User) {
    const people = await app.app.get(Users).listByAccount(accountId, null, 100)
    return people.filter(({ role }) => role === 'owner').map(({ id }) => id)
  }

  async function rowsOf({ accountId }: User) {
    const rows = await app.auditRows()
    return rows.filter(row => row.accountId === accountId && row.action === 'account.transfer')
  }

  it('makes the member the owner and the owner a member', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const session = await provenSession(app, owner)
    const answer = await transfer(session, member.id)
    expect([outcome(answer), answer.text]).toEqual(['204', ''])
    expect(await standing(member)).toEqual({ role: 'owner', granted: ALL, satellites: null })
    expect(await standing(owner)).toEqual({ role: 'member', granted: OF_A_MEMBER, satellites: null })
  })

  it('is in the audit log of both', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const session = await provenSession(app, owner)
    await transfer(session, member.id)
    const { sid } = claimsOf(session.accessToken)
    const rows = await rowsOf(owner)
    expect(rows).toHaveLength(2)
    expect(rows).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          outcome: 'ok',
          userId: owner.id,
          sid,
          origin: MAIN,
          detail: { to: member.id },
        }),
        expect.objectContaining({
          outcome: 'ok',
          userId: member.id,
          sid: null,
          detail: { from: owner.id, by: owner.id },
        }),
      ]),
    )
  })

  it('is told to both by mail, and to nobody else', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const { user: manager } = await aManager(app, owner, 'accountSettings')
    await transfer(await provenSession(app, owner), member.id)
    const subjects = async ({ email }: User) => (await app.mailsTo(email)).map(({ subject }) => subject)
    expect(await subjects(owner)).toEqual([
      expect.stringContaining('You are no longer the owner of your account at'),
    ])
    expect(await subjects(member)).toEqual([expect.stringContaining('You are the owner of your account at')])
    expect(await subjects(manager)).toEqual([])
    const [toOwner] = await app.mailsTo(owner.email)
    expect(toOwner?.text).not.toContain(member.email)
  })

  it('reaches the live sessions of both at their next refresh, which go on', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const giver = await provenSession(app, owner)
    const taker = await signIn(app, member, 'main')
    const takerAtShop = await signIn(app, member, 'satellite')
    await transfer(giver, member.id)
    const permissionsNow = async (answer: Promise<{ json: { accessToken: string } }>) =>
      claimsOf((await answer).json.accessToken).permissions
    expect(await permissionsNow(refreshByCookie(app, giver.sessionId))).toEqual(OF_A_MEMBER)
    expect(await permissionsNow(refreshByCookie(app, taker.sessionId))).toEqual(ALL)
    expect(await permissionsNow(refreshByHeader(app, takerAtShop.sessionId))).toEqual(OF_A_MEMBER)
  })

  it('takes from the old owner at once what is the owner’s', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const giver = await provenSession(app, owner)
    await transfer(giver, member.id)
    expect(outcome(await onMainSite(app, giver, 'GET', '/api/account'))).toBe('403 PERMISSION_REQUIRED')
    expect(outcome(await team(app, giver, 'GET'))).toBe('403 PERMISSION_REQUIRED')
    expect(outcome(await onMainSite(app, giver, 'POST', '/api/account/deletion'))).toBe('403 OWNER_REQUIRED')
    expect(outcome(await transfer(giver, member.id))).toBe('403 OWNER_REQUIRED')
    const taker = await signIn(app, member, 'main')
    expect(outcome(await team(app, taker, 'POST', `/${owner.id}/disable`))).toBe('204')
  })

  it('opens all sites to the new owner', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const session = await provenSession(app, owner)
    await team(app, session, 'PUT', `/${member.id}/satellites`, { satellites: [SHOP_ONE] })
    expect(outcome(await transfer(session, member.id))).toBe('204')
    expect((await standing(member)).satellites).toBeNull()
  })

  it('goes back the same way', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    expect(outcome(await transfer(await provenSession(app, owner), member.id))).toBe('204')
    expect(outcome(await transfer(await provenSession(app, member), owner.id))).toBe('204')
    expect(await ownersOf(owner)).toEqual([owner.id])
  })

  describe('is refused', () => {
    it('without the password', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const answer = await transfer(await signIn(app, owner, 'main'), member.id)
      expect(outcome(answer)).toBe('401 REAUTHENTICATION_REQUIRED')
      expect(answer.headers['www-authenticate']).toBe(STEP_UP_CHALLENGE)
      expect(await ownersOf(owner)).toEqual([owner.id])
    })

    it('to a member, whatever they may do', async () => {
      const owner = await anOwner(app)
      const manager = await aManager(app, owner, 'accountSettings', 'payments')
      await reauthenticate(app, manager.session)
      expect(outcome(await transfer(manager.session, manager.user.id))).toBe('403 OWNER_REQUIRED')
      expect(outcome(await transfer(manager.session, owner.id))).toBe('403 OWNER_REQUIRED')
      expect(await ownersOf(owner)).toEqual([owner.id])
    })

    it('but for token and cookie of one main session', async () => {
      const owner = await anOwner(app)
      const main = await provenSession(app, owner)
      const satellite = await signIn(app, owner, 'satellite')
      await reauthenticate(app, satellite, undefined, { Origin: SHOP_ONE })
      const body = { userId: (await aMember(app, owner)).id }
      const asked = async (headers: Record<string, string>) =>
        outcome(await app.request({ method: 'POST', path: '/api/account/transfer', headers, body }))
      expect(await asked({ Origin: MAIN, ...cookie(main.sessionId) })).toBe('401 ACCESS_TOKEN_REQUIRED')
      expect(await asked({ Origin: MAIN, ...bearer(main.accessToken) })).toBe('403 SESSION_COOKIE_REQUIRED')
      expect(await asked({ ...bearer(satellite.accessToken), ...cookie(satellite.sessionId) })).toBe(
        '403 MAIN_SOURCE_REQUIRED',
      )
      expect(await asked({ ...bearer(satellite.accessToken), ...cookie(main.sessionId) })).toBe(
        '403 SESSION_MISMATCH',
      )
      expect(await ownersOf(owner)).toEqual([owner.id])
    })

    it('to who is no active member of the account, the same for all, and nobody is told', async () => {
      const owner = await anOwner(app)
      const session = await provenSession(app, owner)
      const stranger = await anOwner(app)
      const theirMember = await aMember(app, stranger)
      const disabled = await aMember(app, owner)
      await team(app, session, 'POST', `/${disabled.id}/disable`)
      const gone = await aMember(app, owner)
      await team(app, session, 'DELETE', `/${gone.id}`)
      const answers = []
      for (const id of [stranger.id, theirMember.id, disabled.id, gone.id, randomUUID(), owner.id])
        answers.push(await transfer(session, id))
      expect(answers.map(outcome)).toEqual(answers.map(() => NOT_FOUND))
      const bodies = answers.map(({ json }) => JSON.stringify({ ...json, requestId: '' }))
      expect(new Set(bodies).size).toBe(1)
      expect(await ownersOf(owner)).toEqual([owner.id])
      expect(await ownersOf(stranger)).toEqual([stranger.id])
      expect(await app.mailsTo(theirMember.email)).toEqual([])
      expect(await app.mailsTo(owner.email)).toEqual([])
      expect((await rowsOf(owner)).filter(row => row.outcome === 'ok')).toEqual([])
      expect(outcome(await refreshByCookie(app, session.sessionId))).toBe('200')
    })

    it.each([
      ['nobody', undefined],
      ['null', null],
      ['no id', 'somebody'],
      ['a list', [randomUUID()]],
    ])('to %s', async (_, userId) => {
      const session = await provenSession(app, await anOwner(app))
      expect(outcome(await transfer(session, userId))).toBe('400 INVALID_BODY')
    })

    it('where no mail can be sent', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      jest.spyOn(app.app.get(Mailer), 'requireMail').mockImplementation(() => {
        throw new ApiError('MAIL_UNAVAILABLE')
      })
      expect(outcome(await transfer(session, member.id))).toBe('503 MAIL_UNAVAILABLE')
      expect(await ownersOf(owner)).toEqual([owner.id])
    })
  })

  describe('at once', () => {
    it('to two members goes to one of them', async () => {
      for (let round = 0; round < 3; round++) {
        const owner = await anOwner(app)
        const members = [await aMember(app, owner), await aMember(app, owner)]
        const session = await provenSession(app, owner)
        const answers = await Promise.all(members.map(({ id }) => transfer(session, id)))
        expect(answers.map(outcome).sort()).toEqual(['204', '403 OWNER_REQUIRED'])
        const winner = members[answers.findIndex(({ status }) => status === 204)] as User
        const loser = members.find(member => member !== winner) as User
        expect(await ownersOf(owner)).toEqual([winner.id])
        expect(await standing(loser)).toMatchObject({ role: 'member', granted: OF_A_MEMBER })
        expect((await rowsOf(owner)).filter(row => row.outcome === 'ok')).toHaveLength(2)
        expect(await app.mailsTo(loser.email)).toEqual([])
      }
    })

    it('with another that passed the guards first comes too late', async () => {
      const owner = await anOwner(app)
      const [first, second] = [await aMember(app, owner), await aMember(app, owner)]
      const session = await provenSession(app, owner)
      const held = heldCall(app.app.get(SessionChanges), 'makeAll')
      const late = transfer(session, first.id)
      await held.begun
      expect(outcome(await transfer(session, second.id))).toBe('204')
      held.release()
      expect(outcome(await late)).toBe('403 OWNER_REQUIRED')
      expect(await ownersOf(owner)).toEqual([second.id])
    })

    it('with the end of the taker’s rights: one of the two is refused', async () => {
      for (let round = 0; round < 3; round++) {
        const owner = await anOwner(app)
        const member = await aMember(app, owner)
        const manager = await aManager(app, owner)
        const session = await provenSession(app, owner)
        const [transferred, disabled] = await Promise.all([
          transfer(session, member.id),
          team(app, manager.session, 'POST', `/${member.id}/disable`),
        ])
        expect([
          ['204', '409 LAST_OWNER'],
          [NOT_FOUND, '204'],
        ]).toContainEqual([outcome(transferred), outcome(disabled)])
        expect(await ownersOf(owner)).toEqual([transferred.status === 204 ? member.id : owner.id])
      }
    })

    it('to a member who is disabled while it is under way is refused', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      const held = heldCall(app.app.get(SessionChanges), 'makeAll')
      const answer = transfer(session, member.id)
      await held.begun
      await app.app.get(AccountsService).disable(member)
      held.release()
      expect(outcome(await answer)).toBe(NOT_FOUND)
      expect(await ownersOf(owner)).toEqual([owner.id])
      expect(claimsOf((await refreshByCookie(app, session.sessionId)).json.accessToken).permissions).toEqual(
        ALL,
      )
    })

    it('by a session that is ended while it is under way is refused', async () => {
      const owner = await anOwner(app)
      const member = await aMember(app, owner)
      const session = await provenSession(app, owner)
      const { sid } = claimsOf(session.accessToken) as { sid: never }
      const held = heldCall(app.app.get(SessionChanges), 'makeAll')
      const answer = transfer(session, member.id)
      await held.begun
      const { id: userId, accountId } = owner
      await app.app.get(SessionChanges).end({ sid, userId, accountId }, null, 'stolen')
      held.release()
      expect(outcome(await answer)).toBe('401 SESSION_NOT_FOUND')
      expect(await ownersOf(owner)).toEqual([owner.id])
    })
  })
})
