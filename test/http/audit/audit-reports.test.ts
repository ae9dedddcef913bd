import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { Database } from '../../../src/database/database.js'
import type { User } from '../../../src/users/user.js'
import { login } from '../../faults/support/requests.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { bearer, cookie, outcome } from '../support/api-calls.js'

/** Of one tenant; enough to make going over all of them slow, and quick to make. */
const ROWS = 50_000
const ROWS_A_STATEMENT = 10_000

let app: TestApp
let owner: User
let session: SignedIn
beforeAll(async () => {
  app = await TestApp.start('redis + postgres', { LOG_LEVEL: 'silent' })
  owner = await anOwner(app)
  session = await signIn(app, owner, 'main')
  for (let from = 1; from < ROWS; from += ROWS_A_STATEMENT)
    await statement(sql`
    insert into audit_log (at, action, outcome, user_id, account_id)
    select now(), case when n in (1, 2) then 'user.enable' else 'login' end,
      case when n in (3, 4) then 'failed' else 'ok' end, ${owner.id}::uuid, ${owner.accountId}::uuid
    from generate_series(${from}::int, ${from + ROWS_A_STATEMENT - 1}::int) n`)
  await statement(sql`analyze audit_log`)
})
afterAll(() => app?.stop())

describe('fleet 10: the audit log of a tenant with many rows', () => {
  test.each(['action=user.enable', 'outcome=failed'])(
    'is found by its rare %s through an index',
    async query => {
      const { status, json } = await list(query)
      expect([status, json.entries.length]).toEqual([200, 2])
      const [column, value] = query.split('=') as [string, string]
      const { rows } = (await statement(sql`
      explain (analyze, costs off, timing off) select * from audit_log
      where account_id = ${owner.accountId}::uuid and ${sql.identifier(column)} = ${value}
      order by id desc limit 50`)) as { rows: Record<string, string>[] }
      const plan = rows.map(row => row['QUERY PLAN']).join('\n')
      expect(plan).toMatch(new RegExp(`using audit_log_\\d{4}_\\d\\d_account_id_${column}_id_idx`))
      expect(plan).not.toContain('Rows Removed')
    },
  )
})

describe('fleet 10: while many reports are slow', () => {
  test('logins go on, and a report too many is 503 TOO_BUSY', async () => {
    const database = app.app.get(Database)
    let end = () => {}
    const reading = new Promise<void>(resolve => {
      end = resolve
    })
    const slow = Promise.allSettled(Array.from({ length: 50 }, () => database.report(() => reading)))
    expect(outcome(await list('outcome=ok'))).toBe('503 TOO_BUSY')
    for (let time = 0; time < 3; time++) expect(await login(app, owner)).toMatchObject({ status: 200 })
    end()
    const results = await slow
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
    expect(outcome(await list('outcome=ok'))).toBe('200')
  })
})

function list(query: string) {
  const headers = { Origin: MAIN, ...bearer(session.accessToken), ...cookie(session.sessionId) }
  return app.request({ path: `/api/audit?${query}`, headers })
}

function statement(text: ReturnType<typeof sql>): Promise<unknown> {
  return app.app.get(Database).run(db => db.execute(text))
}
