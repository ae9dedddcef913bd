import type { Settings } from '../../../platform/config/settings.js'
import { causeMessage } from '../../../platform/errors/api-error.js'
import type { Clock } from '../../../platform/time.js'
import { type Check, type Finding, fault, ok, skipped, warning } from '../finding.js'
import { runInTurn } from '../run-checks.js'
import { contentsChecks } from './contents-checks.js'
import { growthChecks } from './growth-checks.js'
import { type PostgresSession, withPostgres } from './postgres-session.js'
import { type FoundSchema, findSchema } from './schema-check.js'
import { databaseServerChecks } from './server-checks.js'
import { statementTodo } from './statement-todo.js'

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
