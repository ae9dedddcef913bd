import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { type User } from '../../sources.js'
import { CountedRequests } from '../../support/counted-requests.js'
import { anOwner, PASSWORD, signIn } from '../../support/people.js'
import { createDatabase, type TestDatabase } from '../../support/postgres/postgres-server.js'
import { MAIN, TestApp } from '../../support/test-app.js'
import { outcome, refreshByCookie } from '../support/api-calls.js'

const MEMBERS = 3_000
/** A recovery of nobody else takes about thirty; what the service does by itself meanwhile is counted too. */
const MOST_STATEMENTS = 150

let database: TestDatabase
let statements: CountedRequests
let app: TestApp
beforeAll(async () => {
  database = await createDatabase()
  statements = await CountedRequests.before(database.url)
  app = await TestApp.start({
    DATABASE_URL: statements.url,
    ANOMALY_POLICY: 'notify:10',
  })
})
afterAll(async () => {
  await app?.stop()
  statements?.stop()
  await database?.drop()
})

/** Members who have joined now by the owner's invitation, with the owner's password. */
function invite(owner: User, count: number) {
  return app.query<{ email: string }>(sql`
    insert into users (id, account_id, email, role, granted, password_hash, created_at, invited_by)
    select gen_random_uuid(), account_id, 'invited-' || number || '-' || email, 'member', granted, password_hash,
      ${app.clock.now().toISOString()}, id
    from users, generate_series(1, ${count}) as number where id = ${owner.id} returning email`)
}

test('thousands whom a stranger has invited are disabled with a bounded number of statements', async () => {
  const owner = await anOwner(app)
  await signIn(app, owner, 'main')
  const agent = 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0'
  const body = { email: owner.email, password: PASSWORD, source: 'main' }
  const headers = { Origin: MAIN, 'User-Agent': agent }
  await app.post('/api/login', body, headers)
  const token = await app.mailedToken(owner.email, '/not-me')
  const invited = await invite(owner, MEMBERS)
  const [first, last] = [invited.at(0), invited.at(-1)] as { email: User['email'] }[]
  const sessions = [await signIn(app, first!, 'main'), await signIn(app, last!, 'main')]

  const before = statements.soFar
  const path = '/api/sessions/not-me'
  const answer = await app.request({ method: 'POST', path, headers, body: { token }, timeoutMs: 60_000 })
  expect(outcome(answer)).toBe('204')
  expect(statements.soFar - before).toBeLessThan(MOST_STATEMENTS)

  const [row] = await app.query<{ disabled: number }>(
    sql`select count(*)::int as disabled from users where account_id = ${owner.accountId} and disabled_by = 'account'`,
  )
  expect(row?.disabled).toBe(MEMBERS)
  for (const { sessionId } of sessions)
    expect(outcome(await refreshByCookie(app, sessionId))).toBe('401 SESSION_NOT_FOUND')
  const [audit] = await app.query<{ rows: number }>(
    sql`select count(*)::int as rows from audit_log where account_id = ${owner.accountId} and action = 'user.disable'`,
  )
  expect(audit?.rows).toBe(MEMBERS)
})
