import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../language/t.js'
import { Failure } from '../notices/notice.js'
import { outageIn } from '../sessions/outage.js'
import type { Load } from './use-load.js'

/** Longer than any ordinary answer takes: now people want to know what is going on. */
const LONG_WAIT_MS = 4_000

/** The shape of what comes: a paragraph, entries of a list, or fields of a form. */
export type Shape = 'text' | 'rows' | 'fields'

/** Shown while something is on its way; says so when it takes long. */
export function Waiting({ what = t('waiting.moment') }: { readonly what?: string }) {
  const isLong = useLongWait()
  return (
    <p className="waiting" role="status">
      <span className="spinner" aria-hidden="true" />
      {isLong ? t('waiting.long') : what}
    </p>
  )
}

/** In the place of what is loaded, until it is there; invisible at first, because most answers come at once. */
export function Skeleton({ shape = 'text' }: { readonly shape?: Shape }) {
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
 * What was loaded; until then its shape, or what went wrong and a way to try again. In an outage the banner of the page
 * says it once for all.
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
  if (!load.error) return <Skeleton {...(shape && { shape })} />
  return (
    <>
      <Failure error={load.error} />
      <button type="button" onClick={() => void load.reload()}>
        {t('common.tryAgain')}
      </button>
    </>
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
