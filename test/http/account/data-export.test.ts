import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, it, jest } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { Database, type User } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { holdContinuedReports } from '../../support/held-reports.js'
import { aMember, anOwner } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, cookie, outcome } from '../support/api-calls.js'
import { onMainSite, provenSession } from '../support/reauthenticate.js'

/** Ten steps of a scan. */
const ROWS = 50_000
const EXPORT = '/api/profile/export'

const app = anApp()
let database: Database
let owner: User
beforeAll(async () => {
  database = app.database
  owner = await anOwner(app)
  await database.maintain(db =>
    db.execute(sql`insert into audit_log (at, action, outcome, user_id, account_id)
      select now(), 'profile.change', 'ok', ${owner.id}::uuid, ${owner.accountId}::uuid
      from generate_series(1, ${ROWS}::int)`),
  )
})

describe('The export of a member who has done nothing, in an account with a long log', () => {
  it('is read no further when its client leaves', async () => {
    const session = await provenSession(app, await aMember(app, owner))
    const headers = { Origin: MAIN, ...bearer(session.accessToken), ...cookie(session.sessionId) }
    const connected = once(app.app.getHttpServer(), 'connection')
    const client = get(`${app.url}${EXPORT}`, { headers, agent: false })
    client.on('error', () => {})
    const arrived = once(client, 'response').then(([response]) => once(response, 'data'))
    const [connection] = await connected
    const closed = once(connection, 'close')
    const report = database.report.bind(database)
    const steps = jest.spyOn(database, 'report')
    try {
      steps.mockImplementation(async (work, options) => {
        if (options?.isContinuation && !client.destroyed) {
          await arrived
          client.destroy()
          await closed
        }
        return report(work, options)
      })
      await closed
      // Each takes some milliseconds; there are ten.
      await setTimeout(500)
      expect(steps.mock.calls.map(([, options]) => options)).toEqual([
        { isContinuation: false },
        { isContinuation: true },
      ])
    } finally {
      steps.mockRestore()
    }
    expect(outcome(await onMainSite(app, session, 'GET', EXPORT))).toBe('200')
  })

  slow(
    'is refused while another of the same user is running, but not while one of a colleague is',
    async () => {
      const one = await provenSession(app, await aMember(app, owner))
      const colleague = await provenSession(app, await aMember(app, owner))
      const { reports: slowed, open } = holdContinuedReports(database)
      try {
        const first = onMainSite(app, one, 'GET', EXPORT)
        await eventually(() => slowed.mock.calls.length === 2)
        expect(outcome(await onMainSite(app, one, 'GET', EXPORT))).toBe('429 TOO_MANY_ATTEMPTS')
        const other = onMainSite(app, colleague, 'GET', EXPORT)
        await eventually(() => slowed.mock.calls.length === 4)
        open()
        expect((await Promise.all([first, other])).map(outcome)).toEqual(['200', '200'])
      } finally {
        open()
        slowed.mockRestore()
      }
    },
  )
})
