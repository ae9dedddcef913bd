import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common'
import { getTableColumns, type SQLWrapper, sql } from 'drizzle-orm'
import { Clock } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { auditLog } from '../database/schema.js'
import type { AuditAction, AuditEvent } from './audit-event.js'

type Row = typeof auditLog.$inferInsert

/** A refusal costs an attacker nothing, so it must not cost us a transaction each: they are written together. */
const FLUSH_AFTER_MS = 500
/** Of one action between two flushes; more are counted, or anybody could fill the disk with rows that nobody may delete. */
const MAX_ROWS_A_FLUSH = 50
/** While the database is down. */
const MAX_WAITING_ROWS = 5_000
const ROWS_A_STATEMENT = 500

/** The append-only audit log. */
@Injectable()
export class AuditLog implements OnApplicationShutdown {
  private readonly logger = new Logger('AuditLog')
  private waiting: Row[] = []
  private readonly noted = new Map<AuditAction, number>()
  private timer: NodeJS.Timeout | undefined
  private flushing: Promise<void> = Promise.resolve()

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Writes the row in the transaction of the change that it records: neither is there without the other. */
  async record(transaction: Db, event: AuditEvent): Promise<void> {
    await this.recordAll(transaction, [event])
  }

  /** As {@link record}, for several changes; none is fine. */
  async recordAll(transaction: Db, events: readonly AuditEvent[]): Promise<void> {
    const rows = events.map(event => this.rowOf(event))
    if (rows.length > 0) await transaction.insert(auditLog).values(rows)
  }

  /** Writes the row if `condition` selects one, in one statement; says whether it did. */
  async recordIf(db: Db, condition: SQLWrapper, event: AuditEvent): Promise<boolean> {
    const columns = getTableColumns(auditLog)
    const set = Object.entries(this.rowOf(event)).map(([name, value]) => ({
      column: columns[name as keyof Row],
      value: sql.param(value, columns[name as keyof Row]),
    }))
    const names = set.map(({ column }) => sql.identifier(column.name))
    const values = set.map(({ value }) => value)
    const written = await db.execute(
      sql`insert into ${auditLog} (${sql.join(names, sql`, `)}) select ${sql.join(values, sql`, `)} from ${condition} as found returning id`,
    )
    return (written as unknown as { rows: unknown[] }).rows.length > 0
  }

  /**
   * For refusals, which change nothing: the row is written within about half a second and the request does not
   * wait for it, nor for a database that is down. Of more than 100 a second of one action the rest are counted in one
   * row (`alsoRefused`), not kept.
   */
  note(event: AuditEvent): void {
    const noted = (this.noted.get(event.action) ?? 0) + 1
    this.noted.set(event.action, noted)
    if (noted <= MAX_ROWS_A_FLUSH && this.waiting.length < MAX_WAITING_ROWS)
      this.waiting.push(this.rowOf(event))
    this.timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS).unref()
  }

  /** Resolves when every row noted so far is written, or could not be. */
  flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.flushing = this.flushing.then(() => this.writeWaiting())
    return this.flushing
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush()
  }

  private rowOf({ client, ...event }: AuditEvent): Row {
    return { at: this.clock.now(), ...event, ...client }
  }

  private countRest(): void {
    for (const [action, noted] of this.noted) {
      const alsoRefused = noted - MAX_ROWS_A_FLUSH
      if (alsoRefused > 0)
        this.waiting.push(this.rowOf({ action, outcome: 'refused', client: null, detail: { alsoRefused } }))
    }
    this.noted.clear()
  }

  private async writeWaiting(): Promise<void> {
    this.countRest()
    while (this.waiting.length > 0) {
      const rows = this.waiting.slice(0, ROWS_A_STATEMENT)
      try {
        await this.database.run(db => db.insert(auditLog).values(rows))
        this.waiting.splice(0, rows.length)
      } catch (error) {
        this.logger.error(`${this.waiting.length} audit rows are waiting: ${(error as Error).message}`)
        this.timer ??= setTimeout(() => this.flush(), 10 * FLUSH_AFTER_MS).unref()
        return
      }
    }
  }
}
