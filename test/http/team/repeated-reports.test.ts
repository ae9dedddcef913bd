import { describe, expect, it } from '@jest/globals'
import { type Permission, permissionsOf, type User, Users } from '../../sources.js'
import { aMember, anOwner, PASSWORD, type SignedIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { changeAddress, undoAddress } from '../support/address-changes.js'
import { outcome } from '../support/api-calls.js'
import { subjectsTo } from '../support/leaving-accounts.js'
import { provenSession } from '../support/reauthenticate.js'
import { aMemberWith, team } from '../support/team-calls.js'

const MANAGES: readonly Permission[] = ['teamManagement', 'dataEntry', 'viewReports']

describe('Several recovery links of one user', () => {
  const app = anApp()

  async function grant(by: SignedIn, { id }: User, ...permissions: Permission[]) {
    const answer = await team(app, by, 'PUT', `/${id}/permissions`, permissionsOf(permissions))
    expect(outcome(answer)).toBe('204')
  }

  /** Takes something away, and gives it back. */
  async function toggle(by: SignedIn, member: User) {
    await grant(by, member, 'dataEntry')
    await grant(by, member, 'dataEntry', 'viewReports')
  }

  /** A member whom a manager has allowed more, and the manager's session. */
  async function aToggledMember() {
    const owner = await anOwner(app)
    const manager = await aMemberWith(app, owner, ...MANAGES)
    const member = await aMember(app, owner)
    const session = await provenSession(app, manager)
    await toggle(session, member)
    return { owner, manager, member, session }
  }

  /** By the link that was mailed there. */
  async function choosePassword(email: string) {
    const body = { token: await app.mailedToken(email, '/reset-password'), password: PASSWORD }
    const headers = { Origin: MAIN }
    const answer = await app.post('/api/password/reset', body, headers)
    expect(outcome(answer)).toBe('200')
  }

  const change = async (by: SignedIn, { id }: User, how: 'enable' | 'disable') =>
    expect(outcome(await team(app, by, 'POST', `/${id}/${how}`))).toBe('204')

  const disabledAmong = async (members: readonly User[]) => {
    const found = await Promise.all(members.map(({ id }) => app.get(Users).find(id)))
    return found.map(user => user?.disabledAt !== null)
  }

  slow('disable whom the user has allowed more once, not again when the owner has enabled them', async () => {
    const owner = await anOwner(app)
    const manager = await aMemberWith(app, owner, ...MANAGES)
    const colleagues = [await aMember(app, owner), await aMember(app, owner)]
    const hostile = await provenSession(app, manager)
    for (const member of colleagues) await toggle(hostile, member)
    const first = await changeAddress(app, hostile, manager)
    const second = await changeAddress(app, hostile, first)
    const third = await changeAddress(app, hostile, second)
    const session = await provenSession(app, owner)
    await change(session, manager, 'disable')

    expect(await undoAddress(app, third)).toBe('204')
    expect(await disabledAmong(colleagues)).toEqual([true, true])
    for (const member of colleagues) await change(session, member, 'enable')
    for (const link of [second, first]) {
      expect(await undoAddress(app, link)).toBe('204')
      expect(await disabledAmong(colleagues)).toEqual([false, false])
    }
    const told = (await subjectsTo(app, owner)).filter(subject => subject.startsWith('Members of your team'))
    expect(told).toHaveLength(1)
  })

  it('disable nobody who was disabled at the first one and has been enabled since', async () => {
    const { owner, manager, member, session: hostile } = await aToggledMember()
    await change(hostile, member, 'disable')
    const first = await changeAddress(app, hostile, manager)
    const second = await changeAddress(app, hostile, first)
    expect(await undoAddress(app, second)).toBe('204')
    await change(await provenSession(app, owner), member, 'enable')
    expect(await undoAddress(app, first)).toBe('204')
    expect(await disabledAmong([member])).toEqual([false])
    expect((await subjectsTo(app, owner)).filter(subject => subject.startsWith('Members of'))).toEqual([])
  })

  slow('disable again whom the user has let in again', async () => {
    const { owner, manager, member, session: before } = await aToggledMember()
    const first = await changeAddress(app, before, manager)
    const second = await changeAddress(app, before, first)
    expect(await undoAddress(app, second)).toBe('204')
    await change(await provenSession(app, owner), member, 'enable')
    await choosePassword(first.email)
    await toggle(await provenSession(app, first), member)
    expect(await undoAddress(app, first)).toBe('204')
    expect(await disabledAmong([member])).toEqual([true])
  })

  slow('count in full, although a thief has followed a later one that reaches less far back', async () => {
    const owner = await anOwner(app)
    const [helper, helpersFriend] = [await aMember(app, owner), await aMember(app, owner)]
    const thief = await provenSession(app, owner)
    await grant(thief, helper, ...MANAGES)
    await toggle(await provenSession(app, helper), helpersFriend)
    const first = await changeAddress(app, thief, owner)
    app.clock.advance(60 * 60)
    const later = await provenSession(app, first)
    await grant(later, helper, 'teamManagement', 'dataEntry')
    await grant(later, helper, ...MANAGES)
    const second = await changeAddress(app, later, first)
    expect(await undoAddress(app, second)).toBe('204')
    expect(await disabledAmong([helper, helpersFriend])).toEqual([true, false])
    expect(await undoAddress(app, first)).toBe('204')
    expect(await disabledAmong([helper, helpersFriend])).toEqual([true, true])
  })
})
