import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common'
import { Clock } from '../clock/clock.js'
import type { Db } from '../database/connection.js'
import { Database } from '../database/database.js'
import { auditLog } from '../database/schema.js'
import type { AuditEvent } from './audit-event.js'

type Row = typeof auditLog.$inferInsert

/** A refusal costs an attacker nothing, so it must not cost us a transaction each: they are written together. */
const FLUSH_AFTER_MS = 500
const MAX_WAITING_ROWS = 5_000
const ROWS_A_STATEMENT = 500

/** The append-only audit log. */
@Injectable()
export class AuditLog implements OnApplicationShutdown {
  private readonly logger = new Logger('AuditLog')
  private waiting: Row[] = []
  private dropped = 0
  private timer: NodeJS.Timeout | undefined
  private flushing: Promise<void> = Promise.resolve()

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Writes the row in the transaction of the change that it records: neither is there without the other. */
  async record(transaction: Db, event: AuditEvent): Promise<void> {
    await transaction.insert(auditLog).values(this.rowOf(event))
  }

  /**
   * For refusals, which change nothing: the row is written within about half a second and the request does not
   * wait for it, nor for a database that is down. Of more than 5,000 waiting rows the rest are counted, not kept.
   */
  note(event: AuditEvent): void {
    if (this.waiting.length < MAX_WAITING_ROWS) this.waiting.push(this.rowOf(event))
    else this.dropped++
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

  private async writeWaiting(): Promise<void> {
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
    if (this.dropped > 0)
      this.logger.error(`${this.dropped} refusals were too many to be kept in the audit log`)
    this.dropped = 0
  }
}
