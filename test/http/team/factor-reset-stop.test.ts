import { describe, expect, it } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import {
  AccountRecovery,
  factorResets,
  permissionsOf,
  type User,
  UserAdministration,
  users,
  withdrawTokens,
} from '../../sources.js'
import { giveAuthenticator } from '../../support/authenticator.js'
import { eventually } from '../../support/eventually.js'
import { aMember, anOwner, sendLogin, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { onServers, slowOnServers } from '../../support/tiers.js'
import { outcome } from '../support/api-calls.js'
import { heldCall } from '../support/held-call.js'
import { provenSession } from '../support/reauthenticate.js'
import { aMemberWith, team } from '../support/team-calls.js'
import { untilWaiting } from '../support/waiting-statements.js'

const INVALID_LINK = '400 INVALID_LINK'

describe('A reset of factors that a manager has requested', () => {
  const app = anApp()

  const post = (path: string, token: string) => app.post(path, { token })
  const stop = (token: string) => post('/api/second-factor-reset/stop', token)

  /** Somebody who manages the team too, with a session of before; and the link that they have been mailed. */
  async function requested() {
    const owner = await anOwner(app)
    const member = await aMemberWith(app, owner, 'teamManagement')
    const live = await signIn(app, member, 'main')
    await giveAuthenticator(app, member)
    const path = `/${member.id}/second-factor/reset`
    expect(outcome(await team(app, await provenSession(app, owner), 'POST', path))).toBe('202')
    return { member, live, path, token: await app.mailedToken(member.email) }
  }

  const isBlocked = async () => {
    const blocked = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    return (await app.query(blocked)).length > 0
  }

  it('is stopped by the link in the mail, not by any session of the member', async () => {
    const { member, live, path, token } = await requested()
    const pending = async () => (await team(app, live, 'GET', `/${member.id}`)).json.factorResetAt
    expect(outcome(await team(app, live, 'DELETE', path))).toBe('403 OWN_RIGHTS')
    expect((await app.auditRows()).at(-1)).toMatchObject({ action: 'factors.reset', outcome: 'refused' })
    expect(await pending()).not.toBeNull()
    expect(outcome(await stop(token))).toBe('204')
    expect(await pending()).toBeNull()
  })

  // Whoever disables the manager cancels the reset without a lock on the member.
  onServers('is stopped by the member while it is cancelled: one waits for the other', async () => {
    const { member, token } = await requested()
    const stopping = await app.database.transaction(async transaction => {
      await transaction.delete(factorResets).where(eq(factorResets.userId, member.id))
      const answer = stop(token)
      await eventually(isBlocked, { what: 'the wait for the reset', everyMs: 20 })
      await withdrawTokens(transaction, 'factor-reset', member.id)
      return { answer }
    })
    expect(outcome(await stopping.answer)).toBe(INVALID_LINK)
  })

  slowOnServers('waits while the manager takes their account back, which disables the member', async () => {
    const { manager, member } = await aManagerAndMember()
    expect(
      outcome(
        await team(app, await provenSession(app, manager), 'POST', `/${member.id}/second-factor/reset`),
      ),
    ).toBe('202')
    const reset = await app.mailedToken(member.email, '/factor-reset')
    const notMe = await strangersLogin(manager)
    await joinNow(member, manager)

    const disabling = heldCall(app.get(AccountRecovery), 'revokeGrantsSince')
    const recovered = post('/api/sessions/not-me', notMe)
    await disabling.begun
    const confirmed = post('/api/second-factor-reset/confirm', reset)
    await untilWaiting(app)
    disabling.release()
    expect([outcome(await recovered), outcome(await confirmed)]).toEqual(['204', INVALID_LINK])
    const { json } = await team(app, await signIn(app, manager.owner, 'main'), 'GET', `/${member.id}`)
    expect(json).toMatchObject({ isDisabled: true, hasSecondFactor: true, factorResetAt: null })
  })

  /** Of whom the member is the first to be locked, where both are. */
  async function aManagerAndMember() {
    const owner = await anOwner(app)
    const both = [await aMember(app, owner), await aMember(app, owner)]
    const [member, second] = both.toSorted((one, other) => (one.id < other.id ? -1 : 1)) as [User, User]
    const granted = permissionsOf(['teamManagement', 'dataEntry', 'viewReports'])
    await app.get(UserAdministration).grant(second, granted)
    await giveAuthenticator(app, member)
    return { member, manager: { ...second, owner } }
  }

  /** Returns the token of the link by which its user reports it. */
  async function strangersLogin({ email }: User) {
    expect(
      outcome(
        await sendLogin(app, { email }, { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0' }),
      ),
    ).toBe('200')
    return app.mailedToken(email, '/not-me')
  }

  async function joinNow({ id }: User, { id: invitedBy }: User) {
    const joined = { invitedBy, createdAt: app.clock.now() }
    await app.database.run(db => db.update(users).set(joined).where(eq(users.id, id)))
  }
})
