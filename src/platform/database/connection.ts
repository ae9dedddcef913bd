import { join } from 'node:path'
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core'
import { PACKAGE_ROOT } from '../config/package-root.js'

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
