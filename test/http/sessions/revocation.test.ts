import { describe, expect, it } from '@jest/globals'
import {
  handleOf,
  type Permission,
  permissionsOf,
  SessionChanges,
  type SessionId,
  type User,
  UserAdministration,
} from '../../sources.js'
import { aMember, anOwner, aSignedInMember, aSignedInOwner, sendLogin, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { outcome, readData, refreshByCookie, refreshByHeader, subscribe } from '../support/api-calls.js'

const NOT_FOUND = '401 SESSION_NOT_FOUND'

const app = anApp()

describe('ending one session', () => {
  it('stops its refreshes and its payments, and no other session', async () => {
    const owner = await aSignedInOwner(app)
    const other = await signIn(app, owner, 'main')
    await end(owner, owner.sessionId)
    expect(outcome(await refreshByCookie(app, owner.sessionId))).toBe(NOT_FOUND)
    expect(outcome(await subscribe(app, owner))).toBe(NOT_FOUND)
    expect(outcome(await refreshByCookie(app, other.sessionId))).toBe('200')
  })

  it('wins against refreshes at the same moment', async () => {
    const owner = await anOwner(app)
    const { sessionId } = await signIn(app, owner, 'main')
    const refreshes = Array.from({ length: 20 }, () => refreshByCookie(app, sessionId))
    await end(owner, sessionId)
    const answers = (await Promise.all(refreshes)).map(outcome)
    expect(answers.every(answer => answer === '200' || answer === NOT_FOUND)).toBe(true)
    expect(outcome(await refreshByCookie(app, sessionId))).toBe(NOT_FOUND)
  })
})

describe('ending all sessions of a user', () => {
  it('ends those on every site, says how many, and leaves the rest of the team alone', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const main = await signIn(app, owner, 'main')
    const satellite = await signIn(app, owner, 'satellite')
    const others = await signIn(app, member, 'satellite')
    expect(await accounts().endSessions(owner)).toBe(2)
    expect(outcome(await refreshByCookie(app, main.sessionId))).toBe(NOT_FOUND)
    expect(outcome(await refreshByHeader(app, satellite.sessionId))).toBe(NOT_FOUND)
    expect(outcome(await refreshByHeader(app, others.sessionId))).toBe('200')
  })

  it('does not keep the user from logging in again', async () => {
    const owner = await anOwner(app)
    await signIn(app, owner, 'main')
    await accounts().endSessions(owner)
    const { sessionId } = await signIn(app, owner, 'main')
    expect(outcome(await refreshByCookie(app, sessionId))).toBe('200')
  })
})

describe('disabling a user', () => {
  it('ends all sessions and refuses the next login', async () => {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    const { sessionId } = await signIn(app, member, 'satellite')
    expect(await accounts().disable(member)).toBe(1)
    expect(outcome(await refreshByHeader(app, sessionId))).toBe(NOT_FOUND)
    expect(outcome(await sendLogin(app, member, { source: 'satellite', Origin: [] }))).toBe(
      '401 INVALID_CREDENTIALS',
    )
    await signIn(app, owner, 'main')
  })
})

describe('changed permissions', () => {
  it('decide about payments at once', async () => {
    const member = await aSignedInMember(app, await anOwner(app))
    expect(outcome(await subscribe(app, member))).toBe('403 PAYMENTS_PERMISSION_REQUIRED')
    await grant(member, ['payments'])
    expect(outcome(await subscribe(app, member))).toBe('201')
    await grant(member, ['dataEntry'])
    expect(outcome(await subscribe(app, member))).toBe('403 PAYMENTS_PERMISSION_REQUIRED')
  })

  it('never lift a satellite session over its ceiling', async () => {
    const member = await aMember(app, await anOwner(app))
    const { sessionId } = await signIn(app, member, 'satellite')
    await grant(member, ['payments', 'accountSettings', 'teamManagement', 'viewReports'])
    const refreshed = await refreshByHeader(app, sessionId)
    expect((await readData(app, refreshed.json.accessToken)).json.permissions).toEqual(
      permissionsOf(['viewReports']),
    )
  })

  function grant(user: User, permissions: Permission[]): Promise<void> {
    return accounts().grant(user, permissionsOf(permissions))
  }
})

function accounts(): UserAdministration {
  return app.get(UserAdministration)
}

function end(user: User, sessionId: string): Promise<boolean> {
  const session = { sid: handleOf(sessionId as SessionId), userId: user.id, accountId: user.accountId }
  return app.get(SessionChanges).end(session, null, 'test')
}
