import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A file of src/platform/database/migrations. */
export interface Migration {
  readonly tag: string
  /** What drizzle orders them by, in milliseconds since 1970: one that is not later than the last one applied never runs. */
  readonly when: number
  readonly sql: string
}

/** The migrations that this release has, in order. `release` is its folder. */
export function migrationsOf(release: string): Migration[] {
  const folder = join(release, 'src/platform/database/migrations')
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8')) as {
    entries: { tag: string; when: number }[]
  }
  return journal.entries.map(({ tag, when }) => ({
    tag,
    when,
    sql: readFileSync(join(folder, `${tag}.sql`), 'utf8'),
  }))
}

/** Its statements, on one line each, without comments and the bodies of functions. */
export function statementsIn(sql: string): string[] {
  return sql
    .replaceAll(/\$(\w*)\$[\s\S]*?\$\1\$/g, '$$$$')
    .replaceAll(/--.*$/gm, '')
    .split(';')
    .map(statement => statement.replaceAll(/\s+/g, ' ').trim())
    .filter(statement => statement !== '')
}

const CREATED = /^create table (?:if not exists )?"?(\w+)"?/i

/** The tables that these statements create. */
export function tablesCreatedBy(statements: readonly string[]): Set<string> {
  return new Set(statements.flatMap(statement => CREATED.exec(statement)?.[1] ?? []))
}
