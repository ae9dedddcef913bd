import { join } from 'node:path'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { PACKAGE_ROOT } from '../config/package-root.js'
import { StartError } from '../errors/api-error.js'

/** The database itself or a transaction in it. */
export type Db = PgDatabase<PgQueryResultHKT>

/** How many reports run at once. */
export const REPORTS_AT_ONCE = 2

/** An open database of either kind. */
export interface Connection {
  run<T>(work: (db: Db) => Promise<T>): Promise<T>
  transaction<T>(work: (transaction: Db) => Promise<T>): Promise<T>
  /** Like `run`, but for reports, which may be slow; kept apart from what requests need. */
  report<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Like `run`, for what is asked every second: on a connection that requests cannot take. */
  poll<T>(work: (db: Db) => Promise<T>): Promise<T>
  /** Like `transaction`, for the upkeep of tables: on a connection of its own, for as long as it takes. */
  maintain<T>(work: (transaction: Db) => Promise<T>): Promise<T>
  /**
   * Brings the schema up to date; safe to run from several processes at once. May have to wait for others, until
   * `signal` aborts.
   */
  migrate(signal?: AbortSignal): Promise<void>
  /** Whether an error means that the database is out of reach, rather than that the query was wrong. */
  isOutage(error: unknown): boolean
  /** Aborts when the database is gone for good, so that only another process can continue with it. */
  readonly lost?: AbortSignal
  close(): Promise<void>
}

/** SQL files, read at run time. */
export const MIGRATIONS_FOLDER = join(PACKAGE_ROOT, 'src/platform/database/migrations')

/** What has to be closed again when the start fails. */
interface Closable {
  onApplicationShutdown(): void | Promise<void>
}

/**
 * The connections of a service that is starting. Nest loses track of what it has opened when a start fails
 * half-way.
 */
export class OpenConnections {
  private readonly opening: Promise<Closable>[] = []
  private readonly closing = new AbortController()

  /** Aborts when there is no point in waiting for a server any longer. */
  get signal(): AbortSignal {
    return this.closing.signal
  }

  track<T extends Closable>(opening: Promise<T>): Promise<T> {
    this.opening.push(opening)
    return opening
  }

  /** Closes everything, including what is still being opened. */
  async close(): Promise<void> {
    this.closing.abort()
    await Promise.allSettled(this.opening.map(async one => (await one).onApplicationShutdown()))
  }
}

/**
 * There is no such database, or no schema of its search_path; this user may not create tables in it (SQLSTATE,
 * PostgreSQL, appendix A).
 */
const NOT_SET_UP = new Set(['3D000', '3F000', '42501'])

/** What the start fails with: the error itself, unless an operator can fix its cause. */
export function startErrorOf(error: unknown, isOutage: boolean): unknown {
  const cause = deepestCause(error)
  if (!isOutage && !NOT_SET_UP.has((cause as { code?: string }).code ?? '')) return error
  return new StartError(`DATABASE_URL cannot be used: ${messageOf(cause)}`, { cause: error })
}

/** Drizzle wraps the driver's error. */
function deepestCause(error: unknown): unknown {
  const { cause } = error as Error
  return cause instanceof Error ? deepestCause(cause) : error
}

/** A host name with several addresses yields one error for each and no message of its own. */
function messageOf(error: unknown): string {
  const { message } = error as Error
  return error instanceof AggregateError ? error.errors.map(messageOf).join('; ') : message
}
