/** A statement about a table: `{t}` stands for its name. */
const ABOUT_ONE_TABLE = [
  'create table (?:if not exists )?{t} ?\\(',
  'create (?:unique )?index (?:if not exists )?"?\\w+"? on {t}',
  'alter table {t} ',
  'create (?:constraint )?trigger "?\\w+"? .* on {t} ',
]
const ANY_TABLE = '(?:"?public"?\\.)?"?(\\w+)"?'
const ADDED_COLUMN = new RegExp(`^alter table ${ANY_TABLE} add column (?:if not exists )?"?\\w+"? (.+)$`, 'i')
/** Known when the column is added, so that PostgreSQL writes no row again. */
const CONSTANT_DEFAULT = /\bdefault (?:'[^']*'(?:::\w+)?|-?[\d.]+|true|false|null|now\(\))(?= |$)/i
/** What PostgreSQL has to look through the whole table for, or to compute for each row. */
const COSTLY = /\b(?:references|unique|primary key|check|generated|serial|bigserial)\b/i
const NEW_OBJECT = /^(?:create function|comment on) /i

/**
 * Whether a migration may do that without a reason: the release before neither notices nor waits for it, and goes on writing
 * to the tables that it knows. `newTables` are those that it does not know.
 */
export function isHarmless(statement: string, newTables: ReadonlySet<string>): boolean {
  return (
    NEW_OBJECT.test(statement) ||
    ABOUT_ONE_TABLE.some(form => {
      const [, table = ''] = new RegExp(`^${form.replace('{t}', ANY_TABLE)}`, 'i').exec(statement) ?? []
      return newTables.has(table)
    }) ||
    isOptionalColumn(statement)
  )
}

/** One that rows can be written without. */
function isOptionalColumn(statement: string): boolean {
  const [, , column = ''] = ADDED_COLUMN.exec(statement) ?? []
  if (column === '' || COSTLY.test(column) || column.includes(', add ')) return false
  const hasDefault = /\bdefault\b/i.test(column)
  return hasDefault ? CONSTANT_DEFAULT.test(column) : !/\bnot null\b/i.test(column)
}
