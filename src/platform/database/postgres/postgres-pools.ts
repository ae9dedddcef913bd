import { drizzle } from 'drizzle-orm/node-postgres'
import pg from 'pg'
import { type Db, REPORTS_AT_ONCE } from '../connection.js'
import { isOutage } from './postgres-outage.js'
import { SET_SESSION } from './session-settings.js'

const STATEMENT_TIMEOUT_MS = 2_000
const IDLE_IN_TRANSACTION_MS = 5_000
/** The server's own limit should come first, because this one costs the connection. */
const BEYOND_MS = 500
const REPORT_TIMEOUT_MS = 5_000

export interface PoolLimits {
  /** Connections for requests. */
  readonly size: number
  /** How long a request waits for one, in milliseconds. */
  readonly waitMs: number
}

/** The connections to one server: for requests, and a few for reports. */
export class PostgresPools {
  readonly db: Db
  private readonly requests: pg.Pool
  private readonly reports: pg.Pool
  private readonly clients = new Set<pg.Client>()
  private isRetired = false
  private closing?: Promise<unknown>

  constructor(
    readonly url: string,
    private readonly limits: PoolLimits,
    private readonly onError: (error: Error) => void,
  ) {
    this.requests = this.pool(limits.size, STATEMENT_TIMEOUT_MS)
    this.reports = this.pool(REPORTS_AT_ONCE, REPORT_TIMEOUT_MS)
    this.db = drizzle(this.requests) as unknown as Db
  }

  transaction<T>(work: (transaction: Db) => Promise<T>): Promise<T> {
    return inTransaction(this.requests, work)
  }

  /** Reads for a report, with a time limit of its own; all its statements see the same rows. */
  report<T>(work: (db: Db) => Promise<T>): Promise<T> {
    return inTransaction(this.reports, async transaction => {
      await transaction.execute(
        `set transaction isolation level repeatable read, read only; set local statement_timeout = ${REPORT_TIMEOUT_MS}`,
      )
      return work(transaction)
    })
  }

  /** Cuts every connection; what is in progress on them fails at once. */
  retire(): void {
    this.isRetired = true
    for (const client of this.clients) client.connection.stream.destroy()
    void this.close()
  }

  /** Safe to repeat. */
  async close(): Promise<void> {
    this.closing ??= Promise.all([this.requests.end(), this.reports.end()])
    await this.closing
  }

  private pool(max: number, statementTimeoutMs: number): pg.Pool {
    const pool = new pg.Pool({
      application_name: 'mainstay',
      connectionTimeoutMillis: this.limits.waitMs,
      max,
      connectionString: this.url,
      query_timeout: statementTimeoutMs + BEYOND_MS,
      onConnect: client => setUp(client),
    })
    const report = (error: Error) => {
      if (!this.isRetired) this.onError(error)
    }
    pool.on('error', report)
    pool.on('connect', client => {
      this.clients.add(client as unknown as pg.Client)
      // A client in use emits this too when its server dies, and an unhandled error event ends the process.
      client.on('error', report)
    })
    pool.on('remove', client => this.clients.delete(client as unknown as pg.Client))
    return pool
  }
}

/** Drizzle never returns a connection whose "begin" failed, and returns broken ones to the pool. */
async function inTransaction<T>(pool: pg.Pool, work: (transaction: Db) => Promise<T>): Promise<T> {
  const client = await pool.connect()
  try {
    const result = await drizzle(client).transaction(transaction => work(transaction as unknown as Db))
    client.release()
    return result
  } catch (error) {
    client.release(isOutage(error))
    throw error
  }
}

/**
 * Time limits, and how PostgreSQL writes what we read. One round trip, without startup parameters, which PgBouncer
 * refuses. All our connections have the same settings, since in PgBouncer's transaction mode one may get what another
 * has set. PgBouncer also opens connections without any: its `connect_query` sets them (docs/operations.md).
 */
async function setUp(client: pg.ClientBase): Promise<void> {
  await client.query(
    `set statement_timeout = ${STATEMENT_TIMEOUT_MS}; set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}; ${SET_SESSION}`,
  )
}
