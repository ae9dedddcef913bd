import { type ComponentType, lazy } from 'react'
import { SmallPage } from './page.js'

/**
 * A page whose script is loaded when it is first shown. Where that cannot be had, because there is no network or a new
 * version has replaced it, the page says so.
 */
export function lazyPage<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(() => load().then(asModule, () => asModule<Props>(NotLoaded)))
}

function asModule<Props>(page: ComponentType<Props>) {
  return { default: page }
}

function NotLoaded() {
  return (
    <SmallPage title="This page could not be loaded">
      <p>You may be offline, or we have just published a new version.</p>
      <div className="actions">
        <button type="button" className="primary" onClick={() => location.reload()}>
          Load it again
        </button>
      </div>
    </SmallPage>
  )
}
