import { type ReactNode, useEffect, useState } from 'react'
import { Failure } from './notice.js'
import type { Load } from './use-load.js'

/** Longer than any ordinary answer takes: now people want to know what is going on. */
const LONG_WAIT_MS = 4_000

/** Shown while something is on its way; says more when it takes long. */
export function Waiting({ what = 'One moment …' }: { readonly what?: string }) {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  return (
    <p className="waiting" role="status">
      <span className="spinner" aria-hidden="true" />
      {isLong ? 'This takes longer than usual. We keep trying; you stay logged in.' : what}
    </p>
  )
}

/** What was loaded; until then that it is on its way, or what went wrong and a way to try again. */
export function Loaded<T>({
  of: load,
  children,
}: {
  readonly of: Load<T>
  readonly children: (data: T) => ReactNode
}) {
  if (load.error)
    return (
      <>
        <Failure error={load.error} />
        <button type="button" onClick={() => void load.reload()}>
          Try again
        </button>
      </>
    )
  return load.data === null ? <Waiting /> : children(load.data)
}
