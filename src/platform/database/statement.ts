import { type DriverValueEncoder, is, Param, Placeholder, type SQL, type SQLChunk, sql } from 'drizzle-orm'
import { PgDialect } from 'drizzle-orm/pg-core'
import type { Db } from './connection.js'
import { rowsOf } from './database.js'

/** What a statement takes: by name, the objects whose fields are its values. */
export type Values = Readonly<Record<string, object>>

/**
 * A parameter: its value is the field `name` of the object `of`, encoded by `column`, which it is written to or
 * compared with.
 */
export function parameter(of: string, name: string, column?: DriverValueEncoder<unknown, unknown>): SQLChunk {
  const place = sql.placeholder(`${of}.${name}`)
  return column ? sql.param(place, column) : place
}

/**
 * A row that a statement uses up, if it exists, as a part of its text. `lock` selects and locks it, after the row
 * of the part that it is given; `use` changes what `lock` has selected, if nothing is missing. Values are those
 * of the object `name`.
 */
export interface UsedRow {
  readonly name: string
  lock(after: SQLChunk): SQL
  use(selected: SQL): SQL
}

/** A query of the query builder that is built once for each database, and again when its connections are replaced. */
export function builtOnce<Query>(build: (db: Db) => Query): (db: Db) => Query {
  const built = new WeakMap<Db, Query>()
  return db => {
    const query = built.get(db) ?? build(db)
    built.set(db, query)
    return query
  }
}

/**
 * A statement whose text is built once. Building it takes more CPU time than sending it, which matters where a
 * request consists of little more than a few statements.
 */
export class Statement<Row> {
  private readonly text: string
  private readonly params: readonly ((values: Values) => unknown)[]

  constructor(statement: SQL) {
    const { sql: text, params } = new PgDialect().sqlToQuery(statement)
    this.text = text
    this.params = params.map(readerOf)
  }

  /** The rows, as the driver reads them. */
  async run(db: Db, values: Values): Promise<Row[]> {
    const params = this.params.map(read => read(values))
    // Unnamed: PgBouncer keeps no prepared statements of a session.
    const query = db._.session.prepareQuery({ sql: this.text, params }, undefined, undefined, false)
    return rowsOf<Row>(await query.execute())
  }
}

function readerOf(param: unknown): (values: Values) => unknown {
  if (is(param, Placeholder)) return fieldNamed(param.name)
  if (!is(param, Param) || !is(param.value, Placeholder)) return () => param
  const read = fieldNamed(param.value.name)
  return values => {
    const value = read(values)
    return value === null ? null : param.encoder.mapToDriverValue(value)
  }
}

function fieldNamed(place: string): (values: Values) => unknown {
  const [of, name] = place.split('.') as [string, string]
  return values => (values[of] as Record<string, unknown>)[name] ?? null
}
