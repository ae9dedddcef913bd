import { locale, t } from './t.js'

/** A moment in the reader's language and time zone; by default with its date and time of day. */
export function dateText(
  at: string,
  style: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' },
): string {
  return new Intl.DateTimeFormat(locale(), style).format(new Date(at))
}

const MINUTE_S = 60

const HOUR_S = 60 * MINUTE_S

const DAY_S = 24 * HOUR_S

/** Beyond this, a date says more than a duration. */
const LONGEST_DISTANCE_S = 7 * DAY_S

/**
 * “5 minutes ago”; the date for anything more than a week old. A moment that this device's clock, which may
 * be wrong, has not reached yet is “just now”. `now` in milliseconds.
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
