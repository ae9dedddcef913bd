import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { eq, sql } from 'drizzle-orm'
import { Database } from '../../../src/database/database.js'
import { factorResets } from '../../../src/database/schema/factors.js'
import { withdrawTokens } from '../../../src/links/withdraw-tokens.js'
import { giveAuthenticator } from '../../support/authenticator.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { outcome } from '../support/api-calls.js'
import { provenSession } from '../support/reauthenticate.js'
import { aMemberWith, team } from '../support/team-calls.js'

const INVALID_LINK = '400 INVALID_LINK'

describe('A reset of factors that a manager has requested', () => {
  let app: TestApp
  beforeAll(async () => {
    app = await TestApp.start('redis + postgres', { LOG_LEVEL: 'silent' })
  })
  afterAll(() => app.stop())

  const stop = (token: string) =>
    app.request({
      method: 'POST',
      path: '/api/second-factor-reset/stop',
      headers: { Origin: MAIN },
      body: { token },
    })

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
    const answer = await app.app.get(Database).run(db => db.execute(blocked))
    return (answer as { rows: unknown[] }).rows.length > 0
  }

  it('is stopped by the link in the mail, not by any session of the member', async () => {
    const { member, live, path, token } = await requested()
    const pending = async () => (await team(app, live, 'GET', `/${member.id}`)).json.factorResetAt
    expect(outcome(await team(app, live, 'DELETE', path))).toBe('403 OWN_RIGHTS')
    expect((await app.auditRows()).at(-1)).toMatchObject({ action: 'factors.reset', outcome: 'refused' })
    expect(outcome(await stop(token))).toBe('204')
    expect(await pending()).toBeNull()
  })
    expect(await pending()).not.toBeNull()

  // Whoever disables the manager cancels the reset without a lock on the member.
  it('is stopped by the member while it is cancelled: one waits for the other', async () => {
    const { member, token } = await requested()
    const stopping = await app.app.get(Database).transaction(async transaction => {
      await transaction.delete(factorResets).where(eq(factorResets.userId, member.id))
      const answer = stop(token)
      await eventually(isBlocked, { what: 'the wait for the reset', everyMs: 20 })
      await withdrawTokens(transaction, 'factor-reset', member.id)
      return { answer }
    })
    expect(outcome(await stopping.answer)).toBe(INVALID_LINK)
  })
})
