import { type ReactNode, useEffect, useState } from 'react'
import { Failure } from './notice.js'
import { outageIn } from './sessions/outage.js'
import type { Load } from './use-load.js'

/** Longer than any ordinary answer takes: now people want to know what is going on. */
const LONG_WAIT_MS = 4_000

/** Shown while something is on its way; says so when it takes long. */
export function Waiting({ what = 'One moment …' }: { readonly what?: string }) {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p className="waiting" role="status">
      <span className="spinner" aria-hidden="true" />
      {isLong ? 'This is taking longer than usual …' : what}
    </p>
  )
}

/**
 * What was loaded; until then that it is on its way, or what went wrong and a way to try again. In an outage the banner
 * of the page says it once for all.
 */
export function Loaded<T>({
  of: load,
  children,
}: {
  readonly of: Load<T>
  readonly children: (data: T) => ReactNode
}) {
  if (load.data !== null) return children(load.data)
  if (outageIn(load.error)) return <p className="absent">Not available right now.</p>
  if (!load.error) return <Waiting />
  return (
    <>
      <Failure error={load.error} />
      <button type="button" onClick={() => void load.reload()}>
        Try again
      </button>
    </>
  )
}
