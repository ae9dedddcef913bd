/** RFC 3339 with an offset: without one, a time depends on the place. */
const INSTANT = /^[12]\d{3}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/

/** The text as a time, `2026-11-21T10:00:00Z` or with another offset; null when it is not one. */
export function asInstant(text: string): Date | null {
  const time = INSTANT.test(text) ? new Date(text) : null
  return time && !Number.isNaN(time.getTime()) ? time : null
}
