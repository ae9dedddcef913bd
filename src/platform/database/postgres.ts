import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import { migrate } from 'drizzle-orm/node-postgres/migrator'
import pg from 'pg'
import { Logger } from '../log.js'
import { within } from '../time.js'
import { type Connection, type Db, MIGRATIONS_FOLDER, REPORTS_AT_ONCE } from './connection.js'
import { isAnswering, isLockTimeout, isOutage, isReadOnly } from './postgres-errors.js'

/** How often a silent server is tried again. */
export const RETRY_MS = 250
/** While no request waits, a probe may take as long as connecting does on a bad day. */
export const RETRY_LIMIT_MS = 2_000
/** How many times within `patienceMs` it checks for silence. */
const TICKS = 8
/** A tick that is later than this many intervals was delayed by this process itself. */
const LATE_TICKS = 2

export interface CircuitBreakerOptions {
  /** A server is given up after this long without any answer. */
  readonly patienceMs: number
  /** Whether an error means that the server is out of reach. */
  readonly isOutage: (error: unknown) => boolean
  /** Rejects when the server does not answer within `limitMs`, or cannot serve. */
  readonly probe: (limitMs: number) => Promise<void>
  /** Called when everything in progress has been given up. */
  readonly onOpen: () => void
}

/**
 * Keeps requests from waiting for a silent server. A slow answer is not silence: when no answer at all has come
 * for half of the patience, a probe has the other half to get one. If it fails, everything in progress fails at
 * once, and so does everything new until a probe succeeds. A stalled process, such as one that is loading code,
 * hears no answers: a probe that failed in the meantime is repeated once.
 */
export class CircuitBreaker {
  private isOpen = false
  private isStopped = false
  private lastAnswerAt = Number.NEGATIVE_INFINITY
  private tickedAt = performance.now()
  /** Until when this process was last stalled. */
  private stalledAt = Number.NEGATIVE_INFINITY
  private probing: Promise<void> | null = null
  private retry: NodeJS.Timeout | undefined
  private readonly ticks: NodeJS.Timeout
  /** What is waiting, oldest first, and since when. */
  private readonly waiting = new Map<(error: Error) => void, number>()

  constructor(private readonly options: CircuitBreakerOptions) {
    // After this process was stalled, timers run before the answers that have already arrived are read.
    this.ticks = setInterval(() => setImmediate(() => this.tick()), options.patienceMs / TICKS).unref()
  }

  /** Runs `work`; rejects with its error, or early when the server is silent. */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.isOpen) return Promise.reject(silence())
    return new Promise((resolve, reject) => {
      this.waiting.set(reject, performance.now())
      const done = (async () => work())()
      done
        .finally(() => this.waiting.delete(reject))
        .then(
          value => {
            this.lastAnswerAt = performance.now()
            resolve(value)
          },
          error => {
            if (this.options.isOutage(error)) this.suspect()
            else this.lastAnswerAt = performance.now()
            reject(error)
          },
        )
    })
  }

  /** Gives up everything in progress, and fails until a probe succeeds. */
  open(): void {
    if (this.isOpen || this.isStopped) return
    this.isOpen = true
    this.options.onOpen()
    for (const reject of this.waiting.keys()) reject(silence())
    this.retryLater()
  }

  /** A probe may still be in flight; nothing follows it. */
  stop(): void {
    this.isStopped = true
    clearInterval(this.ticks)
    clearTimeout(this.retry)
  }

  private tick(): void {
    const now = performance.now()
    if (now - this.tickedAt > (LATE_TICKS * this.options.patienceMs) / TICKS) this.stalledAt = now
    this.tickedAt = now
    const [oldest] = this.waiting.values()
    if (oldest === undefined || this.isOpen) return
    const silentMs = now - Math.max(oldest, this.lastAnswerAt)
    if (silentMs >= this.options.patienceMs / 2) this.suspect()
  }

  private suspect(): void {
    if (this.isOpen) return
    this.probing ??= this.probe()
      .then(
        () => {
          this.lastAnswerAt = performance.now()
        },
        () => this.open(),
      )
      .finally(() => {
        this.probing = null
      })
  }

  private async probe(): Promise<void> {
    const { patienceMs, probe } = this.options
    const startedAt = performance.now()
    try {
      await probe(patienceMs / 2)
    } catch (error) {
      if (this.stalledAt < startedAt) throw error
      await probe(patienceMs)
    }
  }

  private retryLater(): void {
    if (this.isStopped) return
    this.retry = setTimeout(() => {
      this.options.probe(RETRY_LIMIT_MS).then(
        () => {
          this.isOpen = false
        },
        () => this.retryLater(),
      )
    }, RETRY_MS).unref()
  }
}

function silence(): Error {
  return new Error('the server does not answer')
}

/**
 * What the server, the database or the role may have set otherwise, and what reading an answer relies on. Without quotes,
 * so that they can stand in PgBouncer's `connect_query` (docs/operations/postgresql.md).
 */
export const SESSION_SETTINGS = {
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  standard_conforming_strings: 'on',
} as const

/** Of every transaction that does not say otherwise. */
export const ISOLATION_LEVEL = 'isolation level read committed'

/** Statements for a new session. */
export const SET_SESSION = `${settingWith('set')}; set session characteristics as transaction ${ISOLATION_LEVEL}`

/** The same for one transaction, which has to begin with {@link ISOLATION_LEVEL}. */
export const SET_LOCAL = settingWith('set local')

function settingWith(verb: string): string {
  return Object.entries(SESSION_SETTINGS)
    .map(([name, value]) => `${verb} ${name} = ${value}`)
    .join('; ')
}

const CONNECT_TIMEOUT_MS = 5_000
/** A long statement is silent: without this, its connection would be dropped on the way, or its host lost, unnoticed. */
const KEEP_ALIVE_AFTER_MS = 10_000

/**
 * One transaction on a connection of its own, without a time limit. Its settings are local to the transaction, so
 * it works through PgBouncer too.
 */
export async function unlimitedTransaction<T>(
  url: string,
  onError: (error: Error) => void,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  })
  client.on('error', onError)
  await client.connect()
  try {
    await client.query(`begin ${ISOLATION_LEVEL}`)
    await client.query(
      `set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; ${SET_LOCAL}`,
    )
    const result = await work(client)
    await client.query('commit')
    return result
  } finally {
    // Rolls back what is not committed.
    await client.end()
  }
}

/** An arbitrary number; every replica must use the same, and nothing else may. */
const MIGRATION_LOCK = 7_245_001
/**
 * How long a statement waits for a table. Everything queued behind it waits too, and requests are ended after 2
 * s: a backup, which uses every table for as long as it runs, would otherwise stop all logins.
 */
const TABLE_LOCK_TIMEOUT_MS = 500
const TRY_AGAIN_MS = 2_000

/**
 * Brings the schema up to date, one replica at a time, on its own connection, because a migration may take longer
 * than any query. While another transaction uses a table that it has to change, it keeps trying. Gives up, and rejects,
 * when `signal` aborts.
 */
export async function migratePostgres(
  url: string,
  onError: (error: Error) => void,
  signal?: AbortSignal,
): Promise<void> {
  for (let isFirst = true; ; isFirst = false) {
    try {
      return await migrateOnce(url, onError, signal)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (isFirst)
        new Logger('Database').warn(
          'The migration is waiting for a table that is in use, perhaps by a backup; retrying every 2 s',
        )
      await sleep(TRY_AGAIN_MS, undefined, { signal })
    }
  }
}

/** The locks belong to the transaction too. */
function migrateOnce(url: string, onError: (error: Error) => void, signal?: AbortSignal): Promise<void> {
  return unlimitedTransaction(url, onError, async client => {
    signal?.throwIfAborted()
    // Ends the connection in the middle of a statement too.
    const stop = () => void client.end()
    signal?.addEventListener('abort', stop, { once: true })
    client.once('end', () => signal?.removeEventListener('abort', stop))
    await client.query('select pg_advisory_xact_lock($1)', [MIGRATION_LOCK])
    await client.query(`set local lock_timeout = ${TABLE_LOCK_TIMEOUT_MS}`)
    // Inside ours, its own "begin" only causes a warning, and its "commit" ends both.
    await migrate(drizzle(client), { migrationsFolder: MIGRATIONS_FOLDER })
  })
}

const HOSTS = /^([a-z]+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/

/**
 * The URL of each host: `postgres://a:1,b:2/mainstay` is `postgres://a:1/mainstay` and
 * `postgres://b:2/mainstay`.
 */
export function hostUrls(url: string): string[] {
  const [, before = '', hosts = '', rest = ''] = HOSTS.exec(url) ?? []
  return hosts.includes(',') ? hosts.split(',').map(host => before + host + rest) : [url]
}

/**
 * The URL of a host that takes writes: `current` if it does, otherwise another. Rejects when there is none
 * within `limitMs`, or within twice that if `current` does not answer and there are others.
 */
export async function findPrimary(
  urls: readonly string[],
  current: string,
  limitMs: number,
): Promise<string> {
  const others = urls.filter(url => url !== current)
  try {
    return await tryHost(current, limitMs)
  } catch (error) {
    if (isAnswering(error)) return current
    if (others.length === 0) throw error
    return await Promise.any(others.map(url => tryHost(url, limitMs)))
  }
}

async function tryHost(url: string, limitMs: number): Promise<string> {
  const client = new pg.Client({ connectionString: url, application_name: 'mainstay' })
  client.on('error', () => {
    // The error that matters is thrown below.
  })
  try {
    await within(limitMs, requireWritable(client))
    void client.end().catch(() => {})
    return url
  } catch (error) {
    // A server that does not answer would not answer a close either.
    client.connection.stream.destroy()
    throw error
  }
}

/** The setting is "on" for a standby, and for a server that is read-only for another reason. */
async function requireWritable(client: pg.Client): Promise<void> {
  await client.connect()
  const { rows } = await client.query('show transaction_read_only')
  if (rows[0]?.transaction_read_only !== 'off') throw new Error('the server is read-only')
}

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

/** The connections to one server: for requests, a few for reports, and one for polls. */
export class PostgresPools {
  readonly db: Db
  readonly polls: Db
  private readonly requests: pg.Pool
  private readonly reports: pg.Pool
  private readonly poller: pg.Pool
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
    this.poller = this.pool(1, REPORT_TIMEOUT_MS)
    this.db = drizzle(this.requests) as unknown as Db
    this.polls = drizzle(this.poller) as unknown as Db
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
    this.closing ??= Promise.all([this.requests.end(), this.reports.end(), this.poller.end()])
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
 * has set. PgBouncer also opens connections without any: its `connect_query` sets them (docs/operations/postgresql.md).
 */
async function setUp(client: pg.ClientBase): Promise<void> {
  await client.query(
    `set statement_timeout = ${STATEMENT_TIMEOUT_MS}; set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}; ${SET_SESSION}`,
  )
}

/** No request is waiting yet at start. */
const START_LIMIT_MS = 5_000
/** Connecting takes several round trips. Waiting longer only piles up requests. */
const MIN_WAIT_MS = 1_000

export interface PostgresOptions {
  /** `postgres://…`, with several hosts where one takes over from another. */
  readonly url: string
  readonly poolSize: number
  /** A server that has been silent this long is given up until it answers. */
  readonly timeoutMs: number
}

/** A pool of connections to the host that takes writes; replaced when that host changes or was silent. */
export function openPostgres(
  { url, poolSize, timeoutMs }: PostgresOptions,
  onError: (error: Error) => void,
): Connection {
  const urls = hostUrls(url)
  const limits = { size: poolSize, waitMs: Math.max(MIN_WAIT_MS, timeoutMs) }
  let pools = new PostgresPools(urls[0] as string, limits, onError)
  const use = (host: string) => {
    pools.retire()
    pools = new PostgresPools(host, limits, onError)
  }
  const find = async (limitMs: number) => {
    const primary = await findPrimary(urls, pools.url, limitMs)
    if (primary !== pools.url) use(primary)
  }
  const breaker = new CircuitBreaker({
    patienceMs: timeoutMs,
    isOutage,
    probe: find,
    onOpen: () => use(pools.url),
  })
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await breaker.run(work)
    } catch (error) {
      // These connections now lead to a standby; new ones to the same name may not.
      if (isReadOnly(error)) breaker.open()
      throw error
    }
  }
  return {
    run: work => guard(() => work(pools.db)),
    transaction: work => guard(() => pools.transaction(work)),
    report: work => guard(() => pools.report(work)),
    poll: work => guard(() => work(pools.polls)),
    maintain: work =>
      unlimitedTransaction(pools.url, onError, client => work(drizzle(client) as unknown as Db)),
    migrate: async signal => {
      await find(START_LIMIT_MS)
      await migratePostgres(pools.url, onError, signal)
      await waitUntilReachable(() => guard(() => pools.db.execute(sql`select 1`)), START_LIMIT_MS)
    },
    isOutage,
    close: () => {
      breaker.stop()
      return pools.close()
    },
  }
}

/** A request waits a second at most for a connection. At start one may take longer, so keep trying. */
async function waitUntilReachable(ask: () => Promise<unknown>, limitMs: number): Promise<void> {
  const until = performance.now() + limitMs
  for (;;) {
    try {
      await ask()
      return
    } catch (error) {
      if (!isOutage(error) || performance.now() > until) throw error
    }
    await sleep(RETRY_MS)
  }
}
