import { cursorOf } from './cursor.js'
import { DEFAULT_PAGE, type PageQuery } from './page.query.js'

/** One page of a list, newest first. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** For `?after=`; null on the last page. */
  readonly next: string | null
}

/** Reads one row more than it gives back: that tells whether there is a next page. */
export async function pageOf<Row extends { readonly id: number }>(
  { limit = DEFAULT_PAGE }: PageQuery,
  read: (count: number) => Promise<Row[]>,
): Promise<Page<Row>> {
  const found = await read(limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: last && found.length > limit ? cursorOf(last.id) : null }
}
