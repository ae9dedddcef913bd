// Over 500 lines: every check reads the same server over the same session, from its version to its contents.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import type { OperationSettings, Settings } from '../../platform/config/settings.js'
import { MIGRATIONS_FOLDER } from '../../platform/database/connection.js'
import {
  findPrimary,
  hostUrls,
  ISOLATION_LEVEL,
  SESSION_SETTINGS,
  SET_LOCAL,
} from '../../platform/database/postgres.js'
import { causeMessage } from '../../platform/errors/api-error.js'
import { loadSecretKeys } from '../../platform/secrets/key-files.js'
import type { Clock } from '../../platform/time.js'
import { within } from '../../platform/time.js'
import { lookUpTxt, proofChallenge, resolverOf } from '../../satellites/proof.js'
import {
  type Check,
  compareClocks,
  type Finding,
  fault,
  inBytes,
  ok,
  runInTurn,
  skipped,
  warning,
} from './finding.js'

/** Everything about the database of DATABASE_URL. */
export function databaseCheck(settings: Settings, clock: Clock): Check {
  return {
    name: 'database.connection',
    todo: 'Start PostgreSQL, or correct DATABASE_URL',
    isGroup: true,
    run: () => checkDatabase(settings, clock),
  }
}

async function checkDatabase(settings: Settings, clock: Clock): Promise<Finding[]> {
  const { databaseUrl, environment } = settings
  if (!databaseUrl.startsWith('pglite:'))
    return withPostgres(databaseUrl, postgres => checkPostgres(postgres, settings, clock))
  const unseen = skipped('database', 'the embedded database is open to one process at a time')
  if (environment !== 'production') return [unseen]
  const saw = 'Production runs on the embedded database, with one process and without a standby'
  return [unseen, warning('database', saw, 'Set DATABASE_URL to a PostgreSQL')]
}

async function checkPostgres(
  postgres: PostgresSession,
  settings: Settings,
  clock: Clock,
): Promise<Finding[]> {
  const schema = await findSchema(postgres).catch(schemaFault)
  return [
    ok('database.connection', 'PostgreSQL accepts writes'),
    ...(await runInTurn(databaseServerChecks(postgres, clock, settings.operation))),
    schema.finding,
    ...(schema.isCurrent
      ? await runInTurn([...growthChecks(postgres), ...contentsChecks(postgres, settings)])
      : [skipped('database.contents', 'not read, because of its schema')]),
  ]
}

function schemaFault(error: unknown): FoundSchema {
  const todo = statementTodo('its own tables')(error)
  return { isCurrent: false, finding: fault('database.schema', causeMessage(error), todo) }
}

const SCHEMA = 'database.schema'

/** Whether the rest can be read from the database's schema, and what to report about it. */
interface FoundSchema {
  readonly isCurrent: boolean
  readonly finding: Finding
}

async function findSchema(postgres: PostgresSession): Promise<FoundSchema> {
  const ours = newestOfThisVersion()
  const { exists } = await postgres.row<{ exists: boolean }>(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as exists`,
  )
  if (!exists)
    return { isCurrent: false, finding: warning(SCHEMA, 'The database is empty', 'Start the service once') }
  const { newest } = await postgres.row<{ newest: string | null }>(
    'select max(created_at)::text as newest from drizzle.__drizzle_migrations',
  )
  const theirs = Number(newest ?? 0)
  if (theirs === ours)
    return { isCurrent: true, finding: ok(SCHEMA, 'every migration of this version has run') }
  const finding =
    theirs < ours
      ? warning(SCHEMA, 'Migrations of this version have not run', 'Start this version of the service')
      : warning(SCHEMA, 'A newer version has changed the database', 'Run doctor of that version')
  return { isCurrent: false, finding }
}

interface Journal {
  readonly entries: readonly { readonly when: number }[]
}

function newestOfThisVersion(): number {
  const text = readFileSync(join(MIGRATIONS_FOLDER, 'meta/_journal.json'), 'utf8')
  return Math.max(...(JSON.parse(text) as Journal).entries.map(({ when }) => when))
}

/** docs/operations/postgresql.md; the version in the form of `server_version_num`. */
const OLDEST_VERSION = 150_000
/** Commits that a crash, or with a standby a failover, does not undo. */
const DURABLE = ['on', 'remote_apply', 'remote_write']
/** In addition to DATABASE_POOL_SIZE, in each process (docs/operations/postgresql.md). */
const MORE_CONNECTIONS = 4
const NEARLY_FULL = 0.9

/** The server itself: its version, clock, durability and connections. */
function databaseServerChecks(
  postgres: PostgresSession,
  clock: Clock,
  operation: OperationSettings,
): Check[] {
  const todo = statementTodo('the settings of the server')
  return [
    { name: 'database.version', todo, run: () => checkVersion(postgres) },
    { name: 'clock.database', todo, run: () => checkClock(postgres, clock) },
    { name: 'database.durability', todo, run: () => checkDurability(postgres) },
    { name: 'database.session', todo, run: () => checkSession(postgres) },
    { name: 'database.connections', todo, run: () => checkConnections(postgres, operation) },
  ]
}

async function checkVersion(postgres: PostgresSession): Promise<Finding[]> {
  const check = 'database.version'
  const { number, text } = await postgres.row<{ number: number; text: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as text`,
  )
  if (number >= OLDEST_VERSION) return [ok(check, `PostgreSQL ${text}`)]
  return [fault(check, `PostgreSQL ${text} is too old`, 'Upgrade to PostgreSQL 15 or later')]
}

async function checkClock(postgres: PostgresSession, clock: Clock): Promise<Finding[]> {
  const before = clock.now()
  const { there } = await postgres.row<{ there: Date }>('select clock_timestamp() as there')
  return [compareClocks('clock.database', 'PostgreSQL', { before, there, after: clock.now() })]
}

interface Durability {
  readonly commit: string
  readonly names: string
  readonly fsync: string
  readonly pages: string
  readonly standbys: number
}

async function checkDurability(postgres: PostgresSession): Promise<Finding[]> {
  const found = await postgres.row<Durability>(
    `select current_setting('synchronous_commit') as commit, current_setting('synchronous_standby_names') as names,
      current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
      (select count(*)::int from pg_stat_replication where application_name not like 'pg_%') as standbys`,
  )
  return [commitFinding(found), standbyFinding(found), crashFinding(found)]
}

function commitFinding({ commit, names }: Durability): Finding {
  const check = 'database.synchronous-commit'
  const isDurable = DURABLE.includes(commit) || (commit === 'local' && names === '')
  if (isDurable) return ok(check, `synchronous_commit is ${commit}`)
  return fault(
    check,
    `synchronous_commit is ${commit}: a crash can undo a logout or a revocation that was answered`,
    'Set synchronous_commit = on for the user and database of DATABASE_URL',
  )
}

function standbyFinding({ names, standbys }: Durability): Finding {
  const check = 'database.standbys'
  if (names !== '')
    return ok(check, `synchronous_standby_names is ${names}; ${standbys} standbys are connected`)
  if (standbys === 0) return ok(check, 'no standby is connected')
  return warning(
    check,
    `${standbys} standbys are connected, and a commit waits for none of them: a failover can undo revocations`,
    'Name them in synchronous_standby_names, such as ANY 1 (db-2, db-3)',
  )
}

function crashFinding({ fsync, pages }: Durability): Finding {
  const check = 'database.fsync'
  if (fsync === 'on' && pages === 'on') return ok(check, 'fsync and full_page_writes are on')
  return fault(
    check,
    `fsync is ${fsync} and full_page_writes ${pages}: the database does not survive a crash of its machine`,
    'Set both to on',
  )
}

/** No fault: the service sets its own, but other clients of the database see these. */
async function checkSession(postgres: PostgresSession): Promise<Finding[]> {
  // `setting` is what we have set ourselves.
  const given = await postgres.rows<{ name: keyof typeof SESSION_SETTINGS; value: string }>(
    'select name, reset_val as value from pg_settings where name = any($1)',
    [Object.keys(SESSION_SETTINGS)],
  )
  // A time zone of the database's own is usual.
  const others = given.filter(({ name, value }) => name !== 'TimeZone' && value !== SESSION_SETTINGS[name])
  const named = others.map(({ name, value }) => `${name} is ${value}`).join(', ')
  const saw = named ? `${named}; the service sets its own` : 'values are written as the service reads them'
  return [ok('database.session', saw)]
}

async function checkConnections(
  postgres: PostgresSession,
  { databasePoolSize }: OperationSettings,
): Promise<Finding[]> {
  const check = 'database.connections'
  // Not pg_stat_activity, which hides the connections of other roles from a user without pg_read_all_stats.
  const { max, used } = await postgres.row<{ max: number; used: number }>(
    `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as max,
      (select sum(numbackends)::int from pg_stat_database) as used`,
  )
  const saw = `${used} of ${max} connections are in use; a process of the service takes up to ${databasePoolSize + MORE_CONNECTIONS}`
  const isTight = used > max * NEARLY_FULL || max < 2 * (databasePoolSize + MORE_CONNECTIONS)
  return [
    isTight ? warning(check, saw, 'Raise max_connections, or lower DATABASE_POOL_SIZE') : ok(check, saw),
  ]
}

/**
 * When rows of each table may be removed, and for how long after that they may still be there: jobs run every ten
 * minutes to every day.
 */
const EXPIRING = [
  ['sessions', 'expires_at', '2 days'],
  ['session_links', 'expires_at', '1 day'],
  ['session_changes', 'recorded_at', '1 day'],
  ['one_time_tokens', 'expires_at', '1 day'],
  ['refusal_counts', 'minute', '32 days'],
  ['provider_events', 'handled_at', '92 days'],
] as const

/** A service that was stopped for a while has fewer. */
const MANY_EXPIRED = 1_000
const COUNTED = 100_000
/** PostgreSQL's own vacuum starts at 0.2 of a table. */
const DEAD_SHARE = 0.5
const DEAD_ROWS = 100_000
/** PostgreSQL refuses writes at two billion; its own vacuum keeps it below 0.2. */
const MAX_TRANSACTION_AGE = 1_000_000_000

/** How large the tables are, what grows, and what should have been removed. */
function growthChecks(postgres: PostgresSession): Check[] {
  const todo = statementTodo('its own tables and their statistics')
  return [
    { name: 'database.size', todo, run: () => checkSize(postgres) },
    { name: 'database.cleanup', todo, run: () => checkCleanup(postgres) },
    { name: 'database.vacuum', todo, run: () => checkVacuum(postgres) },
  ]
}

async function checkSize(postgres: PostgresSession): Promise<Finding[]> {
  const { bytes } = await postgres.row<{ bytes: string }>(
    'select pg_database_size(current_database())::text as bytes',
  )
  const largest = await postgres.rows<{ name: string; bytes: string }>(
    `select c.relname as name, pg_total_relation_size(c.oid)::text as bytes from pg_class c
      join pg_namespace n on n.oid = c.relnamespace where c.relkind in ('r', 'p') and n.nspname = current_schema()
      order by pg_total_relation_size(c.oid) desc limit 3`,
  )
  const tables = largest.map(table => `${table.name} ${inBytes(Number(table.bytes))}`)
  const saw = `${inBytes(Number(bytes))}, of it ${tables.join(', ')}; ${await auditGrowth(postgres)}`
  return [ok('database.size', saw)]
}

/** From the ids of the first and the last row of a week, which an index finds however long the log is. */
async function auditGrowth(postgres: PostgresSession): Promise<string> {
  const { rows } = await postgres.row<{ rows: string | null }>(
    `select ((select max(id) from audit_log) -
      (select id from audit_log where at >= now() - interval '7 days' order by at limit 1))::text as rows`,
  )
  return `audit_log grows by about ${Math.round(Number(rows ?? 0) / 7)} rows a day`
}

async function checkCleanup(postgres: PostgresSession): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [table, expiry, grace] of EXPIRING) {
    const { count } = await postgres.row<{ count: number }>(
      `select count(*)::int as count from (select 1 from ${table}
        where ${expiry} < now() - interval '${grace}' limit ${COUNTED}) expired`,
    )
    if (count >= MANY_EXPIRED)
      findings.push(
        warning(
          'database.cleanup',
          `${count === COUNTED ? 'More than ' : ''}${count} rows of ${table} should have been removed`,
          'Look for errors of the cleanup in the log of the service',
        ),
      )
  }
  return findings.length > 0 ? findings : [ok('database.cleanup', 'what has expired is removed')]
}

async function checkVacuum(postgres: PostgresSession): Promise<Finding[]> {
  const check = 'database.vacuum'
  const { autovacuum, age } = await postgres.row<{ autovacuum: string; age: number }>(
    `select current_setting('autovacuum') as autovacuum,
      (select age(datfrozenxid)::int from pg_database where datname = current_database()) as age`,
  )
  if (autovacuum !== 'on') return [fault(check, 'autovacuum is off: tables only grow', 'Set autovacuum = on')]
  if (age > MAX_TRANSACTION_AGE)
    return [
      fault(
        check,
        `The oldest transaction is ${age} transactions old; at two billion PostgreSQL refuses writes`,
        'End transactions and replication slots that have been left open, then run VACUUM FREEZE',
      ),
    ]
  const bloated = await postgres.rows<{ name: string; dead: string }>(
    `select relname as name, n_dead_tup::text as dead from pg_stat_user_tables
      where schemaname = current_schema() and n_dead_tup > $1 and n_dead_tup > $2::float8 * n_live_tup`,
    [DEAD_ROWS, DEAD_SHARE],
  )
  if (bloated.length === 0) return [ok(check, 'autovacuum keeps up')]
  return bloated.map(({ name, dead }) =>
    warning(check, `${name} has ${dead} dead rows`, `Look for what keeps autovacuum from ${name}`),
  )
}

const MAX_NAMED = 3

/** Contents of the database that need something outside of it: keys, the proofs of satellites, the seals. */
function contentsChecks(postgres: PostgresSession, settings: Settings): Check[] {
  const todo = statementTodo('its own tables')
  return [
    { name: 'keys.sealed', todo, run: () => checkSealedSecrets(postgres, settings) },
    { name: 'settings.passkeys', todo, run: () => checkPasskeys(postgres, settings) },
    { name: 'satellites.proofs', todo, run: () => checkProofs(postgres, settings) },
    { name: 'audit.seals', todo, run: () => checkSeals(postgres) },
  ]
}

/** A replica with another file may have sealed secrets that this file cannot open. */
async function checkSealedSecrets(
  postgres: PostgresSession,
  { secretsKeysFile }: Settings,
): Promise<Finding[]> {
  const check = 'keys.sealed'
  const keys = await loadSecretKeys(secretsKeysFile).catch(() => null)
  if (!keys) return [skipped(check, 'SECRETS_KEYS_FILE cannot be used')]
  const used = await postgres.rows<{ kid: string; count: number }>(
    `select split_part(sealed, '.', 1) as kid, count(*)::int as count from (
      select secret as sealed from totp_factors
      union all select totp_secret from operators
      union all select sealed from failed_mails
    ) as secrets group by 1`,
  )
  const unknown = used.filter(({ kid }) => !keys.some(key => key.kid === kid))
  const old = used.filter(({ kid }) => keys.some(key => key.kid === kid && key.state === 'retired'))
  return [
    ...unknown.map(({ kid, count }) =>
      fault(
        check,
        `${count} secrets are encrypted with the key ${kid}, which SECRETS_KEYS_FILE does not have`,
        'Give all replicas the file that has it; without it users need their factors reset, operators operator:disable and operator:add, and mails that failed are lost',
      ),
    ),
    ...old.map(({ kid, count }) =>
      warning(check, `${count} secrets are encrypted with the retired key ${kid}`, 'Run secrets:reseal'),
    ),
    ...(unknown.length + old.length === 0 ? [ok(check, 'every stored secret has its key')] : []),
  ]
}

/** Passkeys belong to one domain for ever; the service does not start with another. */
async function checkPasskeys(postgres: PostgresSession, { passkeyRpId }: Settings): Promise<Finding[]> {
  const check = 'settings.passkeys'
  const [other] = await postgres.rows<{ rpId: string }>(
    'select rp_id as "rpId" from passkeys where rp_id <> $1 limit 1',
    [passkeyRpId],
  )
  if (!other) return [ok(check, `PASSKEY_RP_ID is ${passkeyRpId}, as of all passkeys`)]
  return [
    fault(
      check,
      `PASSKEY_RP_ID is ${passkeyRpId}, but there are passkeys of ${other.rpId}: the service does not start`,
      `Set PASSKEY_RP_ID=${other.rpId}`,
    ),
  ]
}

interface Proofs {
  readonly lookedUp: number
  readonly overdue: number
}

async function checkProofs(postgres: PostgresSession, settings: Settings): Promise<Finding[]> {
  const from = `from satellites s join satellite_proofs p on p.satellite_id = s.id
    where s.state = 'active' and p.method in ('dns', 'file')`
  const { lookedUp, overdue } = await postgres.row<Proofs>(
    `select count(*)::int as "lookedUp",
      count(*) filter (where p.checked_at < now() - interval '3 days')::int as overdue ${from}`,
  )
  const failing = await postgres.rows<{ origin: string; since: Date }>(
    `select s.origin, p.failing_since as since ${from} and p.failing_since is not null order by since`,
  )
  return [
    await checkResolver(settings, lookedUp),
    failingFinding(failing, lookedUp),
    ...(overdue > 0
      ? [
          fault(
            'satellites.checks',
            `The proofs of ${overdue} satellites have not been looked up for three days`,
            'Look for errors of the daily check in the log of the service',
          ),
        ]
      : []),
  ]
}

function failingFinding(failing: readonly { origin: string; since: Date }[], lookedUp: number): Finding {
  const check = 'satellites.proofs'
  if (failing.length === 0) return ok(check, `${lookedUp} satellites have their proofs`)
  const named = failing
    .slice(0, MAX_NAMED)
    .map(({ origin, since }) => `${origin} since ${since.toISOString().slice(0, 10)}`)
  return warning(
    check,
    `The proofs of ${failing.length} of ${lookedUp} satellites are not found: ${named.join(', ')}`,
    'Tell their accounts; after seven days a satellite is suspended (satellite:list shows all)',
  )
}

/** Any answer will do, even that there is no such record. Without satellites none is waited for. */
async function checkResolver({ dnsServers, mainOrigin }: Settings, lookedUp: number): Promise<Finding> {
  const check = 'satellites.resolver'
  const { name } = proofChallenge(mainOrigin, '').dns
  const { fault: reason, isOutage } = await lookUpTxt(resolverOf(dnsServers), name)
  if (!isOutage) return ok(check, 'the name servers answer')
  const saw = `A look-up failed: ${reason}`
  const todo = 'Fix the resolver, or point DNS_SERVERS to another and restart'
  return lookedUp > 0 ? fault(check, saw, todo) : warning(check, saw, todo)
}

async function checkSeals(postgres: PostgresSession): Promise<Finding[]> {
  const check = 'audit.seals'
  const [newest] = await postgres.rows<{ isSealed: boolean }>(
    `select exists (select from audit_chain c where c.audit_id = a.id) as "isSealed" from audit_log a
      where a.at < now() - interval '10 minutes' order by a.at desc limit 1`,
  )
  if (newest?.isSealed !== false) return [ok(check, 'the audit log is sealed')]
  return [
    warning(
      check,
      'The audit log has rows that are ten minutes old and not sealed',
      'Run audit:verify, which seals them, and look whether the service runs',
    ),
  ]
}

/** PostgreSQL: insufficient_privilege, and query_canceled, which is how a statement ends that takes too long. */
const NO_RIGHT = '42501'
const CANCELED = '57014'
/** Of the pg package, and of the limit of a whole check. */
const TOO_LATE = /^(Query read timeout|no answer in)/

/** What to do when a check's statement fails; `readable` is what it reads. */
export function statementTodo(readable: string): (error: unknown) => string {
  return error => {
    const { code, message } = error as { readonly code?: string; readonly message?: string }
    if (code === NO_RIGHT) return `Give the user of DATABASE_URL the right to read ${readable}`
    if (code === CANCELED || TOO_LATE.test(message ?? ''))
      return 'PostgreSQL is slow, or something holds locks: look at pg_stat_activity, then run doctor again'
    return 'Look at the log of PostgreSQL'
  }
}

const CONNECT_MS = 20_000
const STATEMENT_MS = 20_000
const END_MS = 2_000

/** One connection to PostgreSQL, for reading. */
export interface PostgresSession {
  /** The rows of a statement. */
  rows<T>(sql: string, values?: readonly unknown[]): Promise<T[]>
  /** The one row of a statement that always has one. */
  row<T>(sql: string): Promise<T>
}

/**
 * Runs `work` on a connection to the host of `url` that takes writes; rejects when there is none within some
 * seconds. Unlike the service's own, it changes nothing: it makes no tables and runs no migration.
 */
export async function withPostgres<T>(
  url: string,
  work: (session: PostgresSession) => Promise<T>,
): Promise<T> {
  const urls = hostUrls(url)
  const primary = await findPrimary(urls, urls[0] as string, CONNECT_MS)
  const client = new pg.Client({
    connectionString: primary,
    application_name: 'mainstay doctor',
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: STATEMENT_MS + 500,
  })
  client.on('error', () => {
    // The pending query rejects with it too.
  })
  try {
    await client.connect()
    return await work(sessionOn(client))
  } finally {
    // A server that no longer answers does not answer this either.
    await within(END_MS, client.end()).catch(() => {})
  }
}

/** Each in a transaction of its own: behind PgBouncer, session settings would leak to other clients. */
function sessionOn(client: pg.Client): PostgresSession {
  const rows = async <T>(sql: string, values: readonly unknown[] = []) => {
    await client.query(
      `begin ${ISOLATION_LEVEL}, read only; set local statement_timeout = ${STATEMENT_MS}; ${SET_LOCAL}`,
    )
    try {
      return (await client.query(sql, [...values])).rows as T[]
    } finally {
      await client.query('rollback')
    }
  }
  const row = async <T>(sql: string) => (await rows<T>(sql))[0] as T
  return { rows, row }
}
