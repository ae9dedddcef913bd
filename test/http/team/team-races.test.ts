import { afterEach, describe, expect, it, jest } from '@jest/globals'
import {
  handleOf,
  type Permission,
  permissionsOf,
  SessionChanges,
  type SessionId,
  SessionStore,
  Users,
} from '../../sources.js'
import { aMember, anOwner, signIn } from '../../support/people.js'
import { anApp, SHOP_ONE, SHOP_TWO } from '../../support/test-app.js'
import { onServers, slow } from '../../support/tiers.js'
import { outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { heldCall } from '../support/held-call.js'
import { provenSession, reauthenticate } from '../support/reauthenticate.js'
import { aManager, team } from '../support/team-calls.js'
import { claimsOf } from '../support/token-claims.js'

const ENDED = '401 SESSION_NOT_FOUND'

describe('at once', () => {
  const app = anApp()
  afterEach(() => {
    jest.restoreAllMocks()
  })

  async function twoManagers() {
    const owner = await anOwner(app)
    const [one, two] = [await aManager(app, owner), await aManager(app, owner)]
    for (const { session } of [one, two]) expect((await reauthenticate(app, session)).status).toBe(200)
    return { owner: await provenSession(app, owner), one, two }
  }

  slow('of two managers who disable each other one stays', async () => {
    for (let round = 0; round < 5; round++) {
      const { owner, one, two } = await twoManagers()
      const answers = await Promise.all([
        team(app, one.session, 'POST', `/${two.user.id}/disable`),
        team(app, two.session, 'POST', `/${one.user.id}/disable`),
      ])
      expect(answers.map(outcome).sort()).toEqual(['204', ENDED])
      const { users } = (await team(app, owner, 'GET')).json
      expect(users.filter(({ isDisabled }: { isDisabled: boolean }) => isDisabled)).toHaveLength(1)
    }
  })

  it('of two managers who remove each other one stays', async () => {
    const { owner, one, two } = await twoManagers()
    const answers = await Promise.all([
      team(app, one.session, 'DELETE', `/${two.user.id}`),
      team(app, two.session, 'DELETE', `/${one.user.id}`),
    ])
    expect(answers.map(outcome).sort()).toEqual(['204', ENDED])
    expect((await team(app, owner, 'GET')).json.users).toHaveLength(2)
  })

  slow('of two managers who take teamManagement from each other one keeps it', async () => {
    const { one, two } = await twoManagers()
    const take = (userId: string) =>
      [`/${userId}/permissions`, permissionsOf(['dataEntry', 'viewReports'])] as const
    const answers = await Promise.all([
      team(app, one.session, 'PUT', ...take(two.user.id)),
      team(app, two.session, 'PUT', ...take(one.user.id)),
    ])
    expect(answers.map(outcome).sort()).toEqual(['204', '403 PERMISSION_REQUIRED'])
  })

  slow('many changes of one member leave database and sessions in agreement', async () => {
    const { owner, one, two } = await twoManagers()
    const member = await aMember(app, one.user)
    const sessions = await Promise.all(Array.from({ length: 5 }, () => signIn(app, member, 'main')))
    const grants: Permission[][] = [['dataEntry'], ['viewReports'], [], ['dataEntry', 'viewReports']]
    const answers = await Promise.all(
      [...grants, ...grants].map((granted, index) =>
        team(
          app,
          (index % 2 ? one : two).session,
          'PUT',
          `/${member.id}/permissions`,
          permissionsOf(granted),
        ),
      ),
    )
    expect(answers.map(outcome)).toEqual(Array(8).fill('204'))
    const { users } = (await team(app, owner, 'GET')).json
    const { permissions } = users.find(({ userId }: { userId: string }) => userId === member.id)
    for (const { sessionId } of sessions) {
      const { json } = await refreshByCookie(app, sessionId)
      expect(claimsOf(json.accessToken).permissions).toEqual(permissions)
    }
  })

  slow('a login while its user is disabled leaves no session', async () => {
    const { owner, one } = await twoManagers()
    for (let round = 0; round < 5; round++) {
      const member = await aMember(app, one.user)
      const [disabled, login] = await Promise.all([
        team(app, owner, 'POST', `/${member.id}/disable`),
        signIn(app, member, 'main').catch(() => null),
      ])
      expect(outcome(disabled)).toBe('204')
      if (login) expect(outcome(await refreshByCookie(app, login.sessionId))).toBe(ENDED)
      const live = await app.get(SessionStore).listByUser(member.id, app.clock.now())
      expect(live).toEqual([])
    }
  })

  it('a login that is under way while its user is removed comes to nothing', async () => {
    const { owner, one } = await twoManagers()
    const member = await aMember(app, one.user)
    const held = heldCall(app.get(Users), 'lockUnchanged')
    const login = signIn(app, member, 'main').catch((error: Error) => error.message)
    await held.begun
    expect(outcome(await team(app, owner, 'DELETE', `/${member.id}`))).toBe('204')
    held.release()
    expect(await login).toContain('TOO_BUSY')
    expect(await app.get(SessionStore).listByUser(member.id, app.clock.now())).toEqual([])
  })

  slow('a login at a satellite that is being closed leaves no session there', async () => {
    const { owner, one } = await twoManagers()
    for (let round = 0; round < 5; round++) {
      const member = await aMember(app, one.user)
      const [limited, two] = await Promise.all([
        team(app, owner, 'PUT', `/${member.id}/satellites`, { satellites: [SHOP_ONE] }),
        signIn(app, member, 'satellite', SHOP_TWO).catch(() => null),
      ])
      expect(outcome(limited)).toBe('204')
      if (two) expect(outcome(await refreshByHeader(app, two.sessionId, { Origin: SHOP_TWO }))).toBe(ENDED)
      expect(await app.get(SessionStore).listByUser(member.id, app.clock.now())).toEqual([])
    }
  })

  slow('a member is removed while others change them', async () => {
    const { owner, one, two } = await twoManagers()
    for (let round = 0; round < 5; round++) {
      const member = await aMember(app, one.user)
      const answers = await Promise.all([
        team(app, owner, 'DELETE', `/${member.id}`),
        team(app, one.session, 'PUT', `/${member.id}/permissions`, permissionsOf([])),
        team(app, two.session, 'POST', `/${member.id}/disable`),
        team(app, owner, 'PUT', `/${member.id}/satellites`, { satellites: [SHOP_ONE] }),
      ])
      expect(outcome(answers[0] as never)).toBe('204')
      for (const answer of answers.slice(1)) expect(['204', '404 NOT_FOUND']).toContain(outcome(answer))
    }
  })
})

describe('with several connections to the database', () => {
  const app = anApp()

  onServers('a manager whose session is ended while their request is under way changes nothing', async () => {
    const owner = await anOwner(app)
    const { user, session } = await aManager(app, owner)
    const member = await aMember(app, owner)
    const held = heldCall(app.get(Users), 'lockAll')
    const request = team(app, session, 'POST', `/${member.id}/disable`)
    await held.begun
    const ended = {
      sid: handleOf(session.sessionId as SessionId),
      userId: user.id,
      accountId: user.accountId,
    }
    await app.get(SessionChanges).end(ended, null, 'stolen')
    held.release()
    expect(outcome(await request)).toBe(ENDED)
    await signIn(app, member, 'main')
  })
})
