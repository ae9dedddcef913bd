import { asCursor, positionIn } from '../http/page-cursor.js'

const ID = /^[1-9]\d{0,14}$/

/** Where a page ended, as text for `?after=`. Its format may change. */
export function rowCursor({ id }: { readonly id: number }): string {
  return asCursor(String(id))
}

/** The id in a cursor of ours; null for any other text. */
export function idInCursor(text: string): number | null {
  const id = positionIn(text, ID)
  return id === null ? null : Number(id)
}
