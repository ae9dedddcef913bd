import { type InferInsertModel, is, type SQL, type SQLChunk, sql } from 'drizzle-orm'
import { PgArray, type PgColumn, type PgTable } from 'drizzle-orm/pg-core'
import type { Db } from './connection.js'
import { parameter, Statement } from './statement.js'

type Columns<Key extends string> = Readonly<Record<Key, PgColumn>>

/**
 * Inserts any number of rows with one parameter for each column. Drizzle's builder makes a parameter for each
 * value, which takes longer than PostgreSQL takes to insert the rows.
 */
export class RowsInsert<Table extends PgTable, Key extends keyof InferInsertModel<Table> & string, Returned> {
  private readonly keys: Key[]
  private readonly statement: Statement<Returned>

  /** `ending` follows the rows, such as `on conflict do nothing`. */
  constructor(
    table: Table,
    private readonly columns: Columns<Key>,
    ending: SQL = sql``,
  ) {
    this.keys = Object.keys(columns) as Key[]
    const names = list(this.keys.map(key => sql.identifier(columns[key].name)))
    this.statement = new Statement<Returned>(sql`
      insert into ${table} (${names})
      select ${list(this.keys.map(key => this.valueOf(key)))}
      from unnest(${list(this.keys.map(key => this.parameterOf(key)))}) as given (${names}) ${ending}`)
  }

  /** Missing values are written as null; column defaults do not apply. */
  async run(db: Db, rows: readonly Pick<InferInsertModel<Table>, Key>[]): Promise<Returned[]> {
    if (rows.length === 0) return []
    const values = this.keys.map(key => [key, rows.map(row => row[key] ?? null)])
    return this.statement.run(db, { rows: Object.fromEntries(values) })
  }

  /** `unnest` would take arrays apart as well, so they come as text. */
  private parameterOf(key: Key): SQL {
    const column = this.columns[key]
    const mapToDriverValue = (values: unknown) =>
      (values as unknown[]).map(value => (value === null ? null : column.mapToDriverValue(value)))
    const type = is(column, PgArray) ? 'text' : column.getSQLType()
    return sql`${parameter('rows', key, { mapToDriverValue })}::${sql.raw(type)}[]`
  }

  private valueOf(key: Key): SQL {
    const { name } = this.columns[key]
    return sql`given.${sql.identifier(name)}::${sql.raw(this.columns[key].getSQLType())}`
  }
}

function list(chunks: SQLChunk[]): SQL {
  return sql.join(chunks, sql`, `)
}
