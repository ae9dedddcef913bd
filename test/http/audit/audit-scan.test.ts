import { once } from 'node:events'
import { get, type Server } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, jest, test } from '@jest/globals'
import { and, desc, eq, gte, lt, lte, sql } from 'drizzle-orm'
import {
  ALL_IDS,
  AuditExport,
  type AuditFilter,
  auditLog,
  Database,
  type Db,
  type IdRange,
  idsBetween,
  type Scanned,
  scanAuditLog,
  selectionOf,
  type User,
} from '../../sources.js'
import { eventually } from '../../support/eventually.js'
import { anOwner, signIn } from '../../support/people.js'
import { anApp, MAIN } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { bearer, cookie } from '../support/api-calls.js'
import { readBy } from '../support/read-by.js'

/** Of one tenant; as many of others. */
const ROWS = 30_000
const MONTHS = 12
const PAGE = 51
const DAY_MS = 86_400_000
/** A step's, read once for its rows and once for its end, and the thousand around a time. */
const MOST_ROWS = 2 * 5_000 + 2 * 1_000 + PAGE
/** Of a few rows in an index of each partition. */
const FEW_BLOCKS = 400

const app = anApp()
let database: Database
let owner: User
let stranger: User
let halfWay: Date
let lowest: number
beforeAll(async () => {
  database = app.database
  owner = await anOwner(app)
  stranger = await anOwner(app)
  const aMonthBefore = sql`now() - make_interval(months => n)`
  await database.maintain(db =>
    db.execute(sql`select create_audit_partition(${aMonthBefore}) from generate_series(1, ${MONTHS}::int) n`),
  )
  lowest = await firstFree()
  // Without ANALYZE: what the planner knows is from a log of a few rows.
  await database.maintain(db => db.execute(rows()))
  halfWay = new Date(Date.now() - (MONTHS / 2) * 30 * 86_400_000)
})

/** In turns of the tenant and of a stranger, who alone changes permissions. */
function rows() {
  const isOwn = sql`n % 2 = 0`
  return sql`
    insert into audit_log (at, action, outcome, user_id, account_id)
    select now() - (${2 * ROWS}::int - n) * (interval '${sql.raw(String(MONTHS * 30))} days' / ${2 * ROWS}::int),
      case when n in (8, 50008) then 'user.enable' when ${isOwn} then 'login' else 'permissions.change' end,
      case when n in (10, 50010) then 'refused' when n % 3 = 0 then 'failed' else 'ok' end,
      case when ${isOwn} then ${owner.id}::uuid else ${stranger.id}::uuid end,
      case when ${isOwn} then ${owner.accountId}::uuid else ${stranger.accountId}::uuid end
    from generate_series(1, ${2 * ROWS}::int) n order by n`
}

async function firstFree(): Promise<number> {
  const [found] = await app.query<{ id: number }>(sql`select last_value::int as id from audit_log_id_seq`)
  return found?.id as number
}

/** Every combination of what can be asked for: what is there, what is rare, what only a stranger has, or nothing. */
function combinations() {
  const users = [undefined, owner.id, stranger.id]
  const actions = [undefined, 'login', 'user.enable', 'permissions.change'] as const
  const outcomes = [undefined, 'failed', 'refused'] as const
  return users.flatMap(user =>
    actions.flatMap(action =>
      outcomes.flatMap(outcome =>
        [undefined, halfWay].flatMap(from =>
          [undefined, halfWay].map((to): AuditFilter => ({ user, action, outcome, from, to })),
        ),
      ),
    ),
  )
}

describe('A page of a long audit log', () => {
  slow('reads a limited number of rows, whatever it is filtered by and wherever it begins', async () => {
    for (const filter of combinations())
      for (const to of [ALL_IDS.to, lowest + ROWS]) {
        const { rows: rowsRead } = await readBy(database, async db => {
          const range = await idsBetween(db, filter)
          await aPage(db, filter, { ...range, to: Math.min(to, range.to) })
        })
        expect({ filter, to, rowsRead, isLimited: rowsRead <= MOST_ROWS }).toMatchObject({ isLimited: true })
      }
  })

  test('reads a limited number of rows in search of a person whom nobody knows', async () => {
    const filter = { q: 'nobody at all' }
    const { rows } = await readBy(database, async db => {
      expect(await aPage(db, filter, ALL_IDS)).toMatchObject({ rows: [], rest: expect.anything() })
    })
    expect(rows).toBeLessThanOrEqual(MOST_ROWS)
    expect((await database.report(db => aPage(db, { q: owner.email }, ALL_IDS))).rows).toHaveLength(PAGE)
  })

  test.each([
    ['an action that only others do', { action: 'permissions.change' }],
    ['a rare action', { action: 'user.enable' }],
    ['an outcome that only others have', { outcome: 'refused', action: 'permissions.change' }],
  ] as const)('reads next to nothing for %s', async (_, filter) => {
    const { blocks } = await readBy(database, db => aPage(db, filter, ALL_IDS))
    expect(blocks).toBeGreaterThan(0)
    expect(blocks).toBeLessThan(FEW_BLOCKS)
  })

  slow('has the newest rows that match, and is followed by the rest', async () => {
    for (const filter of combinations()) {
      const found = await database.report(async db => {
        const ids: number[] = []
        for (let rest: IdRange | null = await idsBetween(db, filter); rest && ids.length < PAGE; ) {
          const page = await aPage(db, filter, rest)
          ids.push(...page.rows.map(({ id }) => id))
          rest = page.rest
        }
        return ids.slice(0, PAGE)
      })
      expect({ filter, found }).toEqual({ filter, found: await newest(filter) })
    }
  })

  test.each([
    ['that has no rows yet', () => ({ from: new Date(Date.now() + 366 * DAY_MS) })],
    ['of two days', () => ({ from: halfWay, to: new Date(halfWay.getTime() + 2 * DAY_MS) })],
  ])('an export of a period %s reads no others', async (_, filterOf) => {
    const filter = filterOf()
    const steps = jest.spyOn(database, 'report')
    try {
      const actor = { userId: owner.id, accountId: owner.accountId, client: null }
      const options = { accountId: owner.accountId, filter, format: 'jsonl' } as const
      let text = ''
      for await (const piece of await app.get(AuditExport).start(actor, options)) text += piece
      const ids = text.split('\n').flatMap(line => (line ? JSON.parse(line).row.id : []))
      expect(ids.map(Number)).toEqual((await newest(filter, ROWS)).toReversed())
      // The whole log takes a dozen or more.
      expect(steps.mock.calls.length).toBeLessThan(6)
    } finally {
      steps.mockRestore()
    }
  })

  test.each([
    ['before anything was found', 1, { action: 'permissions.change' }],
    ['in the middle', 2, { outcome: 'refused' }],
  ] as const)('an export is read no further when its client leaves %s', async (_, leaves, filter) => {
    const { accessToken, sessionId } = await signIn(app, owner, 'main')
    const server: Server = app.app.getHttpServer()
    const connected = once(server, 'connection')
    const query = new URLSearchParams({ user: owner.id, ...filter })
    const headers = { Origin: MAIN, ...bearer(accessToken), ...cookie(sessionId) }
    const client = get(`${app.url}/api/audit/export?${query}`, { headers, agent: false })
    client.on('error', () => {})
    const [connection] = await connected
    const closed = once(connection, 'close')
    const report = database.report.bind(database)
    const steps = jest.spyOn(database, 'report')
    try {
      steps.mockImplementation(async (...asked) => {
        if (steps.mock.calls.length === leaves) {
          client.destroy()
          await closed
        }
        return report(...asked)
      })
      await eventually(() => steps.mock.calls.length >= leaves)
      // Each takes some milliseconds; there are six or more.
      await setTimeout(500)
      expect(steps).toHaveBeenCalledTimes(leaves)
    } finally {
      steps.mockRestore()
    }
    const next = await app.request({ path: '/api/audit/export?outcome=refused', headers })
    expect(next.status).toBe(200)
  })

  test('is read in the other order for exports, each row once', async () => {
    const selection = selectionOf(owner.accountId, { outcome: 'failed' })
    const ids: number[] = []
    for (let rest: IdRange | null = { ...ALL_IDS, to: lowest + ROWS }; rest; ) {
      const range: IdRange = rest
      const page: Scanned = await database.report(db =>
        scanAuditLog(db, selection, { range, order: 'oldest first', limit: 500 }),
      )
      ids.push(...page.rows.map(({ id }) => id))
      rest = page.rest
    }
    const { accountId, outcome, id } = auditLog
    const isOne = and(eq(accountId, owner.accountId), eq(outcome, 'failed'), lte(id, lowest + ROWS))
    const whole = await database.run(db => db.select({ id }).from(auditLog).where(isOne).orderBy(id))
    expect(ids).toEqual(whole.map(row => row.id))
    expect(ids.length).toBeGreaterThan(1_000)
  })
})

function aPage(db: Db, filter: AuditFilter, range: IdRange) {
  const selection = selectionOf(owner.accountId, filter)
  return scanAuditLog(db, selection, { range, order: 'newest first', limit: PAGE })
}

/** By a plain query, which may take as long as it likes. */
async function newest({ user, action, outcome, from, to }: AuditFilter, limit = PAGE): Promise<number[]> {
  const matches = and(
    eq(auditLog.accountId, owner.accountId),
    user ? eq(auditLog.userId, user) : undefined,
    action ? eq(auditLog.action, action) : undefined,
    outcome ? eq(auditLog.outcome, outcome) : undefined,
    from ? gte(auditLog.at, from) : undefined,
    to ? lt(auditLog.at, to) : undefined,
  )
  const found = await database.run(db =>
    db.select({ id: auditLog.id }).from(auditLog).where(matches).orderBy(desc(auditLog.id)).limit(limit),
  )
  return found.map(({ id }) => id)
}
