import { type ComponentType, type FunctionComponent, useEffect, useState } from 'react'
import { t } from '../language/t.js'
import { SmallPage } from '../page.js'
import { Waiting } from './waiting.js'

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
