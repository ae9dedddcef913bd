import { is, lte, or, type SQL, type SQLChunk, type SQLWrapper, sql } from 'drizzle-orm'
import { PgArray, type PgColumn, type PgTable } from 'drizzle-orm/pg-core'
import type { Db } from './connection.js'
import { type Database, rowsOf } from './database.js'

/**
 * Like `inArray`, but with all values in one parameter: for hundreds of ids, building as many placeholders takes longer
 * than the query.
 */
export function isAnyOf(column: PgColumn, values: readonly string[]): SQL {
  return sql`${column} = any(${sql.param(values)}::${sql.raw(column.getSQLType())}[])`
}

/**
 * For the rest of the transaction, what is read in an order is read from the index that has it. If the planner expects few
 * rows, it reads and sorts them all, and its estimates are wrong where an account has grown since the last ANALYZE.
 */
export const WITHOUT_SORTING = sql`select set_config('enable_sort', 'off', true)`

/** A `like` pattern for what begins with the text, whatever characters it contains. */
export function startsWith(text: string): string {
  return `${text.replace(/[\\%_]/g, '\\$&')}%`
}

/**
 * Inserts any number of rows with one parameter for each column, and returns what `ending`, such as `on conflict do
 * nothing`, says. Missing values are written as null; column defaults do not apply. Drizzle's builder makes a
 * parameter for each value, which takes longer than PostgreSQL takes to insert the rows.
 */
export async function insertRows<Key extends string>(
  db: Db,
  table: PgTable,
  columns: Readonly<Record<Key, PgColumn>>,
  rows: readonly { readonly [key in NoInfer<Key>]?: unknown }[],
  ending: SQL = sql``,
): Promise<unknown[]> {
  if (rows.length === 0) return []
  const entries = Object.entries(columns) as [Key, PgColumn][]
  const names = list(entries.map(([, { name }]) => sql.identifier(name)))
  const values = list(
    entries.map(([, column]) => sql`given.${sql.identifier(column.name)}::${sql.raw(column.getSQLType())}`),
  )
  const given = list(
    entries.map(([key, column]) =>
      arrayOf(
        column,
        rows.map(row => row[key] ?? null),
      ),
    ),
  )
  return rowsOf(
    await db.execute(sql`
      insert into ${table} (${names}) select ${values} from unnest(${given}) as given (${names}) ${ending}`),
  )
}

/** `unnest` would take arrays apart as well, so they come as text. */
function arrayOf(column: PgColumn, values: readonly unknown[]): SQL {
  const type = is(column, PgArray) ? 'text' : column.getSQLType()
  const written = values.map(value => (value === null ? null : column.mapToDriverValue(value)))
  return sql`${sql.param(written)}::${sql.raw(type)}[]`
}

function list(chunks: SQLChunk[]): SQL {
  return sql.join(chunks, sql`, `)
}

/** Few enough that a statement stays well below its time limit. */
const ROWS_A_STATEMENT = 5_000

/** Deletes the rows of `table` whose `expiry` is `now` or earlier, in small statements; returns how many. */
export function removeExpiredRows(
  database: Database,
  table: PgTable,
  expiry: PgColumn,
  now: Date,
): Promise<number> {
  return removeRows(database, table, lte(expiry, now))
}

/** Deletes the rows of `table` that match `which`, in small statements; returns how many. */
export async function removeRows(
  database: Database,
  table: PgTable,
  which: SQL | undefined,
): Promise<number> {
  const found = sql`select ctid from ${table} where ${which} limit ${ROWS_A_STATEMENT}`
  const statement = sql`
    with gone as (delete from ${table} where ctid = any (array(${found})) returning 1)
    select count(*)::int as count from gone`
  for (let removed = 0; ; ) {
    const [gone] = rowsOf<{ count: number }>(await database.run(db => db.execute(statement)))
    removed += gone?.count ?? 0
    if (!gone || gone.count < ROWS_A_STATEMENT) return removed
  }
}

/** SQLSTATE 23505, wrapped by Drizzle. */
export function isUniqueViolation(error: unknown): boolean {
  return (error as { cause?: { code?: string } }).cause?.code === '23505'
}

/** Two forms that no change of case makes of each other. */
const SIGMAS = ['σ', 'ς']

/** What an index is asked for at once. Each character whose cases may differ in the index doubles it. */
const MAX_PREFIXES = 16
/** In lower case the same in every locale, unlike a Turkish `I`. */
const PLAIN_CHARACTER = /^[\0-HJ-hj-\x7f]$/

/**
 * Whether the column contains the text, ignoring case; the text has no wildcards. The same in databases of every
 * locale: `lower()` knows only ASCII in one, and in another a Turkish `i`.
 */
export function containsIgnoringCase(column: SQLWrapper, text: string): SQL {
  return sql`${column} ~ ${patternOf(text)}`
}

/**
 * For sorting lists that people read: the same in databases of every locale, ignoring the case of ASCII letters only,
 * which is all that `lower()` knows in this collation.
 */
export function inAnyLocale(column: SQLWrapper): SQL {
  return sql`lower((${column}) collate "C")`
}

/** The same, where letters with accents sort among those without: the key of `users_account_name`. */
export function byLetters(column: SQLWrapper): SQL {
  return inAnyLocale(
    sql`normalize(regexp_replace(normalize(${column}, NFD), '[\\u0300-\\u036f]', '', 'g'), NFC)`,
  )
}

/** What {@link byLetters} makes of a text. */
export function lettersOf(text: string): string {
  const plain = text
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
  return plain.replace(/[A-Z]/g, letter => letter.toLowerCase())
}

/** Whether the column begins with the text, in the same way, found with the index `lower(column) text_pattern_ops`. */
export function startsWithIgnoringCase(column: SQLWrapper, text: string): SQL {
  // The index has what this database makes of a name, so it is asked for what the database makes of the prefix.
  const isIndexed = or(
    ...prefixesOf(text).map(prefix => sql`lower(${column}) like lower(${startsWith(prefix)})`),
  )
  return sql`((${isIndexed}) and ${column} ~ ${`^${patternOf(text)}`})`
}

/** A regular expression of PostgreSQL's that spells out both cases of each character. */
function patternOf(text: string): string {
  return [...text]
    .map(character => {
      const cases = casesOf(character)
      return cases.length > 1 ? `[${cases.join('')}]` : character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&')
    })
    .join('')
}

/** As much of the text as fits, in every combination of cases that an index may tell apart. */
function prefixesOf(text: string): string[] {
  let prefixes = ['']
  for (const character of text) {
    const cases = PLAIN_CHARACTER.test(character) ? [character] : casesOf(character)
    if (prefixes.length * cases.length > MAX_PREFIXES) break
    prefixes = prefixes.flatMap(prefix => cases.map(other => prefix + other))
  }
  return prefixes
}

/** The character in each case, as far as that is a single character. */
function casesOf(character: string): string[] {
  const upper = character.toUpperCase()
  const cases = [character, upper, character.toLowerCase(), upper.toLowerCase()]
  if (upper === 'Σ') cases.push(...SIGMAS)
  return [...new Set(cases)].filter(other => [...other].length === 1)
}
