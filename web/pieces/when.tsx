import { useEffect, useState } from 'react'

const LOCAL = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })
const DISTANCE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })

const MINUTE_S = 60
const HOUR_S = 60 * MINUTE_S
const DAY_S = 24 * HOUR_S
/** Further away, a date says more than a distance. */
const LONGEST_DISTANCE_S = 7 * DAY_S
const REFRESH_MS = 30_000

/** A moment (ISO 8601) in the words of the reader's country and time zone. */
export function When({ at }: { readonly at: string }) {
  return <time dateTime={at}>{LOCAL.format(new Date(at))}</time>
}

export function Day({ at }: { readonly at: string }) {
  return <time dateTime={at}>{DAY.format(new Date(at))}</time>
}

/** How long ago a moment (ISO 8601) is, or in how long it comes; the exact one when it is pointed at. */
export function Ago({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={EXACT.format(new Date(at))}>
      {distanceText(at, now)}
    </time>
  )
}

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
