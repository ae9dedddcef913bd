import { IsInt } from 'class-validator'
import { decodeCursor, encodeCursor, PageCursor, PageLimit } from '../platform/http/paging.js'

const ID = /^[1-9]\d{0,14}$/

/** Where a page ended, as text for `?after=`. Its format may change. */
export function rowCursor({ id }: { readonly id: number }): string {
  return encodeCursor(String(id))
}

/** The id in a cursor of ours; null for any other text. */
export function idInCursor(text: string): number | null {
  const id = decodeCursor(text, ID)
  return id === null ? null : Number(id)
}

/** Rows per page unless a request says otherwise. */
export const DEFAULT_PAGE = 50

/** For query fields: how many rows a page has at most. */
export const RowLimit = () => PageLimit(DEFAULT_PAGE)

/** For query fields: the row after which a page begins. */
export const RowCursor = () => PageCursor(idInCursor, IsInt)
