import { getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { PgTable } from 'drizzle-orm/pg-core'
import type { Db } from './connection.js'
import { given, Statement } from './statement.js'

/**
 * Inserts any number of rows with one parameter, a JSON text: the builder takes longer for a parameter for each value
 * than PostgreSQL for the rows. NUL and unpaired surrogates are an error there, so text must be free of them.
 */
export class RowsInsert<Table extends PgTable, Returned = never> {
  private readonly columns: [key: string, name: string][]
  private readonly statement: Statement<Returned>

  /** `ending` is what follows the rows, such as `on conflict do nothing`. */
  constructor(table: Table, ending: SQL = sql``) {
    this.columns = Object.entries(getTableColumns(table)).map(([key, { name }]) => [key, name])
    const names = sql.join(
      this.columns.map(([, name]) => sql.identifier(name)),
      sql`, `,
    )
    this.statement = new Statement(sql`
      insert into ${table} (${names})
      select ${names} from jsonb_populate_recordset(null::${table}, ${given('rows', 'json')}::jsonb) ${ending}`)
  }

  run(db: Db, rows: readonly InferSelectModel<Table>[]): Promise<Returned[]> {
    const named = rows.map(row =>
      Object.fromEntries(this.columns.map(([key, name]) => [name, row[key as keyof typeof row]])),
    )
    return this.statement.run(db, { rows: { json: JSON.stringify(named) } })
  }
}
