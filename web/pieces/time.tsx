import { useReducer, useState } from 'react'
import { useEffect } from './activity.js'
import { agoText, dateText } from './ago.js'

const REFRESH_MS = 30_000

/** A moment (ISO 8601) in the reader's language and time zone. */
export function When({ at }: { readonly at: string }) {
  return <time dateTime={at}>{dateText(at)}</time>
}

/** The day that it is so many seconds from now. */
export function DayIn({ seconds }: { readonly seconds: number }) {
  return <Day at={new Date(Date.now() + seconds * 1000).toISOString()} />
}

export function Day({ at, style = 'long' }: { readonly at: string; readonly style?: 'long' | 'medium' }) {
  return <time dateTime={at}>{dateText(at, { dateStyle: style })}</time>
}

/** How long ago a moment (ISO 8601) was; shows the exact time on hover. */
export function Ago({ at }: { readonly at: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <time dateTime={at} title={dateText(at, { dateStyle: 'full', timeStyle: 'medium' })}>
      {agoText(at, now)}
    </time>
  )
}

/** The whole seconds that are left until then (by Date.now()), counted down; null when it is over. */
export function useSecondsUntil(dueAt: number | null): number | null {
  const [, redraw] = useReducer((count: number) => count + 1, 0)
  useEffect(() => {
    let timer = 0
    const wait = () => {
      const leftMs = (dueAt ?? 0) - Date.now()
      if (leftMs > 0) timer = setTimeout(tick, leftMs % 1_000 || 1_000)
    }
    const tick = () => {
      redraw()
      wait()
    }
    wait()
    return () => clearTimeout(timer)
  }, [dueAt])
  const leftMs = (dueAt ?? 0) - Date.now()
  return leftMs > 0 ? Math.ceil(leftMs / 1_000) : null
}
