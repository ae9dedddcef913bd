import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS_FOLDER } from '../../../platform/database/connection.js'
import { type Finding, ok, warning } from '../finding.js'
import type { PostgresSession } from './postgres-session.js'

const CHECK = 'database.schema'

/** Whether the rest can be read from the database's schema, and what to report about it. */
export interface FoundSchema {
  readonly isCurrent: boolean
  readonly finding: Finding
}

/** Compares the migrations that have run with those of this version. The service runs what is missing at start. */
export async function findSchema(postgres: PostgresSession): Promise<FoundSchema> {
  const ours = newestOfThisVersion()
  const { exists } = await postgres.row<{ exists: boolean }>(
    `select to_regclass('drizzle.__drizzle_migrations') is not null as exists`,
  )
  if (!exists)
    return { isCurrent: false, finding: warning(CHECK, 'The database is empty', 'Start the service once') }
  const { newest } = await postgres.row<{ newest: string | null }>(
    'select max(created_at)::text as newest from drizzle.__drizzle_migrations',
  )
  const theirs = Number(newest ?? 0)
  if (theirs === ours)
    return { isCurrent: true, finding: ok(CHECK, 'every migration of this version has run') }
  const finding =
    theirs < ours
      ? warning(CHECK, 'Migrations of this version have not run', 'Start this version of the service')
      : warning(CHECK, 'A newer version has changed the database', 'Run doctor of that version')
  return { isCurrent: false, finding }
}

interface Journal {
  readonly entries: readonly { readonly when: number }[]
}

function newestOfThisVersion(): number {
  const text = readFileSync(join(MIGRATIONS_FOLDER, 'meta/_journal.json'), 'utf8')
  return Math.max(...(JSON.parse(text) as Journal).entries.map(({ when }) => when))
}
