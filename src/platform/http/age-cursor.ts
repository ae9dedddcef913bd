import { IsObject } from 'class-validator'
import { UUID } from './ids.js'
import { decodeCursor, encodeCursor, PageCursor } from './page.js'

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
