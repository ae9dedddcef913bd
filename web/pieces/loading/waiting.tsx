import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useFocusRescue } from '../forms/button.js'
import { breakable } from '../language/breakable.js'
import { t } from '../language/t.js'
import { Failure } from '../notices/notice.js'
import { outageIn } from '../sessions/outage.js'
import type { Load } from './use-load.js'

/** Longer than any normal response takes: now people want to know what is going on. */
const LONG_WAIT_MS = 4_000

/** The shape of what is coming: a paragraph, list entries, or form fields. */
type Shape = 'text' | 'rows' | 'fields'

/** Shown while something is loading; says so when it takes long. */
export function Waiting({ what = t('waiting.moment') }: { readonly what?: string }) {
  const isLong = useLongWait()
  return (
    <p className="waiting" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>{isLong ? t('waiting.long') : breakable(what)}</span>
    </p>
  )
}

/** A placeholder for what is loading; invisible at first, because most responses arrive at once. */
export function Skeleton({ shape = 'text' }: { readonly shape?: Shape | undefined }) {
  const isLong = useLongWait()
  return (
    <div className={`waiting skeleton ${shape}`} role="status">
      <span className={isLong ? '' : 'unseen'}>{isLong ? t('waiting.long') : t('waiting.moment')}</span>
      <i />
      <i />
      <i />
    </div>
  )
}

/**
 * What was loaded; until then its placeholder, or the error and a way to try again. In an outage, the page's
 * banner reports it once for everything.
 */
export function Loaded<T>({
  of: load,
  shape,
  children,
}: {
  readonly of: Load<T>
  readonly shape?: Shape
  readonly children: (data: T) => ReactNode
}) {
  if (load.data !== null) return children(load.data)
  if (outageIn(load.error)) return <p className="absent">{t('waiting.absent')}</p>
  if (!load.error) return <Skeleton shape={shape} />
  return (
    <>
      <Failure error={load.error} />
      <TryAgain reload={load.reload} />
    </>
  )
}

/**
 * What is loaded from several places, drawn at once when the last of them has answered, so that nothing pushes away what
 * somebody is reading already. Later loads leave it as it is.
 */
export function LoadedTogether({
  of: loads,
  children,
}: {
  readonly of: readonly Load<unknown>[]
  readonly children: ReactNode
}) {
  const wasLoaded = useRef(false)
  if (loads.every(({ data, error }) => data !== null || error)) wasLoaded.current = true
  return wasLoaded.current ? children : <Skeleton shape="rows" />
}

function TryAgain({ reload }: { readonly reload: () => Promise<void> }) {
  const button = useFocusRescue()
  return (
    <button ref={button} type="button" onClick={() => void reload()}>
      {t('common.tryAgain')}
    </button>
  )
}

function useLongWait(): boolean {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), LONG_WAIT_MS)
    return () => clearTimeout(timer)
  }, [])
  return isLong
}
