import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { sql } from 'drizzle-orm'
import { AuditTrail, Database, type User } from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { aGate } from '../../support/gate.js'
import { holdContinuedReports } from '../../support/held-reports.js'
import { anOwner, type SignedIn, sendLogin, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { ConsoleUser, withConsole } from '../operators/console-calls.js'
import { outcome } from '../support/api-calls.js'
import { onMainSite, provenSession } from '../support/reauthenticate.js'

/** More than one step of a scan. */
const ROWS = 6_000
/** Of which none is found. */
const EXPORT = '/api/audit/export?action=profile.change&outcome=failed'

const app = anApp(withConsole())
let database: Database
let owner: User
let session: SignedIn
let operator: ConsoleUser
beforeAll(async () => {
  database = app.database
  owner = await anOwner(app)
  session = await provenSession(app, owner)
  operator = await ConsoleUser.loggedIn(app)
})

describe('fleet 10: while many reports are slow', () => {
  test('logins go on, and a report too many is 503 TOO_BUSY', async () => {
    const { opened, open } = aGate()
    const slow = Promise.allSettled(Array.from({ length: 50 }, () => database.report(() => opened)))
    try {
      for (const path of ['/api/audit?outcome=ok', '/api/profile/export'])
        expect(outcome(await onMainSite(app, session, 'GET', path))).toBe('503 TOO_BUSY')
      for (let time = 0; time < 3; time++) expect(await sendLogin(app, owner)).toMatchObject({ status: 200 })
    } finally {
      open()
    }
    const results = await slow
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(8)
    expect(outcome(await onMainSite(app, session, 'GET', '/api/audit?outcome=ok'))).toBe('200')
  })
})

describe('While an account asks for many slow pages', () => {
  test('they take turns, the ninth is 503 TOO_BUSY, and nothing that others ask for is refused', async () => {
    const attacker = await anOwner(app)
    const theirs = await signIn(app, attacker, 'main')
    const { opened, open } = aGate()
    const trail = app.get(AuditTrail)
    const list = trail.list.bind(trail)
    const reads = jest.spyOn(trail, 'list').mockImplementation(async (accountId, query) => {
      if (accountId === attacker.accountId) await database.report(() => opened)
      return list(accountId, query)
    })
    try {
      let answered = 0
      const pages = Array.from({ length: 12 }, async () => {
        const page = outcome(await onMainSite(app, theirs, 'GET', '/api/audit'))
        answered++
        return page
      })
      await eventually(() => answered >= 4)
      expect(await otherReports()).toEqual(['200', '200', '200'])
      expect(outcome(await onMainSite(app, theirs, 'GET', '/api/logins'))).toBe('503 TOO_BUSY')
      expect(reads).toHaveBeenCalledTimes(1)
      open()
      const outcomes = (await Promise.all(pages)).sort()
      expect(outcomes).toEqual([...Array(8).fill('200'), ...Array(4).fill('503 TOO_BUSY')])
      expect(outcome(await onMainSite(app, theirs, 'GET', '/api/logins'))).toBe('200')
    } finally {
      open()
      reads.mockRestore()
    }
  })
})

describe('While exports are running', () => {
  test('refuses no other report, however many they are', async () => {
    const { opened, open } = aGate()
    const steps = Promise.all(
      Array.from({ length: 12 }, () => database.report(() => opened, { isContinuation: true })),
    )
    try {
      for (let time = 0; time < 3; time++) expect(await otherReports()).toEqual(['200', '200', '200'])
    } finally {
      open()
      await steps
    }
  })

  slow('refuses further ones of the same account, and no other reports', async () => {
    const attacker = await anOwner(app)
    const theirs = await signIn(app, attacker, 'main')
    await database.maintain(db =>
      db.execute(sql`insert into audit_log (at, action, outcome, user_id, account_id)
        select now(), 'profile.change', 'ok', ${attacker.id}::uuid, ${attacker.accountId}::uuid
        from generate_series(1, ${ROWS}::int)`),
    )
    const { reports: slowed, open } = holdContinuedReports(database)
    try {
      const exports = Array.from({ length: 12 }, () => onMainSite(app, theirs, 'GET', EXPORT))
      await eventually(() => slowed.mock.calls.some(([, options]) => options?.isContinuation))
      expect(await otherReports()).toEqual(['200', '200', '200'])
      const last = await onMainSite(app, theirs, 'GET', EXPORT)
      expect(outcome(last)).toBe('429 TOO_MANY_ATTEMPTS')
      expect(last.headers['retry-after']).toBe('10')
      expect(outcome(await onMainSite(app, session, 'GET', '/api/audit/export?outcome=refused'))).toBe('200')
      open()
      const outcomes = (await Promise.all(exports)).map(outcome)
      expect(outcomes.filter(one => one === '429 TOO_MANY_ATTEMPTS')).toHaveLength(11)
      expect(outcomes).toContain('200')
      expect(outcome(await onMainSite(app, theirs, 'GET', EXPORT))).toBe('200')
    } finally {
      open()
      slowed.mockRestore()
    }
  })
})

/** Somebody's login history, and what operators look at. */
async function otherReports(): Promise<string[]> {
  const answers = await Promise.all([
    onMainSite(app, session, 'GET', '/api/logins'),
    operator.get(`accounts/${owner.accountId}`),
    operator.get('activity'),
  ])
  return answers.map(outcome)
}
