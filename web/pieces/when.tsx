import { useEffect, useState } from 'react'
import { agoText, LOCAL } from './ago.js'

const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'full', timeStyle: 'medium' })
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' })

const REFRESH_MS = 30_000

/** A moment (ISO 8601) in the words of the reader's country and time zone. */
export function When({ at }: { readonly at: string }) {
  return <time dateTime={at}>{LOCAL.format(new Date(at))}</time>
}

export function Day({ at }: { readonly at: string }) {
  return <time dateTime={at}>{DAY.format(new Date(at))}</time>
}

/** How long ago a moment (ISO 8601) is; the exact one when it is pointed at. */
export function Ago({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={EXACT.format(new Date(at))}>
      {agoText(at, now)}
    </time>
  )
}
