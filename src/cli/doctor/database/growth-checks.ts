import { type Check, type Finding, fault, ok, warning } from '../finding.js'
import { inBytes } from '../in-bytes.js'
import type { PostgresSession } from './postgres-session.js'
import { statementTodo } from './statement-todo.js'

/**
 * When rows of each table may be removed, and for how long after that they may still be there: jobs run every ten
 * minutes to every day.
 */
const EXPIRING = [
  ['sessions', 'expires_at', '1 day'],
  ['user_sessions', 'expires_at', '1 day'],
  ['session_links', 'expires_at', '1 day'],
  ['session_changes', 'until', '1 day'],
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
export function growthChecks(postgres: PostgresSession): Check[] {
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
