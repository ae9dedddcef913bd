/** Moments in the words of the reader's country and time zone. */
export const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const DISTANCE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S
/** Further away, a date says more than a distance. */
const LONGEST_DISTANCE_S = 7 * DAY_S

/** “5 minutes ago”; the date of what is more than a week away. `now` in milliseconds. */
export function distanceText(at: string, now: number): string {
  const seconds = Math.round((Date.parse(at) - now) / 1000)
  const distance = Math.abs(seconds)
  if (distance < MINUTE_S) return 'just now'
  if (distance < HOUR_S) return DISTANCE.format(Math.round(seconds / MINUTE_S), 'minute')
  if (distance < DAY_S) return DISTANCE.format(Math.round(seconds / HOUR_S), 'hour')
  if (distance <= LONGEST_DISTANCE_S) return DISTANCE.format(Math.round(seconds / DAY_S), 'day')
  return LOCAL.format(new Date(at))
}
