import { asCursor, positionIn } from '../../http/page.js'
import type { UserCursor } from '../../users/users.js'

/** Milliseconds since 1970 and the id, because many users of an import have the same time. */
const AGE = /^\d{1,13}\.[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Where a page of the team ended, as text for `?after=`. */
export function teamCursor({ createdAt, id }: UserCursor): string {
  return asCursor(`${createdAt.getTime()}.${id}`)
}

/** What a cursor of ours contains; null for any other text. */
export function ageInCursor(text: string): UserCursor | null {
  const age = positionIn(text, AGE)
  if (age === null) return null
  const [milliseconds, id] = age.split('.') as [string, string]
  return { createdAt: new Date(Number(milliseconds)), id }
}
