import { IsInt, IsObject, Max, Min, type ValidationOptions } from 'class-validator'
import { field, ParseText } from './fields.js'
import { UUID } from './request.js'
import { named } from './validation.js'

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

/** Keeps the response for one page below 200 KB. */
const MAX_PAGE = 200

/** The `limit` query parameter: how many rows a page may have. */
export const PageLimit = (byDefault: number) =>
  field(
    { type: 'integer', minimum: 1, maximum: MAX_PAGE },
    { optional: true, default: byDefault },
    ParseText(text => (/^\d{1,4}$/.test(text) ? Number(text) : null)),
    Max(MAX_PAGE),
    Min(1),
    IsInt(),
  )

/** Long enough for a name to sort by, with the id of whoever has it. */
const BASE64URL = /^[A-Za-z0-9_-]{2,700}$/

/**
 * Where the previous page ended. `parse` reads a cursor, or returns null for any other text; `IsPosition`
 * validates the result.
 */
export const PageCursor = (
  parse: (text: string) => unknown,
  IsPosition: (options: ValidationOptions) => PropertyDecorator,
) =>
  field(
    { type: String },
    { optional: true, description: '`next` of the previous page' },
    ParseText(parse),
    IsPosition(named('WRONG_CURSOR')),
  )

/** The end of a page as opaque text for `?after=`. */
export function encodeCursor(position: string): string {
  return Buffer.from(position).toString('base64url')
}

/** The text that {@link encodeCursor} was given, if it has this `form`; null otherwise. */
export function decodeCursor(cursor: string, form: RegExp): string | null {
  const position = BASE64URL.test(cursor) ? Buffer.from(cursor, 'base64url').toString() : ''
  return form.test(position) && encodeCursor(position) === cursor ? position : null
}

/** A position in a list sorted by age. */
export interface Age {
  readonly createdAt: Date
  readonly id: string
}

/** Milliseconds since 1970 and the id, because many rows of an import have the same time. */
const AGE = new RegExp(`^\\d{1,13}\\.${UUID}$`)

/** Where a page ended, as text for `?after=`. */
export function ageCursor({ createdAt, id }: Age): string {
  return encodeCursor(`${createdAt.getTime()}.${id}`)
}

/** For query fields: the row after which a page begins. */
export const AgeCursor = () => PageCursor(ageInCursor, options => IsObject(options))

/** The position in one of our cursors; null for any other text. */
function ageInCursor(text: string): Age | null {
  const age = decodeCursor(text, AGE)
  if (age === null) return null
  const [milliseconds, id] = age.split('.') as [string, string]
  return { createdAt: new Date(Number(milliseconds)), id }
}
