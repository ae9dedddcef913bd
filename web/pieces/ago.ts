/** Moments in the words of the reader's country and time zone. */
export const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DISTANCE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S
/** Further away, a date says more than a distance. */
const LONGEST_DISTANCE_S = 7 * DAY_S

/**
 * “5 minutes ago”; the date of what is more than a week past. What this device's clock has not reached yet, which may be
 * wrong, is “just now”. `now` in milliseconds.
 */
export function agoText(at: string, now: number): string {
  const seconds = Math.round((now - Date.parse(at)) / 1000)
  if (seconds < MINUTE_S) return 'just now'
  if (seconds < HOUR_S) return DISTANCE.format(-Math.round(seconds / MINUTE_S), 'minute')
  if (seconds < DAY_S) return DISTANCE.format(-Math.round(seconds / HOUR_S), 'hour')
  if (seconds <= LONGEST_DISTANCE_S) return DISTANCE.format(-Math.round(seconds / DAY_S), 'day')
  return LOCAL.format(new Date(at))
}
