/** One page of a list. */
export interface Page<Row> {
  readonly rows: readonly Row[]
  /** For `?after=`; null on the last page. */
  readonly next: string | null
}

/** Reads one row more than it returns, to know whether there is a next page. `cursorOf` makes the cursor. */
export async function pageOf<Row>(
  limit: number,
  read: (count: number) => Promise<Row[]>,
  cursorOf: (last: Row) => string,
): Promise<Page<Row>> {
  const found = await read(limit + 1)
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return { rows, next: last && found.length > limit ? cursorOf(last) : null }
}
