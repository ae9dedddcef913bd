import { Injectable, Module, type OnApplicationShutdown } from '@nestjs/common'
import { Interval } from '@nestjs/schedule'
import { getTableColumns, sql } from 'drizzle-orm'
import { LRUCache } from 'lru-cache'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { auditLog, refusalCounts } from '../database/schema/audit.js'
import { hourlyBudgets } from '../database/schema/platform.js'
import { insertRows, removeExpiredRows } from '../database/sql.js'
import { causeMessage } from '../errors/api-error.js'
import { clientNetworkOf, subnetOf } from '../http/request.js'
import { LeasedJobs } from '../jobs.js'
import { Logger } from '../log.js'
import { Clock, secondsAfter } from '../time.js'
import type { AuditEvent, AuditOutcome } from './audit-event.js'

type Row = typeof auditLog.$inferInsert

/**
 * A refusal costs an attacker nothing, so it must not cost us a transaction: refusals are written in batches.
 */
const FLUSH_AFTER_MS = 500
/** While the database is down. */
const MAX_WAITING_ROWS = 5_000
const ROWS_A_STATEMENT = 500
/**
 * Enqueued rows per hour, across all replicas. Refusals that concern no user have their own budget, so that a flood of
 * them cannot use up the other; and so has what is not refused, such as phones that change their network all day.
 */
const BUDGETS = {
  users: { name: 'refusals of users', anHour: 800 },
  nobody: { name: 'refusals of nobody', anHour: 500 },
  notices: { name: 'notices', anHour: 2_000 },
}
/** Counts are kept by minute. */
const COUNTS_AFTER_MS = 60_000

const { id: _, ...COLUMNS } = getTableColumns(auditLog)

function budgetOf({ outcome, userId }: AuditEvent) {
  if (outcome === 'ok') return BUDGETS.notices
  return userId === undefined ? BUDGETS.nobody : BUDGETS.users
}

/** A refusal or notice that is waiting to be written. */
type Enqueued = readonly [event: AuditEvent, row: Row]

/** The append-only audit log. */
@Injectable()
export class AuditLog implements OnApplicationShutdown {
  private readonly logger = new Logger('AuditLog')
  private waiting: Enqueued[] = []
  private readonly allowance = new RowAllowance()
  private readonly counts: RefusalCounts
  private timer: NodeJS.Timeout | undefined
  private countsTimer: NodeJS.Timeout | undefined
  private flushing: Promise<void> = Promise.resolve()

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    this.counts = new RefusalCounts(database, clock)
  }

  /** Writes the row in the transaction of its change, so that neither exists without the other. */
  async record(transaction: Db, event: AuditEvent): Promise<void> {
    await this.recordAll(transaction, [event])
  }

  /** Like {@link record}, for several changes, or none. */
  async recordAll(transaction: Db, events: readonly AuditEvent[]): Promise<void> {
    const rows = events.map(event => this.rowOf(event))
    await insertRows(transaction, auditLog, COLUMNS, rows)
  }

  /**
   * For refusals, failures and events that change nothing. The row is written within about half a
   * second; the request does not wait for it, or for a database that is down. What exceeds the allowance of a
   * network, a user or the hour is only counted, in `refusal_counts`.
   */
  enqueue(event: AuditEvent, outcome: AuditOutcome = event.outcome): void {
    const enqueued = { ...event, outcome }
    if (this.waiting.length < MAX_WAITING_ROWS && this.allowance.take(enqueued))
      this.waiting.push([enqueued, this.rowOf(enqueued)])
    else this.counts.add(enqueued)
    this.planWriting()
  }

  /** Resolves when everything enqueued so far has been written, counted or has failed. */
  async flush(): Promise<void> {
    await this.inTurn(() => this.writeWaiting())
    await this.inTurn(() => this.writeCounts())
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush()
  }

  /** The row of an event that happens now. */
  private rowOf({ client, ...event }: AuditEvent): Row {
    const row = { at: this.clock.now(), detail: {}, ...event }
    if (!client) return row
    const { requestId, ip, userAgent, origin } = client
    return { ...row, requestId, ip, userAgent, origin }
  }

  private planWriting(rowsAfterMs = FLUSH_AFTER_MS): void {
    if (this.waiting.length > 0)
      this.timer ??= setTimeout(() => this.inTurn(() => this.writeWaiting()), rowsAfterMs).unref()
    if (!this.counts.isEmpty)
      this.countsTimer ??= setTimeout(() => this.inTurn(() => this.writeCounts()), COUNTS_AFTER_MS).unref()
  }

  private inTurn(write: () => Promise<void>): Promise<void> {
    this.flushing = this.flushing.then(write)
    return this.flushing
  }

  private async writeWaiting(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    try {
      while (this.waiting.length > 0) await this.writeSome()
    } catch (error) {
      this.logger.error(
        `${this.waiting.length} audit rows could not be written and will be retried: ${causeMessage(error)}`,
      )
    }
    this.planWriting(10 * FLUSH_AFTER_MS)
  }

  private async writeSome(): Promise<void> {
    const enqueued = this.waiting.slice(0, ROWS_A_STATEMENT)
    const { kept, rest } = await this.withinBudget(enqueued)
    const rows = kept.map(([, row]) => row)
    if (rows.length > 0) await this.database.run(db => insertRows(db, auditLog, COLUMNS, rows))
    for (const [event] of rest) this.counts.add(event)
    this.waiting.splice(0, enqueued.length)
  }

  private async withinBudget(enqueued: readonly Enqueued[]) {
    const now = this.clock.now()
    const parts = await Promise.all(
      Object.values(BUDGETS).map(async budget => {
        const own = enqueued.filter(([event]) => budgetOf(event) === budget)
        const room = await takeFromBudget(this.database, budget, now, own.length)
        return { kept: own.slice(0, room), rest: own.slice(room) }
      }),
    )
    return { kept: parts.flatMap(({ kept }) => kept), rest: parts.flatMap(({ rest }) => rest) }
  }

  private async writeCounts(): Promise<void> {
    clearTimeout(this.countsTimer)
    this.countsTimer = undefined
    try {
      await this.counts.write()
    } catch (error) {
      this.logger.error(`Refusal counts could not be written and will be retried: ${causeMessage(error)}`)
      this.planWriting()
    }
  }
}

/**
 * Rows per hour about one action by one user, or from one network. Enough to see what happened; the size of a
 * flood is in the counts.
 */
const ROWS_AN_HOUR = 20
const HOUR_MS = 60 * 60 * 1000
/** When there are more, the least recently used is dropped; its rows are still bounded by the overall budget. */
const MAX_SUBJECTS = 20_000

/** Which refusals get a row of their own in this process. */
class RowAllowance {
  private readonly used = new LRUCache<string, number>({ max: MAX_SUBJECTS, ttl: HOUR_MS, noUpdateTTL: true })

  /** Takes one row from the allowance for this kind of refusal; false when it is used up. */
  take({ action, userId, client }: AuditEvent): boolean {
    const key = `${action} ${userId ?? (client ? clientNetworkOf(client.ip) : '')}`
    const used = this.used.get(key) ?? 0
    if (used >= ROWS_AN_HOUR) return false
    this.used.set(key, used + 1)
    return true
  }
}

/** How much may be written per hour, by all replicas together. */
interface Budget {
  readonly name: string
  readonly anHour: number
}

/** Takes up to `wanted` from this hour's budget and returns how much it got. Nothing is given back. */
async function takeFromBudget(
  database: Database,
  { name, anHour }: Budget,
  now: Date,
  wanted: number,
): Promise<number> {
  if (wanted === 0) return 0
  const hour = new Date(now)
  hour.setUTCMinutes(0, 0, 0)
  const [row] = await database.run(db =>
    db
      .insert(hourlyBudgets)
      .values({ name, hour, used: wanted })
      .onConflictDoUpdate({
        target: [hourlyBudgets.name, hourlyBudgets.hour],
        // Capped before it is added to, so that it cannot overflow in a long flood.
        set: { used: sql`least(${hourlyBudgets.used}, ${anHour}) + excluded.used` },
      })
      .returning({ used: hourlyBudgets.used }),
  )
  const before = (row?.used ?? 0) - wanted
  return Math.max(0, Math.min(wanted, anHour - before))
}

type CountRow = typeof refusalCounts.$inferInsert

/**
 * Rows per hour, across all replicas; the rest is counted as one network. With the audit log's rows that is 50 MB
 * a day.
 */
const COUNTS_BUDGET = { name: 'refusal counts', anHour: 3_000 }
/** In memory, until they are written. */
const MAX_KEPT = 10_000
const COUNTS_A_STATEMENT = 500
const OTHERS = 'others'
const MAX_KIND_LENGTH = 80
const MINUTE_MS = 60_000

/** Counts the refusals that get no row in the audit log: by minute, kind and network. */
class RefusalCounts {
  private counts = new Map<string, CountRow>()

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  add({ action, outcome, client, detail }: AuditEvent): void {
    const facts = [detail?.reason, detail?.kind, detail?.limit].filter(fact => typeof fact === 'string')
    const kind = [`${action} ${outcome}`, ...facts].join(', ').slice(0, MAX_KIND_LENGTH)
    // IPv4 /24, IPv6 /48: as fine as possible without giving one attacker 65,536 rows a minute.
    const network = client ? subnetOf(client.ip) : 'none'
    const minute = new Date(Math.floor(this.clock.now().getTime() / MINUTE_MS) * MINUTE_MS)
    this.addRow({ minute, kind, network, count: 1 })
  }

  get isEmpty(): boolean {
    return this.counts.size === 0
  }

  /** Writes what was counted. What cannot be written now is kept, and the error thrown. */
  async write(): Promise<void> {
    const rows = [...this.counts.values()]
    if (rows.length === 0) return
    this.counts = new Map()
    let unwritten: readonly CountRow[] = rows
    try {
      const room = await takeFromBudget(this.database, COUNTS_BUDGET, this.clock.now(), rows.length)
      unwritten = largestOf(rows, room)
      while (unwritten.length > 0) {
        await this.upsert(unwritten.slice(0, COUNTS_A_STATEMENT))
        unwritten = unwritten.slice(COUNTS_A_STATEMENT)
      }
    } catch (error) {
      for (const row of unwritten) this.addRow(row)
      throw error
    }
  }

  private addRow(row: CountRow): void {
    const network = this.counts.size < MAX_KEPT ? row.network : OTHERS
    const key = keyOf({ ...row, network })
    const count = (this.counts.get(key)?.count ?? 0) + row.count
    this.counts.set(key, { ...row, network, count })
  }

  private async upsert(rows: readonly CountRow[]): Promise<void> {
    await this.database.run(db =>
      db
        .insert(refusalCounts)
        .values([...rows])
        .onConflictDoUpdate({
          target: [refusalCounts.minute, refusalCounts.kind, refusalCounts.network],
          set: { count: sql`${refusalCounts.count} + excluded.count` },
        }),
    )
  }
}

function keyOf({ minute, kind, network }: CountRow): string {
  return `${minute.getTime()} ${kind} ${network}`
}

/** Keeps the largest counts as they are, and adds up the rest of each minute and kind. */
function largestOf(rows: readonly CountRow[], room: number): CountRow[] {
  const largestFirst = rows.toSorted((one, other) => other.count - one.count)
  const others = new Map<string, CountRow>()
  for (const { minute, kind, count } of largestFirst.slice(room)) {
    const key = `${minute.getTime()} ${kind}`
    const before = others.get(key)?.count ?? 0
    others.set(key, { minute, kind, network: OTHERS, count: before + count })
  }
  const kept = largestFirst.slice(0, room)
  const isFolded = ({ network }: CountRow) => network === OTHERS
  // A row may occur only once in a statement.
  for (const { minute, kind, count } of kept.filter(isFolded)) {
    const key = `${minute.getTime()} ${kind}`
    others.set(key, { minute, kind, network: OTHERS, count: (others.get(key)?.count ?? 0) + count })
  }
  // In the same order on every replica, so that two cannot deadlock.
  return [...kept.filter(row => !isFolded(row)), ...others.values()].sort((one, other) =>
    keyOf(one) < keyOf(other) ? -1 : 1,
  )
}

const JOB = { name: 'refusal-cleanup', everyMs: 60 * 60 * 1000 }
/** Long enough to investigate an attack; not longer, because addresses belong to people. */
const KEEP_SECONDS = 30 * 24 * 60 * 60

/** Removes old counts of refusals, on one replica at a time. */
@Injectable()
export class RefusalCleanup {
  private readonly logger = new Logger('RefusalCleanup')

  constructor(
    private readonly database: Database,
    private readonly jobs: LeasedJobs,
  ) {}

  /** Returns how many counts were removed; null when the run did not finish here. */
  @Interval(JOB.everyMs)
  run(): Promise<number | null> {
    return this.jobs.run(JOB, async now => {
      const before = secondsAfter(now, -KEEP_SECONDS)
      await removeExpiredRows(this.database, hourlyBudgets, hourlyBudgets.hour, before)
      const removed = await removeExpiredRows(this.database, refusalCounts, refusalCounts.minute, before)
      this.logger.log(`Removed ${removed} old counts of refusals`)
      return removed
    })
  }
}

/** Writing the log, which every room does; keeping and reading it is a room of its own, src/audit. */
@Module({ providers: [AuditLog, RefusalCleanup], exports: [AuditLog] })
export class AuditLogModule {}
