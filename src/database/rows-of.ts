/** The rows of a raw statement, which both databases answer in the same form. */
export function rowsOf<T>(result: unknown): T[] {
  return (result as { rows: T[] }).rows
}
