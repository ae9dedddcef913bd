import { locale, t } from '../language/t.js'

/** A moment in the words of the reader's language and time zone; its date and time of day, unless told otherwise. */
export function dateText(
  at: string,
  style: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' },
): string {
  return new Intl.DateTimeFormat(locale(), style).format(new Date(at))
}

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
  if (seconds < MINUTE_S) return t('time.justNow')
  const distance = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' })
  if (seconds < HOUR_S) return distance.format(-Math.round(seconds / MINUTE_S), 'minute')
  if (seconds < DAY_S) return distance.format(-Math.round(seconds / HOUR_S), 'hour')
  if (seconds <= LONGEST_DISTANCE_S) return distance.format(-Math.round(seconds / DAY_S), 'day')
  return dateText(at)
}
