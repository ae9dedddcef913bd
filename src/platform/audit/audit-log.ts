import { Injectable, type OnApplicationShutdown } from '@nestjs/common'
import { getTableColumns, type SQL, type SQLChunk, type SQLWrapper, sql } from 'drizzle-orm'
import type { Db } from '../database/connection.js'
import { Database, rowsOf } from '../database/database.js'
import { auditLog } from '../database/schema/audit.js'
import { RowsInsert } from '../database/sql.js'
import { parameter } from '../database/statement.js'
import { causeMessage } from '../errors/api-error.js'
import { Logger } from '../log.js'
import { Clock } from '../time.js'
import type { AuditEvent, AuditOutcome } from './audit-event.js'
import { RowAllowance, takeFromBudget } from './refusal-budget.js'
import { RefusalCounts } from './refusal-counts.js'

type Row = typeof auditLog.$inferInsert

/**
 * A refusal costs an attacker nothing, so it must not cost us a transaction: refusals are written in batches.
 */
const FLUSH_AFTER_MS = 500
/** While the database is down. */
const MAX_WAITING_ROWS = 5_000
const ROWS_A_STATEMENT = 500
/**
 * Enqueued rows per hour, across all replicas. Refusals of nobody in particular have their own budget, so that
 * strangers cannot use up the other; and so has what is not refused, such as phones that change their network all
 * day.
 */
const BUDGETS = {
  users: { name: 'refusals of users', anHour: 800 },
  nobody: { name: 'refusals of nobody', anHour: 500 },
  notices: { name: 'notices', anHour: 2_000 },
}
/** Counts are kept by minute. */
const COUNTS_AFTER_MS = 60_000

const { id: _, ...COLUMNS } = getTableColumns(auditLog)
type ColumnName = keyof typeof COLUMNS

/** Inserts a row for each row of `found`, and returns its id. `chunkOf` gives the values by column name. */
function insertAuditRow(chunkOf: (name: ColumnName) => SQLChunk, found: SQL): SQL {
  const names = Object.keys(COLUMNS) as ColumnName[]
  const columns = names.map(name => sql.identifier(COLUMNS[name].name))
  const values = names.map(chunkOf)
  return sql`insert into ${auditLog} (${sql.join(columns, sql`, `)}) select ${sql.join(values, sql`, `)} from ${found} returning id`
}

const INSERT_ROWS = new RowsInsert(auditLog, COLUMNS)

/**
 * The part of a {@link Statement} that writes a row if `found` has one; its values are those of `audit`, from
 * {@link AuditLog.rowOf}.
 */
export const AUDIT_ROW = insertAuditRow(name => parameter('audit', name, COLUMNS[name]), sql`found`)

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
    await INSERT_ROWS.run(
      transaction,
      events.map(event => this.rowOf(event)),
    )
  }

  /** Writes the row if `condition` selects one, in one statement; returns whether it did. */
  async recordIf(condition: (db: Db) => SQLWrapper, event: AuditEvent, transaction?: Db): Promise<boolean> {
    const row = this.rowOf(event)
    const insert = insertAuditRow(name => sql.param(row[name] ?? null, COLUMNS[name]), sql`found`)
    const write = (db: Db) => db.execute(sql`with found as (${condition(db)}) ${insert}`)
    const written = await this.database.run(write, transaction)
    return rowsOf(written).length > 0
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
  rowOf({ client, ...event }: AuditEvent): Row {
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
    if (rows.length > 0) await this.database.run(db => INSERT_ROWS.run(db, rows))
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
