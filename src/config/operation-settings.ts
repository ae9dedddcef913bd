import { wholeNumber } from './setting-readers.js'
import type { SettingSheet } from './setting-sheet.js'

/** How the process fits into its surroundings: what it uses, and how it stops. */
export interface OperationSettings {
  /** Seconds between SIGTERM and the last accepted connection, in which load balancers must notice. */
  readonly drainSeconds: number
  /** Connections to PostgreSQL for requests; each process takes four more (docs/operations.md). */
  readonly databasePoolSize: number
  /** A request is refused with 503 after this long without an answer of PostgreSQL. */
  readonly databaseTimeoutMs: number
  /** Client connections at once; more are refused. */
  readonly maxConnections: number
}

/** Whoever needs longer also has to configure the orchestrator, which usually kills after 30 s. */
const MAX_DRAIN_SECONDS = 300
/** HAProxy's checks take 6 s (every 2 s, three failures), plus the duration of the last one. */
const USUAL_DRAIN_SECONDS = 8

/** PostgreSQL's own default is 100 for everybody. */
const MAX_POOL_SIZE = 500
/** Statements are cancelled after this long anyway. */
const MAX_DATABASE_TIMEOUT_MS = 3_000

const MAX_MAX_CONNECTIONS = 1_000_000

export function readOperation(sheet: SettingSheet, isProduction: boolean): OperationSettings {
  return {
    drainSeconds: sheet.optional(
      'DRAIN_SECONDS',
      wholeNumber(0, MAX_DRAIN_SECONDS),
      isProduction ? USUAL_DRAIN_SECONDS : 0,
    ),
    databasePoolSize: sheet.optional('DATABASE_POOL_SIZE', wholeNumber(2, MAX_POOL_SIZE), 10),
    databaseTimeoutMs: sheet.optional('DATABASE_TIMEOUT_MS', wholeNumber(100, MAX_DATABASE_TIMEOUT_MS), 400),
    maxConnections: sheet.optional('MAX_CONNECTIONS', wholeNumber(1, MAX_MAX_CONNECTIONS), 10_000),
  }
}
