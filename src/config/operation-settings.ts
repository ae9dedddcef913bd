import { wholeNumber } from './setting-readers.js'
import type { SettingSheet } from './setting-sheet.js'

/** How the process stands in its surroundings: how much of them it takes, and how it leaves. */
export interface OperationSettings {
  /** From SIGTERM until the door closes: meanwhile load balancers have to see that the service is not ready. */
  readonly drainSeconds: number
  /** Connections to PostgreSQL for requests; each process takes four more (docs/operations.md). */
  readonly databasePoolSize: number
  /** After so long without any answer of PostgreSQL a request is refused with 503. */
  readonly databaseTimeoutMs: number
  /** Of clients, at once; more are refused. */
  readonly maxConnections: number
}

/** Whoever waits longer for slow checks also has to tell the orchestrator, which kills after 30 s unless told otherwise. */
const MAX_DRAIN_SECONDS = 300
/** HAProxy's checks, every 2 s and three failures, take 6 s and what the last one takes. */
const USUAL_DRAIN_SECONDS = 8

/** PostgreSQL's own default is 100 for everybody. */
const MAX_POOL_SIZE = 500
/** A statement that takes so long is given up anyway. */
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
