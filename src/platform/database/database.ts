import type { OnApplicationShutdown } from '@nestjs/common'
import { DrizzleQueryError, sql } from 'drizzle-orm'
import pLimit from 'p-limit'
import { causeMessage, unavailable } from '../errors/api-error.js'
import { durations } from '../metrics.js'
import { Tracing } from '../tracing.js'
import { type Connection, type Db, REPORTS_AT_ONCE } from './connection.js'
import { isConflict, isTooSlow } from './postgres-errors.js'

/** Round trips take a millisecond; a statement is ended after 2 s, a report after 5 s. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]
const KINDS = ['statement', 'transaction', 'report'] as const
type Kind = (typeof KINDS)[number]

/** Each may take seconds while somebody waits. */
const MAX_WAITING_REPORTS = 6

/** Rolls a transaction back that has done its work. */
class Rollback<T> extends Error {
  constructor(readonly result: T) {
    super('rolled back')
  }
}

/**
 * The only way to the database. An outage becomes `DATABASE_UNAVAILABLE` (503) here and nowhere else; a transaction
 * aborted to resolve a deadlock, `TOO_BUSY` (503).
 */
export class Database implements OnApplicationShutdown {
  private readonly reports = pLimit(REPORTS_AT_ONCE)
  /** Exports, however many, use one connection together, or one place in the queue. */
  private readonly continued = pLimit(1)
  readonly durations = durations(
    'database_duration_seconds',
    'How long the database took, failures included',
    BUCKETS,
    KINDS.map(kind => ({ kind })),
  )

  constructor(
    private readonly connection: Connection,
    private readonly tracing = new Tracing(),
  ) {}

  /** Runs single statements, within `transaction` if there is one. */
  run<T>(work: (db: Db) => Promise<T>, transaction?: Db): Promise<T> {
    if (transaction) return work(transaction)
    return this.guard(() => this.connection.run(work), 'statement')
  }

  /** Like `run`, for what is asked every second, however busy requests keep their connections. */
  poll<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return this.guard(() => this.connection.poll(work), 'statement')
  }

  /**
   * Reads for a report, which may look at many rows: two at a time, on connections that requests do not use.
   * Throws `TOO_BUSY` (503) after 5 s, and when too many are waiting. A continuation is never one too
   * many: continuations wait for each other and run one at a time.
   */
  async report<T>(work: (db: Db) => Promise<T>, { isContinuation = false } = {}): Promise<T> {
    if (isContinuation) return this.continued(() => this.read(work))
    if (this.reports.pendingCount >= MAX_WAITING_REPORTS) throw unavailable('TOO_BUSY')
    return this.read(work)
  }

  /** Runs `work` in a transaction that is committed when it returns and rolled back when it throws. */
  transaction<T>(work: (transaction: Db) => Promise<T>): Promise<T> {
    return this.guard(() => this.connection.transaction(work), 'transaction')
  }

  /** Like `transaction`, but always rolled back: returns what `work` returns, and changes nothing. */
  async rolledBack<T>(work: (transaction: Db) => Promise<T>): Promise<T> {
    try {
      return await this.transaction(async transaction => {
        throw new Rollback(await work(transaction))
      })
    } catch (error) {
      if (error instanceof Rollback) return error.result
      throw error
    }
  }

  /** Like `transaction`, for the upkeep of tables, which may take minutes: a connection of its own, no time limit. */
  async maintain<T>(work: (transaction: Db) => Promise<T>): Promise<T> {
    try {
      return await this.connection.maintain(work)
    } catch (error) {
      throw this.refusalOf(error)
    }
  }

  /** Throws `DATABASE_UNAVAILABLE` when the database does not answer. */
  async ping(): Promise<void> {
    await this.run(db => db.execute(sql`select 1`))
  }

  /** The time of the database's machine, which all replicas share. */
  async now(): Promise<Date> {
    const time = sql`select extract(epoch from clock_timestamp())::float8 as seconds`
    const [row] = rowsOf<{ seconds: number }>(await this.run(db => db.execute(time)))
    return new Date(Number(row?.seconds) * 1000)
  }

  /** `listener` is called when the database is gone for good: a process that does nothing else should exit. */
  onLost(listener: () => void): void {
    this.connection.lost?.addEventListener('abort', listener)
  }

  onApplicationShutdown(): Promise<void> {
    return this.connection.close()
  }

  private async read<T>(work: (db: Db) => Promise<T>): Promise<T> {
    try {
      return await this.reports(() => this.measure(() => this.connection.report(work), 'report'))
    } catch (error) {
      throw isTooSlow(error) ? unavailable('TOO_BUSY', withoutParameters(error)) : this.refusalOf(error)
    }
  }

  private async guard<T>(work: () => Promise<T>, kind: Kind): Promise<T> {
    try {
      return await this.measure(work, kind)
    } catch (error) {
      throw this.refusalOf(error)
    }
  }

  private measure<T>(work: () => Promise<T>, kind: Kind): Promise<T> {
    const measured = () => this.observe(work, kind)
    return this.tracing.isOn ? this.tracing.span(`database ${kind}`, measured) : measured()
  }

  private async observe<T>(work: () => Promise<T>, kind: Kind): Promise<T> {
    const end = this.durations.startTimer({ kind })
    try {
      return await work()
    } finally {
      end()
    }
  }

  private refusalOf(error: unknown): unknown {
    const plain = withoutParameters(error)
    if (isConflict(error)) return unavailable('TOO_BUSY', plain)
    return this.connection.isOutage(error) ? unavailable('DATABASE_UNAVAILABLE', plain) : plain
  }
}

/** Drizzle's message contains the values of a query, which may be secrets; ours has only its text. */
function withoutParameters(error: unknown): unknown {
  if (!(error instanceof DrizzleQueryError)) return error
  const { cause, query } = error
  return new Error(`Query failed: ${cause ? causeMessage(cause) : 'no reason given'} (${query})`, { cause })
}

/** The rows of a raw statement, which both databases return in the same form. */
export function rowsOf<T>(result: unknown): T[] {
  return (result as { rows: T[] }).rows
}
