import type { OperationSettings } from '../../../platform/config/settings.js'
import { SESSION_SETTINGS } from '../../../platform/database/postgres.js'
import type { Clock } from '../../../platform/time.js'
import { compareClocks } from '../clock-difference.js'
import { type Check, type Finding, fault, ok, warning } from '../finding.js'
import type { PostgresSession } from './postgres-session.js'
import { statementTodo } from './statement-todo.js'

/** docs/operations.md; the version in the form of `server_version_num`. */
const OLDEST_VERSION = 150_000
/** Commits that a crash, or with a standby a failover, does not undo. */
const DURABLE = ['on', 'remote_apply', 'remote_write']
/** In addition to DATABASE_POOL_SIZE, in each process (docs/operations.md). */
const MORE_CONNECTIONS = 4
const NEARLY_FULL = 0.9

/** The server itself: its version, clock, durability and connections. */
export function databaseServerChecks(
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

/** No fault: the service sets its own, but whoever queries the database otherwise sees these. */
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
