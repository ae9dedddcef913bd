import { beforeAll, describe, expect, it, jest } from '@jest/globals'
import { sql } from 'drizzle-orm'
import {
  AuditLog,
  AuditRetention,
  AuditSealer,
  AuditVerifier,
  type Expired,
  Logger,
  type User,
} from '../../sources.js'
import { passTime } from '../../support/passing-time.js'
import { anOwner, type SignedIn, signIn } from '../../support/people.js'
import { anApp } from '../../support/test-app.js'
import { slow } from '../../support/tiers.js'
import { onMainSite } from '../support/reauthenticate.js'

const DAY_MS = 24 * 60 * 60 * 1000
const KEPT_DAYS = 30
/** Whatever today is, the last of those months is over then. */
const DAYS_LATER = 162
/** The months that have a partition: this one and the next three. */
const [THIS, NEXT, , , WITHOUT] = [0, 1, 2, 3, 4].map(startOfMonth) as [Date, Date, Date, Date, Date]

function startOfMonth(monthsLater: number): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + monthsLater))
}

function partitionOf(time: Date): string {
  return `audit_log_${time.toISOString().slice(0, 7).replace('-', '_')}`
}

function before(time: Date): Date {
  return new Date(time.getTime() - 1)
}

describe('The partitions of the audit log', () => {
  const app = anApp({ AUDIT_RETENTION_DAYS: String(KEPT_DAYS) })

  async function recordAt({ id, accountId }: User, ...times: Date[]): Promise<number[]> {
    const ids: number[] = []
    for (const time of times) {
      const [row] = await app.query<{ id: string }>(sql`
        insert into audit_log (at, action, outcome, user_id, account_id)
        values (${time.toISOString()}::timestamptz, 'user.create', 'ok', ${id}, ${accountId}) returning id::text`)
      ids.push(Number(row?.id))
    }
    return ids
  }

  async function partitionsOf(ids: readonly number[]): Promise<string[]> {
    const found = await app.query<{ name: string }>(
      sql`select tableoid::regclass::text as name from audit_log where id in ${ids} order by id`,
    )
    return found.map(({ name }) => name)
  }

  /** What the owner sees of these rows, one a page. */
  async function listed(who: SignedIn, ids: readonly number[]): Promise<number[]> {
    const seen: number[] = []
    for (let next: string | null = ''; next !== null; ) {
      const path: string = `/api/audit?action=user.create&limit=1${next && `&after=${next}`}`
      const { json } = await onMainSite(app, who, 'GET', path)
      seen.push(...json.entries.map(({ id }: { id: number }) => id))
      next = json.next
    }
    return seen.filter(id => ids.includes(id))
  }

  async function faults(): Promise<string[]> {
    const told: string[] = []
    await app.get(AuditVerifier).verify(fault => told.push(fault))
    return told
  }

  it('are of months: a row is on one side of the border, and pages go on across it', async () => {
    const owner = await anOwner(app)
    const ids = await recordAt(owner, NEXT, before(NEXT), NEXT, before(NEXT))
    const [then, now] = [partitionOf(NEXT), partitionOf(THIS)]
    expect(await partitionsOf(ids)).toEqual([then, now, then, now])
    expect(await listed(await signIn(app, owner, 'main'), ids)).toEqual(ids.toReversed())
  })

  it('take every row: of a month without one too, which gets its own later, with the row', async () => {
    const owner = await anOwner(app)
    const ids = await recordAt(owner, WITHOUT, new Date(0), before(WITHOUT))
    await app.get(AuditSealer).seal()
    const known = partitionOf(before(WITHOUT))
    expect(await partitionsOf(ids)).toEqual(['audit_log_other', 'audit_log_other', known])
    expect(await app.get(AuditRetention).prepare(NEXT)).toBe(1)
    expect(await app.get(AuditRetention).prepare(NEXT)).toBe(0)
    expect(await partitionsOf(ids)).toEqual([partitionOf(WITHOUT), 'audit_log_other', known])
    expect(await listed(await signIn(app, owner, 'main'), ids)).toEqual(ids.toReversed())
    expect(await faults()).not.toContainEqual(expect.stringMatching(/removed|changed/))
  })

  it.each([partitionOf(THIS), partitionOf(NEXT), 'audit_log_other'])(
    'are append-only each: %s',
    async partition => {
      await recordAt(await anOwner(app), THIS, NEXT, new Date(0))
      for (const statement of ['update % set id = 1', 'delete from %', 'truncate %']) {
        const attempt = app.query(sql.raw(statement.replace('%', partition)))
        await expect(attempt).rejects.toMatchObject({ cause: { message: 'audit_log is append-only' } })
      }
    },
  )

  describe('with AUDIT_RETENTION_DAYS', () => {
    let owner: User
    let cut: Date
    let gone: number[]
    let kept: number[]
    /** Of another replica. */
    let idle: AuditSealer
    beforeAll(async () => {
      owner = await anOwner(app)
      cut = new Date(Math.floor(Date.now() / DAY_MS) * DAY_MS + DAYS_LATER * DAY_MS)
      await app.get(AuditRetention).prepare(startOfMonth(3))
      // Not in the order of their times, as under load.
      const [late] = await recordAt(owner, cut)
      gone = await recordAt(owner, new Date(0), THIS, NEXT, before(cut))
      kept = [late as number, ...(await recordAt(owner, cut))]
      await app.query(sql`
        insert into audit_log (at, action, outcome)
        select ${cut.toISOString()}::timestamptz, 'user.create', 'ok' from generate_series(1, 6000)`)
      await app.get(AuditSealer).seal()
      idle = new AuditSealer(app.database, app.get(AuditLog), app.clock)
      await recordAt(owner, cut)
      expect(await idle.seal()).toBe(1)
      // The last seal before the rows that stay is kept.
      await recordAt(owner, cut)
      await app.get(AuditSealer).seal()
      // The first hour of a day, whatever the time is now.
      const firstHour = cut.getTime() + KEPT_DAYS * DAY_MS
      app.clock.advance((firstHour - app.clock.now().getTime()) / 1000)
    }, 30_000)

    it('stay where the clock is ahead of the database', async () => {
      expect(await app.get(AuditRetention).run()).toBeNull()
      expect(await partitionsOf(gone)).toHaveLength(gone.length)
      jest.spyOn(app.database, 'now').mockImplementation(async () => app.clock.now())
      await app.query(sql`delete from leases where name = 'audit-upkeep'`)
    })

    slow(
      'go as a whole once they are too old, and so do single rows, to the millisecond, with their seals',
      async () => {
        const expired = await app.get(AuditRetention).run()
        expect(expired?.partitions).toBeGreaterThanOrEqual(5)
        const partitions = await app.get(AuditRetention).partitions()
        expect(partitions.filter(({ until }) => until && until <= cut)).toEqual([])
        const names = partitions.map(({ name }) => name)
        expect(names).toEqual(expect.arrayContaining([partitionOf(cut), partitionOf(app.clock.now())]))
        expect(await partitionsOf([...gone, ...kept])).toEqual(kept.map(() => partitionOf(cut)))
        expect(await listed(await signIn(app, owner, 'main'), [...gone, ...kept])).toEqual(kept.toReversed())
        const seals = await app.query<{ id: number }>(
          sql`select audit_id::int as id from audit_chain order by position limit 3`,
        )
        expect(seals.map(({ id }) => id)).toContain(kept[0])
      },
    )

    it('leave a log that verifies, and says what was removed', async () => {
      expect(await faults()).toEqual([])
      const rows = await app.auditRows({ action: 'audit.expire' })
      expect(rows.map(({ detail }) => detail)).toEqual([{ before: cut.toISOString() }])
    })

    it('are left alone for the rest of the day', async () => {
      await passTime(app, 60 * 60)
      expect(await app.get(AuditRetention).run()).toEqual({ partitions: 0, rows: 0, seals: 0 })
      expect(await faults()).toEqual([])
    })

    it('go in pieces where there is much, and raise no alarm: not of who verifies, nor of who was idle', async () => {
      const verifier = app.get(AuditVerifier)
      const logged = jest.spyOn(Logger.prototype, 'error')
      await idle.run()
      await recordAt(owner, app.clock.now())
      await app.get(AuditSealer).seal()
      await idle.run()

      const later = new Date(cut.getTime() + DAY_MS)
      const pages = verifier.pages.bind(verifier)
      const seen: Expired[] = []
      jest.spyOn(verifier, 'pages').mockImplementationOnce(async function* () {
        for await (const page of pages()) {
          yield page
          if (seen.length === 0) seen.push(await app.get(AuditRetention).expire(later))
        }
      })
      expect(await faults()).toEqual([])
      expect(seen[0]?.rows).toBeGreaterThanOrEqual(6_000)
      expect(seen[0]?.seals).toBeGreaterThanOrEqual(6_000)

      await recordAt(owner, app.clock.now())
      await idle.run()
      expect(logged).not.toHaveBeenCalledWith(expect.stringContaining('has been changed'))
      logged.mockRestore()
    })

    it('raise no alarm when they are announced after what is new was sealed', async () => {
      const sealer = app.get(AuditSealer)
      const sealWholeLog = sealer.sealWholeLog.bind(sealer)
      const later = new Date(cut.getTime() + 2 * DAY_MS)
      await recordAt(owner, before(later))
      await sealer.seal()
      jest.spyOn(sealer, 'sealWholeLog').mockImplementationOnce(async () => {
        const overdue = await sealWholeLog()
        await app.get(AuditRetention).expire(later)
        return overdue
      })
      expect(await faults()).toEqual([])
    })

    it('do not hide that somebody removed other rows', async () => {
      const ids = await recordAt(owner, app.clock.now(), app.clock.now(), app.clock.now())
      await app.get(AuditSealer).seal()
      const asOwner = (statement: string) =>
        app.database.transaction(async db => {
          for (const action of ['disable', 'enable']) {
            for (const table of ['audit_log', 'audit_chain'])
              await db.execute(sql.raw(`alter table ${table} ${action} trigger user`))
            if (action === 'disable') await db.execute(sql.raw(statement))
          }
        })
      await expect(app.query(sql`delete from audit_log where id = ${ids[1]}`)).rejects.toThrow()
      await expect(app.query(sql`delete from audit_chain where audit_id = ${ids[1]}`)).rejects.toThrow()
      await asOwner(`delete from audit_log where id = ${ids[1]}`)
      expect(await faults()).toEqual([expect.stringContaining(`Row ${ids[1]} (`)])
      // The start of the log, with the line of retention moved beyond it.
      await asOwner(
        `update audit_retention set before = before + interval '1 day', below_id = ${(ids[1] as number) + 1}`,
      )
      expect(await faults()).toEqual([
        expect.stringMatching(/were removed, of which no row of the log says so/),
      ])
      await asOwner('delete from audit_chain where position = (select min(position) from audit_chain)')
      expect(await faults()).toHaveLength(2)
    })
  })
})
