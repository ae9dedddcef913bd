import {
  type ComponentType,
  type FunctionComponent,
  type ReactNode,
  useCallback,
  useRef,
  useState,
} from 'react'
import { useEffect } from './activity.js'
import { type Action, useAction, useFocusRescue } from './forms.js'
import { Failure } from './notices.js'
import { outageIn, retryLater, stopRetrying } from './outage.js'
import { SmallPage } from './page.js'
import { t } from './t.js'
import { breakable } from './text.js'

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

export interface Load<T> {
  readonly data: T | null
  readonly error: unknown
  /** Loads again; the previous data stays visible meanwhile. */
  readonly reload: () => Promise<void>
}

/**
 * Loads what a page shows, when it opens and whenever `key` changes; in an outage, retries until it is there. `isWanted` is
 * false once somebody has left, or wants it anew.
 */
export function useLoad<T>(load: (isWanted: () => boolean) => Promise<T>, key = ''): Load<T> {
  const [state, setState] = useState<{ key: string; data: T | null; error: unknown }>({
    key,
    data: null,
    error: null,
  })
  const latest = useRef({ load, turn: 0 })
  latest.current.load = load
  const reload = useCallback(async () => {
    latest.current.turn += 1
    const { turn } = latest.current
    const isWanted = () => turn === latest.current.turn
    try {
      const data = await latest.current.load(isWanted)
      if (!isWanted()) return
      stopRetrying(latest)
      setState({ key, data, error: null })
    } catch (error) {
      if (!isWanted()) return
      const isOutage = outageIn(error) !== null
      if (isOutage) retryLater(latest, error, reload)
      else stopRetrying(latest)
      // Stale data is better than none.
      setState(before => ({ key, data: isOutage && before.key === key ? before.data : null, error }))
    }
  }, [key])
  useEffect(() => {
    void reload()
    return () => {
      latest.current.turn += 1
      stopRetrying(latest)
    }
  }, [reload])
  return state.key === key ? { ...state, reload } : { data: null, error: null, reload }
}

export interface Part<T> {
  readonly rows: readonly T[]
  readonly next: string | null
}

/** The next part that has rows, or the last; the one that was reached once nobody wants to go on. */
export async function partWithRows<P extends Part<unknown>>(
  loadPart: (after: string | null) => Promise<P>,
  after: string | null,
  isWanted: () => boolean,
): Promise<P> {
  let part = await loadPart(after)
  while (part.rows.length === 0 && part.next && isWanted()) part = await loadPart(part.next)
  return part
}

/** A long list, loaded in parts. A change of `key` starts over. A part without rows but with a `next` is skipped. */
export function usePages<T>(
  loadPart: (after: string | null) => Promise<Part<T>>,
  key = '',
): { readonly list: Load<Part<T>>; readonly more: Action<void> | null } {
  const [added, setAdded] = useState<(Part<T> & { key: string }) | null>(null)
  const first = useLoad(isWanted => partWithRows(loadPart, null, isWanted), key)
  const later = added?.key === key ? added : null
  const next = (later ?? first.data)?.next ?? null
  const more = useAction(async () => {
    const part = await partWithRows(loadPart, next, () => true)
    setAdded({ key, rows: [...(later?.rows ?? []), ...part.rows], next: part.next })
  })
  const rows = [...(first.data?.rows ?? []), ...(later?.rows ?? [])]
  // From the start, because later parts may have changed as well.
  const reload = async () => {
    await first.reload()
    setAdded(null)
  }
  return { list: { ...first, data: first.data && { rows, next }, reload }, more: next ? more : null }
}

/** A page whose script is loaded when it is first shown, or earlier by `preload`, which rejects when it cannot be. */
type LazyPage<Props> = FunctionComponent<Props> & { readonly preload: () => Promise<unknown> }

/**
 * If its script cannot be loaded, because there is no network or a new version has replaced it, the page says so. Not
 * React's `lazy`: below a `Suspense`, React keeps the fallback for 300 ms once it is shown.
 */
export function lazyPage<Props extends object>(load: () => Promise<ComponentType<Props>>): LazyPage<Props> {
  let loaded: ComponentType<Props> | null = null
  const preload = async () => {
    loaded ??= await load()
    return loaded
  }
  function Lazy(props: Props) {
    const [Page, setPage] = useState(() => loaded)
    useEffect(() => {
      if (Page) return undefined
      let isShown = true
      void preload()
        .catch(() => NotLoaded)
        .then(found => isShown && setPage(() => found))
      return () => {
        isShown = false
      }
    }, [Page])
    return Page ? <Page {...props} /> : <OnItsWay />
  }
  return Object.assign(Lazy, { preload })
}

function OnItsWay() {
  return (
    <main className="small">
      <Waiting />
    </main>
  )
}

function NotLoaded() {
  return (
    <SmallPage title={t('notLoaded.title')}>
      <p>{t('notLoaded.about')}</p>
      <div className="actions">
        <button type="button" className="primary" onClick={() => location.reload()}>
          {t('notLoaded.again')}
        </button>
      </div>
    </SmallPage>
  )
}
