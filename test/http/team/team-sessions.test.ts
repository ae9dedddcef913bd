import { describe, expect, it } from '@jest/globals'
import { handleOf, type SessionId } from '../../sources.js'
import { aMember, anOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp, MAIN, SHOP_ONE } from '../../support/test-app.js'
import { outcome, refreshByCookie, refreshByHeader } from '../support/api-calls.js'
import { aManager, team } from '../support/team-calls.js'

const ENDED = '401 SESSION_NOT_FOUND'
const NOT_FOUND = '404 NOT_FOUND'
const OWNER_REQUIRED = '403 OWNER_REQUIRED'

describe("members' sessions", () => {
  const app = anApp()

  async function anAccount() {
    const owner = await anOwner(app)
    const member = await aMember(app, owner)
    return {
      owner,
      member,
      session: await signIn(app, owner, 'main'),
      onMain: await signIn(app, member, 'main'),
      atShop: await signIn(app, member, 'satellite'),
    }
  }

  const sidOf = ({ sessionId }: SignedIn) => handleOf(sessionId as SessionId)

  async function revocationsOf(userId: string) {
    return app.auditRows({ userId, action: 'session.revoke' })
  }

  it('are shown by site, none of them as current', async () => {
    const { member, session, onMain, atShop } = await anAccount()
    const { status, json } = await team(app, session, 'GET', `/${member.id}/sessions`)
    expect(status).toBe(200)
    const shown = json.sites.map(({ site, sessions }: { site: string; sessions: object[] }) => [
      site,
      sessions,
    ])
    expect(new Map(shown)).toEqual(
      new Map([
        [MAIN, [expect.objectContaining({ sid: sidOf(onMain), current: false, ip: '127.0.0.1' })]],
        [SHOP_ONE, [expect.objectContaining({ sid: sidOf(atShop), current: false })]],
      ]),
    )
    expect(JSON.stringify(json)).not.toContain(atShop.sessionId)
  })

  it('are ended one by one', async () => {
    const { owner, member, session, onMain, atShop } = await anAccount()
    const path = `/${member.id}/sessions/${sidOf(atShop)}`
    expect(outcome(await team(app, session, 'DELETE', path))).toBe('204')
    expect(outcome(await refreshByHeader(app, atShop.sessionId))).toBe(ENDED)
    expect(outcome(await refreshByCookie(app, onMain.sessionId))).toBe('200')
    expect(outcome(await team(app, session, 'DELETE', path))).toBe(NOT_FOUND)
    expect(await revocationsOf(member.id)).toEqual([
      expect.objectContaining({ outcome: 'ok', sid: sidOf(atShop), detail: { by: owner.id } }),
    ])
  })

  it('are ended all at once, with how many there were', async () => {
    const { owner, member, session, onMain, atShop } = await anAccount()
    const { status, json } = await team(app, session, 'DELETE', `/${member.id}/sessions`)
    expect({ status, json }).toEqual({ status: 200, json: { ended: 2 } })
    expect(outcome(await refreshByHeader(app, atShop.sessionId))).toBe(ENDED)
    expect(outcome(await refreshByCookie(app, onMain.sessionId))).toBe(ENDED)
    expect((await team(app, session, 'GET', `/${member.id}/sessions`)).json).toEqual({ sites: [] })
    expect(await revocationsOf(member.id)).toEqual([
      expect.objectContaining({ outcome: 'ok', detail: { all: true, by: owner.id } }),
    ])
    await signIn(app, member, 'main')
  })

  it('are not found under another user, of the same account or another', async () => {
    const { owner, member, session, atShop } = await anAccount()
    const other = await anAccount()
    const colleague = await aMember(app, owner)
    for (const path of [
      `/${colleague.id}/sessions/${sidOf(atShop)}`,
      `/${owner.id}/sessions/${sidOf(atShop)}`,
      `/${member.id}/sessions/${sidOf(other.atShop)}`,
      `/${member.id}/sessions/none`,
      `/${member.id}/sessions/%00`,
    ])
      expect(outcome(await team(app, session, 'DELETE', path))).toBe(NOT_FOUND)
    expect(outcome(await refreshByHeader(app, atShop.sessionId))).toBe('200')
    expect(outcome(await refreshByHeader(app, other.atShop.sessionId))).toBe('200')
  })

  it("the owner's are for the owner alone", async () => {
    const { owner, session } = await anAccount()
    const manager = await aManager(app, owner)
    const calls = [
      await team(app, manager.session, 'GET', `/${owner.id}/sessions`),
      await team(app, manager.session, 'DELETE', `/${owner.id}/sessions/${sidOf(session)}`),
      await team(app, manager.session, 'DELETE', `/${owner.id}/sessions`),
    ]
    expect(calls.map(outcome)).toEqual(Array(3).fill(OWNER_REQUIRED))
    const { json } = await team(app, session, 'GET', `/${owner.id}/sessions`)
    expect(json.sites[0].sessions).toEqual([expect.objectContaining({ sid: sidOf(session), current: true })])
  })
})
